/* SPDX-License-Identifier: MIT */
/* An object of the kernel's as a line of <dev>/kernel/. */
#ifndef FS_KERNEL_LINE_H
#define FS_KERNEL_LINE_H

#include "../core/kernel.h"
#include "tree.h"

/* Bytes of the longest: a path of 140, a name of 64 that are all escaped, a
 * dozen words. */
#define KERNEL_LINE 768

/*
 * Adds the line of k.  own: id of the daemon's object that it is, 0: of none
 * that is known.  task is the maker of the line before (all zero: there is
 * none), and then that of this one.  Keys and addresses are for uid 0.  Lock
 * not held.
 */
void kernel_line(const struct view *v, enum kernel_kind kind,
    const struct kernel_obj *k, uint64_t own, struct kernel_task *task,
    struct text *t);

#endif
