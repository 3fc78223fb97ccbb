/* SPDX-License-Identifier: MIT */
/* Options, devices, and the life of the daemon; see main.h. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../core/dev.h"
#include "../core/sysmem.h"
#include "../core/verbs.h"
#include "fs.h"
#include "fuse.h"
#include "main.h"
#include "mountpoint.h"
#include "tree.h"

#define SOFT_MAX 64

struct options {
	bool foreground, debug;
	unsigned soft;
	const char **devices; /* those asked for; borrowed from argv */
	size_t ndevices;
	char *mount; /* -o, comma separated */
	const char *mountpoint;
};

/* The parent of a daemon waits for a byte on it, or its end. */
struct readiness {
	int fd; /* -1: in the foreground */
};

static const char usage_text[] =
    "usage: rdmafs [-fd] [--device NAME]... [--soft N] [-o OPTIONS] "
    "MOUNTPOINT\n"
    "       rdmafs --tree | --version | --help\n"
    "\n"
    "  -f               stay in the foreground\n"
    "  -d               and print each backend call and command (no keys)\n"
    "  --device NAME    show this verbs device (default: all there are)\n"
    "  --soft N         show N soft devices, soft0 and on (default 1)\n"
    "  -o OPTIONS       mount options\n"
    "  --tree           print every path, mode, verb and metric\n"
    "  --version        print the version\n"
    "  --help           print this\n"
    "\n"
    "rdmafs(8) tells more, rdmafs(5) describes the tree.\n";

static int
bad_usage(const char *what, const char *arg)
{
	fprintf(stderr, "rdmafs: %s%s%s\n%s", what, arg ? ": " : "",
	    arg ? arg : "", usage_text);
	return 2;
}

static int
add_mount_options(struct options *o, const char *more)
{
	char *joined;

	if (asprintf(&joined, "%s%s%s", o->mount ? o->mount : "",
		o->mount ? "," : "", more) < 0)
		return -ENOMEM;
	free(o->mount);
	o->mount = joined;
	return 0;
}

static int
parse_soft(struct options *o, const char *arg)
{
	const char *bad;

	o->soft = (unsigned)strtonum(arg, 0, SOFT_MAX, &bad);
	if (bad == NULL)
		return 0;
	fprintf(
	    stderr, "rdmafs: --soft %s: %s (0 to %d)\n", arg, bad, SOFT_MAX);
	return 2;
}

static int
print_tree(void)
{
	struct text t = { 0 };

	tree_print(&t);
	if (!t.nomem)
		fputs(t.buf, stdout);
	text_fini(&t);
	return fflush(stdout) == 0 && !t.nomem ? 0 : 1;
}

enum { OPT_DEVICE = 256, OPT_SOFT, OPT_TREE, OPT_VERSION, OPT_HELP };

/* Returns -1 to go on, else the exit status. */
static int
parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "device", required_argument, NULL, OPT_DEVICE },
		{ "soft", required_argument, NULL, OPT_SOFT },
		{ "tree", no_argument, NULL, OPT_TREE },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "help", no_argument, NULL, OPT_HELP },
		{ NULL, 0, NULL, 0 },
	};
	int c, r;

	o->devices = calloc((size_t)argc, sizeof(*o->devices));
	if (o->devices == NULL)
		return 1;
	while ((c = getopt_long(argc, argv, "fdo:", longs, NULL)) != -1) {
		switch (c) {
		case 'f':
			o->foreground = true;
			break;
		case 'd':
			o->foreground = o->debug = true;
			break;
		case 'o':
			if (add_mount_options(o, optarg) < 0)
				return 1;
			break;
		case OPT_DEVICE:
			o->devices[o->ndevices++] = optarg;
			break;
		case OPT_SOFT:
			if ((r = parse_soft(o, optarg)) != 0)
				return r;
			break;
		case OPT_TREE:
			return print_tree();
		case OPT_VERSION:
			puts("rdmafs " RDMAFS_VERSION);
			return 0;
		case OPT_HELP:
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	if (optind >= argc)
		return bad_usage("no mount point is given", NULL);
	if (optind + 1 < argc)
		return bad_usage("one mount point, not", argv[optind + 1]);
	o->mountpoint = argv[optind];
	return -1;
}

static void
trace_line(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "%s\n", line);
}

static int
add_device(struct fs *fs, const struct backend_ops *ops, const char *name)
{
	struct err e;

	if (dev_add(&fs->world, ops, name, fs->trace, fs->trace_arg, &e) == 0)
		return 0;
	fprintf(stderr, "rdmafs: device %s: %s\n", name, e.text);
	return -e.code;
}

static int
add_soft(struct fs *fs, const struct backend_ops *ops, unsigned n)
{
	char name[16];
	unsigned i;
	int r;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "soft%u", i);
		if ((r = add_device(fs, ops, name)) < 0)
			return r;
	}
	return 0;
}

/* A device asked for by name must be there; of all there are, one that does
 * not open is told and passed over. */
