/* SPDX-License-Identifier: MIT */
/*
 * Devices behind libibverbs (verbs*.c, the only files that know it).  Turns
 * the mixed error conventions of the verbs into one, and guards what devices
 * are known to get wrong.
 */
#ifndef CORE_VERBS_H
#define CORE_VERBS_H

#include <stddef.h>

#include "err.h"

/*
 * The names of all verbs devices there are now (ibv_get_device_list(3)),
 * each malloc'ed, in a malloc'ed array *names of *n; verbs_names_free() frees
 * them.  A machine without any, or without the kernel's part, is 0 of them
 * and no error.
 */
int verbs_names(char ***names, size_t *n, struct err *e);
void verbs_names_free(char **names, size_t n);

#endif
