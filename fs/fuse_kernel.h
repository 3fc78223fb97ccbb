/* SPDX-License-Identifier: MIT */
/* What newer kernels say over /dev/fuse and an older linux/fuse.h does not
 * know.  The values are the kernel's. */
#ifndef FS_FUSE_KERNEL_H
#define FS_FUSE_KERNEL_H

#include <linux/fuse.h>

/* Messages. */
#define KERNEL_STATX              52 /* 6.6 */
#define KERNEL_COPY_FILE_RANGE_64 53 /* 6.18 */

#endif
