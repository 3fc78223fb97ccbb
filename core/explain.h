/* SPDX-License-Identifier: MIT */
/*
 * What a key means on a device, and what the rules A1 to A6 say of an access
 * with it: decided from the objects here, whatever the device.  Asks no device
 * and changes nothing.  Secret: what a key means is told to who may know it,
 * and for everybody else it is a key that never was.
 */
#ifndef CORE_EXPLAIN_H
#define CORE_EXPLAIN_H

#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"

/* What of an object is not for everybody. */
enum secret { SECRET_RKEY, SECRET_LKEY, SECRET_ADDR };

/* Who asks. */
struct asker {
	/*
	 * Whether he may know that of o; of an object that is gone (o NULL),
	 * which was owner's.  Lock held.
	 */
	bool (*may)(
	    const void *arg, enum secret what, struct obj *o, uid_t owner);
	const void *arg;
};

enum key_state { KEY_UNKNOWN, KEY_LIVE, KEY_DEAD };

/* What a key means. */
struct meaning {
	enum key_state state;
	enum key_kind kind; /* unless unknown: KEY_MW, KEY_MR, KEY_LKEY */
	struct dev *dev; /* whose key it is */
	struct obj *o; /* window or region; NULL: it is gone */
	const struct dead *dead; /* dead */
	bool newer; /* dead: o has a live one now */
	bool where; /* addresses may be told */
};

/* What makes an access allowed or refused. */
enum why {
	WHY_ALLOWED,
	WHY_NO_BYTES, /* allowed, whatever the key (A3) */
	WHY_STATE, /* nothing else, but the queue pair does not answer (A5) */
	WHY_UC, /* uc has neither reads nor atomics */
	WHY_QP_RIGHT, /* the queue pair's own rights (A2) */
	WHY_LONG, /* over 2^31 bytes (A3) */
	WHY_ATOMIC_SIZE,
	WHY_ATOMIC_ALIGN,
	WHY_UNKNOWN, /* all from here are A1 */
	WHY_DEAD,
	WHY_LKEY,
	WHY_OTHER_QP, /* type 2, over another queue pair (W8) */
	WHY_DOMAIN, /* (P1) */
	WHY_RIGHT,
	WHY_RANGE
};

/* What an address may have been meant as. */
enum taken_for {
	TAKEN_FOR_NOTHING,
	TAKEN_FOR_OFFSET, /* it counts from the first byte that is open */
	TAKEN_FOR_REGION_OFFSET, /* from the region's */
	TAKEN_FOR_REMOTE, /* a peer's, where 0 is the window's first byte */
	TAKEN_FOR_LOCAL /* the daemon's own, of the memory */
};

struct explained {
	struct meaning is;
	/* Where the key would mean something, if it means nothing here: with
	 * another tag, on another device, its bytes reversed. */
	struct meaning tag, elsewhere, swapped;

	/* Of an access: */
	enum why why;
	const char *rule; /* that refuses it; NULL: allowed */
	uint32_t needs; /* the right that it takes */
	uint64_t before, past; /* WHY_RANGE: bytes that are outside there */
	enum taken_for taken_for; /* the address, if it is that */
	uint64_t would_be; /* the address that was meant */
	bool passes; /* refused, and this device lets it pass (D1) */
	bool mute; /* the queue pair answers nothing, as it is now (A5) */
	bool silent; /* refused, and its requester sees success (A6) */
	bool down; /* no port of the device is active: nothing arrives */
};

/* The key value of device d: is, tag, elsewhere and swapped.  Valid as long as
 * the lock is held, from before the call. */
void explain_key(
    struct dev *d, const struct asker *by, uint32_t value, struct explained *x);
/*
 * The same and the rest: the access a, over the queue pair qp of d.  NULL: over
 * one of the key's own domain, and of a type 2 key over the right one.
 */
void explain_access(struct dev *d, const struct asker *by,
    const struct access *a, const struct qp *qp, struct explained *x);

#endif
