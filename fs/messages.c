/* SPDX-License-Identifier: MIT */
/* Counts of messages; see messages.h. */
#include "messages.h"

void
messages_count(struct messages *m, uint32_t kind)
{
	if (kind >= MESSAGE_KINDS || m->names[kind] == NULL)
		kind = 0;
	tally_add(&m->counts[kind], 1);
}
