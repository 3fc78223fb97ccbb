/* SPDX-License-Identifier: MIT */
/* An open file; see handle.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "change.h"
#include "fs.h"
#include "handle.h"

#define WRITE_MAX (64u << 10) /* bytes of a write to a control file */

/* A text that is said once: the answer to a write, a clone's name. */
struct said {
	char *text; /* malloc'ed; NULL: nothing to say */
	uint64_t at; /* where the descriptor stands to read it */
	bool started;
};

struct handle {
	struct fs *fs;
	struct node node;
	struct cred cred;
	struct obj *made; /* through clone; referenced */
	atomic_uint refs; /* the descriptor's and each write's under way */

	pthread_mutex_t lock; /* guards the rest; above world.lock */
	struct text text; /* what is being read, from byte base on */
	struct cursor cursor;
	uint64_t base;
	uint64_t end; /* where the last read of the text ended */
	bool rendered;
	bool more; /* the cursor is not at its end */
	bool continues; /* the last read was of the text, not an answer */
	struct said answer, name;
	bool torn; /* a refused write ended in the middle of a line */
};

int
handle_check(const struct view *v, const struct node *n, int flags)
{
	const struct file *f = n->file;
	int acc = flags & O_ACCMODE;
	struct text t = { 0 };
	int r = 0;

	if (f == NULL)
		return -EISDIR;
	if (f->type == FILE_CLONE)
		return acc == O_RDWR ? 0 : -EACCES;
	if (acc != O_RDONLY && f->verbs == NULL && f->type != FILE_DATA)
		return -EACCES;
	if (f->type == FILE_DATA)
		return mr_of(n->o)->active ? 0 : -ENODATA;
	if (acc == O_WRONLY)
		return 0;
	if (f->get != NULL && !(f->flags & FILE_UNLOCKED))
		r = f->get(v, &t);
	text_fini(&t);
	return r;
}

struct handle *
handle_new(struct fs *fs, const struct node *n, struct cred *cred)
{
	struct handle *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->fs = fs;
	h->node = *n;
	h->cred = *cred;
	memset(cred, 0, sizeof(*cred));
	atomic_init(&h->refs, 1);
	pthread_mutex_init(&h->lock, NULL);
	world_lock(&fs->world);
	obj_ref(n->o);
	world_unlock(&fs->world);
	return h;
}

void
handle_made(struct handle *h, struct obj *o)
{
	struct text t = { 0 };

	world_lock(o->world);
	o->clone = true;
	h->made = obj_ref(o);
	text_printf(&t, "%s\n", o->name);
	world_unlock(o->world);
	/* Without memory the name is not told, and nothing else is lost. */
	h->name.text = t.nomem ? NULL : t.buf;
}

static void
handle_unref(struct handle *h)
{
	if (atomic_fetch_sub(&h->refs, 1) > 1)
		return;
	text_fini(&h->text);
	free(h->answer.text);
	free(h->name.text);
	cred_fini(&h->cred);
	pthread_mutex_destroy(&h->lock);
	obj_unref(h->node.o);
	free(h);
}

void
handle_close(struct handle *h)
{
	struct obj *made = h->made;
	bool keep = true;

	h->made = NULL;
	if (made != NULL) {
		world_lock(made->world);
		keep = made->keep || made->gone;
		world_unlock(made->world);
	}
	if (!keep)
		change_discard(h->fs, made);
	else
		obj_unref(made);
	handle_unref(h);
}

const struct node *
handle_node(const struct handle *h)
{
	return &h->node;
}

/*
 * Reading.
 */
static struct view
handle_view(const struct handle *h)
{
	return (struct view){ .fs = h->fs,
		.o = h->node.o,
		.file = h->node.file,
		.index = h->node.index,
		.cred = &h->cred };
}

/* The whole text of a file with get, locking as the row asks for. */
static int
view_text(const struct view *v, struct text *t)
{
	struct world *w = v->o->world;
	int r;

	if (v->file->flags & FILE_UNLOCKED) {
		r = v->file->get(v, t);
	} else {
		world_lock(w);
		r = v->o->gone ? -ENODEV : v->file->get(v, t);
		world_unlock(w);
	}
	if (r == 0 && t->nomem)
		r = -ENOMEM;
	return r;
}

static int
read_text(struct handle *h, uint64_t off, size_t size, struct text *out)
{
	const struct view v = handle_view(h);
	size_t n;
	int r;

	if (off == 0 || !h->rendered) {
		text_reset(&h->text);
		if ((r = view_text(&v, &h->text)) < 0)
			return r;
		h->rendered = true;
	}
	if (off >= h->text.len)
		return 0;
	n = h->text.len - off;
	text_add(out, h->text.buf + off, n < size ? n : size);
	return out->nomem ? -ENOMEM : 0;
}

