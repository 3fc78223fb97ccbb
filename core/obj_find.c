/* SPDX-License-Identifier: MIT */
/* Finding objects, and who may know of them; see obj.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "obj.h"

#define NAMES_SHOWN 16

static int
obj_cmp_id(const struct obj *a, const struct obj *b)
{
	return a->id < b->id ? -1 : a->id > b->id;
}

RB_GENERATE(obj_children, obj, by_child, obj_cmp_id)

static struct obj *
obj_of_id(struct table_link *l)
{
	return (struct obj *)(void *)((char *)l - offsetof(struct obj, by_id));
}

static struct obj *
obj_of_name(struct table_link *l)
{
	return (
	    struct obj *)(void *)((char *)l - offsetof(struct obj, by_name));
}

/* Ids are given out one after the other: as they are they fill all slots. */
static uint32_t
id_hash(uint64_t id)
{
	return (uint32_t)id;
}

void
obj_id_add(struct obj *o)
{
	table_add(&o->world->ids, &o->by_id, id_hash(o->id));
}

void
obj_id_remove(struct obj *o)
{
	table_remove(&o->world->ids, &o->by_id);
}

struct obj *
obj_by_id(struct world *w, uint64_t id)
{
	struct table_link *l = NULL;

	while ((l = table_next(&w->ids, id_hash(id), l)) != NULL)
		if (obj_of_id(l)->id == id)
			return obj_of_id(l);
	return NULL;
}

void
obj_name_add(struct set *set, struct obj *o)
{
	table_add(&set->names, &o->by_name, table_hash(&set->names, o->name));
}

void
obj_name_remove(struct set *set, struct obj *o)
{
	table_remove(&set->names, &o->by_name);
}

struct obj *
obj_by_name(struct set *set, const char *name)
{
	const uint32_t hash = table_hash(&set->names, name);
	struct table_link *l = NULL;

	while ((l = table_next(&set->names, hash, l)) != NULL)
		if (strcmp(obj_of_name(l)->name, name) == 0)
			return obj_of_name(l);
	return NULL;
}

struct set *
obj_set(struct obj *o, enum kind kind)
{
	unsigned i;

	for (i = 0; i < o->nsets; i++)
		if (o->sets[i].kind == kind)
			return &o->sets[i];
	return NULL;
}

struct set *
obj_siblings(const struct obj *o)
{
	return obj_set(o->parent, o->kind);
}

struct obj *
obj_after(struct set *set, uint64_t id)
{
	struct obj key;

	key.id = id + 1;
	return RB_NFIND(obj_children, &set->children, &key);
}

static bool
may_search(const struct owner *own, uid_t uid)
{
	return own->mode & (own->uid == uid ? S_IXUSR : S_IXOTH);
}

bool
obj_is_seen(const struct obj *o, uid_t uid)
{
	if (uid == 0 || uid == o->owner.uid)
		return true;
	/* That a directory may be searched tells nothing of what is in it. */
	for (; o->parent != NULL; o = o->parent)
		if (!may_search(&obj_siblings(o)->owner, uid) ||
		    !may_search(&o->parent->owner, uid))
			return false;
	return true;
}

void
obj_list_names(struct set *set, const char *prefix, uid_t reader, struct err *e)
{
	struct obj *o;
	unsigned n = 0;
	size_t len = strlen(e->text);

	RB_FOREACH (o, obj_children, &set->children) {
		if (n == NAMES_SHOWN || len >= sizeof(e->text) - 1)
			break;
		if (!obj_is_seen(o, reader))
			continue;
		n++;
		len += (size_t)snprintf(e->text + len, sizeof(e->text) - len,
		    " %s/%s", prefix, o->name);
	}
}
