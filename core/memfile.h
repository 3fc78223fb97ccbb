/* SPDX-License-Identifier: MIT */
/* What mem.c and memfile.c share.  The two's own; others use mem.h. */
#ifndef CORE_MEMFILE_H
#define CORE_MEMFILE_H

#include "mem.h"

/* Bytes of an ordinary page. */
uint64_t mem_page(void);

/*
 * Maps the file of m, whose fd, writable, offset, page and map_size are set,
 * and sets map and addr.  Returns 0 or -errno.
 */
int mem_map(struct mem *m, struct err *e);

#endif
