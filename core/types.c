/* SPDX-License-Identifier: MIT */
/* The tables of named values; see types.h. */
#include "types.h"

const struct name right_names[] = {
	{ "local_read", RIGHT_LOCAL_READ },
	{ "local_write", RIGHT_LOCAL_WRITE },
	{ "remote_read", RIGHT_REMOTE_READ },
	{ "remote_write", RIGHT_REMOTE_WRITE },
	{ "remote_atomic", RIGHT_REMOTE_ATOMIC },
	{ "mw_bind", RIGHT_MW_BIND },
	{ "zero_based", RIGHT_ZERO_BASED },
	{ "on_demand", RIGHT_ON_DEMAND },
	{ "hugetlb", RIGHT_HUGETLB },
	{ "relaxed_ordering", RIGHT_RELAXED_ORDERING },
	{ "flush_global", RIGHT_FLUSH_GLOBAL },
	{ "flush_persistent", RIGHT_FLUSH_PERSISTENT },
	{ NULL, 0 },
};

const char *
name_of(const struct name *table, uint32_t value)
{
	for (; table->name != NULL; table++)
		if (table->value == value)
			return table->name;
	return NULL;
}
