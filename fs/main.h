/* SPDX-License-Identifier: MIT */
/* The program, as a function, so that tests can put a fault under it. */
#ifndef FS_MAIN_H
#define FS_MAIN_H

#include "../core/backend.h"

/*
 * rdmafs(8).  wrap gives the table to open a device of kind ops with; NULL:
 * ops itself.  Returns the exit status.
 */
int rdmafs_main(int argc, char **argv,
    const struct backend_ops *(*wrap)(const struct backend_ops *ops));

#endif
