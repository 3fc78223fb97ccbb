/* SPDX-License-Identifier: MIT */
/* verbs_check: queue pairs and what they move. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_check_pair.h"

#define MANY   40 /* more pieces than a domain has */
#define POSTS  1000 /* by each thread: more than a queue holds */
#define FOLLOW 3

static void
heard(void *arg, enum qp_state state)
{
	struct side *s = arg;

	if (state == QP_ERR)
		atomic_fetch_add(&s->changes, 1);
}

void
side_new(struct check *c, struct side *s, enum qp_type type)
{
	struct qp_args args = { type, 0, -1, heard, s };
	struct err e;

	s->changes = 0;
	if (backend_qp_create(&c->dev, c->pd, &args, &s->qp, &s->at, &e) < 0)
		bail_out("%s", e.text);
}

void
side_free(struct check *c, struct side *s)
{
	struct err e;

	if (backend_qp_destroy(&c->dev, s->qp, &e) < 0)
		bail_out("%s", e.text);
}

void
side_connect(
    struct check *c, struct side *s, const struct side *to, uint32_t rights)
{
	struct err e;

	if (backend_qp_connect(&c->dev, s->qp, &to->at, rights, &e) < 0)
		bail_out("%s", e.text);
}

enum qp_state
side_state(struct check *c, struct side *s)
{
	enum qp_state state;
	struct err e;

	if (backend_qp_state(&c->dev, s->qp, &state, &e) < 0)
		bail_out("%s", e.text);
	return state;
}

void
pair_new(struct check *c, struct pair *p, enum qp_type type, uint32_t rights)
{
	p->c = c;
	side_new(c, &p->a, type);
	side_new(c, &p->b, type);
	side_connect(c, &p->a, &p->b, RIGHTS_ALL);
	side_connect(c, &p->b, &p->a, rights);
}

void
pair_free(struct pair *p)
{
	side_free(p->c, &p->a);
	side_free(p->c, &p->b);
}

void
move_init(
    struct check *c, struct job *j, enum wr_op op, void *buf, uint64_t length)
{
	job_init(j);
	j->wr.op = op;
	j->wr.buf = buf;
	j->wr.length = length;
	j->wr.lkey = c->keys.lkey;
	j->wr.local = (uintptr_t)c->mem.addr;
	j->wr.addr = (uintptr_t)c->mem.addr + SIZE / 2;
	j->wr.rkey = c->keys.rkey;
}

void
move_start(struct check *c, struct side *s, struct job *j)
{
	int r;

	if (j->wr.op == WR_RECV)
		r = backend_qp_recv(&c->dev, s->qp, &j->wr);
	else
		r = backend_qp_post(&c->dev, s->qp, &j->wr);
	job_posted(j, r);
}

enum wc_status
move_end(struct job *j)
{
	int r = job_wait(j);

	if ((r == 0) != (j->wr.req.wc.status == WC_SUCCESS))
		bail_out(
		    "r=%d status=%d %s", r, j->wr.req.wc.status, j->e.text);
	return j->wr.req.wc.status;
}

enum wc_status
move_now(struct check *c, struct side *s, struct job *j)
{
	move_start(c, s, j);
	return move_end(j);
}

const char *
status_name(enum wc_status status)
{
	return name_of(wc_status_names, status);
}

static void
succeeds(struct check *c, struct side *s, struct job *j, const char *what)
{
	is_str(status_name(move_now(c, s, j)), "success", "%s %s", what,
	    j->e.text);
}

