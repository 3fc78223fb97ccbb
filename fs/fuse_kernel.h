/* SPDX-License-Identifier: MIT */
/* What newer kernels say over /dev/fuse and an older linux/fuse.h does not
 * know.  The values are the kernel's. */
#ifndef FS_FUSE_KERNEL_H
#define FS_FUSE_KERNEL_H

#include <linux/fuse.h>
#include <sys/ioctl.h>

/* Messages. */
#define KERNEL_STATX              52 /* 6.6 */
#define KERNEL_COPY_FILE_RANGE_64 53 /* 6.18 */

/* Passthrough, 6.9: FUSE_PASSTHROUGH, which stands in flags2, and struct
 * fuse_init_out as it is since. */
#define KERNEL_PASSTHROUGH2 (1u << (37 - 32))

struct kernel_init_out {
	uint32_t major, minor, max_readahead, flags;
	uint16_t max_background, congestion_threshold;
	uint32_t max_write, time_gran;
	uint16_t max_pages, map_alignment;
	uint32_t flags2, max_stack_depth, unused[6];
};

_Static_assert(sizeof(struct kernel_init_out) == sizeof(struct fuse_init_out),
    "they differ in names only");

/* struct fuse_open_out, and what FOPEN_PASSTHROUGH stands for. */
#define KERNEL_OPEN_PASSTHROUGH (1u << 7)

struct kernel_open_out {
	uint64_t fh;
	uint32_t open_flags;
	int32_t backing_id;
};

_Static_assert(sizeof(struct kernel_open_out) == sizeof(struct fuse_open_out),
    "they differ in names only");

/* FUSE_DEV_IOC_BACKING_OPEN, which returns an id, and _CLOSE. */
struct kernel_backing_map {
	int32_t fd;
	uint32_t flags;
	uint64_t padding;
};

#define KERNEL_BACKING_OPEN  _IOW(229, 1, struct kernel_backing_map)
#define KERNEL_BACKING_CLOSE _IOW(229, 2, uint32_t)

#endif
