/* SPDX-License-Identifier: MIT */
/* The last refusals of each user; see errlog.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "errlog.h"

struct entry {
	uint64_t number;
	time_t time;
	uid_t uid;
	pid_t pid;
	char *line; /* malloc'ed: path, blank, text */
};

/* A ring: the entry that is written next is the oldest. */
struct errlog_user {
	RB_ENTRY(errlog_user) link;
	uid_t uid;
	unsigned next;
	struct entry entries[ERRLOG_KEPT];
};

static int
user_cmp(const struct errlog_user *a, const struct errlog_user *b)
{
	return a->uid < b->uid ? -1 : a->uid > b->uid;
}

RB_PROTOTYPE(errlog_users, errlog_user, link, user_cmp)
RB_GENERATE(errlog_users, errlog_user, link, user_cmp)

void
errlog_init(struct errlog *l)
{
	pthread_mutex_init(&l->lock, NULL);
	RB_INIT(&l->users);
	l->number = 0;
}

static void
user_free(struct errlog *l, struct errlog_user *u)
{
	unsigned i;

	RB_REMOVE(errlog_users, &l->users, u);
	for (i = 0; i < ERRLOG_KEPT; i++)
		free(u->entries[i].line);
	free(u);
}

void
errlog_fini(struct errlog *l)
{
	struct errlog_user *u;

	while ((u = RB_MIN(errlog_users, &l->users)) != NULL)
		user_free(l, u);
	pthread_mutex_destroy(&l->lock);
}

static struct errlog_user *
user_find(struct errlog *l, uid_t uid)
{
	struct errlog_user key;

	key.uid = uid;
	return RB_FIND(errlog_users, &l->users, &key);
}

static struct errlog_user *
user_get(struct errlog *l, uid_t uid)
{
	struct errlog_user *u = user_find(l, uid);

	if (u != NULL || (u = calloc(1, sizeof(*u))) == NULL)
		return u;
	u->uid = uid;
	RB_INSERT(errlog_users, &l->users, u);
	return u;
}

void
errlog_add(
    struct errlog *l, uid_t uid, pid_t pid, const char *path, const char *text)
{
	struct errlog_user *u;
	struct text line = { 0 };
	struct entry *en;

	text_vis(&line, path, strlen(path));
	text_puts(&line, " ");
	text_vis(&line, text, strlen(text));
	if (line.nomem) {
		text_fini(&line);
		return;
	}
	pthread_mutex_lock(&l->lock);
	if ((u = user_get(l, uid)) != NULL) {
		en = &u->entries[u->next++ % ERRLOG_KEPT];
		free(en->line);
		en->line = line.buf;
		en->number = ++l->number;
		en->time = time(NULL);
		en->uid = uid;
		en->pid = pid;
		line = (struct text){ 0 };
	}
	pthread_mutex_unlock(&l->lock);
	text_fini(&line);
}

static void
entry_print(const struct entry *en, struct text *t)
{
	if (en->line != NULL)
		text_printf(t, "%llu %lld uid=%u pid=%d %s\n",
		    (unsigned long long)en->number, (long long)en->time,
		    en->uid, en->pid, en->line);
}

static int
entry_cmp(const void *a, const void *b)
{
	const struct entry *const *x = a, *const *y = b;

	return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

static size_t
user_collect(const struct errlog_user *u, const struct entry **list)
{
	unsigned i;
	size_t n = 0;

	for (i = 0; i < ERRLOG_KEPT; i++)
		if (u->entries[i].line != NULL)
			list[n++] = &u->entries[i];
	return n;
}

/* All entries of all users, in one order; lock held. */
static void
errlog_print_all(struct errlog *l, struct text *t)
{
	const struct entry **list;
	struct errlog_user *u;
	size_t users = 0, n = 0, i;

	RB_FOREACH (u, errlog_users, &l->users)
		users++;
	if ((list = calloc(users * ERRLOG_KEPT + 1, sizeof(*list))) == NULL) {
		t->nomem = true;
		return;
	}
	RB_FOREACH (u, errlog_users, &l->users)
		n += user_collect(u, list + n);
	qsort(list, n, sizeof(*list), entry_cmp);
	for (i = 0; i < n; i++)
		entry_print(list[i], t);
	free(list);
}

void
errlog_print(struct errlog *l, uid_t uid, bool all, struct text *t)
{
	struct errlog_user *u;
	unsigned i;

	pthread_mutex_lock(&l->lock);
	if (all)
		errlog_print_all(l, t);
	else if ((u = user_find(l, uid)) != NULL)
		for (i = 0; i < ERRLOG_KEPT; i++)
			entry_print(
			    &u->entries[(u->next + i) % ERRLOG_KEPT], t);
	pthread_mutex_unlock(&l->lock);
}

void
errlog_clear(struct errlog *l, uid_t uid)
{
	struct errlog_user *u;

	pthread_mutex_lock(&l->lock);
	if ((u = user_find(l, uid)) != NULL)
		user_free(l, u);
	pthread_mutex_unlock(&l->lock);
}
