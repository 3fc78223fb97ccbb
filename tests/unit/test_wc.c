/* SPDX-License-Identifier: MIT */
/* core/wc: what the status of a completion means. */
#include <errno.h>
#include <string.h>

#include "tap.h"
#include "wc.h"

static const struct {
	enum wc_status status;
	const char *name;
	int code;
	const char *rule; /* NULL: none */
} meanings[] = {
	{ WC_LOC_LEN_ERR, "loc_len_err", EIO, NULL },
	{ WC_LOC_QP_OP_ERR, "loc_qp_op_err", EIO, NULL },
	{ WC_LOC_PROT_ERR, "loc_prot_err", EFAULT, "(A4)" },
	{ WC_WR_FLUSH_ERR, "wr_flush_err", EIO, "(A5)" },
	{ WC_MW_BIND_ERR, "mw_bind_err", EIO, NULL },
	{ WC_BAD_RESP_ERR, "bad_resp_err", EIO, NULL },
	{ WC_LOC_ACCESS_ERR, "loc_access_err", EIO, NULL },
	{ WC_REM_INV_REQ_ERR, "rem_inv_req_err", EREMOTEIO, "(A2)" },
	{ WC_REM_ACCESS_ERR, "rem_access_err", EACCES, "(A1)" },
	{ WC_REM_OP_ERR, "rem_op_err", EREMOTEIO, "(A4)" },
	{ WC_RETRY_EXC_ERR, "retry_exc_err", ETIMEDOUT, "(A5)" },
	{ WC_RNR_RETRY_EXC_ERR, "rnr_retry_exc_err", ETIMEDOUT, NULL },
	{ WC_FATAL_ERR, "fatal_err", EIO, NULL },
	{ WC_RESP_TIMEOUT_ERR, "resp_timeout_err", EIO, NULL },
	{ WC_GENERAL_ERR, "general_err", EIO, NULL },
	{ (enum wc_status)999, "unknown_err", EIO, NULL },
};

static void
test_statuses(void)
{
	char begin[64];
	size_t i;

	for (i = 0; i < NELEM(meanings); i++) {
		const char *name = meanings[i].name;
		struct bk_wc wc = { .status = meanings[i].status };
		struct err e = { 0 };

		is_int(
		    wc_fail(&e, &wc, WR_READ), -meanings[i].code, "%s", name);
		is_int(e.code, meanings[i].code, "%s: its errno", name);
		(void)strlcpy(begin, "rdma_read: ", sizeof(begin));
		(void)strlcat(begin, name, sizeof(begin));
		(void)strlcat(begin, ": ", sizeof(begin));
		ok(strncmp(e.text, begin, strlen(begin)) == 0 &&
			e.text[strlen(begin)] != '\0',
		    "%s: its name and a reason: %s", name, e.text);
		if (meanings[i].rule != NULL)
			has_str(e.text, meanings[i].rule, "%s: rule", name);
		else
			ok(strchr(e.text, '(') == NULL, "%s: no rule", name);
	}
}

/* Every status that has a name is among those above. */
static void
test_all_there(void)
{
	const struct name *n = wc_status_names;
	size_t i;

	is_str(n->name, "success", "success comes first");
	for (i = 0, n++; n->name != NULL; i++, n++)
		is_str(i < NELEM(meanings) ? meanings[i].name : NULL, n->name,
		    "status %u", n->value);
	is_int(i, NELEM(meanings) - 1, "and all others");
}

static void
test_operations(void)
{
	static const struct {
		enum wr_op op;
		const char *want;
	} ops[] = {
		{ WR_WRITE, "rdma_write: general_err: " },
		{ WR_READ, "rdma_read: general_err: " },
		{ WR_FETCH_ADD, "fetch_add: general_err: " },
		{ WR_CMP_SWAP, "comp_swap: general_err: " },
		{ WR_SEND, "send: general_err: " },
		{ WR_RECV, "recv: general_err: " },
		{ WR_BIND_MW, "bind_mw: general_err: " },
		{ WR_LOCAL_INV, "local_inv: general_err: " },
	};
	struct bk_wc wc = { .status = WC_GENERAL_ERR };
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(ops); i++) {
		(void)wc_fail(&e, &wc, ops[i].op);
		ok(strncmp(e.text, ops[i].want, strlen(ops[i].want)) == 0, "%s",
		    e.text);
	}
}

static void
test_device_knows(void)
{
	struct bk_wc wc = {
		.status = WC_REM_ACCESS_ERR,
		.rule = "W8",
		.why = "the key is of another queue pair",
	};
	struct err e;

	is_int(
	    wc_fail(&e, &wc, WR_WRITE), -EACCES, "the errno is the status's");
	is_str(e.text,
	    "rdma_write: rem_access_err: the key is of another queue pair (W8)",
	    "the reason and the rule are the device's");
	wc.rule = NULL;
	(void)wc_fail(&e, &wc, WR_WRITE);
	is_str(e.text,
	    "rdma_write: rem_access_err: the key is of another queue pair",
	    "no rule is made up for its reason");
	is_int(wc_fail(NULL, &wc, WR_WRITE), -EACCES, "nobody wants a text");
}

int
main(void)
{
	test_statuses();
	test_all_there();
	test_operations();
	test_device_knows();
	return done_testing();
}
