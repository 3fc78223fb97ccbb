/* SPDX-License-Identifier: MIT */
/* core/rules: what is refused before any device is asked, and by which rule. */
#include <errno.h>
#include <string.h>

#include "dev.h"
#include "mr.h"
#include "mw.h"
#include "pd.h"
#include "rules.h"
#include "tap.h"

#define LW RIGHT_LOCAL_WRITE
#define RW RIGHT_REMOTE_WRITE
#define RR RIGHT_REMOTE_READ
#define RA RIGHT_REMOTE_ATOMIC
#define MB RIGHT_MW_BIND
#define ZB RIGHT_ZERO_BASED

/* code 0: allowed; rule: what stands in the text; arg: what is to blame. */
static void
verdict(int r, const struct err *e, int code, const char *rule, const char *arg,
    const char *why)
{
	is_int(r, -code, "%s", why);
	if (code == 0 || r != -code)
		return;
	is_int(e->code, code, "%s: its errno", why);
	has_str(e->text, rule, "%s: the rule", why);
	is_str(e->arg, arg, "%s: what is to blame", why);
}

static void
test_region_rights(void)
{
	static const struct {
		uint32_t rights, caps;
		int code;
		const char *rule, *arg, *why;
	} tab[] = {
		{ 0, 0, 0, NULL, NULL, "none is legal (M3)" },
		{ RR, 0, 0, NULL, NULL, "remote_read alone is legal (M3)" },
		{ MB, 0, 0, NULL, NULL, "mw_bind alone is legal (M3)" },
		{ LW | RW | RR | RA | MB, 0, 0, NULL, NULL, "all of them" },
		{ RW, 0, EINVAL, "(M2)", "remote_write", "write, not local" },
		{ RA, 0, EINVAL, "(M2)", "remote_atomic", "atomic, not local" },
		{ RR | RW, 0, EINVAL, "(M2)", "remote_write", "beside read" },
		{ 1u << 10, 0, EINVAL, "(M3)", "rights", "an unknown bit" },
		{ 1u << 31, 0, EINVAL, "(M3)", "rights", "the highest bit" },
		{ 1u << 29, 0, 0, NULL, NULL, "an optional bit is ignored" },
		{ 1u << 20, 0, 0, NULL, NULL, "the first optional bit too" },
		{ RIGHT_HUGETLB, 0, 0, NULL, NULL, "hugetlb matters not (M4)" },
		{ RIGHT_ON_DEMAND, 0, EOPNOTSUPP, "(M4)", "on_demand",
		    "on_demand without it" },
		{ RIGHT_ON_DEMAND, CAP_ON_DEMAND, 0, NULL, NULL, "with it" },
		{ ZB, 0, EOPNOTSUPP, "(M4)", "zero_based", "zero_based" },
		{ ZB, CAP_ZERO_BASED_MR, 0, NULL, NULL, "with it" },
		{ RIGHT_FLUSH_GLOBAL, 0, EOPNOTSUPP, "(M4)", "flush_global",
		    "flush_global" },
		{ RIGHT_FLUSH_PERSISTENT, 0, EOPNOTSUPP, "(M4)",
		    "flush_persistent", "flush_persistent" },
		{ RIGHT_FLUSH_GLOBAL, CAP_FLUSH, 0, NULL, NULL, "with it" },
	};
	struct dev_info info;
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		memset(&info, 0, sizeof(info));
		info.caps = tab[i].caps;
		verdict(rule_region_rights(&info, tab[i].rights, &e), &e,
		    tab[i].code, tab[i].rule, tab[i].arg, tab[i].why);
	}
}

static void
test_region_range(void)
{
	static const struct {
		uint64_t addr, length, iova;
		int code;
		const char *arg, *why;
	} tab[] = {
		{ 4096, 1, 4096, 0, NULL, "one byte" },
		{ 4096, 0, 4096, EINVAL, "length", "no byte" },
		{ 4096, UINT64_MAX - 4095, 0, EINVAL, "length", "past 2^64" },
		{ 4096, UINT64_MAX - 4096, 0, 0, NULL, "just below 2^64" },
		{ 0, 8192, UINT64_MAX - 4095, EINVAL, "iova", "iova past it" },
		{ 4096, 1, 8192, 0, NULL, "another page" },
		{ 4096, 1, 4097, EINVAL, "iova", "another low bit" },
		{ 4096 + 12, 1, 12, 0, NULL, "the same low bits" },
		{ 4096, 1, 4096 + 2048, EINVAL, "iova", "bit 11 is low" },
	};
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(tab); i++)
		verdict(rule_region_range(
			    tab[i].addr, tab[i].length, tab[i].iova, &e),
		    &e, tab[i].code, "(M5)", tab[i].arg, tab[i].why);
}

