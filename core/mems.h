/* SPDX-License-Identifier: MIT */
/*
 * What the memory of all regions takes of the mappings and descriptors that
 * the daemon may have, and what a region does without when they run short:
 * first its descriptor, which its mapping or a keeper spares, then, on a device
 * that can do without, its mapping, and with that its lock (M1).
 */
#ifndef CORE_MEMS_H
#define CORE_MEMS_H

#include "mem.h"

struct world;

struct mems {
	/* Constant after mems_init(): mappings that the kernel allows the daemon
	 * (vm.max_map_count) and descriptors (RLIMIT_NOFILE). */
	uint64_t max_maps, max_fds;
	/* A memfd: where files are opened by handle; -1: they cannot be. */
	int mount;

	/* What regions have of either. */
	_Atomic uint64_t maps, fds;
	/* The address of the next one without a mapping. */
	_Atomic uint64_t next;
	/* Bytes that small regions may have yet before MemAvailable is read
	 * again, and when it was: ms of CLOCK_MONOTONIC. */
	_Atomic uint64_t credit;
	_Atomic int64_t read_at;
};

/* Finds the limits.  mems_fini(): no memory is left. */
void mems_init(struct mems *ms);
void mems_fini(struct mems *ms);

/*
 * mem_new(), with what is left of mappings and descriptors.  unmapped: the
 * device can do without a mapping.  -ENOMEM also: none is left, with the limit.
 */
int mems_new(struct world *w, struct mem *m, uint64_t length, uint64_t page,
    bool unmapped, struct err *e);
/* mem_from_fd(), in the same way; such memory always has both. */
int mems_from_fd(struct world *w, struct mem *m, int fd, uint64_t offset,
    uint64_t length, struct err *e);
/* mem_free() of what either has made; a zeroed struct is none. */
void mems_free(struct world *w, struct mem *m);

#endif
