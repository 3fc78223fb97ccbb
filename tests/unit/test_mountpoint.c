/* SPDX-License-Identifier: MIT */
/* Where a mount can go; fs/mountpoint.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../fs/mountpoint.h"
#include "tap.h"

static const struct line {
	const char *text, *point, *type, *why;
	uint64_t id;
} lines[] = {
	{ "36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/sda rw\n", "/mnt",
	    "ext4", "a line", 36 },
	{ "41 26 0:38 / /rdma rw - fuse.rdmafs rdmafs rw", "/rdma",
	    "fuse.rdmafs", "no optional word, no newline", 41 },
	{ "1 1 0:1 / /a\\040b\\011c\\012d\\134e rw shared:1 master:2 - a b c",
	    "/a b\tc\nd\\e", "a", "each escape, two optional words", 1 },
	{ "1 1 0:1 / /\\134040 rw - a b c", "/\\040", "a",
	    "what an escape gives is no escape", 1 },
	{ "1 1 0:1 / /\\04 rw - a b c", "/\\04", "a", "not an escape", 1 },
	{ "1 1 0:1 / /m rw - a  rw", "/m", "a", "no source", 1 },
	{ "", NULL, NULL, "empty", 0 },
	{ "1 1 0:1 / /m", NULL, NULL, "ends early", 0 },
	{ "1 1 0:1 / /m rw shared:1", NULL, NULL, "no -", 0 },
	{ "1 1 0:1 / /m rw -", NULL, NULL, "no type", 0 },
	{ "x 1 0:1 / /m rw - a b c", NULL, NULL, "no number", 0 },
};

static void
test_line(const struct line *t)
{
	struct mountinfo m;
	char line[256];

	(void)snprintf(line, sizeof(line), "%s", t->text);
	if (!is_int(mountinfo_parse(line, &m), t->type != NULL, "parse: %s",
		t->why) ||
	    t->type == NULL)
		return;
	is_int((long long)m.id, (long long)t->id, "id: %s", t->why);
	is_str(m.point, t->point, "point: %s", t->why);
	is_str(m.type, t->type, "type: %s", t->why);
}

static void
test_refused(const char *path, const char *fstype, int code, const char *why)
{
	struct err e = { 0 };

	is_int(mountpoint_prepare(path, fstype, &e), -code, "%s", why);
	has_str(e.text, path, "%s: the text names it", why);
}

/* In an empty directory, which is the current one. */
static void
test_paths(void)
{
	struct stat st;
	int fd;

	(void)umask(022);
	is_int(mountpoint_prepare("new", "t", NULL), 0, "a missing one");
	ok(stat("new", &st) == 0 && S_ISDIR(st.st_mode) &&
		(st.st_mode & 07777) == 0755,
	    "is made");
	is_int(mountpoint_prepare("new", "t", NULL), 0, "one that is there");
	if (mkdir("new/entry", 0755) == -1 || symlink("new", "link") == -1 ||
	    symlink("nowhere", "dangling") == -1 ||
	    (fd = open("file", O_CREAT | O_WRONLY, 0644)) == -1)
		bail_out("set-up: %s", strerror(errno));
	(void)close(fd);
	is_int(mountpoint_prepare("new", "t", NULL), 0, "one with an entry");
	is_int(mountpoint_prepare("link/", "t", NULL), 0, "through a link");
	test_refused("no/parent", "t", ENOENT, "no parent");
	test_refused("file", "t", ENOTDIR, "a file");
	test_refused("file/below", "t", ENOTDIR, "below a file");
	test_refused("dangling", "t", ENOENT, "a dangling link");
}

/* A live mount can be had without FUSE: any file system is one. */
static void
test_mounted(void)
{
	if (mkdir("a b", 0755) == -1)
		bail_out("mkdir: %s", strerror(errno));
	if (mount("none", "a b", "tmpfs", 0, NULL) == -1) {
		skip("mount: %s", strerror(errno));
		return;
	}
	test_refused("a b", "tmpfs", EBUSY, "a live mount of the type");
	is_int(mountpoint_prepare("a b", "fuse.t", NULL), 0,
	    "a live mount of another type");
	is_int(mountpoint_prepare("a b/c", "tmpfs", NULL), 0,
	    "inside a mount of the type");
	ok(umount("a b") == 0, "is still mounted");
}

int
main(void)
{
	char dir[] = "/tmp/rdmafs-mountpoint.XXXXXX";
	size_t i;

	for (i = 0; i < NELEM(lines); i++)
		test_line(&lines[i]);
	if (mkdtemp(dir) == NULL || chdir(dir) == -1)
		bail_out("%s: %s", dir, strerror(errno));
	test_paths();
	test_mounted();
	(void)unlink("file");
	(void)unlink("link");
	(void)unlink("dangling");
	(void)rmdir("new/entry");
	(void)rmdir("new");
	(void)rmdir("a b");
	(void)chdir("/");
	is_int(rmdir(dir), 0, "nothing else was made");
	return done_testing();
}
