/* SPDX-License-Identifier: MIT */
/*
 * Many objects: what one operation costs among a million against among a
 * thousand, each in a daemon of its own; and what an object costs in memory.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define FEW     1000u
#define ROUNDS  51
#define EACH    250 /* objects of a round */
#define REGIONS 50000u

struct crowd {
	struct path pd;
	unsigned count;
	unsigned next; /* the name that comes next */
	unsigned turn;
	int fds[FEW];
};

static void
run_create(void *arg, unsigned n)
{
	struct crowd *c = arg;

	while (n-- > 0)
		make_dir(path("%s/mw/x%u", c->pd.s, c->next++).s);
}

static void
run_remove(void *arg, unsigned n)
{
	struct crowd *c = arg;

	while (n-- > 0) {
		c->next--;
		if (rmdir(path("%s/mw/x%u", c->pd.s, c->next).s) < 0)
			err(1, "rmdir");
	}
}

/* Names that are not there, among all that are: the kernel keeps none. */
static void
run_lookup(void *arg, unsigned n)
{
	struct crowd *c = arg;
	struct stat st;

	while (n-- > 0) {
		c->turn += 7919;
		if (lstat(path("%s/mw/w%u-", c->pd.s, c->turn % c->count).s,
			&st) == 0 ||
		    errno != ENOENT)
			err(1, "lookup");
	}
}

/* On windows that lie scattered among them. */
static void
run_bind(void *arg, unsigned n)
{
	struct crowd *c = arg;
	unsigned i;

	for (i = 0; i < n; i++)
		write_all(c->fds[i], "bind r remote_write\n", 20);
}

static void
run_invalidate(void *arg, unsigned n)
{
	struct crowd *c = arg;
	unsigned i;

	for (i = 0; i < n; i++)
		write_all(c->fds[i], "invalidate\n", 11);
}

static void
crowd_make(struct crowd *c, const char *mount, unsigned count)
{
	struct many m = { .format = "mkdir mw/w%u\n", .count = count };
	unsigned i;

	memset(c, 0, sizeof(*c));
	c->count = count;
	c->pd = path("%s/soft0/pd/many", mount);
	m.pd = c->pd.s;
	make_dir(c->pd.s);
	make_dir(path("%s/mr/r", c->pd.s).s);
	put(path("%s/mr/r/ctl", c->pd.s).s, "reg 4K local_write mw_bind\n");
	if (!many_run(&m))
		err(1, "%u windows", count);
	for (i = 0; i < FEW; i++)
		c->fds[i] = open_file(
		    path("%s/mw/w%u/ctl", c->pd.s, i * (count / FEW)).s,
		    O_WRONLY);
}

static const struct {
	const char *what;
	void (*run)(void *arg, unsigned n);
	unsigned each;
} steps[] = {
	{ "lookup", run_lookup, EACH },
	{ "bind", run_bind, FEW },
	{ "invalidate", run_invalidate, FEW },
	{ "create", run_create, EACH },
	{ "destroy", run_remove, EACH },
};
#define STEPS (sizeof(steps) / sizeof(steps[0]))

/* One round of each step, on both; who begins changes. */
static void
compare_once(struct crowd *many, struct crowd *few, unsigned round,
    struct samples samples[])
{
	struct work w;
	double tm, tf;
	size_t i;

	for (i = 0; i < STEPS; i++) {
		w.run = steps[i].run;
		w.arg = round % 2 ? many : few;
		tm = work_seconds(&w, steps[i].each);
		w.arg = round % 2 ? few : many;
		tf = work_seconds(&w, steps[i].each);
		sample(&samples[i], round % 2 ? tm / tf : tf / tm);
	}
}

static void
raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

void
part_scale(const struct setup *setup)
{
	static struct samples samples[STEPS];
	static struct crowd many, few;
	unsigned i;

	raise_files();
	crowd_make(&few, setup->other, FEW);
	crowd_make(&many, setup->rdmafs, setup->objects);
	for (i = 0; i < ROUNDS + 1; i++) {
		compare_once(&many, &few, i, samples);
		if (i == 0)
			memset(samples, 0, sizeof(samples)); /* cold */
	}
	for (i = 0; i < STEPS; i++)
		row(path("%s among %u, over that among %u", steps[i].what,
			setup->objects, FEW)
			.s,
		    &samples[i], AT_MOST, 1.2);
}

/*
 * The daemon's bytes for each of those that all make, from the first on: the objects
 * before those have paid for tables and rings, which have a size of their own.
 */
static void
memory_row(const struct setup *setup, struct many all[], unsigned n,
    unsigned first, double limit, const char *what)
{
	const unsigned count = all[0].count;
	unsigned long before = 0;
	unsigned half, i;

	for (half = 0; half < 2; half++) {
		if (half == 1)
			before = proc_kb(setup->pid, "RssAnon");
		for (i = 0; i < n; i++) {
			all[i].first = half == 0 ? 0 : first;
			all[i].count = half == 0 ? first : count - first;
			if (many_run(&all[i]))
				continue;
			row_none(what, AT_MOST, limit, "%u: %s", count,
			    strerror(errno));
			return;
		}
	}
	row_one(path("%s, of %u", what, count).s,
	    (double)(proc_kb(setup->pid, "RssAnon") - before) * 1024 /
		(count - first),
	    AT_MOST, limit);
}

void
part_memory(const struct setup *setup)
{
	const struct path pd = path("%s/soft0/pd/memory", setup->rdmafs);

	struct many windows[] = {
		{ pd.s, "mkdir mw/w%u\n", 0, setup->objects },
	};
	struct many regions[] = {
		{ pd.s, "mkdir mr/r%u\n", 0, REGIONS },
		{ pd.s, "mr/r%u reg 4K\n", 0, REGIONS },
	};

	make_dir(pd.s);
	memory_row(setup, windows, 1, setup->objects / 10, 400,
	    "bytes for an idle window");
	memory_row(setup, regions, 2, REGIONS / 2, 1024,
	    "bytes for a region of 4 KiB");
}
