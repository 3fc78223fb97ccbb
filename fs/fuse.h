/* SPDX-License-Identifier: MIT */
/* The tree behind a FUSE session; fuse.c alone knows the FUSE library. */
#ifndef FS_FUSE_H
#define FS_FUSE_H

#include "../core/err.h"
#include "fs.h"

/*
 * Mounts fs at mountpoint and serves it until it is unmounted or a signal
 * (SIGINT, SIGTERM, SIGHUP) ends it; then it is unmounted.  options: more
 * mount options, comma separated, or NULL.  ready is called once the mount is
 * live.  Returns 0, or -errno with the reason.
 */
int fuse_serve(struct fs *fs, const char *mountpoint, const char *options,
    void (*ready)(void *arg), void *arg, struct err *e);

#endif
