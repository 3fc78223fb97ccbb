/* SPDX-License-Identifier: MIT */
/* Whose a key or a number is; see dev.h. */
#include <stddef.h>

#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "qp.h"

struct obj *
obj_of_key(struct key *k)
{
	/* An object is the first thing in each. */
	static const size_t offsets[] = {
		[KEY_MW] = offsetof(struct mw, rkey),
		[KEY_MR] = offsetof(struct mr, rkey),
		[KEY_LKEY] = offsetof(struct mr, lkey),
		[KEY_QPN] = offsetof(struct qp, num),
	};

	return (struct obj *)(void *)((char *)k - offsets[k->kind]);
}
