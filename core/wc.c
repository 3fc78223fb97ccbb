/* SPDX-License-Identifier: MIT */
/* What a completion's status means; see wc.h. */
#include <errno.h>
#include <stddef.h>

#include "wc.h"

static const struct {
	enum wc_status status;
	int code;
	const char *rule, *why;
} meanings[] = {
	{ WC_LOC_PROT_ERR, EFAULT, "A4",
	    "the local memory lacks local_write, or the range leaves it" },
	{ WC_REM_ACCESS_ERR, EACCES, "A1",
	    "the peer's key is dead or unknown, or its range or rights do "
	    "not allow this" },
	{ WC_REM_INV_REQ_ERR, EREMOTEIO, "A2",
	    "the peer's queue pair lacks the right, or its receive is too "
	    "short" },
	{ WC_REM_OP_ERR, EREMOTEIO, "A4", "the peer's receive buffer is bad" },
	{ WC_RETRY_EXC_ERR, ETIMEDOUT, "A5",
	    "the peer does not answer: it is gone, in error, or not connected "
	    "to this queue pair" },
	{ WC_RNR_RETRY_EXC_ERR, ETIMEDOUT, NULL,
	    "the peer has posted no receive" },
	{ WC_WR_FLUSH_ERR, EIO, "A5",
	    "the queue pair is in error: what is posted there is flushed" },
	{ WC_MW_BIND_ERR, EIO, NULL, "the device refused the bind" },
	{ WC_SUCCESS, EIO, NULL, "the device says no more" }, /* any other */
};

int
wc_fail(struct err *e, const struct bk_wc *wc, enum wr_op op)
{
	const char *status = name_of(wc_status_names, wc->status);
	const char *rule, *why;
	size_t i = 0;

	while (meanings[i].status != wc->status &&
	       meanings[i].status != WC_SUCCESS)
		i++;
	why = wc->why != NULL ? wc->why : meanings[i].why;
	rule = wc->why != NULL ? wc->rule : meanings[i].rule;
	return fail(e, meanings[i].code, "%s: %s: %s%s%s%s",
	    name_of(wr_op_names, op), status != NULL ? status : "unknown_err",
	    why, rule != NULL ? " (" : "", rule != NULL ? rule : "",
	    rule != NULL ? ")" : "");
}
