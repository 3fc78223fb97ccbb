/* SPDX-License-Identifier: MIT */
/*
 * bench PART RDMAFS PID [OTHER [OBJECTS]]: measures one part of the table on the
 * rdmafs that PID has mounted on RDMAFS.  OTHER is another mount: of null for
 * floor and team, of a second rdmafs for scale.  run.sh runs all parts.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct {
	const char *name;
	void (*run)(const struct setup *s);
} parts[] = {
	{ "floor", part_floor },
	{ "team", part_team },
	{ "scale", part_scale },
	{ "memory", part_memory },
	{ "list", part_list },
	{ "data", part_data },
	{ "batch", part_batch },
};

int
main(int argc, char **argv)
{
	struct setup s = { .objects = 1000000 };
	size_t i;

	if (argc < 4)
		errx(2, "usage: bench PART RDMAFS PID [OTHER [OBJECTS]]");
	s.rdmafs = argv[2];
	s.pid = (pid_t)strtol(argv[3], NULL, 10);
	s.other = argc > 4 ? argv[4] : NULL;
	if (argc > 5)
		s.objects = (unsigned)strtoul(argv[5], NULL, 10);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(parts[i].name, argv[1]) == 0) {
			parts[i].run(&s);
			return 0;
		}
	}
	errx(2, "there is no part %s", argv[1]);
}