/* What can be refused before anything is connected. */
static void
check_reset(struct check *c)
{
	struct qp_args args = { QP_RC, 1, 60000, heard, NULL };
	struct qp_addr nowhere = { 0 };
	struct side s = { 0 };
	struct err e;
	struct job j;
	char *buf = (char[8]){ 0 };
	int r;

	r = backend_qp_create(&c->dev, c->pd, &args, &s.qp, &s.at, &e);
	ok(r == -EINVAL && strcmp(e.arg, "gid") == 0, "%s", e.text);
	args.gid = 200;
	r = backend_qp_create(&c->dev, c->pd, &args, &s.qp, &s.at, &e);
	ok(r == -EINVAL && strcmp(e.arg, "gid") == 0, "%s", e.text);
	args.gid = 0;
	r = backend_qp_create(&c->dev, c->pd, &args, &s.qp, &s.at, &e);
	must(r, &e, "a chosen GID");
	side_free(c, &s);
	side_new(c, &s, QP_RC);
	printf("# qpn=%u psn=%u mtu=%u lid=%u piece=%u max_msg=%u\n", s.at.qpn,
	    s.at.psn, s.at.mtu, s.at.lid, c->dev.info.piece,
	    c->dev.info.max_msg);
	ok(s.at.qpn != 0 && s.at.gid.raw[11] == 0xff, "has an IPv4 GID");
	is_int(side_state(c, &s), QP_RESET, "reset");
	move_init(c, &j, WR_WRITE, buf, 8);
	is_str(
	    status_name(move_now(c, &s, &j)), "wr_flush_err", "%s", j.e.text);
	move_init(c, &j, WR_RECV, NULL, 8);
	is_str(
	    status_name(move_now(c, &s, &j)), "wr_flush_err", "%s", j.e.text);
	r = backend_qp_connect(&c->dev, s.qp, &nowhere, RIGHTS_ALL, &e);
	is_int(r, -EINVAL, "%s", e.text);
	is_int(side_state(c, &s), QP_RESET, "still reset");
	side_connect(c, &s, &s, RIGHTS_ALL);
	is_int(side_state(c, &s), QP_RTS, "connected to itself then");
	side_free(c, &s);
}

static void
check_moves(struct check *c, struct pair *p, void *buf, const char *what)
{
	char *near = c->mem.addr, *far = near + SIZE / 2;
	char *local = buf != NULL ? buf : near;
	uint64_t old;
	struct job j;

	printf("# %s\n", what);
	strcpy(local, "written");
	move_init(c, &j, WR_WRITE, buf, 8);
	succeeds(c, &p->a, &j, "write");
	is_str(far, "written", "%u bytes", j.wr.req.wc.bytes);
	strcpy(far, "to read");
	move_init(c, &j, WR_READ, buf, 8);
	succeeds(c, &p->a, &j, "read");
	is_str(local, "to read", "%u bytes", j.wr.req.wc.bytes);
	memset(far, 0, 8);
	far[0] = 5;
	move_init(c, &j, WR_FETCH_ADD, buf, 8);
	j.wr.operand = 3;
	succeeds(c, &p->a, &j, "fetch_add");
	memcpy(&old, local, 8);
	ok(old == 5 && far[0] == 8, "5 and 3 are 8");
	move_init(c, &j, WR_CMP_SWAP, buf, 8);
	j.wr.operand = 8;
	j.wr.swap = 9;
	succeeds(c, &p->a, &j, "cmp_swap");
	memcpy(&old, local, 8);
	ok(old == 8 && far[0] == 9, "8 became 9");
	move_init(c, &j, WR_WRITE, buf, 0);
	j.wr.rkey = j.wr.lkey = 0;
	succeeds(c, &p->a, &j, "zero bytes");
}

static void
check_sends(struct check *c, struct pair *p)
{
	char *far = (char *)c->mem.addr + SIZE / 2;
	struct job j, got;
	const struct bk_wc *wc = &got.wr.req.wc;
	char buf[8] = "a word";

	move_init(c, &got, WR_RECV, NULL, 64);
	got.wr.local = (uintptr_t)far;
	move_start(c, &p->b, &got);
	move_init(c, &j, WR_SEND, buf, sizeof(buf));
	succeeds(c, &p->a, &j, "send");
	is_str(status_name(move_end(&got)), "success", "recv");
	ok(wc->bytes == 8 && !wc->with_imm && !wc->with_inv, "8 bytes");
	is_str(far, "a word", "they are");
	move_init(c, &got, WR_RECV, NULL, 0);
	move_start(c, &p->b, &got);
	move_init(c, &j, WR_SEND, NULL, 0);
	j.wr.with_imm = true;
	j.wr.imm = 0x12345678;
	succeeds(c, &p->a, &j, "send with imm");
	is_str(status_name(move_end(&got)), "success", "recv");
	ok(wc->with_imm && wc->imm == 0x12345678 && wc->bytes == 0, "imm");
}

