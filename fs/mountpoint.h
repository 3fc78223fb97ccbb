/* SPDX-License-Identifier: MIT */
/*
 * A place to mount on: makes it, and clears it of what a daemon that was
 * killed has left there.  Does not mount.
 */
#ifndef FS_MOUNTPOINT_H
#define FS_MOUNTPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/err.h"

/* A line of /proc/self/mountinfo, as far as it matters here; proc(5). */
struct mountinfo {
	uint64_t id;
	const char *point; /* where it is mounted, without escapes */
	const char *type; /* with the subtype: "fuse.rdmafs" */
};

/*
 * Cuts a line of mountinfo, with or without its newline, in place; m points
 * into it.  Returns false if it is no such line.
 */
bool mountinfo_parse(char *line, struct mountinfo *m);

/*
 * Makes path fit to be mounted on.  A missing directory is made (0755; its
 * parents are not), dead mounts of fstype on it are detached, also stacked
 * ones; anything else there stays and is covered, as mount(8) does.
 * Waits for the daemon of a mount of fstype that is there, if one lives.
 * Returns 0, -EBUSY if a mount of fstype there is alive, -ENOTDIR, or the
 * errno of mkdir(2), statx(2), umount2(2), or of running fusermount3, which
 * unmounts for those who are not root.
 */
int mountpoint_prepare(const char *path, const char *fstype, struct err *e);

#endif
