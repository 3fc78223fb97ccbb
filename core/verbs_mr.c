/* SPDX-License-Identifier: MIT */
/*
 * Regions: ibv_reg_mr_iova(3), ibv_rereg_mr(3), ibv_dereg_mr.  The rules M1 to
 * M11 have been checked; what is here is what a device or a kernel adds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memfile.h"
#include "verbs_impl.h"

#define RXE_MAX_LENGTH (UINT64_C(1) << 30) /* since Linux 7 (D14) */

static void
keys_of(const struct ibv_mr *mr, struct mr_keys *keys)
{
	keys->lkey = mr->lkey;
	keys->rkey = mr->rkey; /* 0: has none (D9) */
}

/*
 * Without the hugetlb right where the driver refuses it: huge memory registers
 * all the same (M4).  Optional rights go through: libibverbs takes away what
 * an old kernel does not know (M3).
 */
static struct ibv_mr *
mr_pin(struct ibv_pd *pd, const struct mem *mem, uint64_t iova, uint32_t rights)
{
	struct ibv_mr *mr;

	mr = ibv_reg_mr_iova(pd, mem->addr, mem->length, iova, rights);
	if (mr == NULL && (rights & RIGHT_HUGETLB) &&
	    (errno == EOPNOTSUPP || errno == EINVAL))
		mr = ibv_reg_mr_iova(
		    pd, mem->addr, mem->length, iova, rights & ~RIGHT_HUGETLB);
	return mr;
}

/* Bytes of the pages that the region's memory lies in: what the kernel pins. */
static uint64_t
mr_pages(const struct mem *mem)
{
	const uint64_t page = mem_page();
	const uint64_t before = (uintptr_t)mem->addr % page;

	return (before + mem->length + page - 1) / page * page;
}

/* M7: the need, the limit and what is there now. */
static int
mr_no_memory(const struct dev_info *info, const struct mem *mem, struct err *e)
{
	uint64_t locked, pinned, limit;

	mem_usage(&locked, &pinned, &limit);
	if (pinned > limit || mr_pages(mem) > limit - pinned)
		return fail(e, ENOMEM,
		    "ibv_reg_mr: need %" PRIu64 " bytes of locked memory, the "
		    "limit (RLIMIT_MEMLOCK) is %" PRIu64 " and %" PRIu64
		    " are pinned now",
		    mr_pages(mem), limit, pinned);
	if (info->vendor_id == RXE_VENDOR_ID && mem->length > RXE_MAX_LENGTH)
		return fail(e, ENOMEM,
		    "ibv_reg_mr: soft-RoCE on this kernel registers no more "
		    "than 1 GiB at once: need=%" PRIu64,
		    mem->length);
	return fail(e, ENOMEM,
	    "ibv_reg_mr: no memory, or the device's table is full: "
	    "need=%" PRIu64 " pinned=%" PRIu64 " max_mr=%" PRIu32,
	    mem->length, pinned, info->max_mr);
}

/* M6, M7, D14. */
static int
mr_no_access(const struct mem *mem, struct err *e)
{
	if (!mem->writable)
		return fail(e, EFAULT,
		    "ibv_reg_mr: memory that is open for reading only cannot "
		    "be pinned here; open it for writing and withhold the "
		    "rights");
	return fail(e, EFAULT,
	    "ibv_reg_mr: the memory cannot be pinned: it has been truncated, "
	    "or is a shared mapping of a disk file");
}

static int
mr_fail(const struct dev_info *info, const struct mem *mem, uint32_t rights,
    int code, struct err *e)
{
	if (code == ENOMEM)
		return mr_no_memory(info, mem, e);
	if (code == EFAULT)
		return mr_no_access(mem, e);
	if (code == EINVAL && rights & RIGHT_FLUSH_PERSISTENT)
		return fail_at(e, "flush_persistent", code,
		    "ibv_reg_mr: flush_persistent needs persistent memory");
	return verbs_fail(e, code, "ibv_reg_mr");
}

int
verbs_mr_reg(struct backend *b, struct bk_pd *pd, struct mem *mem,
    uint64_t iova, uint32_t rights, struct bk_mr **out, struct mr_keys *keys,
    struct err *e)
{
	struct bk_mr *mr;
	int r;

	if ((mr = calloc(1, sizeof(*mr))) == NULL)
		return fail(e, ENOMEM, "no memory for a region");
	if ((mr->mr = mr_pin(pd->pd, mem, iova, rights)) == NULL) {
		r = mr_fail(&b->info, mem, rights, errno, e);
		free(mr);
		return r;
	}
	mr->iova = iova;
	keys_of(mr->mr, keys);
	*out = mr;
	return 0;
}

int
verbs_mr_rereg(struct backend *b, struct bk_mr *mr, struct bk_pd *pd,
    uint32_t rights, struct mr_keys *keys, bool *gone, struct err *e)
{
	int flags = IBV_REREG_MR_CHANGE_ACCESS;
	int r;

	*gone = false;
	if (pd != NULL)
		flags |= IBV_REREG_MR_CHANGE_PD;
	r = ibv_rereg_mr(
	    mr->mr, flags, pd != NULL ? pd->pd : NULL, NULL, 0, (int)rights);
	if (r != 0)
		return verbs_rereg_fail(e, r, errno, gone);
	keys_of(mr->mr, keys);
	return 0;
}

int
verbs_mr_dereg(struct backend *b, struct bk_mr *mr, struct err *e)
{
	int r;

	if ((r = ibv_dereg_mr(mr->mr)) != 0)
		return verbs_fail(e, r, "ibv_dereg_mr");
	free(mr);
	return 0;
}
