/* SPDX-License-Identifier: MIT */
/* Mappings and descriptors of regions; see mems.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "keeper.h"
#include "memfile.h"
#include "mems.h"
#include "obj.h"
#include "sysmem.h"
#include "timing.h"

/* vm.max_map_count, where the kernel does not tell. */
#define MAX_MAPS UINT64_C(65530)

/*
 * Remote addresses of memory that is not mapped: no mapping can have them,
 * because they are no addresses of any process.
 */
#define NOWHERE (UINT64_C(1) << 60)

#define SMALL       (UINT64_C(1) << 20) /* bytes */
#define CREDIT_MS   100
#define CREDIT_PART 256 /* of what is available */

/*
 * How much of a limit is for regions, in 16ths of it.  The rest is for
 * everything else that the daemon does: threads, files of /proc, what clients
 * write.  Regions that can do without stop before those that cannot, and a
 * descriptor must be left to open each of them.
 */
enum share {
	SHARE_OPTIONAL_FD = 8,
	SHARE_FD = 12,
	SHARE_OPTIONAL_MAP = 14,
	SHARE_MAP = 15
};

static bool
take(_Atomic uint64_t *taken, uint64_t limit, enum share share)
{
	const uint64_t most = limit / 16 * share + limit % 16 * share / 16;

	if (atomic_fetch_add(taken, 1) < most)
		return true;
	atomic_fetch_sub(taken, 1);
	return false;
}

static void
give(_Atomic uint64_t *taken)
{
	atomic_fetch_sub(taken, 1);
}

/* Whether a file can be opened by handle (CAP_DAC_READ_SEARCH). */
static int
find_mount(void)
{
	int mount = memfd_create("rdmafs", MFD_CLOEXEC), fd = -1;
	struct mem m = { .length = 1 };

	if (mount == -1)
		return -1;
	m.fd = fcntl(mount, F_DUPFD_CLOEXEC, 0);
	if (m.fd != -1 && mem_close(&m, mount) == 0)
		fd = mem_open(&m);
	else if (m.fd != -1)
		(void)close(m.fd);
	if (fd >= 0) {
		(void)close(fd);
		return mount;
	}
	(void)close(mount);
	return -1;
}

void
mems_init(struct mems *ms)
{
	struct rlimit rl = { 0 };

	memset(ms, 0, sizeof(*ms));
	if ((ms->max_maps = sysmem_sysctl("/proc/sys/vm/max_map_count")) == 0)
		ms->max_maps = MAX_MAPS;
	(void)getrlimit(RLIMIT_NOFILE, &rl);
	ms->max_fds = rl.rlim_cur;
	ms->mount = find_mount();
	ms->next = NOWHERE;
}

void
mems_fini(struct mems *ms)
{
	if (ms->mount != -1)
		(void)close(ms->mount);
}

/*
 * The bytes of memory that are available to a region of length bytes.  To ask
 * the kernel costs a quarter of a small registration, so what it says is good
 * for CREDIT_MS and for a small part of what there is.
 */
static uint64_t
available(struct mems *ms, uint64_t length)
{
	const uint64_t page = mem_page();
	const int64_t now = timing_clock(CLOCK_MONOTONIC_COARSE) / 1000000;
	uint64_t left = ms->credit, need, all;

	if (length <= SMALL && now - ms->read_at < CREDIT_MS) {
		need = (length + page - 1) / page * page;
		while (need <= left)
			if (atomic_compare_exchange_weak(
				&ms->credit, &left, left - need))
				return UINT64_MAX;
	}
	all = sysmem_available();
	ms->read_at = now;
	ms->credit = all / CREDIT_PART;
	return all;
}

static int
none_left(struct err *e, const char *what, uint64_t most, const char *limit,
    uint64_t taken)
{
	return fail(e, ENOMEM,
	    "no %s is left for a region: rdmafs may have %" PRIu64
	    " (%s), %" PRIu64 " are of regions",
	    what, most, limit, taken);
}

static int
no_mapping(const struct mems *ms, struct err *e)
{
	return none_left(
	    e, "mapping", ms->max_maps, "vm.max_map_count", ms->maps);
}

static int
no_descriptor(const struct mems *ms, struct err *e)
{
	return none_left(
	    e, "descriptor", ms->max_fds, "RLIMIT_NOFILE", ms->fds);
}

/* Its file is kept by its mapping, or by the keeper.  On failure m has its
 * descriptor still. */
static bool
spare_descriptor(struct world *w, struct mem *m)
{
	const struct keeper *k = w->keeper;
	const int fd = m->fd;

	if (w->mems.mount == -1 || m->page != mem_page())
		return false;
	if (m->map == NULL &&
	    (k == NULL || (m->kept = k->keep(k->arg, fd)) <= 0)) {
		m->kept = 0;
		return false;
	}
	if (mem_close(m, w->mems.mount) == 0)
		return true;
	if (m->kept != 0)
		k->drop(k->arg, m->kept);
	m->kept = 0;
	return false;
}

/* Memory of the daemon's own keeps its descriptor as long as there are many. */
static int
own_descriptor(struct world *w, struct mem *m, struct err *e)
{
	struct mems *ms = &w->mems;

	if (take(&ms->fds, ms->max_fds, SHARE_OPTIONAL_FD) ||
	    spare_descriptor(w, m) || take(&ms->fds, ms->max_fds, SHARE_FD))
		return 0;
	return no_descriptor(ms, e);
}

int
mems_new(struct world *w, struct mem *m, uint64_t length, uint64_t page,
    bool unmapped, struct err *e)
{
	struct mems *ms = &w->mems;
	bool map;
	int r;

	unmapped = unmapped && page == 0;
	map = take(
	    &ms->maps, ms->max_maps, unmapped ? SHARE_OPTIONAL_MAP : SHARE_MAP);
	if (!map && !unmapped)
		return no_mapping(ms, e);
	if ((r = mem_make(m, length, page, map, available(ms, length), e)) ==
		0 &&
	    (r = own_descriptor(w, m, e)) < 0)
		mem_free(m);
	if (r < 0) {
		memset(m, 0, sizeof(*m));
		if (map)
			give(&ms->maps);
	} else if (!map) {
		m->addr =
		    (void *)(uintptr_t)atomic_fetch_add(&ms->next, m->map_size);
	}
	return r;
}

int
mems_from_fd(struct world *w, struct mem *m, int fd, uint64_t offset,
    uint64_t length, struct err *e)
{
	struct mems *ms = &w->mems;
	int r;

	if (!take(&ms->maps, ms->max_maps, SHARE_MAP))
		return no_mapping(ms, e);
	if (!take(&ms->fds, ms->max_fds, SHARE_FD))
		r = no_descriptor(ms, e);
	else if ((r = mem_from_fd(m, fd, offset, length, e)) < 0)
		give(&ms->fds);
	if (r < 0)
		give(&ms->maps);
	return r;
}

void
mems_free(struct world *w, struct mem *m)
{
	const struct keeper *k = w->keeper;
	const int kept = m->kept;

	if (m->length == 0)
		return;
	if (m->map != NULL)
		give(&w->mems.maps);
	if (m->fd != -1)
		give(&w->mems.fds);
	else if ((m->fd = mem_open(m)) < 0) /* to punch it out */
		m->fd = -1;
	mem_free(m);
	if (kept != 0)
		k->drop(k->arg, kept);
}
