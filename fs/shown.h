/* SPDX-License-Identifier: MIT */
/*
 * What a status says of a region or a window, apart from the object, so that
 * it can be told later.
 */
#ifndef FS_SHOWN_H
#define FS_SHOWN_H

#include "../core/mr.h"
#include "../core/mw.h"
#include "../core/qp.h"
#include "../proto/text.h"

struct mr_shown {
	uint64_t length, pinned; /* bytes */
	size_t windows;
	uint32_t rights;
	bool active, emulated;
};

struct mw_shown {
	uint64_t offset, length; /* bytes */
	uint32_t rights;
	uint8_t type;
	bool bound, by_peer;
	char mr[WC_NAME_MAX + 1], qp[WC_NAME_MAX + 1]; /* "": none */
};

/* Takes what there is to say now; lock held. */
void mr_show(const struct mr *mr, struct mr_shown *s);
void mw_show(const struct mw *mw, struct mw_shown *s);
/* Adds the words behind the state, a blank before each. */
void mr_shown_words(const struct mr_shown *s, struct text *t);
void mw_shown_words(const struct mw_shown *s, struct text *t);

#endif
