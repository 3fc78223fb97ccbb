/* SPDX-License-Identifier: MIT */
/*
 * core/mems: regions beyond the descriptors and mappings that there are, with
 * limits that are small: what each does without, and that its bytes are its
 * own all the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper.h"
#include "obj.h"
#include "softrig.h"
#include "tap.h"

#define LIMIT 32 /* of descriptors, and of mappings */
/* Of those, in regions that can do without, and in any. */
#define OPTIONAL_FDS  16
#define FDS           24
#define OPTIONAL_MAPS 28
#define MAPS          30
#define MANY          200
#define BYTES         5000

static struct world world;

/* Keeps files by descriptors of its own. */
struct shelf {
	int fds[MANY + 1]; /* by id; -1: free */
	unsigned kept;
	bool full;
};

static int
shelf_keep(void *arg, int fd)
{
	struct shelf *s = arg;
	int id = 1;

	if (s->full)
		return -ENOSPC;
	while (s->fds[id] != -1)
		id++;
	s->fds[id] = dup(fd);
	s->kept++;
	return id;
}

static void
shelf_drop(void *arg, int id)
{
	struct shelf *s = arg;

	(void)close(s->fds[id]);
	s->fds[id] = -1;
	s->kept--;
}

static struct shelf shelf;
static const struct keeper keeper = { shelf_keep, shelf_drop, &shelf };

static bool
begin(const struct keeper *k)
{
	struct err e;
	size_t i;

	if (world_init(&world, 0, 0, &e) < 0)
		bail_out("world: %s", e.text);
	for (i = 0; i < NELEM(shelf.fds); i++)
		shelf.fds[i] = -1;
	shelf.kept = 0;
	shelf.full = false;
	world.keeper = k;
	world.mems.max_fds = world.mems.max_maps = LIMIT;
	return world.mems.mount != -1;
}

static void
end(void)
{
	is_int((long long)world.mems.maps, 0, "no mapping is left");
	is_int((long long)world.mems.fds, 0, "no descriptor is left");
	is_int(shelf.kept, 0, "no file is kept");
	world_fini(&world);
}

static int
make(struct mem *m, bool unmapped, struct err *e)
{
	memset(e, 0, sizeof(*e));
	return mems_new(&world, m, BYTES, 0, unmapped, e);
}

/* How many come before one is refused, at most MANY; the reason is in e. */
static unsigned
make_many(struct mem *m, bool unmapped, struct err *e)
{
	unsigned n = 0;

	while (n < MANY && make(&m[n], unmapped, e) == 0)
		n++;
	return n;
}

static void
free_many(struct mem *m, unsigned n)
{
	while (n-- > 0)
		mems_free(&world, &m[n]);
}

static void
pattern(char *buf, unsigned i)
{
	memset(buf, 'a' + (int)(i % 26), BYTES);
	memcpy(buf, &i, sizeof(i));
	memcpy(buf + BYTES - sizeof(i), &i, sizeof(i));
}

/* Its file, as whoever opens data gets it. */
static bool
is_sealed_file(const struct mem *m, const char *want)
{
	const int seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
	int fd = mem_open(m);
	struct stat st;
	char *map;
	bool good;

	if (fd < 0)
		return false;
	map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	good = map != MAP_FAILED && memcmp(map, want, BYTES) == 0 &&
	       fstat(fd, &st) == 0 && st.st_size == BYTES &&
	       st.st_blocks == 16 && fcntl(fd, F_GET_SEALS) == seals &&
	       ftruncate(fd, 0) == -1 && pwrite(fd, "x", 1, BYTES) == -1;
	(void)munmap(map, BYTES);
	(void)close(fd);
	return good;
}

/* Each has its own bytes, however they are reached. */
static void
test_isolation(struct mem *m)
{
	char buf[BYTES], want[BYTES];
	unsigned i, own = 0, files = 0, addresses = 0;

	for (i = 0; i < MANY; i++) {
		pattern(want, i);
		if (mem_write(&m[i], want, BYTES, 0, NULL) != BYTES)
			bail_out("mem_write");
	}
	for (i = 0; i < MANY; i++) {
		pattern(want, i);
		own += mem_read(&m[i], buf, BYTES, 0, NULL) == BYTES &&
		       memcmp(buf, want, BYTES) == 0;
		files += is_sealed_file(&m[i], want);
		addresses += m[i].addr != NULL &&
			     ((uintptr_t)m[i].addr & 4095) == 0 &&
			     (i == 0 || m[i].addr != m[i - 1].addr);
	}
	is_int(own, MANY, "each reads back what was written to it");
	is_int(files, MANY, "each is a sealed file of its own");
	is_int(addresses, MANY, "each has an address of its own");
}

