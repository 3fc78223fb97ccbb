/* SPDX-License-Identifier: MIT */
/* rdmals: shows what is in a tree of rdmafs.  Options and exit status. */
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rdmals.h"

static const char usage_text[] =
    "usage: rdmals [-jkw] [--tree] [--color[=WHEN]] [-m MOUNTPOINT]\n"
    "              [-H PATH] [KIND | KEY=VALUE | KEY>N | KEY<N | PATH]...\n"
    "       rdmals --restore [-m MOUNTPOINT] [KIND | KEY=VALUE | ... | "
    "PATH]...\n"
    "       rdmals --version | --help\n"
    "\n"
    "  -H, --holders PATH  who keeps PATH from going\n"
    "  -j, --json          as JSON\n"
    "  -k, --kernel        with what other processes have\n"
    "  -m, --mount DIR     where rdmafs is mounted (/rdma)\n"
    "  -w, --watch         show again after each change\n"
    "  --color[=WHEN]      auto, always or never\n"
    "  --restore           print a script that makes the objects again\n"
    "  --tree              as a tree\n"
    "  --version           print the version\n"
    "  --help              print this\n"
    "\n"
    "rdmals(1) tells more.\n";

enum { OPT_COLOR = 256, OPT_RESTORE, OPT_TREE, OPT_VERSION, OPT_HELP };

struct options {
	bool json, tree, watch, restore;
	const char *color, *holders;
};

static int
bad_usage(const char *what)
{
	complain(NULL, "%s", what);
	fputs(usage_text, stderr);
	return 2;
}

/* Returns -1 to go on, else the exit status. */
static int
parse_options(struct options *o, struct query *q, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "color", optional_argument, NULL, OPT_COLOR },
		{ "help", no_argument, NULL, OPT_HELP },
		{ "holders", required_argument, NULL, 'H' },
		{ "json", no_argument, NULL, 'j' },
		{ "kernel", no_argument, NULL, 'k' },
		{ "mount", required_argument, NULL, 'm' },
		{ "restore", no_argument, NULL, OPT_RESTORE },
		{ "tree", no_argument, NULL, OPT_TREE },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ "watch", no_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "H:jkm:w", longs, NULL)) != -1) {
		switch (c) {
		case 'H':
			o->holders = optarg;
			break;
		case 'j':
			o->json = true;
			break;
		case 'k':
			q->kernel = true;
			break;
		case 'm':
			q->mount = optarg;
			break;
		case 'w':
			o->watch = true;
			break;
		case OPT_COLOR:
			o->color = optarg != NULL ? optarg : "always";
			break;
		case OPT_RESTORE:
			o->restore = true;
			break;
		case OPT_TREE:
			o->tree = true;
			break;
		case OPT_VERSION:
			puts("rdmals " RDMAFS_VERSION);
			return 0;
		case OPT_HELP:
			fputs(usage_text, stdout);
			return 0;
		default:
			fputs(usage_text, stderr);
			return 2;
		}
	}
	return -1;
}

/* What does not go together; -1: all does. */
static int
check_options(const struct options *o, const struct query *q)
{
	if (o->json && o->tree)
		return bad_usage("--json or --tree, not both");
	if (o->restore &&
	    (o->json || o->tree || o->watch || o->holders || q->kernel))
		return bad_usage("--restore takes no option but --mount");
	if (strcmp(o->color, "auto") != 0 && strcmp(o->color, "always") != 0 &&
	    strcmp(o->color, "never") != 0)
		return bad_usage("--color is auto, always or never");
	return -1;
}

/* The words of the command line; -1: all are understood. */
static int
parse_words(struct query *q, const struct options *o, int argc, char **argv)
{
	int i, status;

	if (o->holders != NULL && query_hold(q, o->holders, &status) < 0)
		return status;
	for (i = optind; i < argc; i++)
		if (query_add(q, argv[i], &status) < 0)
			return status;
	if (o->holders != NULL && q->npaths > 1)
		return bad_usage("--holders takes one path");
	return -1;
}

static void
look_init(struct look *look, const struct options *o, const struct query *q)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	bool terminal = isatty(STDOUT_FILENO) == 1;

	look->out = stdout;
	look->now = time(NULL);
	look->kernel = q->kernel && o->holders == NULL;
	look->utf8 = terminal && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	look->colour =
	    strcmp(o->color, "always") == 0 ||
	    (strcmp(o->color, "auto") == 0 && terminal && term != NULL &&
		strcmp(term, "dumb") != 0 && (no == NULL || no[0] == '\0'));
	if (terminal)
		look_size(look);
}

/* That nothing was found, or not all, and the most likely reason. */
static void
explain_found(const struct query *q, const struct options *o)
{
	size_t i;

	if (o->holders != NULL && q->holders.hidden > 0)
		complain(NULL, "%s: %lld more that you may not see", o->holders,
		    (long long)q->holders.hidden);
	if (q->found > 0 || q->trouble)
		return;
	for (i = 0; i < q->nfilters; i++)
		if (!q->filters[i].seen)
			complain(NULL, "%s: nothing that was read has a %s",
			    q->mount, q->filters[i].key);
	if (o->holders != NULL)
		complain(NULL, "%s: nothing that is seen holds it", o->holders);
	else
		complain(NULL, "%s: nothing matches", q->mount);
}

static int
run(struct query *q, const struct options *o)
{
	struct look look = { .out = NULL };
	show_fn show = o->json ? show_json : o->tree ? show_tree : show_table;
	int ret;

	look_init(&look, o, q);
	if (o->watch)
		return watch(q, &look, show);
	ret = o->restore ? restore(q, stdout) : show(q, &look);
	if (fflush(stdout) != 0 || ferror(stdout))
		complain(q, "standard output: %s", strerror(errno));
	else if (ret != 0)
		complain(q, "out of memory");
	explain_found(q, o);
	return q->found > 0 && !q->trouble ? 0 : 1;
}

int
main(int argc, char **argv)
{
	struct options o = { .color = "auto" };
	struct query q = { .mount = "/rdma" };
	int status;

	(void)setlocale(LC_CTYPE, "");
	if ((status = parse_options(&o, &q, argc, argv)) < 0 &&
	    (status = check_options(&o, &q)) < 0 &&
	    (status = parse_words(&q, &o, argc, argv)) < 0)
		status = run(&q, &o);
	query_fini(&q);
	return status;
}
