/* SPDX-License-Identifier: MIT */
/*
 * /rdma/metrics: what there is and what was done, in Prometheus' text format
 * 0.0.4.  One row of the table at the end is a metric; its samples stand
 * together.  No label is a key, or a name that a user chose.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fs.h"
#include "tree.h"

#define LABELS 3

/* For the bound: bytes of a sample's line and of a metric's two comments, and
 * samples of one device. */
#define SAMPLE_LINE    256
#define COMMENT_LINES  512
#define DEVICE_SAMPLES (64 + BK_CALLS * (TIMING_BOUNDS + 3))

struct metric {
	const char *name, *type;
	const char *labels[LABELS + 1]; /* as add gives their values */
	const char *help;
	/* Adds the samples of d; or all, of a metric that is the daemon's. */
	void (*add)(const struct metric *m, struct dev *d, struct text *t);
	void (*add_all)(const struct metric *m, struct fs *fs, struct text *t);
	/* Where they are counted, in struct tally, or struct fs. */
	size_t offset;
	const struct name *names; /* of what is counted there, each a sample */
};

/*
 * A line: m's name, what stands behind it (""), its LABELS values, one more
 * label that is not in the table (NULL: none), and the value.
 */
static void
line(const struct metric *m, const char *behind, const char *const *values,
    const char *le, const char *value, struct text *t)
{
	const char *const *l;
	char sep = '{';

	text_printf(t, "%s%s", m->name, behind);
	for (l = m->labels; l < m->labels + LABELS && *l != NULL;
	     l++, sep = ',') {
		text_printf(t, "%c%s=\"", sep, *l);
		text_label(t, values[l - m->labels]);
		text_puts(t, "\"");
	}
	if (le != NULL)
		text_printf(t, "%cle=\"%s\"", sep, le);
	text_printf(t, "} %s\n", value);
}

static void
sample(const struct metric *m, const char *const *values, uint64_t n,
    struct text *t)
{
	char value[24];

	(void)snprintf(value, sizeof(value), "%" PRIu64, n);
	line(m, "", values, NULL, value, t);
}

/* The counter of value i, of those that m is about. */
static uint64_t
counted(const struct metric *m, const struct dev *d, size_t i)
{
	const char *tally = (const char *)&d->tally;

	return tally_get(
	    (const count_t *)(const void *)(tally + m->offset) + i);
}

static void
add_one(const struct metric *m, struct dev *d, struct text *t)
{
	const char *const values[LABELS] = { d->o.name };

	sample(m, values, counted(m, d, 0), t);
}

static void
add_named(const struct metric *m, struct dev *d, struct text *t)
{
	const struct name *n;

	for (n = m->names; n->name != NULL; n++) {
		const char *const values[LABELS] = { d->o.name, n->name };

		sample(m, values, counted(m, d, n->value), t);
	}
}

static void
add_requests(const struct metric *m, struct dev *d, struct text *t)
{
	const struct name *type, *op;

	for (type = qp_type_names; type->name != NULL; type++)
		for (op = wr_op_names; op->name != NULL; op++) {
			const char *const values[LABELS] = { d->o.name,
				type->name, op->name };

			sample(m, values,
			    counted(m, d, type->value * TALLY_OPS + op->value),
			    t);
		}
}

static void
add_objects(const struct metric *m, struct dev *d, struct text *t)
{
	uint64_t n[KIND_MEM + 1] = { 0 };
	const char *values[LABELS] = { d->o.name, NULL };
	int k;

	world_lock(d->o.world);
	n[KIND_PD] = obj_set(&d->o, KIND_PD)->count;
	n[KIND_MR] = d->mrs;
	n[KIND_MW] = d->mws;
	n[KIND_QP] = d->qps;
	n[KIND_MEM] = d->mems;
	world_unlock(d->o.world);
	for (k = KIND_PD; k <= KIND_MEM; k++) {
		values[1] = kind_info((enum kind)k)->name;
		sample(m, values, n[k], t);
	}
}

/* ns, in seconds. */
static void
seconds(char buf[32], uint64_t ns)
{
	(void)snprintf(buf, 32, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
	    ns % 1000000000);
}

