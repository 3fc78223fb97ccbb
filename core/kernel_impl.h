/* SPDX-License-Identifier: MIT */
/*
 * What core/kernel*.c share, and the unit test sees: the messages.  They alone
 * know libmnl.
 */
#ifndef CORE_KERNEL_IMPL_H
#define CORE_KERNEL_IMPL_H

#include "kernel.h"

struct nlmsghdr;

/* By kind: how it is asked for and answered. */
extern const struct kernel_question {
	unsigned command; /* RDMA_NLDEV_CMD_* */
	unsigned table, entry; /* RDMA_NLDEV_ATTR_* */
	enum kernel_field id;
	const char *name; /* in the summary */
} kernel_questions[];

/* One message of a dump, whole; each as in kernel_dump(). */
int kernel_parse(const struct nlmsghdr *h, enum kernel_kind kind,
    int (*each)(void *arg, const struct kernel_obj *o), void *arg);
/* The answer to RDMA_NLDEV_CMD_RES_GET: how many there are of kind; 0 where it
 * says nothing. */
uint64_t kernel_parse_count(const struct nlmsghdr *h, enum kernel_kind kind);
/* One message of the list of devices: whether it is that of name, and its
 * index. */
bool
kernel_parse_dev(const struct nlmsghdr *h, const char *name, uint32_t *index);

#endif
