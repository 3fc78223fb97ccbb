/* SPDX-License-Identifier: MIT */
/* What is asked for: kinds, filters, paths, holders; see rdmals.h. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../proto/value.h"
#include "rdmals.h"

static const char *const kinds[] = { "device", "pd", "mr", "mw", "qp", "mem",
	"kernel-pd", "kernel-mr", "kernel-qp", "kernel-cq", "kernel-ctx",
	"kernel-srq" };

void
complain(struct query *q, const char *fmt, ...)
{
	va_list ap;

	(void)fflush(stdout);
	fputs("rdmals: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("\n", stderr);
	if (q != NULL)
		q->trouble = true;
}

bool
path_below(const char *path, const char *top)
{
	size_t n = strlen(top);

	return n == 0 ||
	       (strncmp(path, top, n) == 0 &&
		   (path[n] == '\0' || path[n] == '/' || path[n] == ':'));
}

/* Room for one more of size bytes behind n at *array; NULL: no memory. */
static void *
array_grow(void *array, size_t n, size_t size)
{
	void *more = recallocarray(*(void **)array, n, n + 1, size);

	if (more == NULL) {
		complain(NULL, "out of memory");
		return NULL;
	}
	*(void **)array = more;
	return (char *)more + n * size;
}

static bool
add_kind(struct query *q, const char *word, int *status)
{
	size_t i;
	const char **slot;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i], word) != 0)
			continue;
		if ((slot = array_grow(
			 &q->kinds, q->nkinds, sizeof(*q->kinds))) == NULL) {
			*status = 1;
			return true;
		}
		*slot = kinds[i];
		q->nkinds++;
		q->kernel |= strncmp(word, "kernel-", 7) == 0;
		return true;
	}
	return false;
}

/*
 * owner=lp: the number that the tree has.  NULL after a message.
 */
static const char *
number_of_name(const char *key, const char *name)
{
	const struct passwd *pw;
	const struct group *gr;
	uint64_t n;
	char *number;

	if (value_number(name, UINT64_MAX, &n, NULL) == 0)
		return strdup(name);
	/* cppcheck-suppress getpwnamCalled ; there is one thread */
	if (strcmp(key, "owner") == 0 && (pw = getpwnam(name)) != NULL)
		n = pw->pw_uid;
	/* cppcheck-suppress getgrnamCalled */
	else if (strcmp(key, "group") == 0 && (gr = getgrnam(name)) != NULL)
		n = gr->gr_gid;
	else {
		complain(NULL, "%s=%s: there is no %s of this name", key, name,
		    strcmp(key, "owner") == 0 ? "user" : "group");
		return NULL;
	}
	if (asprintf(&number, "%llu", (unsigned long long)n) < 0)
		return NULL;
	return number;
}

/* In a filter the operator is the first of =, < and >. */
static int
add_filter(struct query *q, const char *word, size_t at)
{
	struct filter *f;
	uint64_t n;
	char *key;

	if ((f = array_grow(&q->filters, q->nfilters, sizeof(*f))) == NULL)
		return -1;
	if ((key = strndup(word, at)) == NULL)
		return -1;
	q->nfilters++;
	f->key = key;
	f->op = word[at] == '='   ? FILTER_IS
		: word[at] == '>' ? FILTER_OVER
				  : FILTER_UNDER;
	if (at == 0) {
		complain(NULL, "%s: the key is missing: KEY=VALUE", word);
		return -1;
	}
	if (strcmp(key, "owner") == 0 || strcmp(key, "group") == 0)
		f->value = number_of_name(key, word + at + 1);
	else
		f->value = strdup(word + at + 1);
	if (f->value == NULL)
		return -1;
	if (f->op != FILTER_IS && value_size(f->value, &n, NULL) < 0) {
		complain(NULL,
		    "%s: not a size behind %c (a number, K, M, G or T may "
		    "stand behind it)",
		    word, word[at]);
		return -1;
	}
	return 0;
}

/*
 * What a path is from the mount on, resolved: as it is given there, else from
 * the current directory.  NULL after a message.
 */
static char *
path_resolve(const struct query *q, const char *path, int *status)
{
	char *mount = realpath(q->mount, NULL), *full = NULL, *real = NULL;
	char *below = NULL;
	int error;

	*status = 1;
	if (mount == NULL) {
		complain(NULL, "%s: %s", q->mount, strerror(errno));
		return NULL;
	}
	if (path[0] != '/' && asprintf(&full, "%s/%s", mount, path) >= 0)
		real = realpath(full, NULL);
	error = errno;
	if (real == NULL)
		real = realpath(path, NULL);
	if (path[0] == '/')
		error = errno;
	if (real == NULL && path[0] != '/')
		complain(NULL, "%s/%s: %s", q->mount, path, strerror(error));
	else if (real == NULL)
		complain(NULL, "%s: %s", path, strerror(error));
	else if (path_below(real, mount))
		below =
		    strdup(real + strlen(mount) + (real[strlen(mount)] == '/'));
	else
		complain(NULL, "%s: not below %s", path, q->mount);
	free(full);
	free(real);
	free(mount);
	return below;
}

int
query_add(struct query *q, const char *word, int *status)
{
	size_t at = strcspn(word, "=<>");
	char *path, **slot;

	*status = 0;
	if (add_kind(q, word, status))
		return *status == 0 ? 0 : -1;
	if (word[at] != '\0') {
		*status = 2;
		return add_filter(q, word, at);
	}
	if ((path = path_resolve(q, word, status)) == NULL)
		return -1;
	if ((slot = array_grow(&q->paths, q->npaths, sizeof(path))) == NULL) {
		free(path);
		return -1;
	}
	*slot = path;
	q->npaths++;
	q->kernel |= strncmp(path + strcspn(path, "/"), "/kernel", 7) == 0;
	return 0;
}

