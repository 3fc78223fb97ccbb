/* SPDX-License-Identifier: MIT */
/* How commands went, and who is told; see outcome.h. */
#include <stdlib.h>
#include <string.h>

#include "../core/op.h"
#include "fs.h"
#include "outcome.h"

static char *
outcome_text(const struct outcome *out)
{
	struct text t = { 0 };

	text_errno(&t, out->e->code);
	text_puts(&t, ": ");
	if (out->line > 0)
		text_printf(&t, "line %u: ", out->line);
	text_printf(&t, "%s\n", out->e->text);
	if (out->shown != NULL)
		text_puts(&t, out->shown);
	if (t.nomem) {
		text_fini(&t);
		return NULL;
	}
	return t.buf;
}

/* One line for -d: where, what, by whom, how it went. */
static void
outcome_trace(const struct outcome *out, const char *path, const char *first)
{
	struct text t = { 0 };

	if (out->fs->trace == NULL)
		return;
	text_printf(&t, "%s: %s uid=%u pid=%d -> %s", path,
	    out->verb != NULL ? out->verb : "?", out->uid, out->pid, first);
	if (!t.nomem)
		out->fs->trace(out->fs->trace_arg, t.buf);
	text_fini(&t);
}

/* Where others read it: the trace, and a refusal in the errors of its user. */
static void
outcome_tell(const struct outcome *out, const char *error)
{
	struct fs *fs = out->fs;
	struct text path = { 0 };
	char *first;

	if (error == NULL && fs->trace == NULL)
		return;
	first =
	    error != NULL ? strndup(error, strcspn(error, "\n")) : strdup("ok");
	world_lock(&fs->world);
	node_path(out->where, &path);
	world_unlock(&fs->world);
	if (first != NULL && !path.nomem) {
		outcome_trace(out, path.buf, first);
		if (error != NULL)
			errlog_add(
			    &fs->errlog, out->uid, out->pid, path.buf, first);
	}
	free(first);
	text_fini(&path);
}

/* In the object's error, which takes error over; returns the one before.  Lock
 * held. */
static char *
outcome_put(const struct outcome *out, char *error)
{
	char *old = out->o->error;

	out->o->error = error;
	obj_restat(out->o, false);
	return old;
}

void
outcome_record(const struct outcome *out, char **answer)
{
	struct obj *left = NULL;
	char *error = NULL, *old;

	commands_count(&out->fs->commands, out->verb, out->e->code);
	if (out->e->code != 0)
		error = outcome_text(out);
	old = error;
	outcome_tell(out, error);
	if (error != NULL && answer != NULL)
		*answer = strdup(error);
	world_lock(&out->fs->world);
	if (out->o != NULL)
		old = outcome_put(out, error);
	if (out->o != NULL && error != NULL)
		events_refused(&out->fs->events, out);
	if (out->turn != NULL)
		left = op_end_locked(out->turn);
	world_unlock(&out->fs->world);
	obj_unref(left);
	free(old);
}

void
outcome_error(const struct outcome *out, char **answer)
{
	char *error = outcome_text(out), *old;

	if (error != NULL && answer != NULL)
		*answer = strdup(error);
	world_lock(&out->fs->world);
	old = outcome_put(out, error);
	world_unlock(&out->fs->world);
	free(old);
}