static void
test_memory(void)
{
	static const struct {
		uint32_t rights;
		bool writable;
		int code;
		const char *arg, *why;
	} tab[] = {
		{ LW | RW | RA | MB, true, 0, NULL, "writable: all" },
		{ 0, false, 0, NULL, "read-only: none" },
		{ RR, false, 0, NULL, "read-only: remote_read" },
		{ LW, false, EFAULT, "local_write", "read-only: local_write" },
		{ MB, false, EFAULT, "mw_bind", "read-only: mw_bind" },
		{ LW | RW, false, EFAULT, "local_write", "the first is named" },
	};
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(tab); i++)
		verdict(rule_memory(tab[i].rights, tab[i].writable, &e), &e,
		    tab[i].code, "(M6)", tab[i].arg, tab[i].why);
}

/* A device with two domains, a region and a window, that no device made. */
static struct {
	struct dev dev;
	struct pd pd, other;
	struct mr mr;
	struct mw mw;
	struct qp qp;
} sample;

static char a_name[] = "a", w_name[] = "w", q_name[] = "q";

static void
set_up(uint32_t region)
{
	memset(&sample, 0, sizeof(sample));
	sample.dev.o.kind = KIND_DEV;
	sample.dev.o.dev = &sample.dev.o;
	sample.dev.b.info.caps = CAP_MW_TYPE_1 | CAP_MW_TYPE_2;
	sample.pd.o = (struct obj){
		.kind = KIND_PD, .parent = &sample.dev.o, .dev = &sample.dev.o
	};
	sample.other.o = sample.pd.o;
	sample.mr.o = (struct obj){ .kind = KIND_MR,
		.parent = &sample.pd.o,
		.dev = &sample.dev.o,
		.name = a_name };
	STAILQ_INIT(&sample.mr.o.ops);
	RB_INIT(&sample.mr.windows);
	sample.mr.active = true;
	sample.mr.rights = region;
	sample.mr.mem.length = 8192;
	sample.mw.o = (struct obj){ .kind = KIND_MW,
		.parent = &sample.pd.o,
		.dev = &sample.dev.o,
		.name = w_name };
	sample.mw.type = MW_TYPE_1;
	sample.qp.o = (struct obj){ .kind = KIND_QP,
		.parent = &sample.pd.o,
		.dev = &sample.dev.o,
		.name = q_name };
	STAILQ_INIT(&sample.qp.o.ops);
	sample.qp.connected = true;
	sample.qp.state = QP_RTS;
	sample.qp.type = QP_RC;
	sample.qp.rights = QP_RIGHTS;
}

/* W7, W8, W11: what a bind goes over. */
static void
test_bind_over(void)
{
	static const struct {
		unsigned type;
		bool with_qp, connected;
		enum qp_state state;
		uint32_t rights;
		uint16_t tag;
		int code;
		const char *rule, *arg, *why;
	} tab[] = {
		{ 2, true, true, QP_RTS, QP_RIGHTS, 0x107, 0, NULL, NULL,
		    "a chosen tag" },
		{ 2, true, true, QP_RTS, MB, 0, 0, NULL, NULL,
		    "mw_bind is all it needs" },
		{ 2, false, true, QP_RTS, MB, 0, EINVAL, "(W8)", NULL,
		    "type 2 over nothing" },
		{ 1, true, true, QP_RTS, MB, 0, EINVAL, "(W7)", "qp",
		    "type 1 over one" },
		{ 1, false, true, QP_RTS, MB, 0x100, EINVAL, "(W7)", "tag",
		    "a tag for type 1" },
		{ 2, true, false, QP_RESET, MB, 0, ENODATA, "not connected",
		    NULL, "unconnected" },
		{ 2, true, true, QP_ERR, MB, 0, EIO, "(W11)", "qp",
		    "in error" },
		{ 2, true, true, QP_RTS, RR, 0, EINVAL, "(W11)", "qp",
		    "without mw_bind" },
	};
	struct bind_args args = { 0, 1, RR, 0 };
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		set_up(MB);
		sample.mw.type = (uint8_t)tab[i].type;
		sample.qp.connected = tab[i].connected;
		sample.qp.state = tab[i].state;
		sample.qp.rights = tab[i].rights;
		args.tag = tab[i].tag;
		verdict(rule_bind(&sample.mw, &sample.mr,
			    tab[i].with_qp ? &sample.qp : NULL, &args, &e),
		    &e, tab[i].code, tab[i].rule, tab[i].arg, tab[i].why);
	}
}

