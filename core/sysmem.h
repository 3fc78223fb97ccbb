/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells about this machine's memory and this process' share
 * of it, in /proc and /sys.  The layer's own, but for sysmem_sysctl(); others
 * ask mem.h.
 */
#ifndef CORE_SYSMEM_H
#define CORE_SYSMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MemAvailable in bytes; UINT64_MAX if the kernel does not tell. */
uint64_t sysmem_available(void);

/*
 * Whether pages of size bytes are huge pages of this machine, and how many
 * of them nobody has taken or reserved.
 */
bool sysmem_huge(uint64_t size, uint64_t *unused);
/* The sizes of huge pages in kB, separated by commas, for an error text. */
void sysmem_huge_sizes(char *buf, size_t size);

/* The number in a file of /proc/sys; 0: it does not tell. */
uint64_t sysmem_sysctl(const char *path);

/* The present number of the page at addr in physical memory; 0: unknown. */
uint64_t sysmem_frame(const void *addr);

#endif
