/* SPDX-License-Identifier: MIT */
/* Rows as JSON, one object a line, written as they are read; see rdmals.h. */
#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "../proto/value.h"
#include "rdmals.h"

struct writer {
	const struct look *look;
	bool some; /* a row has been written */
};

/* No string has anything but what can be printed: as in a table. */
static json_t *
json_text(const char *s)
{
	struct text t = { 0 };
	json_t *j = NULL;

	cell_text(&t, s);
	if (!t.nomem)
		j = json_stringn(t.buf, t.len);
	text_fini(&t);
	return j;
}

static json_t *
json_list(const char *s)
{
	json_t *list = json_array(), *item;
	size_t n;

	for (; list != NULL && *s != '\0' && strcmp(s, "none") != 0;
	     s += n + (s[n] == ',')) {
		n = strcspn(s, ",");
		item = json_stringn(s, n);
		if (json_array_append_new(list, item) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static bool
one_of(const char *const *keys, const char *key)
{
	while (*keys != NULL && strcmp(*keys, key) != 0)
		keys++;
	return *keys != NULL;
}

/* A decimal number that JSON's readers take; others stay strings. */
static bool
is_number(const char *s, uint64_t *n)
{
	return isdigit((unsigned char)s[0]) && (s[0] != '0' || s[1] == '\0') &&
	       value_number(s, INT64_MAX, n, NULL) == 0;
}

/* By its key, because a region may have the name 17. */
static json_t *
json_value(const struct row *r, const struct word *w)
{
	static const char *const lists[] = { "rights", "lacks", "breaks",
		NULL };
	static const char *const texts[] = { "comm", "path", NULL };
	static const char *const objects[] = { "mr", "qp", NULL };
	uint64_t n;

	if (one_of(lists, w->key))
		return json_list(w->value);
	if (one_of(texts, w->key) ||
	    (strcmp(r->kind, "mw") == 0 && one_of(objects, w->key)) ||
	    !is_number(w->value, &n))
		return json_text(w->value);
	return json_integer((json_int_t)n);
}

/* Keys and addresses are for who asks the kernel's file itself. */
static bool
is_secret(const char *key)
{
	size_t n = strlen(key);

	return (n >= 3 && strcmp(key + n - 3, "key") == 0) ||
	       strcmp(key, "iova") == 0 || strcmp(key, "addr") == 0;
}

static int
set_words(json_t *j, const struct row *r)
{
	static const char *const done[] = { "state", "own", NULL };
	const struct word *w;
	struct text path = { 0 };
	char device[NAME_MAX + 1];
	int ret = 0;

	/* The first of a kernel row is its id. */
	for (w = r->words + (r->id != NULL); w < r->words + r->nwords; w++) {
		if (r->id != NULL &&
		    (one_of(done, w->key) || is_secret(w->key)))
			continue;
		if (r->id != NULL && strcmp(w->key, "path") == 0) {
			text_printf(&path, "%s/%s",
			    row_device(r, device, sizeof(device)), w->value);
			ret |= path.nomem ? -1
					  : json_object_set_new(j, "object",
						json_text(path.buf));
			continue;
		}
		/* A device's kind is not the row's. */
		ret |= json_object_set_new(j,
		    strcmp(w->key, "kind") == 0 ? "backend" : w->key,
		    json_value(r, w));
	}
	text_fini(&path);
	return ret;
}

static json_t *
json_row(const struct row *r)
{
	json_t *j = json_object();
	char buf[NAME_MAX + 1];
	uint64_t id;
	int ret;

	ret = json_object_set_new(j, "kind", json_text(r->kind));
	ret |= json_object_set_new(j, "path", json_text(r->path));
	ret |= json_object_set_new(
	    j, "device", json_text(row_device(r, buf, sizeof(buf))));
	if (row_domain(r, buf, sizeof(buf))[0] != '\0')
		ret |= json_object_set_new(j, "domain", json_text(buf));
	if (r->id != NULL) {
		ret |= json_object_set_new(j, "id",
		    is_number(r->id, &id) ? json_integer((json_int_t)id)
					  : json_text(r->id));
		ret |= json_object_set_new(j, "own", json_boolean(r->own));
	}
	if (r->state[0] != '\0')
		ret |= json_object_set_new(j, "state", json_text(r->state));
	ret |= set_words(j, r);
	if (ret == 0)
		return j;
	json_decref(j);
	return NULL;
}

static int
json_write(void *arg, const struct row *r, bool wanted)
{
	struct writer *w = arg;
	json_t *j;
	int ret;

	if (!wanted)
		return 0;
	if ((j = json_row(r)) == NULL)
		return -1;
	fputs(w->some ? ",\n" : "", w->look->out);
	w->some = true;
	ret = json_dumpf(j, w->look->out, 0);
	json_decref(j);
	return ret;
}

int
show_json(struct query *q, const struct look *look)
{
	struct writer w = { .look = look };
	int ret;

	fputs("[", look->out);
	ret = query_read(q, json_write, &w);
	fputs("]\n", look->out);
	return ret;
}
