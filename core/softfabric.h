/* SPDX-License-Identifier: MIT */
/*
 * What joins the soft devices of one daemon: a queue pair of one is connected
 * to one of any other by its address, and data moves between their regions.
 * Owned by who opens the devices; backend_open() takes it.
 */
#ifndef CORE_SOFTFABRIC_H
#define CORE_SOFTFABRIC_H

struct fabric;

/* NULL: out of memory, or no thread could be made. */
struct fabric *fabric_new(void);
/* All its devices are closed.  Takes NULL. */
void fabric_free(struct fabric *f);

#endif
