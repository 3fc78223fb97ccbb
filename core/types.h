/* SPDX-License-Identifier: MIT */
/*
 * The words and numbers of RDMA memory that every layer shares.  Each set of
 * named values has one table (types.c), which error texts, the parser and the
 * printer use.
 */
#ifndef CORE_TYPES_H
#define CORE_TYPES_H

#include <stdbool.h>
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

/* The longest message, and what an atomic operation is on: bytes (A3). */
#define MESSAGE_MAX (UINT64_C(1) << 31)
#define ATOMIC_SIZE 8u

/* A named value; tables of them end in a NULL name. */
struct name {
	const char *name;
	uint32_t value;
};

/* The rights in the order in which they are printed, local_read first. */
extern const struct name right_names[];

/* Type 1, type 2 (ibv_alloc_mw(3)). */
enum mw_type { MW_TYPE_1 = 1, MW_TYPE_2 = 2 };

/* Queue pair types, with the values of enum ibv_qp_type. */
enum qp_type { QP_RC = 2, QP_UC = 3 };
extern const struct name qp_type_names[];

/* States of a queue pair, with the values of enum ibv_qp_state. */
enum qp_state { QP_RESET, QP_INIT, QP_RTR, QP_RTS, QP_SQD, QP_SQE, QP_ERR };
extern const struct name qp_state_names[];

/* What a work request does; names as in enum ibv_wc_opcode. */
enum wr_op {
	WR_WRITE,
	WR_READ,
	WR_FETCH_ADD,
	WR_CMP_SWAP,
	WR_SEND,
	WR_RECV,
	WR_BIND_MW,
	WR_LOCAL_INV
};
extern const struct name wr_op_names[];

/* How it ended, with the values of enum ibv_wc_status. */
enum wc_status {
	WC_SUCCESS = 0,
	WC_LOC_LEN_ERR = 1,
	WC_LOC_QP_OP_ERR = 2,
	WC_LOC_PROT_ERR = 4,
	WC_WR_FLUSH_ERR = 5,
	WC_MW_BIND_ERR = 6,
	WC_BAD_RESP_ERR = 7,
	WC_LOC_ACCESS_ERR = 8,
	WC_REM_INV_REQ_ERR = 9,
	WC_REM_ACCESS_ERR = 10,
	WC_REM_OP_ERR = 11,
	WC_RETRY_EXC_ERR = 12,
	WC_RNR_RETRY_EXC_ERR = 13,
	WC_FATAL_ERR = 19,
	WC_RESP_TIMEOUT_ERR = 20,
	WC_GENERAL_ERR = 21
};
extern const struct name wc_status_names[];

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
	uint32_t max_msg; /* bytes of one message (max_msg_sz) */
	/* bytes: the most of the daemon's own memory that one request may
	 * move */
	uint32_t piece;
	/*
	 * A type 2 window is to be allocated for each bind, and freed as soon
	 * as its key has ended (D8).
	 */
	bool fresh_type_2;
	/* It uses regions by their files where there is no mapping (mems.h). */
	bool unmapped;
	bool windows_at_once; /* allocating and freeing one never sleeps */
	bool chains; /* it takes bk_req.chain */
	bool in_kernel; /* the kernel has it, under its name (kernel.h) */
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

/* Where a queue pair is found: what `local` prints and connect takes. */
struct qp_addr {
	uint32_t qpn; /* 24 bits */
	uint32_t psn; /* 24 bits: of the first packet that it sends */
	struct gid gid; /* all zero: it has none */
	uint32_t lid; /* 0: none, as on Ethernet */
	unsigned mtu; /* bytes: what its port can take */
};

#endif
