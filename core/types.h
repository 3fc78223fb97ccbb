/* SPDX-License-Identifier: MIT */
/*
 * The words and numbers of RDMA memory that every layer shares.  Each set of
 * named values has one table (types.c), which error texts, the parser and the
 * printer use.
 */
#ifndef CORE_TYPES_H
#define CORE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Rights, with the values of enum ibv_access_flags (ibv_reg_mr(3)).
 * local_read has no bit there, because it is always granted (M2); the bit
 * here lies outside of what libibverbs uses and is never kept in an object.
 */
#define RIGHT_LOCAL_WRITE      (1u << 0)
#define RIGHT_REMOTE_WRITE     (1u << 1)
#define RIGHT_REMOTE_READ      (1u << 2)
#define RIGHT_REMOTE_ATOMIC    (1u << 3)
#define RIGHT_MW_BIND          (1u << 4)
#define RIGHT_ZERO_BASED       (1u << 5)
#define RIGHT_ON_DEMAND        (1u << 6)
#define RIGHT_HUGETLB          (1u << 7)
#define RIGHT_FLUSH_GLOBAL     (1u << 8)
#define RIGHT_FLUSH_PERSISTENT (1u << 9)
#define RIGHT_RELAXED_ORDERING (1u << 20)
#define RIGHT_LOCAL_READ       (1u << 31)

/* Bits that a device may ignore: IBV_ACCESS_OPTIONAL_RANGE (M3). */
#define RIGHT_OPTIONAL 0x3ff00000u
/* Every bit that rights may have, local_read aside (M3). */
#define RIGHT_KNOWN (0x3ffu | RIGHT_OPTIONAL)
/* What a remote peer may do. */
#define RIGHT_REMOTE \
	(RIGHT_REMOTE_WRITE | RIGHT_REMOTE_READ | RIGHT_REMOTE_ATOMIC)

/* A named value; tables of them end in a NULL name. */
struct name {
	const char *name;
	uint32_t value;
};

/* The rights in the order in which they are printed, local_read first. */
extern const struct name right_names[];

/* Type 1, type 2 (ibv_alloc_mw(3)). */
enum mw_type { MW_TYPE_1 = 1, MW_TYPE_2 = 2 };

/* The name of value in table; NULL if it has none. */
const char *name_of(const struct name *table, uint32_t value);

/*
 * The two values that stand for a region (M9).  24 bits of index, 8 bits of
 * tag (M8).  Secret: never in a text that is not the key's own file.
 */
struct mr_keys {
	uint32_t lkey, rkey;
};

/* Why a device cannot have a capability, or which it has. */
#define CAP_MW_TYPE_1     (1u << 0)
#define CAP_MW_TYPE_2     (1u << 1) /* 2B: bound to one queue pair */
#define CAP_ON_DEMAND     (1u << 2) /* explicit on-demand paging */
#define CAP_ZERO_BASED_MR (1u << 3) /* zero_based at registration */
#define CAP_FLUSH         (1u << 4) /* flush_global, flush_persistent */
#define CAP_ATOMIC        (1u << 5)

/*
 * What a device is and has; what sysfs and ibv_query_device(3) tell.  Filled
 * by the backend at open and constant from then on.
 */
struct dev_info {
	char name[64];
	char fw_ver[64];
	uint64_t node_guid, sys_image_guid; /* host byte order */
	uint32_t vendor_id, vendor_part_id, hw_ver;
	uint64_t max_mr_size; /* bytes */
	uint64_t page_size_cap; /* a bit for each page size */
	uint32_t max_qp, max_qp_wr, max_sge, max_cq, max_cqe;
	uint32_t max_mr, max_mw, max_pd;
	uint32_t caps; /* CAP_* */
	unsigned port_count; /* ports are numbered from 1 */
	/* A word for each thing that this device breaks or lacks, for
	 * `status`; separated by commas, "" for none. */
	char breaks[128];
};

/* One port, as it is now. */
struct port_info {
	unsigned state; /* enum ibv_port_state */
	const char *state_name, *link_layer; /* static; as in sysfs */
	unsigned lid;
	unsigned mtu; /* active, bytes */
	unsigned gid_count;
};

struct gid {
	uint8_t raw[16]; /* all zero: this entry is empty */
};

#endif
