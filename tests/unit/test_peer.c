/* SPDX-License-Identifier: MIT */
/* Who may hand over a descriptor; fs/peer.h. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/securebits.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../fs/peer.h"
#include "tap.h"

#define USER  12345
#define OTHER 12346

/* What a child makes of itself, which was forked from root.  0 or -1. */

static int
stay_root(void)
{
	return 0;
}

static int
become(uid_t r, uid_t e, uid_t s)
{
	/* A change of identity is what makes a process undumpable. */
	if (setgroups(0, NULL) == -1 || setresgid(USER, USER, USER) == -1 ||
	    setresuid(r, e, s) == -1)
		return -1;
	return prctl(PR_SET_DUMPABLE, 1);
}

static int
be_user(void)
{
	return become(USER, USER, USER);
}

static int
be_undumpable(void)
{
	if (be_user() == -1)
		return -1;
	return prctl(PR_SET_DUMPABLE, 0);
}

static int
keep_real(void)
{
	return become(0, USER, USER);
}

static int
keep_effective(void)
{
	return become(USER, OTHER, USER);
}

static int
keep_saved(void)
{
	return become(USER, USER, 0);
}

/* As a file server: its capabilities, of which it needs one here, stay. */
static int
keep_fsuid(void)
{
	if (prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) == -1 ||
	    be_user() == -1)
		return -1;
	(void)setfsuid(OTHER);
	return prctl(PR_SET_DUMPABLE, 1);
}

static int
keep_gid(void)
{
	if (setgroups(0, NULL) == -1 || setresgid(USER, USER, 0) == -1 ||
	    setresuid(USER, USER, USER) == -1)
		return -1;
	return prctl(PR_SET_DUMPABLE, 1);
}

static int
keep_capability(void)
{
	if (prctl(PR_SET_KEEPCAPS, 1) == -1)
		return -1;
	return be_user();
}

static const struct test {
	const char *who;
	int (*change)(void);
	uid_t uid; /* of the opener, and its gid */
	int code;
	const char *text;
} tests[] = {
	{ "the user", be_user, USER, 0, NULL },
	{ "root", stay_root, 0, 0, NULL },
	{ "root for a user", stay_root, USER, EACCES, "real uid 0" },
	{ "a user for root", be_user, 0, EACCES, "real uid 12345" },
	{ "a user for another", be_user, OTHER, EACCES, "real uid 12345" },
	{ "real uid", keep_real, USER, EACCES, "real uid 0" },
	{ "effective uid", keep_effective, USER, EACCES,
	    "effective uid 12346" },
	{ "saved uid", keep_saved, USER, EACCES, "saved uid 0" },
	{ "file system uid", keep_fsuid, USER, EACCES,
	    "file system uid 12346" },
	{ "saved gid", keep_gid, USER, EACCES, "saved gid 0" },
	{ "capability", keep_capability, USER, EACCES, "capabilities" },
	{ "undumpable", be_undumpable, USER, EACCES, "not dumpable" },
};

/* Starts a child that has changed itself when this returns. */
static pid_t
child_start(int (*change)(void))
{
	int pipefd[2];
	char ready = 0;
	pid_t pid;

	if (pipe(pipefd) == -1 || (pid = fork()) == -1)
		bail_out("fork: %s", strerror(errno));
	if (pid == 0) {
		(void)close(pipefd[0]);
		if (change() == 0)
			(void)!write(pipefd[1], "!", 1);
		(void)close(pipefd[1]);
		for (;;)
			(void)pause();
	}
	(void)close(pipefd[1]);
	if (read(pipefd[0], &ready, 1) != 1)
		bail_out("the child could not change itself");
	(void)close(pipefd[0]);
	return pid;
}

static void
child_end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void
test_identity(const struct test *t, int memfd)
{
	pid_t pid = child_start(t->change);
	struct stat want, got;
	struct err e = { 0 };
	int fd;

	fd = peer_fd(pid, memfd, t->uid, t->uid, &e);
	child_end(pid);
	if (t->code != 0) {
		is_int(fd, -t->code, "%s: refused", t->who);
		has_str(e.text, t->text, "%s: why", t->who);
		is_str(e.arg, "fd", "%s: to blame", t->who);
		return;
	}
	if (!ok(fd >= 0, "%s: may (%s)", t->who, e.text))
		return;
	is_int(fcntl(fd, F_GETFD), FD_CLOEXEC, "%s: not inherited", t->who);
	ok(fstat(memfd, &want) == 0 && fstat(fd, &got) == 0 &&
		want.st_ino == got.st_ino && want.st_dev == got.st_dev,
	    "%s: the same file", t->who);
	(void)close(fd);
}

static void
test_refused(pid_t tid, int n, int code, const char *text, const char *what)
{
	struct err e = { 0 };

	is_int(peer_fd(tid, n, 0, 0, &e), -code, "%s: refused", what);
	has_str(e.text, text, "%s: why", what);
}

static void
test_absent(int memfd)
{
	pid_t pid = child_start(stay_root);

	test_refused(pid, 9999, EINVAL,
	    "descriptor 9999 is not open in the writing process", "no such");
	test_refused(pid, -1, EINVAL, "descriptor -1 is not open", "negative");
	child_end(pid);
	test_refused(pid, memfd, EACCES, "has ended", "an ended process");
	test_refused(0, memfd, EACCES, "another pid namespace", "thread 0");
}

/* FUSE names the thread that writes, which need not be the first. */
static void *
ask_as_thread(void *memfd)
{
	struct err e = { 0 };
	int fd = peer_fd(gettid(), *(int *)memfd, 0, 0, &e);

	ok(fd >= 0, "a thread that is not the leader (%s)", e.text);
	if (fd >= 0)
		(void)close(fd);
	return NULL;
}

/* What this cannot be tested without, or NULL. */
static const char *
missing(void)
{
	int fd = pidfd_open(getpid(), 0);

	if (fd == -1 && errno == ENOSYS)
		return "no pidfd_open here (valgrind has none)";
	if (fd != -1)
		(void)close(fd);
	return geteuid() == 0 ? NULL : "only root can be somebody else";
}

int
main(void)
{
	int memfd = memfd_create("test", 0);
	pthread_t thread;
	size_t i;

	if (memfd == -1)
		bail_out("memfd_create: %s", strerror(errno));
	if (missing() != NULL) {
		skip("%s", missing());
		return done_testing();
	}
	for (i = 0; i < NELEM(tests); i++)
		test_identity(&tests[i], memfd);
	test_absent(memfd);
	if (pthread_create(&thread, NULL, ask_as_thread, &memfd) == 0)
		(void)pthread_join(thread, NULL);
	return done_testing();
}