/* The samples of one histogram; one that is empty has none. */
static void
add_timing(const struct metric *m, const char *const *values,
    const struct timing *tm, struct text *t)
{
	uint64_t n = 0, last = tally_get(&tm->counts[TIMING_BOUNDS]);
	struct text buckets = { 0 };
	char le[32], value[32];
	unsigned i;

	for (i = 0; i < TIMING_BOUNDS; i++) {
		n += tally_get(&tm->counts[i]);
		(void)snprintf(
		    le, sizeof(le), "%.9g", (double)timing_bound(i) / 1e9);
		(void)snprintf(value, sizeof(value), "%" PRIu64, n);
		line(m, "_bucket", values, le, value, &buckets);
	}
	(void)snprintf(value, sizeof(value), "%" PRIu64, n + last);
	if (n + last > 0 && !buckets.nomem) {
		text_add(t, buckets.buf, buckets.len);
		line(m, "_bucket", values, "+Inf", value, t);
		line(m, "_count", values, NULL, value, t);
		seconds(value, tally_get(&tm->sum));
		line(m, "_sum", values, NULL, value, t);
	}
	t->nomem |= buckets.nomem;
	text_fini(&buckets);
}

static void
add_times(const struct metric *m, struct dev *d, struct text *t)
{
	const struct name *n;

	for (n = bk_call_names; n->name != NULL; n++) {
		const char *const values[LABELS] = { d->o.name, n->name };

		add_timing(m, values, &d->b.times[n->value], t);
	}
}

static void
add_build(const struct metric *m, struct fs *fs, struct text *t)
{
	static const char *const values[LABELS] = { RDMAFS_VERSION };

	(void)fs;
	sample(m, values, 1, t);
}

static void
add_commands(const struct metric *m, struct fs *fs, struct text *t)
{
	const struct command_count *c;

	for (c = fs->commands.counts; c < fs->commands.counts + fs->commands.n;
	     c++)
		sample(m, (const char *const[LABELS]){ c->verb },
		    tally_get(&c->all), t);
}

static void
add_refusals_of(
    const struct metric *m, const struct command_count *c, struct text *t)
{
	struct text word = { 0 };
	uint64_t n;
	int code;

	for (code = 0; code < COMMANDS_ERRNO; code++) {
		if ((n = tally_get(&c->refused[code])) == 0)
			continue;
		text_reset(&word);
		text_errno(&word, code);
		if (word.nomem) {
			t->nomem = true;
			break;
		}
		sample(
		    m, (const char *const[LABELS]){ c->verb, word.buf }, n, t);
	}
	text_fini(&word);
}

static void
add_refusals(const struct metric *m, struct fs *fs, struct text *t)
{
	unsigned i;

	for (i = 0; i < fs->commands.n; i++)
		add_refusals_of(m, &fs->commands.counts[i], t);
}

/* Those of which there were any. */
static void
add_messages(const struct metric *m, struct fs *fs, struct text *t)
{
	const struct messages *from =
	    (const void *)((const char *)fs + m->offset);
	unsigned kind;
	uint64_t n;

	for (kind = 0; kind < MESSAGE_KINDS; kind++) {
		const char *values[LABELS] = { "" };

		if ((n = tally_get(&from->counts[kind])) == 0)
			continue;
		values[0] = from->names[kind];
		sample(m, values, n, t);
	}
}

static const struct name mw_type_names[] = {
	{ "1", MW_TYPE_1 },
	{ "2", MW_TYPE_2 },
	{ NULL, 0 },
};

#define TALLY(field) .offset = offsetof(struct tally, field)

