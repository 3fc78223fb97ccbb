/* SPDX-License-Identifier: MIT */
/*
 * The files of a mounted tree, as rows: lists, the status of what a list
 * begins at, and kernel/ of each device; see rdmals.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "rdmals.h"

#define READ_BUFFER 131072 /* as much as FUSE reads at a time */

static const char *const kernel_files[] = { "pd", "mr", "qp", "cq", "ctx",
	"srq", NULL };

struct reading {
	struct query *q;
	row_fn fn;
	void *arg;
	const char *path; /* asked for; "": all */
	char *device; /* whose kernel/ comes next; NULL: none */
};

/* The lines of one file, each with what its paths begin with. */
struct source {
	FILE *file;
	char *name; /* of the file */
	char *line; /* with the prefix */
	size_t size, prefix; /* of line */
	char *raw;
	size_t rawsize;
	unsigned long number;
};

static void
source_close(struct source *s)
{
	if (s->file != NULL)
		(void)fclose(s->file);
	free(s->name);
	free(s->line);
	free(s->raw);
	*s = (struct source){ .file = NULL };
}

/* Opens MOUNT/path/file; no such file is no trouble if it may be missing. */
static bool
source_open(struct source *s, struct query *q, const char *path,
    const char *file, bool may_miss)
{
	*s = (struct source){ .file = NULL };
	if (asprintf(&s->name, "%s%s%s/%s", q->mount, path[0] ? "/" : "", path,
		file) < 0) {
		s->name = NULL;
		complain(q, "out of memory");
		return false;
	}
	s->file = fopen(s->name, "re");
	if (s->file != NULL) {
		(void)setvbuf(s->file, NULL, _IOFBF, READ_BUFFER);
		return true;
	}
	if (!may_miss || (errno != ENOENT && errno != ENOTDIR))
		complain(q, "%s: %s", s->name, strerror(errno));
	source_close(s);
	return false;
}

/*
 * The next line without its newline, in s->raw; its length, -1 at the end or
 * after a message.  A last line that has no newline is torn, and no line.
 */
static ssize_t
source_line(struct source *s, struct query *q)
{
	ssize_t n;

	errno = 0;
	n = getline(&s->raw, &s->rawsize, s->file);
	s->number++;
	if (n < 0) {
		if (ferror(s->file) || errno == ENOMEM)
			complain(q, "%s: %s", s->name, strerror(errno));
		return -1;
	}
	if (s->raw[n - 1] != '\n') {
		complain(q, "%s: line %lu is torn", s->name, s->number);
		return -1;
	}
	s->raw[--n] = '\0';
	return n;
}

/* s->line becomes prefix and raw. */
static bool
source_prefix(struct source *s, struct query *q, const char *prefix, ssize_t n)
{
	size_t need = strlen(prefix) + (size_t)n + 1;

	if (need > s->size) {
		free(s->line);
		s->size = need * 2;
		if ((s->line = malloc(s->size)) == NULL) {
			s->size = 0;
			complain(q, "out of memory");
			return false;
		}
	}
	(void)strlcpy(s->line, prefix, s->size);
	(void)strlcat(s->line, s->raw, s->size);
	return true;
}

static void
not_understood(struct source *s, struct query *q)
{
	complain(q, "%s: line %lu is not understood", s->name, s->number);
}

/*
 * Counts down from what the object's status says that it has to what is seen.
 * Of a device these are the domains: what is in them is theirs, as mappings
 * are a queue pair's.
 */
static void
holders_count(struct holders *h, const struct row *r)
{
	static const char *const counts[] = { "pd", "mr", "mw", "qp", "windows",
		"mem" };
	bool window = h->depth == 2 && strncmp(h->kind, "mw/", 3) == 0;
	uint64_t n;
	size_t i;

	if (r->id != NULL)
		return;
	if (strcmp(r->path, h->path) != 0) {
		h->hidden -= row_depth(r) <= h->depth + 1;
		return;
	}
	for (i = h->depth > 0; i < (h->depth > 0 ? 6u : 1u) && !window; i++)
		if (row_number(r, counts[i], &n) == 0 && n <= INT32_MAX)
			h->hidden += (int64_t)n;
}

static int
row_pass(struct reading *rd, const struct row *r)
{
	struct query *q = rd->q;
	bool wanted = query_wants(q, r);

	if (q->holders.path == NULL)
		wanted &= path_below(r->path, rd->path);
	else if (query_holds(q, r) || strcmp(r->path, q->holders.path) == 0)
		holders_count(&q->holders, r);
	if (wanted) {
		q->found++;
		q->sum = row_sum(r, q->sum);
	}
	return rd->fn(rd->arg, r, wanted);
}

