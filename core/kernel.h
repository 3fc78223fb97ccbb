/* SPDX-License-Identifier: MIT */
/*
 * What the kernel knows of all processes' objects on a device: the RDMA
 * netlink interface, which rdma-resource(8) shows, too.  Knows nothing of the
 * daemon's own objects.
 */
#ifndef CORE_KERNEL_H
#define CORE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "types.h"

enum kernel_kind {
	KERNEL_PD,
	KERNEL_MR,
	KERNEL_QP,
	KERNEL_CQ,
	KERNEL_CTX,
	KERNEL_SRQ,
	KERNEL_KINDS
};

/* What may be known of an object. */
enum kernel_field {
	KERNEL_PDN,
	KERNEL_MRN,
	KERNEL_LQPN, /* 1 of a port's own queue pair for management */
	KERNEL_CQN,
	KERNEL_CTXN,
	KERNEL_SRQN,
	KERNEL_PORT, /* only once it has one */
	KERNEL_TYPE, /* of a queue pair, of a shared receive queue */
	KERNEL_STATE, /* enum qp_state */
	KERNEL_RQPN,
	KERNEL_CQE, /* entries */
	KERNEL_USERS, /* objects that use it, windows among them */
	KERNEL_LENGTH, /* bytes */
	KERNEL_TASK, /* thread that made it, as long as that lives */
	/* Secret; told to a process with CAP_NET_ADMIN only. */
	KERNEL_LKEY,
	KERNEL_RKEY,
	KERNEL_IOVA,
	KERNEL_FIELDS
};

struct kernel_obj {
	uint64_t value[KERNEL_FIELDS];
	uint32_t has; /* a bit for each value */
	/* A part of the kernel made it, and has this name; "": a process. */
	char owner[64];
};

/* The names of enum ib_qp_type and enum ib_srq_type, in lower case. */
extern const struct name kernel_qp_types[], kernel_srq_types[];

static inline bool
kernel_has(const struct kernel_obj *o, enum kernel_field f)
{
	return (o->has & 1u << f) != 0;
}

/*
 * Calls each with every object of kind on the device dev that was made in this
 * pid namespace, in the order of kernel_order(); o is valid during the call.
 * What each returns ends it, unless it is 0, and is returned.  Else 0, -ENODEV
 * (the kernel has no device of that name), -EOPNOTSUPP (it does not tell of
 * this kind), or -errno of netlink(7).  A kernel without RDMA has no objects.
 * Sleeps.
 */
int kernel_dump(const char *dev, enum kernel_kind kind,
    int (*each)(void *arg, const struct kernel_obj *o), void *arg,
    struct err *e);
/* How many there are now; as kernel_dump().  A kind not told of: 0. */
int kernel_count(
    const char *dev, enum kernel_kind kind, uint64_t *count, struct err *e);
/* Grows from each object of a dump to the next; not 0. */
uint64_t kernel_order(enum kernel_kind kind, const struct kernel_obj *o);

/* Who made an object. */
struct kernel_task {
	uint32_t task; /* its thread */
	uint32_t process; /* that this is one of; 0: not known */
	char comm[32]; /* the thread's own name, any bytes; "": not known */
};

/* Looks t->task up in /proc. */
void kernel_task(struct kernel_task *t);

#endif
