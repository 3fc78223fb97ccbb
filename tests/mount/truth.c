/* SPDX-License-Identifier: MIT */
/*
 * truth NEAR FAR OTHER [TRIES [OBSERVERS]]: makes the three domains and changes
 * what is in them, TRIES times (4000), while OBSERVERS (2) processes look at the
 * same files all the time.  After each change it looks at once, itself or by
 * another process, and compares with what is there.  Prints what was stale;
 * 1 if anything was, 2 if it could not be tried.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

#define OBSERVERS 16 /* at most */

/* As ls -l: the kernel takes attributes with the entries. */
static void
observe_list(const char *dir)
{
	const struct dirent *d;
	struct stat st;
	DIR *dp = opendir(dir);

	if (dp == NULL)
		return;
	while ((d = readdir(dp)) != NULL)
		fstatat(dirfd(dp), d->d_name, &st, AT_SYMLINK_NOFOLLOW);
	closedir(dp);
}

static void
observe_file(const char *dir, const char *file, bool reads)
{
	char path[512], buf[512];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	lstat(path, &st);
	if (!reads || (fd = open(path, O_RDONLY)) < 0)
		return;
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void
observe_object(const char *dir, bool reads)
{
	static const char *const files[] = { "status", "rights", "rkey", "ctl",
		"length", "addr", "error", "windows", "mr", "data", "" };
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		observe_file(dir, files[i], reads && i < 5);
}

/* Until the one who changes is gone. */
static void
observe(const struct truth *t, unsigned which)
{
	static const char *const objects[] = { "mw/w",
		"mw/window-of-a-long-name", "mw/v", "mw/x", "mr/r",
		"mr/region-of-a-longer-name", "mr/s", "mr/y", "qp/q", "." };
	const size_t count = sizeof(objects) / sizeof(objects[0]);
	char path[256];
	unsigned i;

	for (i = which;; i++) {
		snprintf(
		    path, sizeof(path), "%s/%s", t->near, objects[i % count]);
		observe_object(path, i % 7 == 0);
		if (i % 5 == 0)
			observe_list(path);
		if (i % count == 0) {
			snprintf(path, sizeof(path), "%s/mw", t->near);
			observe_list(path);
			snprintf(path, sizeof(path), "%s/mr", t->near);
			observe_list(path);
		}
	}
}

/* A child that ends with this process. */
static pid_t
child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void
helper_start(struct truth *t)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds) < 0)
		err(2, "socketpair");
	if (child() == 0) {
		close(fds[0]);
		helper_run(fds[1]);
		_exit(0);
	}
	close(fds[1]);
	t->helper = fds[0];
	t->ask = -1;
}

static void
run(struct truth *t, unsigned observers)
{
	pid_t pids[OBSERVERS];
	unsigned i;

	for (i = 0; i < observers; i++)
		if ((pids[i] = child()) == 0)
			observe(t, i);
	while (t->tries < t->wanted)
		changes_run(t);
	for (i = 0; i < observers; i++) {
		if (waitpid(pids[i], NULL, WNOHANG) != 0)
			errx(2, "an observer has ended");
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

int
main(int argc, char **argv)
{
	static struct truth t;
	unsigned observers;

	if (argc < 4)
		errx(2, "usage: truth NEAR FAR OTHER [TRIES [OBSERVERS]]");
	snprintf(t.near, sizeof(t.near), "%s", argv[1]);
	snprintf(t.far, sizeof(t.far), "%s", argv[2]);
	snprintf(t.other, sizeof(t.other), "%s", argv[3]);
	t.wanted = argc > 4 ? strtoul(argv[4], NULL, 10) : 4000;
	observers = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 2;
	if (observers > OBSERVERS)
		errx(2, "at most %d observers", OBSERVERS);
	helper_start(&t);
	changes_prepare(&t);
	run(&t, observers);
	printf("%lu tries, %lu looks, %lu stale\n", t.tries, t.looks, t.stale);
	return t.stale != 0;
}
