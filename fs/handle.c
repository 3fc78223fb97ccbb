/* SPDX-License-Identifier: MIT */
/* Opening, closing, sizes of files; see handle.h. */
#include "handle_impl.h"

int
handle_check(const struct view *v, const struct node *n, int flags)
{
	const struct file *f = n->file;
	int acc = flags & O_ACCMODE;
	struct text t = { 0 };
	int r = 0;

	if (f == NULL)
		return -EISDIR;
	if (f->type == FILE_CLONE || (f->flags & FILE_ASKS))
		return acc == O_RDWR ? 0 : -EACCES;
	if (f->type == FILE_DATA)
		return data_check(n->o);
	/* Read-write, a journal waits; it takes nothing. */
	if (acc == O_RDWR && f->journal != NULL)
		return 0;
	if (acc != O_RDONLY && f->verbs == NULL)
		return -EACCES;
	if (acc == O_WRONLY)
		return 0;
	if (f->get != NULL && f->journal == NULL && !(f->flags & FILE_UNLOCKED))
		r = f->get(v, &t);
	text_fini(&t);
	return r;
}

struct handle *
handle_new(struct fs *fs, const struct node *n, struct cred *cred, int flags)
{
	struct handle *h = calloc(1, sizeof(*h));
	struct view v;

	if (h == NULL)
		return NULL;
	h->fs = fs;
	h->node = *n;
	h->cred = *cred;
	memset(cred, 0, sizeof(*cred));
	atomic_init(&h->refs, 1);
	pthread_mutex_init(&h->lock, NULL);
	if (n->file->type == FILE_BATCH &&
	    (h->batch = batch_new(fs, &h->node, &h->cred)) == NULL) {
		*cred = h->cred;
		pthread_mutex_destroy(&h->lock);
		free(h);
		return NULL;
	}
	h->waits = n->file->journal != NULL && (flags & O_ACCMODE) == O_RDWR;
	v = handle_view(h);
	world_lock(&fs->world);
	obj_ref(n->o);
	if (h->waits)
		n->file->journal->now(&v, &h->place);
	if (n->file->type == FILE_DATA)
		data_opened(h);
	h->seen = n->o->changes;
	LIST_INSERT_HEAD(&fs->handles, h, link);
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

void
handle_unref(struct handle *h)
{
	if (atomic_fetch_sub(&h->refs, 1) > 1)
		return;
	batch_free(h->batch);
	text_fini(&h->text);
	answer_free(h->answer.text);
	free(h->name.text);
	cred_fini(&h->cred);
	pthread_mutex_destroy(&h->lock);
	obj_unref(h->node.o);
	free(h);
}

void
handle_close(struct handle *h)
{
	struct world *w = &h->fs->world;
	struct obj *made = h->made;
	bool keep;

	h->made = NULL;
	poll_end(h);
	world_lock(w);
	LIST_REMOVE(h, link);
	keep = made == NULL || made->keep || made->gone;
	world_unlock(w);
	if (!keep)
		change_discard(h->fs, made);
	else
		obj_unref(made);
	handle_unref(h);
}

void
handle_close_all(struct fs *fs)
{
	struct handle *h;

	while ((h = LIST_FIRST(&fs->handles)) != NULL)
		handle_close(h);
}

const struct node *
handle_node(const struct handle *h)
{
	return &h->node;
}

bool
handle_waits(const struct handle *h)
{
	return h->waits;
}

int
node_truncate(const struct node *n, uint64_t size)
{
	struct world *w = n->o->world;
	uint64_t length;

	if (n->file == NULL)
		return -EISDIR;
	if (n->file->type != FILE_DATA)
		return n->file->verbs != NULL || n->file->journal != NULL ||
			       n->file->type == FILE_CLONE
			   ? 0
			   : -EACCES;
	world_lock(w);
	length = data_length(n->o);
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

	if (f == NULL || f->type == FILE_CLONE || (f->flags & FILE_NO_SIZE))
		return 0;
	if (f->type == FILE_DATA || f->bound != NULL) {
		if (f->flags & FILE_UNLOCKED)
			return f->bound(v);
		world_lock(w);
		size = f->bound != NULL ? f->bound(v) : data_length(n->o);
		world_unlock(w);
		return size;
	}
	if (view_text(v, &t) == 0)
		size = t.len;
	text_fini(&t);
	return size;
}