static int
stream_restart(struct handle *h)
{
	text_reset(&h->text);
	memset(&h->cursor, 0, sizeof(h->cursor));
	h->base = 0;
	h->rendered = h->more = true;
	return 0;
}

/* Drops what has been read and adds what comes next. */
static int
stream_fill(struct handle *h, uint64_t off)
{
	const struct view v = handle_view(h);
	int r;

	if (off >= h->base + h->text.len) {
		h->base += h->text.len;
		text_reset(&h->text);
	}
	r = h->node.file->more(&v, &h->cursor, &h->text);
	h->more = r > 0;
	if (h->text.nomem)
		return -ENOMEM;
	return r < 0 ? r : 0;
}

static void
stream_copy(struct handle *h, uint64_t *off, size_t *size, struct text *out)
{
	uint64_t from;
	size_t n;

	if (*off < h->base || *off >= h->base + h->text.len)
		return;
	from = *off - h->base;
	n = h->text.len - from < *size ? h->text.len - from : *size;
	text_add(out, h->text.buf + from, n);
	*off += n;
	*size -= n;
}

static int
read_stream(struct handle *h, uint64_t off, size_t size, struct text *out)
{
	int r = 0;

	if (off == 0 || !h->rendered || off != h->end)
		r = stream_restart(h);
	while (r == 0) {
		stream_copy(h, &off, &size, out);
		if (size == 0 || !h->more)
			break;
		r = stream_fill(h, off);
	}
	if (out->nomem)
		r = -ENOMEM;
	return r;
}

/* The memory's own descriptor may be closed by dereg meanwhile: a duplicate
 * serves, and reads zeros then. */
static int
data_open(const struct node *n, struct mem *mem)
{
	struct mr *mr = mr_of(n->o);
	struct world *w = n->o->world;
	int r = 0;

	world_lock(w);
	*mem = mr->mem;
	if (n->o->gone)
		r = -ENODEV;
	else if (!mr->active)
		r = -ENODATA;
	else if ((mem->fd = fcntl(mr->mem.fd, F_DUPFD_CLOEXEC, 0)) < 0)
		r = -errno;
	world_unlock(w);
	return r;
}

static int
read_data(struct handle *h, uint64_t off, size_t size, struct text *out)
{
	struct mem mem;
	ssize_t n = 0;
	int r;

	if ((r = data_open(&h->node, &mem)) < 0)
		return r;
	if (off < mem.length) {
		if (size > mem.length - off)
			size = mem.length - off;
		if ((out->buf = malloc(size + 1)) == NULL)
			n = -ENOMEM;
		else
			n = mem_read(&mem, out->buf, size, off, NULL);
		if (n >= 0)
			out->len = (size_t)n;
		out->cap = size + 1;
	}
	close(mem.fd);
	return n < 0 ? (int)n : 0;
}

/*
 * Whether off reads s: it does where the descriptor stood, and on from there
 * to its end.  A second read at 0 is one of the file.
 */
static bool
said_reads(const struct handle *h, const struct said *s, uint64_t off)
{
	if (s->text == NULL || off < s->at || off > s->at + strlen(s->text))
		return false;
	if (off == 0)
		return !s->started;
	return !(h->continues && off == h->end);
}

static int
said_read(struct said *s, uint64_t off, size_t size, struct text *out)
{
	size_t n = strlen(s->text) - (off - s->at);

	s->started = true;
	text_add(out, s->text + (off - s->at), n < size ? n : size);
	return out->nomem ? -ENOMEM : 0;
}

int
handle_read(struct handle *h, uint64_t off, size_t size, struct text *out)
{
	int r;

	if (h->node.file->type == FILE_DATA)
		return read_data(h, off, size, out);
	pthread_mutex_lock(&h->lock);
	if (said_reads(h, &h->answer, off)) {
		h->continues = false;
		r = said_read(&h->answer, off, size, out);
	} else if (said_reads(h, &h->name, off)) {
		h->continues = false;
		r = said_read(&h->name, off, size, out);
	} else {
		r = h->node.file->more != NULL ? read_stream(h, off, size, out)
					       : read_text(h, off, size, out);
		h->continues = true;
		h->end = off + out->len;
	}
	pthread_mutex_unlock(&h->lock);
	return r;
}

/*
 * Writing.
 */
struct writing {
	struct handle *h; /* a reference */
	struct writer by;
	struct script *script;
	uint64_t off;
	size_t n;
};

