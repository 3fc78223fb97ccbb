/* SPDX-License-Identifier: MIT */
/*
 * verbs_check: type 2 windows.  Each is freed when its key has ended, and never
 * is a key ended that has ended before: that kills the kernel (D8).
 */
#include <errno.h>
#include <string.h>

#include "verbs_check_pair.h"
#include "verbs_impl.h"

#define AT 4096 /* of the windows in their region; as long as that, too */

/* b is who binds, a who uses the key. */
struct bound {
	struct check *c;
	struct pair p;
	struct bk_mw *mw;
	struct job j; /* of the bind */
	uint32_t key;
};

static int
bind_2(struct bound *w, bool good, uint32_t rights, unsigned tag)
{
	const struct bind_args args = { AT, AT, rights, (uint16_t)tag };
	struct check *c = w->c;
	struct job *j = &w->j;
	int r;

	job_init(j);
	job_posted(j, backend_mw_bind(&c->dev, w->mw, good ? c->good : c->bad,
			  w->p.b.qp, &args, &j->wr.req));
	if ((r = job_wait(j)) == 0)
		w->key = j->wr.req.rkey;
	return r;
}

static void
bound_new(struct bound *w, struct check *c)
{
	struct err e;

	w->c = c;
	pair_new(c, &w->p, QP_RC, RIGHTS_ALL);
	if (backend_mw_alloc(&c->dev, c->pd, MW_TYPE_2, &w->mw, &e) < 0)
		bail_out("%s", e.text);
}

/* The window first: D2. */
static void
bound_free(struct bound *w)
{
	struct err e;

	if (backend_mw_free(&w->c->dev, w->mw, &e) < 0)
		bail_out("%s", e.text);
	pair_free(&w->p);
}

static int
invalidate_2(struct bound *w)
{
	job_init(&w->j);
	job_posted(
	    &w->j, backend_mw_invalidate(&w->c->dev, w->mw, &w->j.wr.req));
	return job_wait(&w->j);
}

static void
is_used(struct bound *w, enum wr_op op, enum wc_status want)
{
	static char buf[8];
	struct job j;

	move_init(w->c, &j, op, buf, 8);
	j.wr.addr = (uintptr_t)w->c->mem.addr + AT;
	j.wr.rkey = w->key;
	is_str(status_name(move_now(w->c, &w->p.a, &j)), status_name(want),
	    "%s over its key: %s", name_of(wr_op_names, op), j.e.text);
}

static void
check_life(struct check *c)
{
	struct bound w;

	bound_new(&w, c);
	is_int(
	    bind_2(&w, true, RIGHT_REMOTE_READ, 0), 0, "bound %s", w.j.e.text);
	is_used(&w, WR_READ, WC_SUCCESS);
	is_int(invalidate_2(&w), 0, "invalidated %s", w.j.e.text);
	is_used(&w, WR_READ, WC_REM_ACCESS_ERR);
	bound_free(&w);
	bound_new(&w, c);
	is_int(bind_2(&w, true, RIGHT_REMOTE_READ, 0), 0, "bound");
	is_used(&w, WR_WRITE, WC_REM_ACCESS_ERR); /* not the region's rights */
	bound_free(&w);
}

/* W6: the window is as it was, but its queue pair is in error. */
static void
check_refused_bind(struct check *c)
{
	struct bound w;
	struct side *b = &w.p.b;

	bound_new(&w, c);
	is_int(bind_2(&w, false, RIGHT_REMOTE_READ, 0), -EIO, "refused: %s",
	    w.j.e.text);
	ok(w.j.wr.req.wc.status != WC_SUCCESS && b->changes == 1,
	    "by the device");
	is_int(bind_2(&w, true, RIGHT_REMOTE_READ, 0), -EIO, "in error: %s",
	    w.j.e.text);
	is_int(w.j.wr.req.wc.status, WC_WR_FLUSH_ERR, "flushed");
	pair_free(&w.p);
	side_new(c, b, QP_RC);
	is_int(bind_2(&w, true, RIGHT_REMOTE_READ, 0), -EIO, "reset: %s",
	    w.j.e.text);
	side_free(c, b);
	pair_new(c, &w.p, QP_RC, RIGHTS_ALL);
	is_int(bind_2(&w, true, RIGHT_REMOTE_READ, 0), 0, "over a new one");
	is_used(&w, WR_READ, WC_SUCCESS);
	bound_free(&w);
}

static void
check_tag(struct check *c, unsigned plus)
{
	struct bound w;
	unsigned tag;
	int r;

	bound_new(&w, c);
	tag = (w.mw->mw->rkey + plus) & 0xff;
	r = bind_2(&w, true, RIGHT_REMOTE_READ, TAG_CHOSEN | tag);
	if (plus == 0)
		ok(true, "the tag that it has: %d %s", r, w.j.e.text);
	else
		ok(r == 0 && (w.key & 0xff) == tag, "a chosen tag %s",
		    w.j.e.text);
	if (r == 0)
		is_used(&w, WR_READ, WC_SUCCESS);
	bound_free(&w);
}

/* I3: once, and the window goes after it. */
static void
check_send_inv(struct check *c)
{
	char buf[8] = "end it";
	struct job j, got;
	struct bound w;

	bound_new(&w, c);
	is_int(bind_2(&w, true, RIGHT_REMOTE_READ, 0), 0, "bound");
	move_init(c, &got, WR_RECV, NULL, 8);
	move_start(c, &w.p.b, &got);
	move_init(c, &j, WR_SEND, buf, 8);
	j.wr.with_inv = true;
	j.wr.inv = w.key;
	is_str(status_name(move_now(c, &w.p.a, &j)), "success",
	    "send with invalidate %s", j.e.text);
	is_str(status_name(move_end(&got)), "success", "recv");
	ok(got.wr.req.wc.with_inv && got.wr.req.wc.rkey == w.key &&
		!got.wr.req.wc.with_imm,
	    "it says which");
	is_used(&w, WR_READ, WC_REM_ACCESS_ERR);
	bound_free(&w);
}

void
check_type_2(struct check *c)
{
	check_life(c);
	check_refused_bind(c);
	check_tag(c, 77);
	check_tag(c, 0);
	check_send_inv(c);
}