static int
add_verbs(struct fs *fs, const struct backend_ops *ops, const struct options *o)
{
	struct err e;
	char **names;
	size_t i, n;
	int r;

	for (i = 0; i < o->ndevices; i++)
		if ((r = add_device(fs, ops, o->devices[i])) < 0)
			return r;
	if (o->ndevices > 0)
		return 0;
	if ((r = verbs_names(&names, &n, &e)) < 0) {
		fprintf(stderr, "rdmafs: %s\n", e.text);
		return r;
	}
	for (i = 0; i < n; i++)
		(void)add_device(fs, ops, names[i]);
	verbs_names_free(names, n);
	return 0;
}

/* To most, which needs CAP_SYS_RESOURCE, or else to the hard limit. */
static void
raise_limit(__rlimit_resource_t resource, rlim_t most)
{
	struct rlimit lim, all = { .rlim_cur = most, .rlim_max = most };

	if (getrlimit(resource, &lim) == -1)
		return;
	if (lim.rlim_max < most && setrlimit(resource, &all) == 0)
		return;
	lim.rlim_cur = lim.rlim_max;
	(void)setrlimit(resource, &lim);
}

/*
 * Regions hold descriptors and locked memory.  libfuse ends its threads by
 * pthread_cancel(3), which loads libgcc_s when it is first called and aborts
 * the process if there is no descriptor for that: it is loaded now.
 */
static void
raise_limits(void)
{
	/* cppcheck-suppress leakReturnValNotUsed ; it stays */
	(void)dlopen("libgcc_s.so.1", RTLD_NOW);
	raise_limit(RLIMIT_NOFILE, sysmem_sysctl("/proc/sys/fs/nr_open"));
	raise_limit(RLIMIT_MEMLOCK, RLIM_INFINITY);
}

/*
 * Into the background before anything is opened: a fork after memory has been
 * registered would be a trap.  Returns -1 in the daemon, the exit status in
 * the parent, which waits until the mount is live.
 */
static int
daemonise(struct readiness *ready)
{
	int pipes[2], status;
	char byte;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return 1;
	if ((pid = fork()) < 0)
		return 1;
	if (pid == 0) {
		close(pipes[0]);
		ready->fd = pipes[1];
		(void)setsid();
		return -1;
	}
	close(pipes[1]);
	if (read(pipes[0], &byte, 1) == 1)
		return 0;
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		return WEXITSTATUS(status);
	return 1;
}

/* The mount is live. */
static void
now_ready(void *arg)
{
	struct readiness *ready = arg;
	int null;

	if (ready->fd < 0)
		return;
	if ((null = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0) {
		(void)dup2(null, STDIN_FILENO);
		(void)dup2(null, STDOUT_FILENO);
		(void)dup2(null, STDERR_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
	if (write(ready->fd, "", 1) == 1)
		close(ready->fd);
	ready->fd = -1;
}

static int
run(struct fs *fs, const struct options *o, struct readiness *ready,
    const struct backend_ops *(*wrap)(const struct backend_ops *))
{
	struct err e;
	int r;

	if ((r = mountpoint_prepare(o->mountpoint, "fuse.rdmafs", &e)) < 0) {
		fprintf(stderr, "rdmafs: %s: %s\n", o->mountpoint, e.text);
		return r;
	}
	if ((r = world_init(&fs->world, geteuid(), getegid(), &e)) < 0) {
		fprintf(stderr, "rdmafs: %s\n", e.text);
		return r;
	}
	atomic_init(&fs->keeper_fd, -1);
	errlog_init(&fs->errlog);
	commands_init(&fs->commands);
	if ((r = events_init(&fs->events, &e)) < 0)
		fprintf(stderr, "rdmafs: %s\n", e.text);
	fs->world.tell = events_tell;
	fs->world.tell_arg = &fs->events;
	if (r == 0)
		r = add_soft(fs, wrap ? wrap(&soft_ops) : &soft_ops, o->soft);
	if (r == 0)
		r = add_verbs(fs, wrap ? wrap(&verbs_ops) : &verbs_ops, o);
	if (r == 0) {
		r = fuse_serve(
		    fs, o->mountpoint, o->mount, now_ready, ready, &e);
		if (r < 0)
			fprintf(stderr, "rdmafs: %s\n", e.text);
	}
	dev_remove_all(&fs->world);
	events_fini(&fs->events);
	errlog_fini(&fs->errlog);
	world_fini(&fs->world);
	return r;
}

int
rdmafs_main(int argc, char **argv,
    const struct backend_ops *(*wrap)(const struct backend_ops *))
{
	struct options o = { .soft = 1 };
	struct readiness ready = { .fd = -1 };
	struct fs fs = { .trace = NULL };
	int r;

	r = parse_options(&o, argc, argv);
	if (r < 0 && !o.foreground)
		r = daemonise(&ready);
	if (r < 0) {
		if (o.debug)
			fs.trace = trace_line;
		raise_limits();
		r = run(&fs, &o, &ready, wrap) < 0 ? 1 : 0;
	}
	free(o.mount);
	free(o.devices);
	return r;
}