/* The answer to a write stands where it left the descriptor: behind it, or
 * where it was if it failed. */
static void
answer_set(struct handle *h, uint64_t off, size_t n, int r, const char *said)
{
	char *text = strdup(r == 0 ? "ok\n" : said != NULL ? said : "");

	pthread_mutex_lock(&h->lock);
	free(h->answer.text);
	h->answer.text = text;
	h->answer.at = r == 0 ? off + n : off;
	h->answer.started = false;
	h->continues = false;
	if (h->name.started) {
		free(h->name.text);
		h->name.text = NULL;
	}
	pthread_mutex_unlock(&h->lock);
}

static void
writing_done(void *arg, int r, const char *answer)
{
	struct writing *w = arg;

	answer_set(w->h, w->off, w->n, r, answer);
	w->by.done(w->by.arg, r < 0 ? r : (ssize_t)w->n);
	handle_unref(w->h);
	free(w);
}

bool
writing_interrupt(struct writing *w)
{
	return script_interrupt(w->script);
}

/* Whole lines, or none of it. */
static int
write_check(struct handle *h, const char *buf, size_t n, struct err *e)
{
	bool ends = n > 0 && buf[n - 1] == '\n';
	int r;

	pthread_mutex_lock(&h->lock);
	if (h->torn)
		r = fail(e, EMSGSIZE,
		    "the rest of a write that was refused: it did not end in "
		    "a newline");
	else
		r = lines_check(buf, n, WRITE_MAX, e);
	if (h->torn || r == -EMSGSIZE)
		h->torn = !ends;
	pthread_mutex_unlock(&h->lock);
	return r;
}

static ssize_t
write_lines(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off, struct writing **writing)
{
	struct writing *w;
	struct source src = { .fs = h->fs,
		.node = h->node,
		.cred = &h->cred,
		.pid = by->pid,
		.uid = by->uid,
		.done = writing_done };
	struct err e;
	char *answer = NULL;
	int r;

	err_clear(&e);
	if ((r = write_check(h, buf, n, &e)) < 0 ||
	    (w = malloc(sizeof(*w))) == NULL) {
		if (r == 0)
			r = fail(&e, ENOMEM, "out of memory");
		outcome_record(h->fs, h->node.o, &h->node, by->uid, by->pid, &e,
		    0, NULL, &answer);
		answer_set(h, off, n, r, answer);
		free(answer);
		return r;
	}
	*w = (struct writing){ .h = h, .by = *by, .off = off, .n = n };
	src.arg = w;
	atomic_fetch_add(&h->refs, 1);
	*writing = w;
	r = script_run(&src, buf, n, &w->script, &answer);
	if (r == PENDING)
		return PENDING_WRITE;
	answer_set(h, off, n, r, answer);
	free(answer);
	handle_unref(h);
	free(w);
	return r < 0 ? r : (ssize_t)n;
}

static ssize_t
write_data(struct handle *h, const char *buf, size_t n, uint64_t off)
{
	struct mem mem;
	ssize_t r;

	if ((r = data_open(&h->node, &mem)) < 0)
		return r;
	r = mem_write(&mem, buf, n, off, NULL);
	close(mem.fd);
	return r;
}

ssize_t
handle_write(struct handle *h, const struct writer *by, const char *buf,
    size_t n, uint64_t off, struct writing **writing)
{
	if (h->node.file->type == FILE_DATA)
		return write_data(h, buf, n, off);
	return write_lines(h, by, buf, n, off, writing);
}

int
node_truncate(const struct node *n, uint64_t size)
{
	struct world *w = n->o->world;
	uint64_t length;

	if (n->file == NULL)
		return -EISDIR;
	if (n->file->type != FILE_DATA)
		return n->file->verbs != NULL || n->file->type == FILE_CLONE
			   ? 0
			   : -EACCES;
	world_lock(w);
	length = mr_of(n->o)->mem.length;
	world_unlock(w);
	return size == 0 || size == length ? 0 : -EINVAL;
}

uint64_t
node_size(const struct view *v, const struct node *n)
{
	struct world *w = n->o->world;
	const struct file *f = n->file;
	struct text t = { 0 };
	uint64_t size = 0;

	if (f == NULL || f->type == FILE_CLONE)
		return 0;
	if (f->type == FILE_DATA || f->bound != NULL) {
		world_lock(w);
		size = f->bound != NULL ? f->bound(v) : mr_of(n->o)->mem.length;
		world_unlock(w);
		return size;
	}
	if (view_text(v, &t) == 0)
		size = t.len;
	text_fini(&t);
	return size;
}
