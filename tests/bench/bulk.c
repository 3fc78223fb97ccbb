/* SPDX-License-Identifier: MIT */
/* A list of many windows, and many commands at once. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define LISTED      100000u
#define BATCHED     1000u /* windows */
#define BATCH_BYTES (1u << 20)
#define ROUNDS      31
#define LIMIT       0.006 /* messages an entry */

static void
list_long(const char *dir)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		int null = open_file("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		execlp("ls", "ls", "-l", dir, NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		errx(1, "ls -l %s", dir);
}

static void
row_list(struct counter *c, const char *dir)
{
	char counts[300];

	if (access(dir, R_OK) < 0) /* so that the way to it is known */
		err(1, "%s", dir);
	usleep(20000);
	counter_begin(c);
	list_long(dir);
	usleep(20000);
	counter_end(c, 1, counts, sizeof(counts));
	row_one(path("messages an entry, ls -l of %u", LISTED).s,
	    counter_sum(c, NULL) / LISTED, AT_MOST, LIMIT);
	row_one("LOOKUPs of it: all of clone", counter_sum(c, "LOOKUP"),
	    AT_MOST, 3);
	printf("%-46s  %s\n", "all messages of it", counts);
}

void
part_list(const struct setup *setup)
{
	const struct path pd = path("%s/soft0/pd/listed", setup->rdmafs);
	const struct many m = {
		.pd = pd.s, .format = "mkdir mw/w%u\n", .count = LISTED
	};
	struct counter c;

	counter_open(&c, path("%s/metrics", setup->rdmafs).s);
	if (!counter_there(&c)) {
		row_none("messages an entry, ls -l", AT_MOST, LIMIT,
		    "rdmafs does not count its messages");
	} else {
		make_dir(pd.s);
		if (!many_run(&m))
			err(1, "%u windows", LISTED);
		row_list(&c, path("%s/mw", pd.s).s);
	}
	counter_close(&c);
}

/* The same commands by hand, and as a batch. */
struct bulk {
	struct path pd;
	unsigned turn;
	int fd;
	char *text; /* lines, which bind and invalidate */
	size_t len;
	unsigned lines;
};

static void
run_by_hand(void *arg, unsigned n)
{
	struct bulk *b = arg;

	for (; n > 0; n--, b->turn++)
		put(path("%s/mw/w%u/ctl", b->pd.s, b->turn / 2 % BATCHED).s,
		    b->turn % 2 ? "invalidate\n" : "bind r remote_write\n");
}

static void
run_batch(void *arg, unsigned n)
{
	const struct bulk *b = arg;

	while (n-- > 0)
		write_all(b->fd, b->text, b->len);
}

/* Whole rounds over all windows, as much as one write takes. */
static void
bulk_fill(struct bulk *b)
{
	unsigned i;

	if ((b->text = malloc(BATCH_BYTES)) == NULL)
		err(1, "malloc");
	for (; b->len < BATCH_BYTES - 200; b->lines += 2) {
		i = b->lines / 2 % BATCHED;
		b->len += (size_t)snprintf(b->text + b->len, 200,
		    "mw/w%u bind r remote_write\nmw/w%u invalidate\n", i, i);
	}
}

static void
row_batch(struct bulk *b)
{
	const struct work hand = { run_by_hand, b }, batch = { run_batch, b };
	const char *what = "rate of batch over open, write, close each";
	struct samples s = { .n = 0 };
	double th, tb;
	unsigned i;

	if (!has_batch(b->pd.s)) {
		row_none(what, AT_LEAST, 200, "there is no batch");
		return;
	}
	bulk_fill(b);
	b->fd = open_file(path("%s/batch", b->pd.s).s, O_WRONLY);
	for (i = 0; i < ROUNDS; i++) {
		th = work_seconds(&hand, 200);
		tb = work_seconds(&batch, 1);
		sample(&s, th / 200 / (tb / b->lines));
	}
	close(b->fd);
	row(what, &s, AT_LEAST, 200);
}

/* All windows of a domain at once, against each by hand. */
static void
row_all(struct bulk *b, const struct many *binds)
{
	const struct work hand = { run_by_hand, b };
	struct samples s = { .n = 0 };
	double th, ta;
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		th = work_seconds(&hand, 200);
		if (!many_run(binds))
			err(1, "bind");
		ta = now();
		put(path("%s/ctl", b->pd.s).s, "invalidate\n");
		ta = now() - ta;
		sample(&s, th / 200 / (ta / binds->count));
	}
	row("rate of a domain's invalidate over one each", &s, NO_GOAL, 0);
}

void
part_batch(const struct setup *setup)
{
	struct bulk b = { .pd = path("%s/soft0/pd/bulk", setup->rdmafs) };
	struct many m = {
		.pd = b.pd.s, .format = "mkdir mw/w%u\n", .count = BATCHED
	};

	make_dir(b.pd.s);
	make_dir(path("%s/mr/r", b.pd.s).s);
	put(path("%s/mr/r/ctl", b.pd.s).s, "reg 4K local_write mw_bind\n");
	if (!many_run(&m))
		err(1, "%u windows", BATCHED);
	row_batch(&b);
	m.format = "mw/w%u bind r remote_write\n";
	row_all(&b, &m);
	free(b.text);
}