static const struct metric metrics[] = {
	{ "rdmafs_build_info", "gauge", { "version" },
	    "The version of the daemon; always 1.", .add_all = add_build },
	{ "rdmafs_objects", "gauge", { "device", "kind" },
	    "Objects that there are.", add_objects },
	{ "rdmafs_bound_windows", "gauge", { "device" },
	    "Windows that are bound.", add_one, TALLY(bound) },
	{ "rdmafs_registered_bytes", "gauge", { "device" },
	    "Lengths of the registered regions, added up.", add_one,
	    TALLY(registered) },
	{ "rdmafs_pinned_bytes", "gauge", { "device" },
	    "Pages of the registered regions, added up.", add_one,
	    TALLY(pinned) },
	{ "rdmafs_commands_total", "counter", { "verb" },
	    "Commands, mkdir, rmdir, mv and clone, those refused among them.",
	    .add_all = add_commands },
	{ "rdmafs_refusals_total", "counter", { "verb", "errno" },
	    "Those of the commands that were refused.",
	    .add_all = add_refusals },
	{ "rdmafs_binds_total", "counter", { "device", "type" },
	    "Binds of windows that succeeded, by type of window.", add_named,
	    TALLY(binds), .names = mw_type_names },
	{ "rdmafs_keys_ended_total", "counter", { "device", "how" },
	    "Keys of regions and windows that have ended.", add_named,
	    TALLY(ended), .names = key_end_names },
	{ "rdmafs_requests_total", "counter", { "device", "type", "opcode" },
	    "Requests over queue pairs that completed with success.",
	    add_requests, TALLY(requests) },
	{ "rdmafs_request_bytes_total", "counter",
	    { "device", "type", "opcode" }, "Bytes that these have moved.",
	    add_requests, TALLY(bytes) },
	{ "rdmafs_failed_completions_total", "counter", { "device", "status" },
	    "Requests over queue pairs that completed without success.",
	    add_named, TALLY(failed), .names = wc_status_names + 1 },
	{ "rdmafs_backend_seconds", "histogram", { "device", "call" },
	    "How long calls of the device took; requests, until they were "
	    "complete.",
	    add_times },
	{ "rdmafs_fuse_messages_total", "counter", { "opcode" },
	    "Messages of the kernel's that were read from /dev/fuse.",
	    .add_all = add_messages, .offset = offsetof(struct fs, requests) },
	{ "rdmafs_fuse_notifications_total", "counter", { "kind" },
	    "Messages of the daemon's own to the kernel.",
	    .add_all = add_messages,
	    .offset = offsetof(struct fs, notifications) },
	{ NULL },
};

/* The device behind id, referenced; NULL: there is none. */
static struct dev *
dev_behind(struct world *w, uint64_t id)
{
	struct obj *o;

	world_lock(w);
	if ((o = obj_after(&w->devs, id)) != NULL)
		obj_ref(o);
	world_unlock(w);
	return o != NULL ? dev_of(o) : NULL;
}

/* Adds what comes next of m; false: that was all of it. */
static bool
metric_more(
    const struct metric *m, struct fs *fs, struct cursor *c, struct text *t)
{
	struct dev *d;

	if (!c->started) {
		c->started = true;
		text_printf(t, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help,
		    m->name, m->type);
		return true;
	}
	if (m->add_all != NULL) {
		m->add_all(m, fs, t);
		return false;
	}
	if ((d = dev_behind(&fs->world, c->id[1])) == NULL)
		return false;
	m->add(m, d, t);
	c->id[1] = d->o.id;
	obj_unref(&d->o);
	return true;
}

/* id[0]: the metric, started: its comments are out; id[1]: the last device. */
int
metrics_more(const struct view *v, struct cursor *c, struct text *t)
{
	const struct metric *m = &metrics[c->id[0]];

	if (m->name == NULL)
		return 0;
	if (!metric_more(m, v->fs, c, t)) {
		c->id[0]++;
		c->id[1] = 0;
		c->started = false;
	}
	return 1;
}

uint64_t
metrics_bound(const struct view *v)
{
	const struct commands *cs = &v->fs->commands;
	uint64_t lines = v->o->sets[0].count * (uint64_t)DEVICE_SAMPLES;
	unsigned i;
	int code;

	lines += 2 * (uint64_t)MESSAGE_KINDS;
	for (i = 0; i < cs->n; i++, lines++)
		for (code = 0; code < COMMANDS_ERRNO; code++)
			lines += tally_get(&cs->counts[i].refused[code]) > 0;
	return sizeof(metrics) / sizeof(metrics[0]) * COMMENT_LINES +
	       lines * SAMPLE_LINE;
}

void
metrics_tree(const char *path, struct text *t)
{
	const struct metric *m;
	const char *const *l;

	for (m = metrics; m->name != NULL; m++) {
		text_printf(t, "%s : %s %s", path, m->type, m->name);
		for (l = m->labels; *l != NULL; l++)
			text_printf(t, "%s%s", l == m->labels ? "{" : ",", *l);
		text_puts(t, "}\n");
	}
}
