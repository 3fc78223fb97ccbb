/* SPDX-License-Identifier: MIT */
/*
 * rdmals --restore: a script that makes the objects again; see rdmals.h.  The
 * list is read once for each kind, in the order in which they need each other,
 * and so that nothing is kept.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rdmals.h"

#define LEVELS 4 /* a device, a domain, what is in it, a mapping */

struct script {
	struct query *q;
	FILE *out;
	const char *kind; /* of this pass, and those it is for */
	char *made; /* the directory above that was last made or is there */
	struct text ends[LEVELS]; /* owners and modes, for behind children */
};

/* s as one word of sh(1). */
static void
quote(FILE *out, const char *s)
{
	fputc('\'', out);
	for (; *s != '\0'; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			fputc(*s, out);
	fputc('\'', out);
}

static void
put_command(struct script *s, const char *path, const char *command)
{
	fputs("put ", s->out);
	quote(s->out, path);
	fputc(' ', s->out);
	quote(s->out, command);
	fputc('\n', s->out);
}

static void
put_mkdir(struct script *s, const char *path)
{
	fputs("mkdir ", s->out);
	quote(s->out, path);
	fputc('\n', s->out);
}

/* Rights are kept for a later reg or bind. */
static void
put_rights(struct script *s, const struct row *r)
{
	const char *rights = row_get(r, "rights");
	char *command;

	if (rights == NULL || strcmp(rights, "none") == 0 ||
	    strcmp(rights, "local_read") == 0)
		return;
	if (asprintf(&command, "rights %s", rights) < 0) {
		complain(s->q, "out of memory");
		return;
	}
	put_command(s, r->path, command);
	free(command);
}

/* The pieces of a path that every message and open(2) needs; freed by caller */
static char *
path_in(const struct script *s, const char *path, const char *file)
{
	char *full;

	if (asprintf(&full, "%s/%s/%s", s->q->mount, path, file) < 0) {
		complain(s->q, "out of memory");
		return NULL;
	}
	return full;
}

/* Whether the region that a window is bound to is made by this script, too. */
static bool
region_chosen(struct script *s, const struct row *window)
{
	struct query one = *s->q;
	char path[PATH_MAX], line[2 * PATH_MAX], device[NAME_MAX + 1];
	char domain[NAME_MAX + 1], status[PATH_MAX];
	struct row r;
	char *full;
	FILE *f;
	size_t i;
	bool below = one.npaths == 0, ok = false;

	if (one.npaths == 0 && one.nkinds == 0 && one.nfilters == 0)
		return true;
	snprintf(path, sizeof(path), "%s/pd/%s/mr/%s",
	    row_device(window, device, sizeof(device)),
	    row_domain(window, domain, sizeof(domain)), row_get(window, "mr"));
	for (i = 0; i < one.npaths; i++)
		below |= path_below(path, one.paths[i]);
	if (!below || (full = path_in(s, path, "status")) == NULL)
		return false;
	if ((f = fopen(full, "re")) != NULL) {
		ok = fgets(status, sizeof(status), f) != NULL;
		(void)fclose(f);
	}
	free(full);
	status[ok ? strcspn(status, "\n") : 0] = '\0';
	return ok &&
	       snprintf(line, sizeof(line), "%s mr %s", path, status) > 0 &&
	       row_parse(&r, line) && query_wants(&one, &r);
}

/* A bind that can be repeated is a command, another a comment that says why. */
static void
put_bind(struct script *s, const struct row *r, const char *command)
{
	const char *type = row_get(r, "type"), *why = NULL;

	if (row_get(r, "qp") != NULL || type == NULL || strcmp(type, "1") != 0)
		why = "its queue pair must be connected first";
	else if (row_get(r, "mr") != NULL && !region_chosen(s, r))
		why = "its region is not among what was asked for";
	if (why == NULL) {
		put_command(s, r->path, command);
		return;
	}
	put_rights(s, r);
	fprintf(s->out, "# %s: ", why);
	put_command(s, r->path, command);
}

static void
put_line(struct script *s, const struct row *r, const char *line)
{
	if (line[0] == '#') {
		/* Of its comments those that are no help: see rdmafs(5). */
		if (strstr(line, "cannot be repeated") == NULL)
			return;
		fprintf(s->out, "# %s:%s\n", r->path, line + 1);
		if (strcmp(r->kind, "mr") == 0)
			put_rights(s, r);
	} else if (strncmp(line, "bind ", 5) == 0) {
		put_bind(s, r, line);
	} else if (line[0] != '\0') {
		put_command(s, r->path, line);
	}
}

/* mkdir, and the commands that ctl has. */
static void
put_object(struct script *s, const struct row *r)
{
	char *full = path_in(s, r->path, "ctl"), *line = NULL;
	size_t size = 0;
	FILE *f;
	ssize_t n;

	if (full == NULL)
		return;
	if ((f = fopen(full, "re")) == NULL) {
		complain(s->q, "%s: %s", full, strerror(errno));
		fprintf(s->out, "# %s is missing: its ctl cannot be read\n",
		    r->path);
		free(full);
		return;
	}
	put_mkdir(s, r->path);
	while ((n = getline(&line, &size, f)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		put_line(s, r, line);
	}
	if (ferror(f))
		complain(s->q, "%s: %s", full, strerror(errno));
	free(line);
	free(full);
	(void)fclose(f);
}

/* What the object is in, if that is not asked for itself: there or made. */
static void
put_above(struct script *s, const char *path)
{
	fputs("[ -d ", s->out);
	quote(s->out, path);
	fputs(" ] || ", s->out);
	put_mkdir(s, path);
}

static bool
was_made(struct script *s, const char *path)
{
	char *copy;

	if (s->made != NULL && strcmp(s->made, path) == 0)
		return true;
	if ((copy = strdup(path)) == NULL)
		complain(s->q, "out of memory");
	free(s->made);
	s->made = copy;
	return false;
}

/* Domains: those that are wanted, and those of what is. */
static int
restore_pd(void *arg, const struct row *r, bool wanted)
{
	struct script *s = arg;
	char device[NAME_MAX + 1], domain[NAME_MAX + 1];
	char *path;

	if (!wanted || row_domain(r, domain, sizeof(domain))[0] == '\0' ||
	    r->id != NULL)
		return 0;
	if (asprintf(&path, "%s/pd/%s", row_device(r, device, sizeof(device)),
		domain) < 0) {
		complain(s->q, "out of memory");
		return -1;
	}
	if (!was_made(s, path)) {
		if (strcmp(r->kind, "pd") == 0)
			put_object(s, r);
		else
			put_above(s, path);
	}
	free(path);
	return 0;
}

/* What is in them, of one kind; of queue pairs the mappings, too. */
static int
restore_kind(void *arg, const struct row *r, bool wanted)
{
	struct script *s = arg;
	bool mem = strcmp(s->kind, "qp") == 0 && strcmp(r->kind, "mem") == 0;
	char *above;
	size_t n;

	if (!wanted || (strcmp(r->kind, s->kind) != 0 && !mem))
		return 0;
	if (mem && (above = strdup(r->path)) != NULL) {
		n = strlen(above) - strlen(row_name(r)) - strlen("/mem/");
		above[n] = '\0';
		if (!was_made(s, above))
			put_above(s, above);
		free(above);
	} else if (strcmp(r->kind, "qp") == 0) {
		(void)was_made(s, r->path);
	}
	put_object(s, r);
	return 0;
}

static void
flush_ends(struct script *s, unsigned level)
{
	unsigned i;

	for (i = LEVELS; i-- > level;) {
		if (s->ends[i].len > 0 && !s->ends[i].nomem)
			fputs(s->ends[i].buf, s->out);
		if (s->ends[i].nomem)
			complain(s->q, "out of memory");
		text_reset(&s->ends[i]);
	}
}

/* An object whose ctl cannot be read is not made: see put_object(). */
static bool
is_made(const struct script *s, const struct row *r)
{
	char *full;
	bool made;

	if (strcmp(r->kind, "device") == 0)
		return true;
	full = path_in(s, r->path, "ctl");
	made = full != NULL && access(full, R_OK) == 0;
	free(full);
	return made;
}

/* Owners and modes come last, and those of a directory behind all in it. */
static int
restore_owners(void *arg, const struct row *r, bool wanted)
{
	struct script *s = arg;
	unsigned level = row_depth(r);
	struct text *t = &s->ends[level < LEVELS ? level : LEVELS - 1];

	flush_ends(s, level);
	if (wanted && r->id == NULL && is_made(s, r))
		owners_text(s->q, r, t);
	return 0;
}

static void
put_head(struct script *s)
{
	fputs("#!/bin/sh\n"
	      "# Made by rdmals --restore.  sh SCRIPT [MOUNTPOINT] makes the "
	      "objects again;\n"
	      "# what cannot be repeated is a comment.\n"
	      "set -eu\n"
	      "umask 022\n"
	      "mount=",
	    s->out);
	quote(s->out, s->q->mount);
	fputs("\nCDPATH='' cd -- \"${1:-$mount}\"\n"
	      "\n"
	      "# put OBJECT COMMAND: says why if it is refused\n"
	      "put() {\n"
	      "\tprintf '%s\\n' \"$2\" >\"$1/ctl\" && return\n"
	      "\tcat \"$1/error\" >&2\n"
	      "\texit 1\n"
	      "}\n"
	      "\n",
	    s->out);
}

int
restore(struct query *q, FILE *out)
{
	static const char *const order[] = { "mr", "qp", "mw" };
	struct script s = { .q = q, .out = out };
	size_t i;
	int ret;

	put_head(&s);
	ret = query_read(q, restore_pd, &s);
	for (i = 0; ret == 0 && i < 3; i++) {
		s.kind = order[i];
		ret = query_read(q, restore_kind, &s);
	}
	if (ret == 0)
		ret = query_read(q, restore_owners, &s);
	flush_ends(&s, 0);
	for (i = 0; i < LEVELS; i++)
		text_fini(&s.ends[i]);
	free(s.made);
	return ret;
}
