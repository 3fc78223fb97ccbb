/* SPDX-License-Identifier: MIT */
/*
 * The error conventions of the verbs, turned into one: -errno and a text that
 * names the verb.  No key and no address ever stands in a text.
 */
#include <errno.h>
#include <string.h>

#include "verbs_impl.h"

int
verbs_fail(struct err *e, int code, const char *verb)
{
	if (code < 0) /* some providers return it so */
		code = -code;
	if (code == 0) /* NULL, and errno left alone */
		code = EIO;
	return fail(e, code, "%s: %s%s", verb, strerror(code),
	    code == EIO ? "; the device may be gone" : "");
}

int
verbs_alloc_fail(
    struct err *e, int code, const char *verb, const char *limit, uint32_t max)
{
	/* The arguments were right, so EINVAL means a full table (D17). */
	if (code == EINVAL || code == ENOSPC)
		return fail(e, ENOSPC, "%s: the device's table is full, %s=%u",
		    verb, limit, max);
	return verbs_fail(e, code, verb);
}

/* M11; ibv_rereg_mr(3) says which region is still valid. */
int
verbs_rereg_fail(struct err *e, int ret, int code, bool *gone)
{
	if (code == EOPNOTSUPP || code == ENOSYS) /* old one unharmed (D6) */
		return fail(e, EOPNOTSUPP,
		    "ibv_rereg_mr: the device cannot change a region");
	*gone = ret == IBV_REREG_MR_ERR_CMD ||
		ret == IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW;
	return verbs_fail(e, code, "ibv_rereg_mr");
}

static int
wc_errno(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_LOC_PROT_ERR:
		return EFAULT;
	case IBV_WC_REM_ACCESS_ERR:
		return EACCES;
	case IBV_WC_REM_INV_REQ_ERR:
	case IBV_WC_REM_OP_ERR:
		return EREMOTEIO;
	case IBV_WC_RETRY_EXC_ERR:
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return ETIMEDOUT;
	default:
		return EIO;
	}
}

int
verbs_wc_fail(struct err *e, enum ibv_wc_status status, const char *what)
{
	return fail(e, wc_errno(status), "the device refused the %s: %s", what,
	    ibv_wc_status_str(status));
}
