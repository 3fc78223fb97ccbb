/* SPDX-License-Identifier: MIT */
/* Values as a person reads them; see rdmals.h. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "../proto/value.h"
#include "rdmals.h"

void
cell_text(struct text *t, const char *s)
{
	const char *c = s;

	while (*c >= ' ' && *c <= '~')
		c++;
	if (*c == '\0')
		text_puts(t, s);
	else
		text_vis(t, s, strlen(s));
}

/* 4096 is 4K, 5000 is 4.9K: what is shown without a point is exact. */
void
cell_size(struct text *t, const char *bytes)
{
	static const char units[] = " KMGT";
	uint64_t n, rest = 0;
	unsigned unit = 0;

	if (bytes == NULL || value_number(bytes, UINT64_MAX, &n, NULL) < 0)
		return;
	for (; n >= 1024 && units[unit + 1] != '\0'; unit++) {
		rest = (n & 1023) | (rest != 0);
		n >>= 10;
	}
	text_printf(t, "%llu", (unsigned long long)n);
	if (rest != 0)
		text_printf(t, ".%llu", (unsigned long long)(rest * 10 >> 10));
	if (unit > 0)
		text_add(t, &units[unit], 1);
}

void
cell_user(struct users *users, struct text *t, const char *uid)
{
	const struct passwd *pw;
	struct user *u;
	uint64_t n;

	if (uid == NULL || value_number(uid, UINT32_MAX, &n, NULL) < 0)
		return;
	u = &users->at[n % USERS];
	if (u->name[0] == '\0' || u->uid != n) {
		/* cppcheck-suppress getpwuidCalled ; there is one thread */
		pw = getpwuid((uid_t)n);
		u->uid = (uint32_t)n;
		/* A name that has no room is no better than the number. */
		if (pw == NULL || strlcpy(u->name, pw->pw_name,
				      sizeof(u->name)) >= sizeof(u->name))
			snprintf(u->name, sizeof(u->name), "%u", u->uid);
	}
	cell_text(t, u->name);
}

/* active(reg): a command is under way; unbound(peer): who did it. */
void
cell_state(struct text *t, const struct row *r)
{
	const char *busy = row_get(r, "busy");
	const char *by = row_get(r, "invalidated");

	cell_text(t, r->state);
	if (busy != NULL || by != NULL)
		text_printf(t, "(%s)", busy != NULL ? busy : by);
}

/* key=value of those keys that the row has, separated by blanks. */
static void
words_some(struct text *t, const struct row *r, const char *const *keys)
{
	size_t begin = t->len;
	const char *value;

	for (; *keys != NULL; keys++) {
		/* A kernel row's first is in its path. */
		if ((value = row_get(r, *keys)) == NULL ||
		    (r->id != NULL && value == r->id))
			continue;
		text_printf(t, "%s%s=", t->len > begin ? " " : "", *keys);
		cell_text(t, value);
	}
}

/* mr/buf+4096 via qp/q */
static void
bound_window(struct text *t, const struct row *r)
{
	const char *mr = row_get(r, "mr"), *qp = row_get(r, "qp");
	const char *offset = row_get(r, "offset");

	if (mr == NULL)
		return;
	text_printf(t, "mr/%s", mr);
	if (offset != NULL && strcmp(offset, "0") != 0)
		text_printf(t, "+%s", offset);
	if (qp != NULL)
		text_printf(t, " via qp/%s", qp);
}

void
cell_bound(struct text *t, const struct row *r)
{
	static const char *const counts[] = { "pd", "mr", "mw", "qp", "windows",
		"mem", NULL };
	static const char *const ids[] = { "path", "users", "ctxn", "pdn",
		"cqn", "scqn", "rcqn", "srqn", NULL };

	if (strcmp(r->kind, "mw") == 0)
		bound_window(t, r);
	else
		words_some(t, r, r->id != NULL ? ids : counts);
}

void
cell_age(struct text *t, const char *made, int64_t now)
{
	static const struct {
		unsigned seconds;
		char unit;
	} units[] = { { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' }, { 1, 's' } };
	uint64_t n, age;
	size_t i = 0;

	if (made == NULL || value_number(made, INT64_MAX, &n, NULL) < 0)
		return;
	age = now > (int64_t)n ? (uint64_t)now - n : 0;
	while (i < 3 && age < units[i].seconds)
		i++;
	text_printf(t, "%llu%c", (unsigned long long)(age / units[i].seconds),
	    units[i].unit);
}

const char *
cell_colour(const char *state, size_t n)
{
	static const struct {
		const char *state, *colour;
	} colours[] = { { "active", "\033[32m" }, { "bound", "\033[32m" },
		{ "mapped", "\033[32m" }, { "rts", "\033[32m" },
		{ "err", "\033[31m" }, { "dead", "\033[31m" },
		{ "down", "\033[31m" }, { "gone", "\033[31m" } };
	const char *busy = memchr(state, '(', n);
	size_t i;

	if (busy != NULL)
		n = (size_t)(busy - state);
	for (i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		if (strncmp(colours[i].state, state, n) == 0 &&
		    colours[i].state[n] == '\0' && n > 0)
			return colours[i].colour;
	return "";
}
