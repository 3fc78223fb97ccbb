/* SPDX-License-Identifier: MIT */
/* A place to mount on; see mountpoint.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mountpoint.h"

extern char **environ;

static bool
octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes blank, tab, newline and \ as \ and three digits. */
static void
unescape(char *s)
{
	char *to = s;

	while (*s != '\0') {
		if (s[0] == '\\' && octal(s[1]) && octal(s[2]) && octal(s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 4;
		} else
			*to++ = *s++;
	}
	*to = '\0';
}

/*
 *     36 35 98:0 /root /mnt\040point rw,noatime master:1 - ext4 /dev/sda rw
 * The words between the sixth and the lone - can be any number.
 */
bool
mountinfo_parse(char *line, struct mountinfo *m)
{
	char *words[5], *word, *end;
	size_t i;

	for (i = 0; i < 5; i++)
		if ((words[i] = strsep(&line, " \n")) == NULL)
			return false;
	do
		if ((word = strsep(&line, " \n")) == NULL)
			return false;
	while (strcmp(word, "-") != 0);
	if ((m->type = strsep(&line, " \n")) == NULL)
		return false;
	m->id = strtoull(words[0], &end, 10);
	unescape(words[4]);
	m->point = words[4];
	return end != words[0] && *end == '\0';
}

/* What is mounted exactly on a path. */
struct mounted {
	bool ours; /* and if not, the rest is not set */
	char point[PATH_MAX];
};

static void
mounted_find(struct mounted *on, FILE *f, uint64_t id, const char *fstype)
{
	struct mountinfo m;
	char *line = NULL;
	size_t size = 0;

	on->ours = false;
	while (!on->ours && getline(&line, &size, f) != -1) {
		if (!mountinfo_parse(line, &m) || m.id != id ||
		    strcmp(m.type, fstype) != 0)
			continue;
		on->ours = strlcpy(on->point, m.point, sizeof(on->point)) <
			   sizeof(on->point);
	}
	free(line);
}

/*
 * Asks for no field of the file and for no exchange with its server, so that
 * even of a dead mount, or of one that is not ours to look into, the kernel
 * tells which one it is.
 */
static int
look(const char *path, struct statx *sx)
{
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, 0, sx);
}

static int
mounted_look(
    struct mounted *on, const char *path, const char *fstype, struct err *e)
{
	struct statx sx;
	FILE *f;

	on->ours = false;
	if (look(path, &sx) == -1)
		return fail(e, errno, "%s: %s", path, strerror(errno));
	if ((sx.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0)
		return 0;
	if ((f = fopen("/proc/self/mountinfo", "re")) == NULL)
		return fail(
		    e, errno, "/proc/self/mountinfo: %s", strerror(errno));
	mounted_find(on, f, sx.stx_mnt_id, fstype);
	(void)fclose(f);
	return 0;
}

/* A plain stat(2) would be content with what the kernel has cached. */
static bool
dead(const char *path)
{
	struct statx sx;

	return statx(AT_FDCWD, path, AT_STATX_FORCE_SYNC, STATX_TYPE, &sx) ==
		   -1 &&
	       errno == ENOTCONN;
}

static int
fusermount(const char *point, struct err *e)
{
	const char *const argv[] = { "fusermount3", "-u", "-z", point, NULL };
	int r, status;
	pid_t pid;

	if ((r = posix_spawnp(
		 &pid, argv[0], NULL, NULL, (char *const *)argv, environ)) != 0)
		return fail(e, r, "fusermount3: %s", strerror(r));
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			return fail(e, errno, "waitpid: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail(e, EPERM,
		    "%s has a dead mount, which fusermount3 cannot detach",
		    point);
	return 0;
}

static int
detach(const char *point, struct err *e)
{
	if (umount2(point, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
		return 0;
	if (errno == EPERM)
		return fusermount(point, e);
	return fail(e, errno,
	    "%s has a dead mount, which cannot be detached: %s", point,
	    strerror(errno));
}

static int
make_directory(const char *path, struct err *e)
{
	struct statx sx;

	if (look(path, &sx) == 0 || errno != ENOENT)
		return 0;
	if (mkdir(path, 0755) == -1 && errno != EEXIST)
		return fail(e, errno, "mkdir %s: %s", path, strerror(errno));
	return 0;
}

static int
check_directory(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return fail(e, errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fail(e, ENOTDIR, "%s is not a directory", path);
	return 0;
}

int
mountpoint_prepare(const char *path, const char *fstype, struct err *e)
{
	struct mounted on;
	int r;

	if ((r = make_directory(path, e)) < 0)
		return r;
	for (;;) {
		if ((r = mounted_look(&on, path, fstype, e)) < 0)
			return r;
		if (!on.ours)
			return check_directory(path, e);
		if (!dead(path))
			return fail(e, EBUSY, "%s is mounted on %s already",
			    fstype, path);
		if ((r = detach(on.point, e)) < 0)
			return r;
	}
}
