/* SPDX-License-Identifier: MIT */
/* Reading of open files: texts, streams, answers. */
#include "handle_impl.h"

struct view
handle_view(const struct handle *h)
{
	return (struct view){ .fs = h->fs,
		.o = h->node.o,
		.file = h->node.file,
		.index = h->node.index,
		.cred = &h->cred };
}

int
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
		/* What changes from here on has not been read. */
		world_lock(v.o->world);
		h->seen = v.o->changes;
		world_unlock(v.o->world);
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

static void
stream_restart(struct handle *h)
{
	text_reset(&h->text);
	memset(&h->cursor, 0, sizeof(h->cursor));
	h->base = 0;
	h->rendered = h->more = true;
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
		stream_restart(h);
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

/* Counted, not kept: what is being read goes on. */
uint64_t
handle_length(struct handle *h)
{
	const struct view v = handle_view(h);
	struct cursor c = { .depth = 0 };
	struct text t = { 0 };
	uint64_t length = 0;
	int r;

	do {
		text_reset(&t);
		r = v.file->more(&v, &c, &t);
		length += t.len;
	} while (r > 0);
	text_fini(&t);
	return length;
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

/* What does not wait. */
static int
read_now(struct handle *h, uint64_t off, size_t size, struct text *out)
{
	int r;

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

int
handle_read(struct handle *h, const struct reader *by, uint64_t off,
    size_t size, struct text *out, struct reading **reading)
{
	*reading = NULL;
	if (h->node.file->type == FILE_DATA)
		return data_read(h, by, off, size, out);
	if (h->waits)
		return wait_read(h, by, size, out, reading);
	return read_now(h, off, size, out);
}