/* What the kernel calls the domain whose holders are asked for. */
static void
holders_find(struct query *q, const char *device, const struct row *r)
{
	struct holders *h = &q->holders;
	const char *path = row_get(r, "path");

	if (h->path == NULL || h->depth != 1 || !r->own || path == NULL ||
	    strcmp(r->kind, "kernel-pd") != 0)
		return;
	if (strcmp(path, h->path + strlen(device) + 1) == 0)
		(void)strlcpy(h->pdn, r->id, sizeof(h->pdn));
}

/* One file of kernel/: kind and path are made of its name and the ids. */
static int
kernel_file(struct reading *rd, const char *device, const char *what)
{
	struct query *q = rd->q;
	struct text path = { 0 };
	struct source s;
	struct row r;
	char kind[16], file[16];
	int ret = 0;

	snprintf(kind, sizeof(kind), "kernel-%s", what);
	snprintf(file, sizeof(file), "kernel/%s", what);
	if (!source_open(&s, q, device, file, true))
		return 0;
	while (ret == 0 && source_line(&s, q) >= 0) {
		if (!row_parse_kernel(&r, s.raw)) {
			not_understood(&s, q);
			continue;
		}
		text_reset(&path);
		text_printf(&path, "%s/%s:", device, file);
		cell_text(&path, r.id);
		if (path.nomem) {
			complain(q, "out of memory");
			break;
		}
		r.path = path.buf;
		r.kind = kind;
		holders_find(q, device, &r);
		ret = row_pass(rd, &r);
	}
	text_fini(&path);
	source_close(&s);
	return ret;
}

/* The kernel's objects of the device that has been read, once. */
static int
kernel_read(struct reading *rd)
{
	char *device = rd->device;
	size_t i;
	int ret = 0;

	rd->device = NULL;
	for (i = 0; ret == 0 && device != NULL && kernel_files[i] != NULL; i++)
		ret = kernel_file(rd, device, kernel_files[i]);
	free(device);
	return ret;
}

/* The lines of one list or status as rows; prefix goes before each line. */
static int
rows_read(
    struct reading *rd, const char *path, const char *file, const char *prefix)
{
	struct query *q = rd->q;
	struct source s;
	struct row r;
	ssize_t n;
	int ret = 0;

	if (!source_open(&s, q, path, file, false))
		return 0;
	while (ret == 0 && (n = source_line(&s, q)) >= 0) {
		if (!source_prefix(&s, q, prefix, n))
			break;
		if (!row_parse(&r, s.line)) {
			not_understood(&s, q);
			continue;
		}
		if (strcmp(r.kind, "device") == 0) {
			if ((ret = kernel_read(rd)) != 0)
				break;
			rd->device = q->kernel ? strdup(r.path) : NULL;
		}
		ret = row_pass(rd, &r);
	}
	source_close(&s);
	return ret;
}

/* An object that has a list, and what is in it. */
static int
object_read(struct reading *rd, const char *path, const char *kind)
{
	char prefix[3 * NAME_MAX];
	int ret;

	snprintf(prefix, sizeof(prefix), "%s %s ", path, kind);
	if ((ret = rows_read(rd, path, "status", prefix)) != 0)
		return ret;
	snprintf(prefix, sizeof(prefix), "%s/", path);
	return rows_read(rd, path, "list", prefix);
}

/* The part of path before its nth slash; false: it has no such slash. */
static bool
path_head(const char *path, unsigned n, char *buf, size_t size)
{
	const char *s = path;

	while (n-- > 0 && (s = strchr(s, '/')) != NULL)
		s++;
	if (strlcpy(buf, path, size) < size && s != NULL)
		buf[s - path - 1] = '\0';
	return s != NULL;
}

/* Reads no more than the device's or the domain's list. */
static int
path_read(struct reading *rd)
{
	const char *path = rd->path;
	char head[2 * NAME_MAX];
	int ret;

	if (path[0] == '\0')
		return rows_read(rd, "", "list", "");
	if (path_head(path, 2, head, sizeof(head)) &&
	    strcmp(head + strcspn(head, "/"), "/pd") == 0) {
		(void)path_head(path, 3, head, sizeof(head));
		ret = object_read(rd, head, "pd");
		if (ret == 0 && rd->q->holders.path != NULL &&
		    rd->q->holders.depth == 1) {
			(void)path_head(path, 1, head, sizeof(head));
			rd->device = strdup(head);
		}
	} else {
		(void)path_head(path, 1, head, sizeof(head));
		ret = object_read(rd, head, "device");
	}
	return ret;
}

int
query_read(struct query *q, row_fn fn, void *arg)
{
	struct reading rd = { .q = q, .fn = fn, .arg = arg };
	size_t i;
	int ret = 0;

	q->found = 0;
	q->sum = 0;
	q->holders.hidden = 0;
	q->holders.pdn[0] = '\0';
	for (i = 0; ret == 0 && (i < q->npaths || i == 0); i++) {
		rd.path = q->npaths > 0 ? q->paths[i] : "";
		if ((ret = path_read(&rd)) == 0)
			ret = kernel_read(&rd);
	}
	free(rd.device);
	return ret;
}
