/* SPDX-License-Identifier: MIT */
/*
 * rdmafs with a fault under each device, for the mount tests.  Each line that
 * is written to the FIFO MOUNTPOINT.fault is a command:
 *
 *	hold OP			calls of OP ("mr_reg") wait from now on
 *	release			those that wait go on, nothing waits any more
 *	held N			returns once N calls wait
 *	fail OP N ERRNO [async]	the Nth call of OP from now on fails, or its
 *				completion
 *
 * When it is done, "ok" or what is wrong with it stands in MOUNTPOINT.answer,
 * a FIFO too.  Stays in the foreground: only with -f.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"
#include "main.h"

#define FAULTS 2

static struct {
	/* Constant once the thread has been started. */
	const struct backend_ops *inner[FAULTS];
	struct fault *all[FAULTS];
	char commands[4096], answers[4096];
} faults = { .inner = { &soft_ops, &verbs_ops } };

static const struct backend_ops *
wrap(const struct backend_ops *ops)
{
	size_t i;

	for (i = 0; i < FAULTS; i++)
		if (faults.inner[i] == ops)
			return fault_ops(faults.all[i]);
	return ops;
}

static int
errno_named(const char *name)
{
	const char *known;
	int code;

	for (code = 1; code < 256; code++) {
		known = strerrorname_np(code);
		if (known != NULL && strcmp(known, name) == 0)
			return code;
	}
	return 0;
}

static void
wait_held(unsigned n)
{
	const struct timespec moment = { 0, 1000000 };
	unsigned held;
	size_t i;

	for (;;) {
		for (i = 0, held = 0; i < FAULTS; i++)
			held += fault_held(faults.all[i]);
		if (held >= n)
			return;
		(void)nanosleep(&moment, NULL);
	}
}

static const char *
obey(const char *line)
{
	char op[32] = "", code[32] = "", async[8] = "";
	unsigned n = 0;
	size_t i;

	if (sscanf(line, "held %u", &n) == 1) {
		wait_held(n);
		return "ok";
	}
	for (i = 0; i < FAULTS; i++) {
		if (strcmp(line, "release\n") == 0)
			fault_release(faults.all[i]);
		else if (sscanf(line, "hold %31s", op) == 1)
			fault_hold(faults.all[i], op);
		else if (sscanf(line, "fail %31s %u %31s %7s", op, &n, code,
			     async) >= 3 &&
			 errno_named(code) != 0)
			fault_fail(faults.all[i], op, n, errno_named(code),
			    async[0] != '\0');
		else
			return "no such command";
	}
	return "ok";
}

static void *
listen(void *arg)
{
	FILE *commands, *answers;
	char *line = NULL;
	size_t cap = 0;

	/* For writing too, so that it never ends. */
	if ((commands = fopen(faults.commands, "r+e")) == NULL)
		return NULL;
	while (getline(&line, &cap, commands) > 0) {
		const char *answer = obey(line);

		if ((answers = fopen(faults.answers, "we")) == NULL)
			break;
		(void)fprintf(answers, "%s\n", answer);
		(void)fclose(answers);
	}
	free(line);
	(void)fclose(commands);
	return arg;
}

static int
start(const char *mountpoint)
{
	pthread_t thread;
	sigset_t all, old;
	size_t i;
	int r;

	for (i = 0; i < FAULTS; i++)
		if ((faults.all[i] = fault_new(faults.inner[i])) == NULL)
			return -1;
	(void)snprintf(
	    faults.commands, sizeof(faults.commands), "%s.fault", mountpoint);
	(void)snprintf(
	    faults.answers, sizeof(faults.answers), "%s.answer", mountpoint);
	if ((mkfifo(faults.commands, 0600) == -1 && errno != EEXIST) ||
	    (mkfifo(faults.answers, 0600) == -1 && errno != EEXIST)) {
		perror(mountpoint);
		return -1;
	}
	/* Signals are the file system's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&thread, NULL, listen, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		(void)pthread_detach(thread);
	return r;
}

int
main(int argc, char **argv)
{
	if (start(argv[argc - 1]) != 0)
		return 1;
	return rdmafs_main(argc, argv, wrap);
}
