/* SPDX-License-Identifier: MIT */
/*
 * Who keeps a memory file alive that has no descriptor: the kernel's end of a
 * FUSE connection with passthrough (fs/fuse_backing.c).
 */
#ifndef CORE_KEEPER_H
#define CORE_KEEPER_H

struct keeper {
	/* The file of fd stays until drop(): returns its id (> 0), or -errno.
	 * fd may be closed then. */
	int (*keep)(void *arg, int fd);
	void (*drop)(void *arg, int id);
	void *arg;
};

#endif
