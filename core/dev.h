/* SPDX-License-Identifier: MIT */
/* Devices and their ports as objects. */
#ifndef CORE_DEV_H
#define CORE_DEV_H

#include "backend.h"
#include "key.h"
#include "keylog.h"
#include "limit.h"
#include "obj.h"
#include "tally.h"

/* A directory of the root: soft0, rxe0. */
struct dev {
	struct obj o;
	struct set sets[2]; /* KIND_PORT, KIND_PD */
	struct backend b; /* constant while the object lives */
	bool down; /* no port was active when last asked; world.lock */
	bool lost; /* it was taken away; world.lock */
	/* A port has something new, and somebody sees to it; world.lock. */
	bool stale, refreshing;
	struct work refresh;
	/* Objects below, of all domains; world.lock. */
	unsigned mrs, mws, qps, mems;
	struct keys keys; /* what its numbers mean; world.lock */
	struct keylog dead; /* keys that have died; world.lock */
	struct limits limits; /* what each user has; world.lock */
	struct tally tally; /* what was done */
};

struct port {
	struct obj o; /* its name is its number */
	unsigned number; /* from 1 */
	unsigned gids; /* entries of its gid table */
};

/*
 * Opens the device name of kind ops and adds it to the root with its ports,
 * all of them owned by the root's owner.  Returns 0, or what backend_open()
 * says, -EEXIST, -ENOMEM.
 */
int dev_add(struct world *w, const struct backend_ops *ops, const char *name,
    void (*trace)(void *, const char *), void *trace_arg, struct err *e);
/*
 * Destroys everything below every device, in the safe order, then closes and
 * removes the devices.  Waits for commands under way; new ones must not come.
 */
void dev_remove_all(struct world *w);

/* Asks the ports whether one is active; may sleep, lock not held. */
void dev_refresh(struct dev *d);

/*
 * o, of its owner's, counts for him (KIND_PD to KIND_QP): called before the
 * device is asked for it.  Returns 0, -EDQUOT, -ENOMEM as limits_charge().
 * dev_uncharge(): it did not come to be, or goes.  Lock held.
 */
int dev_charge(struct obj *o, struct err *e);
void dev_uncharge(struct obj *o);
/* The same of n bytes that a region is to have registered, or had. */
int dev_charge_bytes(struct obj *mr, uint64_t n, struct err *e);
void dev_uncharge_bytes(struct obj *mr, uint64_t n);
/*
 * o belongs to uid from now on, and counts for him, even over his limits.  Any
 * kind of object.  Returns 0 or -ENOMEM.  Lock held.
 */
int dev_chown(struct obj *o, uid_t uid, struct err *e);

/* The window, region or queue pair whose number k is. */
struct obj *obj_of_key(struct key *k);

struct dev *dev_of(struct obj *o); /* the device that o belongs to */
struct port *port_of(struct obj *o); /* o is of KIND_PORT */

#endif