/* A device, or what is below its pd/: an odd number of parts. */
static bool
path_is_object(const char *path)
{
	const char *s = strchr(path, '/');
	unsigned parts = 1;

	if (s != NULL && strncmp(s, "/pd/", 4) != 0)
		return false;
	for (; s != NULL; s = strchr(s + 1, '/'))
		parts++;
	return path[0] != '\0' && parts % 2 == 1;
}

int
query_hold(struct query *q, const char *path, int *status)
{
	struct row r = { .id = NULL };
	struct holders *h = &q->holders;

	if (query_add(q, path, status) < 0)
		return -1;
	*status = 2;
	if (q->npaths != 1 || !path_is_object(q->paths[0])) {
		complain(NULL, "--holders %s: not the path of an object", path);
		return -1;
	}
	r.path = h->path = q->paths[0];
	h->depth = row_depth(&r);
	if (h->depth > 1)
		h->kind = strchr(strchr(h->path, '/') + 4, '/') + 1;
	q->kernel |= h->depth <= 1;
	return 0;
}

void
query_fini(struct query *q)
{
	size_t i;

	for (i = 0; i < q->npaths; i++)
		free(q->paths[i]);
	for (i = 0; i < q->nfilters; i++) {
		free((char *)(uintptr_t)q->filters[i].key);
		free((char *)(uintptr_t)q->filters[i].value);
	}
	free(q->paths);
	free(q->filters);
	free(q->kinds);
}

static bool
kind_wanted(const struct query *q, const struct row *r)
{
	size_t i;

	for (i = 0; i < q->nkinds; i++)
		if (strcmp(q->kinds[i], r->kind) == 0)
			return true;
	return q->nkinds == 0;
}

/* Whether each word of the list with commas wanted is in the list have. */
static bool
list_has(const char *have, const char *wanted)
{
	const char *h, *w;
	size_t n, m;

	for (w = wanted;; w += n + 1) {
		n = strcspn(w, ",");
		for (h = have;; h += m + 1) {
			m = strcspn(h, ",");
			if (m == n && strncmp(h, w, n) == 0)
				break;
			if (h[m] == '\0')
				return false;
		}
		if (w[n] == '\0')
			return true;
	}
}

static bool
value_matches(const struct filter *f, const char *value)
{
	uint64_t have, want;
	bool numbers = value_number(value, UINT64_MAX, &have, NULL) == 0 &&
		       value_size(f->value, &want, NULL) == 0;

	switch (f->op) {
	case FILTER_OVER:
		return numbers && have > want;
	case FILTER_UNDER:
		return numbers && have < want;
	case FILTER_IS:
		break;
	}
	return (numbers && have == want) || list_has(value, f->value);
}

static bool
filter_matches(struct filter *f, const struct row *r)
{
	const char *value;
	char buf[NAME_MAX + 1];

	if (strcmp(f->key, "backend") == 0)
		value = row_get(r, "kind");
	else if (strcmp(f->key, "kind") == 0)
		value = r->kind;
	else if (strcmp(f->key, "name") == 0)
		value = row_name(r);
	else if (strcmp(f->key, "own") == 0 && r->id != NULL)
		value = r->own ? "yes" : "no";
	else if (strcmp(f->key, "state") == 0)
		value = r->state;
	else if (strcmp(f->key, "device") == 0)
		value = row_device(r, buf, sizeof(buf));
	else if (strcmp(f->key, "domain") == 0)
		value = row_domain(r, buf, sizeof(buf));
	else
		value = row_get(r, f->key);
	if (value == NULL || value[0] == '\0')
		return false;
	f->seen = true;
	return value_matches(f, value);
}

static bool
names(const struct row *r, const char *key, const char *name)
{
	const char *value = row_get(r, key);

	return value != NULL && strcmp(value, name) == 0;
}

/* Those that keep the object from going, by rules M10 and P2. */
bool
query_holds(const struct query *q, const struct row *r)
{
	const struct holders *h = &q->holders;
	const char *name = strrchr(h->path, '/');
	bool below = path_below(r->path, h->path);

	if (r->id != NULL)
		return !r->own && (h->depth == 0 ||
				      (h->pdn[0] != '\0' &&
					  strcmp(r->kind, "kernel-pd") != 0 &&
					  names(r, "pdn", h->pdn)));
	/* A command that is under way holds its own object. */
	if (strcmp(r->path, h->path) == 0)
		return h->depth > 0 && row_get(r, "busy") != NULL;
	if (h->depth == 0)
		return below && row_depth(r) == 1;
	if (below)
		return true;
	return h->depth == 2 && strcmp(r->kind, "mw") == 0 &&
	       ((strncmp(h->kind, "mr/", 3) == 0 && names(r, "mr", name + 1)) ||
		   (strncmp(h->kind, "qp/", 3) == 0 &&
		       names(r, "qp", name + 1)));
}

bool
query_wants(struct query *q, const struct row *r)
{
	bool all = kind_wanted(q, r);
	size_t i;

	if (q->holders.path != NULL)
		all &= query_holds(q, r);
	for (i = 0; i < q->nfilters; i++)
		all &= filter_matches(&q->filters[i], r);
	return all;
}