static void
test_end_of(struct mem *m)
{
	struct mem copy = *m;
	int fd = mem_open(m);
	char buf[BYTES], zero[BYTES] = "";

	mems_free(&world, m);
	is_int(pread(fd, buf, BYTES, 0), BYTES, "a descriptor outlives it");
	ok(memcmp(buf, zero, BYTES) == 0, "and reads zeros");
	(void)close(fd);
	if (copy.fd == -1)
		is_int(mem_open(&copy), -ENODATA, "nothing opens it any more");
}

static void
test_with_keeper(void)
{
	static struct mem m[MANY];
	struct err e;
	unsigned i, fds = 0, maps = 0, locked = 0, kept = 0;
	uint64_t pa;

	if (!begin(&keeper)) {
		skip("files cannot be opened by handle");
		end();
		return;
	}
	is_int(make_many(m, true, &e), MANY, "with a keeper there is no end");
	for (i = 0; i < MANY; i++) {
		fds += m[i].fd != -1;
		maps += m[i].map != NULL;
		kept += m[i].kept != 0;
		locked += mem_lock(&m[i], &e) == 0 && m[i].locked;
	}
	is_int(fds, OPTIONAL_FDS, "the first have descriptors");
	is_int(maps, OPTIONAL_MAPS, "more have mappings");
	is_int(kept, MANY - OPTIONAL_MAPS, "all others are kept");
	is_int(locked, OPTIONAL_MAPS, "what has a mapping is locked");
	is_int((long long)mem_pinned(&m[0]), 8192, "which can be told");
	is_int((long long)mem_pinned(&m[MANY - 1]), 0, "from what is not");
	is_int(mem_physical(&m[MANY - 1], 0, &pa, &e), -ENODATA,
	    "that has no physical address");
	has_str(e.text, "(M1)", "and the text says why");
	test_isolation(m);
	test_end_of(&m[0]);
	test_end_of(&m[OPTIONAL_FDS]);
	test_end_of(&m[MANY - 1]);
	is_int(make(&m[0], true, &e), 0, "where one went another comes");
	ok(m[0].map != NULL && m[0].fd != -1, "and has what that had");
	free_many(m, MANY);
	end();
}

static void
test_refusals(void)
{
	static struct mem m[MANY];
	struct err e;
	unsigned n, fd;

	(void)begin(NULL);
	world.mems.max_maps = MANY + MANY;
	if (world.mems.mount != -1)
		(void)close(world.mems.mount);
	world.mems.mount = -1;
	n = make_many(m, true, &e);
	is_int(n, FDS, "without handles descriptors are the limit");
	is_int(e.code, ENOMEM, "that is ENOMEM");
	is_str(e.text,
	    "no descriptor is left for a region: rdmafs may have 32 "
	    "(RLIMIT_NOFILE), 24 are of regions",
	    "with the numbers");
	free_many(m, n);
	end();

	if (!begin(NULL)) {
		skip("files cannot be opened by handle");
		end();
		return;
	}
	n = make_many(m, true, &e);
	is_int(n, OPTIONAL_MAPS + FDS - OPTIONAL_FDS,
	    "without a keeper what is not mapped needs a descriptor");
	has_str(e.text, "RLIMIT_NOFILE", "which the text says");
	free_many(m, n);

	n = make_many(m, false, &e);
	is_int(n, MAPS, "on other devices mappings are the limit");
	is_str(e.text,
	    "no mapping is left for a region: rdmafs may have 32 "
	    "(vm.max_map_count), 30 are of regions",
	    "with the numbers");
	fd = (unsigned)memfd_create("theirs", MFD_CLOEXEC);
	(void)ftruncate((int)fd, BYTES);
	is_int(mems_from_fd(&world, &m[n], (int)fd, 0, 0, &e), -ENOMEM,
	    "memory of others needs one");
	ok(fcntl((int)fd, F_GETFD) != -1, "refused, it stays the caller's");
	mems_free(&world, &m[0]);
	is_int(mems_from_fd(&world, &m[0], (int)fd, 0, 0, &e), 0,
	    "and gets one where one went");
	free_many(m, n);
	end();
}

/* A keeper that keeps no more: descriptors take over until they end. */
static void
test_full_keeper(void)
{
	static struct mem m[MANY];
	struct err e;
	unsigned n;

	if (!begin(&keeper)) {
		skip("files cannot be opened by handle");
		end();
		return;
	}
	shelf.full = true;
	n = make_many(m, true, &e);
	is_int(n, OPTIONAL_MAPS + FDS - OPTIONAL_FDS, "a keeper may be full");
	has_str(e.text, "RLIMIT_NOFILE", "descriptors are told as the limit");
	ok(m[n - 1].fd != -1 && m[n - 1].kept == 0, "the last have them");
	free_many(m, n);
	end();
}

