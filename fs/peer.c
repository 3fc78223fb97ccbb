/* SPDX-License-Identifier: MIT */
/* Descriptors out of another process; see peer.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peer.h"

/* What /proc/PID/status says of a thread; proc(5). */
struct identity {
	uint64_t tgid;
	uint64_t uid[4], gid[4]; /* in the order of id_names */
	uint64_t caps[4];
	uint64_t nspid[2]; /* the second: 0, or its pid in a namespace below */
};

static const char *const id_names[] = { "real", "effective", "saved",
	"file system" };

static const struct field {
	const char *name;
	int base, count;
	size_t at; /* its first number in struct identity */
} fields[] = {
	{ "Tgid:", 10, 1, offsetof(struct identity, tgid) },
	{ "Uid:", 10, 4, offsetof(struct identity, uid) },
	{ "Gid:", 10, 4, offsetof(struct identity, gid) },
	{ "CapInh:", 16, 1, offsetof(struct identity, caps[0]) },
	{ "CapPrm:", 16, 1, offsetof(struct identity, caps[1]) },
	{ "CapEff:", 16, 1, offsetof(struct identity, caps[2]) },
	{ "CapAmb:", 16, 1, offsetof(struct identity, caps[3]) },
	{ "NSpid:", 10, 2, offsetof(struct identity, nspid) },
};

#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

/* The process that is asked, and whom it has to belong to. */
struct peer {
	pid_t tid, pid;
	uid_t uid;
	gid_t gid;
	int pidfd;
};

static int
refuse(int code, const char *what, struct err *e)
{
	switch (code) {
	case ESRCH:
	case ENOENT:
		return fail_at(
		    e, "fd", EACCES, "the writing process has ended");
	case EPERM:
	case EACCES:
		return fail_at(e, "fd", EACCES,
		    "rdmafs may not look into the writing process: %s: %s",
		    what, strerror(code));
	case EMFILE:
	case ENFILE:
		return fail_at(e, "fd", ENOMEM,
		    "rdmafs has no descriptor left (RLIMIT_NOFILE)");
	default:
		return fail_at(e, "fd", code, "%s: %s", what, strerror(code));
	}
}

/* Takes a field's numbers out of its line; true if it is that field's. */
static bool
field_parse(const struct field *f, const char *line, struct identity *id)
{
	uint64_t *number = (uint64_t *)((char *)id + f->at);
	size_t len = strlen(f->name);
	char *end;
	int i;

	if (strncmp(line, f->name, len) != 0)
		return false;
	for (i = 0, line += len; i < f->count; i++, line = end)
		number[i] = strtoull(line, &end, f->base);
	return true;
}

/* Returns how many of the fields f has. */
static size_t
fields_read(FILE *f, struct identity *id)
{
	size_t i, found = 0, size = 0;
	char *line = NULL;

	/* By line, because Groups alone can have some 700 KB. */
	while (getline(&line, &size, f) != -1)
		for (i = 0; i < NFIELDS; i++)
			if (field_parse(&fields[i], line, id))
				found++;
	free(line);
	return found;
}

static int
identity_read(pid_t tid, struct identity *id, struct err *e)
{
	char path[64];
	size_t found;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if ((f = fopen(path, "re")) == NULL)
		return refuse(errno, path, e);
	found = fields_read(f, id);
	(void)fclose(f);
	if (found != NFIELDS) /* read(2) fails when the thread has ended */
		return refuse(ESRCH, path, e);
	return 0;
}

static int
check_ids(const char *kind, const uint64_t ids[4], uint64_t want, struct err *e)
{
	int i;

	for (i = 0; i < 4; i++)
		if (ids[i] != want)
			return fail_at(e, "fd", EACCES,
			    "the writing process has the %s %s %" PRIu64
			    ", the file was opened by %s %" PRIu64,
			    id_names[i], kind, ids[i], kind, want);
	return 0;
}

static int
check_thread(const struct peer *p, pid_t tid, struct err *e)
{
	struct identity id = { 0 };
	int r;

	if ((r = identity_read(tid, &id, e)) < 0)
		return r;
	if (id.tgid != (uint64_t)p->pid)
		return refuse(ESRCH, "Tgid", e);
	if (id.nspid[1] != 0)
		return fail_at(e, "fd", EACCES,
		    "the writing process lives in another pid namespace");
	if ((r = check_ids("uid", id.uid, p->uid, e)) < 0 ||
	    (r = check_ids("gid", id.gid, p->gid, e)) < 0)
		return r;
	if (p->uid != 0 &&
	    (id.caps[0] | id.caps[1] | id.caps[2] | id.caps[3]) != 0)
		return fail_at(
		    e, "fd", EACCES, "the writing process holds capabilities");
	return 0;
}

static int
check_dumpable(const struct peer *p, struct err *e)
{
	struct stat st;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)p->pid);
	if (stat(path, &st) == -1)
		return refuse(errno, path, e);
	if (st.st_uid != p->uid || st.st_gid != p->gid)
		return fail_at(e, "fd", EACCES,
		    "the writing process is not dumpable: it has changed its"
		    " identity, or its user may not read its program");
	return 0;
}

/*
 * Threads can differ in their ids: the writer is who asks, the descriptors
 * are the leader's.  While the pidfd's process exists its number is no one
 * else's, so it was really the one looked at.
 */
static int
check(const struct peer *p, struct err *e)
{
	int r;

	if ((r = check_thread(p, p->tid, e)) < 0 ||
	    (r = check_thread(p, p->pid, e)) < 0 ||
	    (r = check_dumpable(p, e)) < 0)
		return r;
	if (pidfd_send_signal(p->pidfd, 0, NULL, 0) == -1)
		return refuse(errno, "pidfd_send_signal", e);
	return 0;
}

static int
take(const struct peer *p, int n, struct err *e)
{
	int fd = pidfd_getfd(p->pidfd, n, 0);

	if (fd == -1 && errno == EBADF)
		return fail_at(e, "fd", EINVAL,
		    "descriptor %d is not open in the writing process", n);
	if (fd == -1)
		return refuse(errno, "pidfd_getfd", e);
	return fd;
}

/* pidfd_open(2) takes processes, FUSE names threads. */
static int
find_process(struct peer *p, struct err *e)
{
	struct identity id = { 0 };
	int r;

	if ((r = identity_read(p->tid, &id, e)) < 0)
		return r;
	p->pid = (pid_t)id.tgid;
	if ((p->pidfd = pidfd_open(p->pid, 0)) == -1)
		return refuse(errno, "pidfd_open", e);
	return 0;
}

int
peer_fd(pid_t tid, int n, uid_t uid, gid_t gid, struct err *e)
{
	struct peer p = { .tid = tid, .uid = uid, .gid = gid, .pidfd = -1 };
	int r, fd = -1;

	if (tid == 0)
		return fail_at(e, "fd", EACCES,
		    "the writing process lives in another pid namespace");
	if ((r = find_process(&p, e)) < 0)
		return r;
	if ((r = check(&p, e)) < 0)
		goto out;
	if ((r = fd = take(&p, n, e)) < 0)
		goto out;
	/* It may have executed another program before the descriptor came. */
	if ((r = check(&p, e)) < 0)
		goto out;
	r = fd;
	fd = -1;
out:
	if (fd >= 0)
		(void)close(fd);
	(void)close(p.pidfd);
	return r;
}