/* A3 and what needs no device to be refused. */
static void
test_transfer(void)
{
	const uint64_t most = UINT64_C(1) << 31;
	const struct {
		struct qp_transfer t;
		enum qp_type type;
		int code;
		const char *rule, *arg, *why;
	} tab[] = {
		{ { WR_WRITE, &sample.mr, 0, most }, QP_RC, 0, NULL, NULL,
		    "2^31 bytes" },
		{ { WR_WRITE, &sample.mr, 0, most + 1 }, QP_RC, EINVAL, "(A3)",
		    "length", "one more" },
		{ { WR_SEND, &sample.mr, UINT64_MAX, 2 }, QP_RC, EINVAL, "(A4)",
		    "length", "a range that wraps" },
		{ { WR_FETCH_ADD, &sample.mr, 0, 8, 12 }, QP_RC, EINVAL, "(A3)",
		    "addr", "an atomic at 12" },
		{ { WR_CMP_SWAP, &sample.mr, 0, 8, 16 }, QP_RC, 0, NULL, NULL,
		    "an atomic at 16" },
		{ { WR_READ, &sample.mr, 0, 1 }, QP_UC, EINVAL, "uc", NULL,
		    "a read over uc" },
		{ { WR_CMP_SWAP, &sample.mr, 0, 8 }, QP_UC, EINVAL, "uc", NULL,
		    "an atomic over uc" },
		{ { WR_RECV, &sample.mr, 0, 0 }, QP_UC, 0, NULL, NULL,
		    "an empty receive" },
	};
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		set_up(MB);
		sample.dev.b.info.max_msg = 1u << 31;
		sample.dev.b.info.caps |= CAP_ATOMIC;
		sample.qp.type = (uint8_t)tab[i].type;
		verdict(rule_transfer(&sample.qp, &tab[i].t, &e), &e,
		    tab[i].code, tab[i].rule, tab[i].arg, tab[i].why);
	}
	sample.dev.b.info.max_msg = 4096;
	verdict(rule_transfer(&sample.qp,
		    &(struct qp_transfer){ WR_WRITE, &sample.mr, 0, 4097 }, &e),
	    &e, EINVAL, "max_msg_sz", "length", "more than the device sends");
	set_up(MB);
	verdict(rule_unconnected(&sample.qp, &e), &e, EBUSY,
	    "reset comes first", NULL, "connected twice");
	sample.qp.connected = false;
	verdict(rule_unconnected(&sample.qp, &e), &e, 0, NULL, NULL,
	    "connected once");
	sample.mw.type = MW_TYPE_2;
	sample.mw.mr = &sample.mr;
	verdict(rule_bound_once(&sample.mw, &e), &e, EBUSY, "(W8)", NULL,
	    "a bound type 2 window");
	sample.mw.type = MW_TYPE_1;
	verdict(rule_bound_once(&sample.mw, &e), &e, 0, NULL, NULL,
	    "a bound type 1 window (W7)");
	verdict(rule_qp_rights(QP_RIGHTS, &e), &e, 0, NULL, NULL,
	    "a queue pair's rights");
	verdict(rule_qp_rights(RIGHT_LOCAL_WRITE, &e), &e, EINVAL, "queue pair",
	    "local_write", "what cannot stand there");
}