/* More pieces at once than there are, there and back. */
static void
check_pieces(struct check *c, struct pair *p)
{
	static struct job jobs[MANY];
	const size_t size = SIZE / 2;
	char *bufs = malloc(MANY * size), *far = (char *)c->mem.addr + size;
	unsigned i, wrong = 0;

	for (i = 0; i < MANY; i++) {
		memset(bufs + i * size, (int)i, size);
		move_init(c, &jobs[i], WR_WRITE, bufs + i * size, size);
		move_start(c, &p->a, &jobs[i]);
	}
	for (i = 0; i < MANY; i++)
		wrong += move_end(&jobs[i]) != WC_SUCCESS;
	is_int(wrong, 0, "%d writes", MANY);
	ok(far[0] == MANY - 1 && far[size - 1] == MANY - 1, "in order");
	for (i = 0; i < MANY; i++) {
		move_init(c, &jobs[i], WR_READ, bufs + i * size, size);
		move_start(c, i % 2 ? &p->a : &p->b, &jobs[i]);
	}
	for (i = 0; i < MANY; i++)
		wrong += move_end(&jobs[i]) != WC_SUCCESS ||
			 memcmp(bufs + i * size, far, size) != 0;
	is_int(wrong, 0, "%d reads over two queue pairs", MANY);
	free(bufs);
}

struct poster {
	pthread_t thread;
	struct pair *p;
	unsigned wrong;
};

static void *
post_some(void *arg)
{
	struct poster *me = arg;
	struct job *jobs = calloc(POSTS, sizeof(*jobs));
	uint64_t old;
	unsigned i;

	for (i = 0; i < POSTS; i++) {
		move_init(me->p->c, &jobs[i],
		    i % 8 != 0 ? WR_WRITE : WR_FETCH_ADD,
		    i % 8 != 0 ? NULL : &old, 8);
		jobs[i].wr.addr += i % 8 != 0 ? 64 : 0;
		jobs[i].wr.operand = 1;
		move_start(me->p->c, &me->p->a, &jobs[i]);
	}
	for (i = 0; i < POSTS; i++)
		me->wrong += move_end(&jobs[i]) != WC_SUCCESS;
	free(jobs);
	return NULL;
}

static void
check_posters(struct check *c, struct pair *p)
{
	struct poster posters[2] = { { .p = p }, { .p = p } };
	uint64_t *count = (uint64_t *)((char *)c->mem.addr + SIZE / 2);

	*count = 0;
	(void)pthread_create(&posters[0].thread, NULL, post_some, &posters[0]);
	(void)pthread_create(&posters[1].thread, NULL, post_some, &posters[1]);
	(void)pthread_join(posters[0].thread, NULL);
	(void)pthread_join(posters[1].thread, NULL);
	is_int(posters[0].wrong + posters[1].wrong, 0, "two threads posting");
	is_int((long long)*count, 2 * POSTS / 8, "each once");
}

static void
check_uc(struct check *c)
{
	char buf[8] = "dropped";
	char *far = (char *)c->mem.addr + SIZE / 2;
	struct pair p;
	struct job j;

	pair_new(c, &p, QP_UC, RIGHT_REMOTE_WRITE);
	memset(far, 0, 8);
	move_init(c, &j, WR_WRITE, buf, 8);
	j.wr.rkey ^= 1;
	succeeds(c, &p.a, &j, "UC, a bad key (A6)");
	is_str(far, "", "and nothing came");
	pair_free(&p);
	pair_new(c, &p, QP_UC, RIGHT_REMOTE_WRITE);
	move_init(c, &j, WR_WRITE, buf, 8);
	succeeds(c, &p.a, &j, "UC, a good one");
	pair_free(&p);
}

void
check_queue_pairs(struct check *c)
{
	char buf[8];
	struct pair p;
	struct err e;

	check_reset(c);
	pair_new(c, &p, QP_RC, RIGHTS_ALL);
	check_moves(c, &p, NULL, "between regions");
	check_moves(c, &p, buf, "memory of our own");
	check_sends(c, &p);
	check_pieces(c, &p);
	check_posters(c, &p);
	must(backend_qp_rights(&c->dev, p.b.qp, RIGHT_REMOTE_READ, &e), &e,
	    "rights");
	ok(p.a.changes == 0 && p.b.changes == 0, "none is in error");
	pair_free(&p);
	check_uc(c);
}
