/* SPDX-License-Identifier: MIT */
/* What core/mem*.c share; others use mem.h. */
#ifndef CORE_MEMFILE_H
#define CORE_MEMFILE_H

#include "mem.h"

#define TRUNCATED "the file of this region has been truncated by its owner"

/* Bytes of the region that its file still has, or -errno. */
int64_t mem_present(const struct mem *m, struct err *e);

/* Bytes of an ordinary page. */
uint64_t mem_page(void);

/* mem_new(), where so many bytes of memory are available; map: mapped.  What is
 * not has addr NULL. */
int mem_make(struct mem *m, uint64_t length, uint64_t page, bool map,
    uint64_t available, struct err *e);

/*
 * Maps the file of m, whose fd, writable, offset, page and map_size are set,
 * and sets map and addr.  Returns 0 or -errno.
 */
int mem_map(struct mem *m, struct err *e);

#endif