static void
test_bind(void)
{
	static const struct {
		uint32_t region;
		struct bind_args args;
		unsigned type;
		int code;
		const char *rule, *arg, *why;
	} tab[] = {
		{ MB, { 0, 8192, 0 }, 1, 0, NULL, NULL, "all of it, none" },
		{ MB, { 0, 8192, RR }, 1, 0, NULL, NULL,
		    "the region itself needs no remote right" },
		{ MB | LW, { 4096, 1, RR | RW | RA }, 1, 0, NULL, NULL, "all" },
		{ MB, { 8191, 1, RR }, 1, 0, NULL, NULL, "the last byte" },
		{ LW, { 0, 1, RR }, 1, EINVAL, "(W3)", "mr", "no mw_bind" },
		{ MB, { 0, 1, RW }, 1, EINVAL, "(W3)", "remote_write",
		    "write without local_write" },
		{ MB, { 0, 1, RA }, 1, EINVAL, "(W3)", "remote_atomic",
		    "atomic without local_write" },
		{ MB | LW, { 0, 1, LW }, 1, EINVAL, "(W3)", "local_write",
		    "a right that is not remote" },
		{ MB, { 0, 1, MB }, 1, EINVAL, "(W3)", "mw_bind", "mw_bind" },
		{ MB, { 0, 8193, RR }, 1, EINVAL, "(W4)", "length",
		    "a byte too long" },
		{ MB, { 8192, 1, RR }, 1, EINVAL, "(W4)", "offset",
		    "behind the end" },
		{ MB, { 4096, UINT64_MAX, RR }, 1, EINVAL, "(W4)", "length",
		    "offset + length wraps" },
		{ MB, { UINT64_MAX, 2, RR }, 1, EINVAL, "(W4)", "offset",
		    "wraps" },
		{ MB | ZB, { 0, 1, RR }, 1, EINVAL, "(W5)", "mr",
		    "a zero_based region" },
		{ MB, { 0, 1, RR | ZB }, 1, EINVAL, "(W5)", "zero_based",
		    "zero_based on type 1" },
		{ MB, { 0, 1, RR | ZB }, 2, 0, NULL, NULL, "on type 2" },
		{ MB, { 0, 0, RR }, 2, EINVAL, "(W8)", "length", "no byte" },
	};
	struct err e;
	size_t i;

	for (i = 0; i < NELEM(tab); i++) {
		set_up(tab[i].region);
		sample.mw.type = (uint8_t)tab[i].type;
		verdict(
		    rule_bind(&sample.mw, &sample.mr,
			tab[i].type == 2 ? &sample.qp : NULL, &tab[i].args, &e),
		    &e, tab[i].code, tab[i].rule, tab[i].arg, tab[i].why);
	}
}

static void
test_bind_state(void)
{
	const struct bind_args args = { 0, 4096, RR };
	struct err e;

	set_up(MB);
	sample.dev.b.info.caps = CAP_MW_TYPE_2;
	verdict(rule_bind(&sample.mw, &sample.mr, NULL, &args, &e), &e,
	    EOPNOTSUPP, "(W1)", NULL, "a device without type 1 windows");
	set_up(MB);
	sample.mr.o.parent = &sample.other.o;
	verdict(rule_bind(&sample.mw, &sample.mr, NULL, &args, &e), &e, EINVAL,
	    "(W2)", "mr", "a region of another domain");
	set_up(MB);
	sample.mr.active = false;
	verdict(rule_bind(&sample.mw, &sample.mr, NULL, &args, &e), &e, ENODATA,
	    "not registered", "mr", "a region that is not registered");
	set_up(MB);
	sample.mr.changing = true;
	verdict(rule_bind(&sample.mw, &sample.mr, NULL, &args, &e), &e, EBUSY,
	    "mr/a is busy", "mr", "a region that is changing");
	set_up(MB);
	sample.mr.o.gone = true;
	verdict(rule_bind(&sample.mw, &sample.mr, NULL, &args, &e), &e, ENOENT,
	    "gone", "mr", "a region that is gone");
}

static void
test_no_windows(void)
{
	struct mw more[20];
	struct err e;
	size_t i;

	set_up(MB);
	is_int(rule_no_windows(&sample.mr, 0, &e), 0, "no window (M10)");
	sample.mr.uses = 1;
	verdict(rule_no_windows(&sample.mr, 0, &e), &e, EBUSY, "(M10)", NULL,
	    "one on its way");
	sample.mr.uses = 0;
	RB_INSERT(mr_windows, &sample.mr.windows, &sample.mw);
	sample.mr.nwindows = 1;
	is_int(rule_no_windows(&sample.mr, 0, &e), -EBUSY, "one");
	is_str(e.text, "1 window is bound to this region: mw/w", "named");
	for (i = 0; i < NELEM(more); i++) {
		more[i] = sample.mw;
		more[i].o.id = i + 1;
		RB_INSERT(mr_windows, &sample.mr.windows, &more[i]);
	}
	sample.mr.nwindows = 21;
	is_int(rule_no_windows(&sample.mr, 0, &e), -EBUSY, "many");
	is_str(e.text,
	    "21 windows are bound to this region: mw/w mw/w mw/w mw/w mw/w "
	    "mw/w mw/w mw/w mw/w mw/w mw/w mw/w mw/w mw/w mw/w mw/w",
	    "the first 16 are named");
}

int
main(void)
{
	test_region_rights();
	test_region_range();
	test_memory();
	test_bind();
	test_bind_over();
	test_transfer();
	test_bind_state();
	test_no_windows();
	return done_testing();
}
