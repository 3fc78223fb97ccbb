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

const struct name qp_type_names[] = {
	{ "rc", QP_RC },
	{ "uc", QP_UC },
	{ NULL, 0 },
};

const struct name qp_state_names[] = {
	{ "reset", QP_RESET },
	{ "init", QP_INIT },
	{ "rtr", QP_RTR },
	{ "rts", QP_RTS },
	{ "sqd", QP_SQD },
	{ "sqe", QP_SQE },
	{ "err", QP_ERR },
	{ NULL, 0 },
};

const struct name wr_op_names[] = {
	{ "rdma_write", WR_WRITE },
	{ "rdma_read", WR_READ },
	{ "fetch_add", WR_FETCH_ADD },
	{ "comp_swap", WR_CMP_SWAP },
	{ "send", WR_SEND },
	{ "recv", WR_RECV },
	{ "bind_mw", WR_BIND_MW },
	{ "local_inv", WR_LOCAL_INV },
	{ NULL, 0 },
};

const struct name wc_status_names[] = {
	{ "success", WC_SUCCESS },
	{ "loc_len_err", WC_LOC_LEN_ERR },
	{ "loc_qp_op_err", WC_LOC_QP_OP_ERR },
	{ "loc_prot_err", WC_LOC_PROT_ERR },
	{ "wr_flush_err", WC_WR_FLUSH_ERR },
	{ "mw_bind_err", WC_MW_BIND_ERR },
	{ "bad_resp_err", WC_BAD_RESP_ERR },
	{ "loc_access_err", WC_LOC_ACCESS_ERR },
	{ "rem_inv_req_err", WC_REM_INV_REQ_ERR },
	{ "rem_access_err", WC_REM_ACCESS_ERR },
	{ "rem_op_err", WC_REM_OP_ERR },
	{ "retry_exc_err", WC_RETRY_EXC_ERR },
	{ "rnr_retry_exc_err", WC_RNR_RETRY_EXC_ERR },
	{ "fatal_err", WC_FATAL_ERR },
	{ "resp_timeout_err", WC_RESP_TIMEOUT_ERR },
	{ "general_err", WC_GENERAL_ERR },
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
