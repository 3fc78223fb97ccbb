/* SPDX-License-Identifier: MIT */
/* rdmafs --tree: the tables as lines, path, mode, kind, verb or metric. */
#include <string.h>

#include "tree.h"

static const enum kind order[] = { KIND_ROOT, KIND_DEV, KIND_PORT, KIND_PD,
	KIND_MR, KIND_MW, KIND_QP, KIND_MEM };

static void
print_contents(const struct dirtype *d, const struct file *f, struct text *t)
{
	struct text path = { 0 };

	text_printf(&path, "%s/%s", d->pattern, f->name);
	if (path.nomem)
		t->nomem = true;
	else
		f->tree(path.buf, t);
	text_fini(&path);
}

static void
print_file(const struct dirtype *d, const struct file *f, struct text *t)
{
	const struct verb *v;

	text_printf(t, "%s/%s ", d->pattern, f->name);
	if (f->type == FILE_CLONE)
		text_puts(t, "follows .");
	else if (f->flags & FILE_ERROR)
		text_puts(t, "follows ctl");
	else
		text_printf(t, "%04o",
		    f->mode    ? f->mode
		    : f->verbs ? 0644u
			       : 0444u);
	text_puts(t, "\n");
	for (v = f->verbs; v != NULL && v->name != NULL; v++) {
		text_printf(t, "%s/%s : ", d->pattern, f->name);
		if (f->implied != NULL)
			verb_usage_implied(v, t);
		else
			verb_usage(v, t);
		text_puts(t, "\n");
	}
	if (f->tree != NULL)
		print_contents(d, f, t);
}

static void
print_dir(const struct dirtype *d, struct text *t)
{
	const struct file *f;

	text_printf(t, "%s/\n", d->pattern);
	for (f = d->files; f != NULL && f->name != NULL; f++)
		print_file(d, f, t);
	if (d->numbered_file != NULL)
		print_file(d, d->numbered_file, t);
}

void
tree_print(struct text *t)
{
	const struct dirtype *const *d;
	size_t i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		for (d = kind_info(order[i])->dirtypes; *d != NULL; d++)
			print_dir(*d, t);
}