/* What a region may lack. */
static const struct {
	const char *name;
	bool map, fd;
} kinds[] = {
	{ "one with both", true, true },
	{ "one with a mapping alone", true, false },
	{ "one with a descriptor alone", false, true },
	{ "one that is kept", false, false },
};

static void
make_kind(struct mem *m, size_t kind, uint64_t length)
{
	world.mems.max_maps = kinds[kind].map ? LIMIT : 0;
	world.mems.max_fds = kinds[kind].fd ? LIMIT : 0;
	if (mems_new(&world, m, length, 0, true, &rig_err) < 0)
		bail_out("mems_new: %s", rig_err.text);
	if ((m->map != NULL) != kinds[kind].map ||
	    (m->fd != -1) != kinds[kind].fd)
		bail_out("it is not %s", kinds[kind].name);
}

static void
use_kind(struct side *s, size_t kind, uint64_t length)
{
	rig_dereg(s, s->mr);
	mem_free(&s->mem);
	make_kind(&s->mem, kind, length);
	s->mr = rig_reg(s, s->pd, &s->mem, LW | ALL, &s->keys);
}

static void
end_kind(struct side *s)
{
	rig_dereg(s, s->mr);
	s->mr = NULL;
	mems_free(&world, &s->mem);
}

#define BIG (300u << 10) /* more than a buffer has */

static void
test_transfer(size_t to, size_t from)
{
	struct posted p;
	struct rig rig;

	rig_open(&rig, QP_RC, 4096, ALL, ALL);
	use_kind(&rig.a, from, BIG);
	use_kind(&rig.b, to, BIG);
	rig_fill(&rig.a, 'a');
	rig_wr(&p, &rig, WR_WRITE, BIG - 1);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "%s writes to %s",
	    kinds[from].name, kinds[to].name);
	ok(rig_is(&rig.b, 0, BIG - 1, 'a') && rig_is(&rig.b, BIG - 1, 1, 0),
	    "all of it, and no more");
	rig_fill(&rig.b, 'b');
	rig_wr(&p, &rig, WR_READ, BIG - 1);
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "and reads");
	ok(rig_is(&rig.a, 0, BIG - 1, 'b') && rig_is(&rig.a, BIG - 1, 1, 'a'),
	    "all of it, and no more");
	rig_wr(&p, &rig, WR_FETCH_ADD, 8);
	p.wr.operand = 1;
	is_int(rig_do(&rig.a, &p), WC_SUCCESS, "and adds");
	ok(rig_is(&rig.b, 0, 1, 'b' + 1) && rig_is(&rig.b, 1, 7, 'b'),
	    "to 8 bytes there");
	end_kind(&rig.a);
	end_kind(&rig.b);
	rig_close(&rig);
}

static void
test_transfers(void)
{
	size_t to, from;

	if (!begin(&keeper)) {
		skip("files cannot be opened by handle");
		end();
		return;
	}
	for (to = 0; to < NELEM(kinds); to++)
		for (from = 0; from < NELEM(kinds); from++)
			test_transfer(to, from);
	rig_end();
	end();
}

/* Small regions do not ask for MemAvailable each time, large ones do. */
static void
test_available(void)
{
	struct mem m[3];
	struct err e;
	uint64_t left;

	(void)begin(NULL);
	is_int(make(&m[0], true, &e), 0, "the first asks");
	left = world.mems.credit;
	ok(left > 1 << 20, "what there is is good for more");
	world.mems.read_at = INT64_MAX / 2;
	is_int(make(&m[1], true, &e), 0, "which the next takes");
	is_int((long long)(left - world.mems.credit), 8192, "in whole pages");
	world.mems.credit = 8191;
	is_int(make(&m[2], true, &e), 0, "until there is too little");
	ok(world.mems.credit > 1 << 20, "then it asks");
	ok(world.mems.read_at < INT64_MAX / 2, "and knows when");
	mems_free(&world, &m[1]);
	world.mems.credit = UINT64_C(1) << 60;
	world.mems.read_at = INT64_MAX / 2;
	is_int(mems_new(&world, &m[1], 2 << 20, 0, true, &e), 0,
	    "a large one is made");
	ok(world.mems.credit < UINT64_C(1) << 59, "and asks all the same");
	mems_free(&world, &m[1]);
	mems_free(&world, &m[0]);
	mems_free(&world, &m[2]);
	end();
}

int
main(void)
{
	test_available();
	test_with_keeper();
	test_refusals();
	test_full_keeper();
	test_transfers();
	return done_testing();
}
