/* SPDX-License-Identifier: MIT */
/*
 * null [-t SECONDS] MOUNTPOINT: the floor that rdmafs is compared with.  A
 * low-level FUSE daemon with the threads, mount options and answers to open of
 * fs/fuse.c and nothing behind them.  Every name without a dot is a directory
 * in every directory; NAME.f is a file, which takes every write and has a
 * status' text; what it has been asked stands in /messages.f, as rdmafs'
 * metrics has it.
 *
 *	-t SECONDS	how long the kernel keeps entries and attributes (an hour)
 */
#define FUSE_USE_VERSION 312

#include <err.h>
#include <errno.h>
#include <fuse_lowlevel.h>
#include <linux/fuse.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS     10
#define WRITE_BYTES (1u << 20)
#define FILE_BIT    (UINT64_C(1) << 62)
#define MESSAGES    "messages.f"
#define OPCODES     64

#ifndef FOPEN_PARALLEL_DIRECT_WRITES
#define FOPEN_PARALLEL_DIRECT_WRITES (1 << 6)
#endif
#ifndef FOPEN_NOFLUSH
#define FOPEN_NOFLUSH (1 << 5)
#endif

/* As long as a window's status. */
static const char text[] =
    "bound type=1 mr=buf offset=0 length=4096 rights=remote_write owner=0 "
    "group=0 made=1796030890\n";

struct null {
	double timeout;
	atomic_ulong counts[OPCODES];
};

static void
count(fuse_req_t req, enum fuse_opcode opcode)
{
	struct null *null = fuse_req_userdata(req);

	atomic_fetch_add_explicit(
	    &null->counts[opcode], 1, memory_order_relaxed);
}

/* No state: a number stands for a path. */
static uint64_t
ino_of(fuse_ino_t parent, const char *name)
{
	const char *dot = strrchr(name, '.');
	uint64_t hash = parent * UINT64_C(0x9e3779b97f4a7c15);

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	hash = (hash & (FILE_BIT - 1)) | 2;
	return dot != NULL && dot[1] == 'f' ? hash | FILE_BIT : hash;
}

static void
fill_stat(uint64_t ino, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = ino;
	st->st_nlink = 1;
	st->st_blksize = 4096;
	st->st_mode = ino & FILE_BIT ? S_IFREG | 0600 : S_IFDIR | 0755;
	st->st_size = ino & FILE_BIT ? (off_t)sizeof(text) - 1 : 0;
}

static void
do_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->want &= ~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
				  FUSE_CAP_SPLICE_MOVE | FUSE_CAP_POSIX_LOCKS |
				  FUSE_CAP_FLOCK_LOCKS);
	conn->max_write = WRITE_BYTES;
}

static void
do_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct null *null = fuse_req_userdata(req);
	struct fuse_entry_param e;

	count(req, FUSE_LOOKUP);
	memset(&e, 0, sizeof(e));
	e.ino = ino_of(parent, name);
	e.attr_timeout = e.entry_timeout = null->timeout;
	fill_stat(e.ino, &e.attr);
	fuse_reply_entry(req, &e);
}

static void
do_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct null *null = fuse_req_userdata(req);
	struct stat st;

	(void)fi;
	count(req, FUSE_GETATTR);
	fill_stat(ino, &st);
	fuse_reply_attr(req, &st, null->timeout);
}

static void
do_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int what,
    struct fuse_file_info *fi)
{
	const struct null *null = fuse_req_userdata(req);
	struct stat st;

	(void)attr, (void)what, (void)fi;
	count(req, FUSE_SETATTR);
	fill_stat(ino, &st);
	fuse_reply_attr(req, &st, null->timeout);
}

static void
do_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct fuse_open_out out = { .open_flags =
					       FOPEN_DIRECT_IO | FOPEN_NOFLUSH |
					       FOPEN_PARALLEL_DIRECT_WRITES };

	(void)ino, (void)fi;
	count(req, FUSE_OPEN);
	fuse_reply_buf(req, (const char *)&out, sizeof(out));
}

static void
do_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino, (void)fi;
	count(req, FUSE_RELEASE);
	fuse_reply_err(req, 0);
}

static void
read_messages(fuse_req_t req, size_t size, off_t off)
{
	static const struct {
		enum fuse_opcode opcode;
		const char *name;
	} names[] = {
		{ FUSE_LOOKUP, "LOOKUP" },
		{ FUSE_GETATTR, "GETATTR" },
		{ FUSE_SETATTR, "SETATTR" },
		{ FUSE_OPEN, "OPEN" },
		{ FUSE_READ, "READ" },
		{ FUSE_WRITE, "WRITE" },
		{ FUSE_RELEASE, "RELEASE" },
	};
	struct null *null = fuse_req_userdata(req);
	char buf[4096];
	size_t n = 0, i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n,
		    "null_fuse_messages_total{opcode=\"%s\"} %lu\n",
		    names[i].name, atomic_load(&null->counts[names[i].opcode]));
	if ((size_t)off >= n)
		off = (off_t)n;
	n -= (size_t)off;
	fuse_reply_buf(req, buf + off, n < size ? n : size);
}

static void
do_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
    struct fuse_file_info *fi)
{
	size_t n = sizeof(text) - 1;

	(void)fi;
	count(req, FUSE_READ);
	if (ino == ino_of(FUSE_ROOT_ID, MESSAGES)) {
		read_messages(req, size, off);
		return;
	}
	if ((size_t)off >= n)
		off = (off_t)n;
	n -= (size_t)off;
	fuse_reply_buf(req, text + off, n < size ? n : size);
}

static void
do_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size,
    off_t off, struct fuse_file_info *fi)
{
	(void)ino, (void)buf, (void)off, (void)fi;
	count(req, FUSE_WRITE);
	fuse_reply_write(req, size);
}

static const struct fuse_lowlevel_ops ops = {
	.init = do_init,
	.lookup = do_lookup,
	.getattr = do_getattr,
	.setattr = do_setattr,
	.open = do_open,
	.release = do_release,
	.read = do_read,
	.write = do_write,
};

static int
serve(struct null *null, const char *mountpoint)
{
	static char name[] = "null";
	static char options[] =
	    "-oallow_other,default_permissions,nosuid,nodev,noexec,"
	    "fsname=null,subtype=null";
	char *args[] = { name, options };
	struct fuse_args fuse_args = FUSE_ARGS_INIT(2, args);
	struct fuse_loop_config *cfg = fuse_loop_cfg_create();
	struct fuse_session *se;
	int r;

	se = fuse_session_new(&fuse_args, &ops, sizeof(ops), null);
	if (cfg == NULL || se == NULL || fuse_set_signal_handlers(se) != 0 ||
	    fuse_session_mount(se, mountpoint) != 0)
		errx(1, "cannot mount on %s", mountpoint);
	fuse_loop_cfg_set_max_threads(cfg, THREADS);
	fuse_loop_cfg_set_clone_fd(cfg, 0);
	r = fuse_session_loop_mt(se, cfg);
	fuse_session_unmount(se);
	fuse_remove_signal_handlers(se);
	fuse_session_destroy(se);
	fuse_loop_cfg_destroy(cfg);
	fuse_opt_free_args(&fuse_args);
	return r < 0;
}

int
main(int argc, char **argv)
{
	static struct null null = { .timeout = 3600 };
	int option;

	while ((option = getopt(argc, argv, "t:")) != -1) {
		if (option != 't')
			return 2;
		null.timeout = strtod(optarg, NULL);
	}
	if (optind != argc - 1)
		errx(2, "usage: null [-t SECONDS] MOUNTPOINT");
	return serve(&null, argv[optind]);
}
