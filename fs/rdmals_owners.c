/* SPDX-License-Identifier: MIT */
/* Owners and modes that are not those of new objects; see rdmals.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rdmals.h"

/* The modes that files and directories have when they are new. */
static const struct {
	const char *kind, *file; /* kind NULL: of all that have it */
	mode_t mode;
} modes[] = {
	{ NULL, "ctl", 0600 },
	{ NULL, "status", 0444 },
	{ NULL, "events", 0666 },
	{ NULL, "list", 0444 },
	{ NULL, "rights", 0644 },
	{ NULL, "addr", 0400 },
	{ NULL, "length", 0444 },
	{ NULL, "data", 0600 },
	{ "mr", "lkey", 0400 },
	{ "mr", "rkey", 0400 },
	{ "mr", "windows", 0444 },
	{ "mr", "translation", 0400 },
	{ "mw", "rkey", 0600 },
	{ "mw", "type", 0444 },
	{ "qp", "type", 0444 },
	{ "qp", "state", 0444 },
	{ "qp", "num", 0444 },
	{ "qp", "local", 0444 },
	{ "qp", "remote", 0444 },
	{ "qp", "wc", 0600 },
	{ "mem", "rkey", 0400 },
	{ "device", "explain", 0666 },
	{ "device", "limits", 0644 },
	{ "device", "usage", 0444 },
	{ "device", "pd", 0755 },
	{ "pd", "mr", 0755 },
	{ "pd", "mw", 0755 },
	{ "pd", "qp", 0755 },
	{ "qp", "mem", 0755 },
};

/*
 * chown and chmod of path/name (name "": path itself) where it is not as new,
 * made by who runs this, with a umask of 022.
 */
static void
owner_text(struct query *q, struct text *t, const char *path, const char *name,
    mode_t mode)
{
	const char *slash = name[0] != '\0' ? "/" : "";
	char *full;
	struct stat st;

	/* No tree of rdmafs has such a name: this is no place for it. */
	if (strchr(path, '\'') != NULL)
		return;
	if (asprintf(&full, "%s/%s%s%s", q->mount, path, slash, name) < 0) {
		complain(q, "out of memory");
		return;
	}
	/* What is not there, or out of reach, is as it was. */
	if (lstat(full, &st) == 0) {
		if (S_ISDIR(st.st_mode) &&
		    (st.st_uid != geteuid() || st.st_gid != getegid()))
			text_printf(t, "chown %u:%u '%s%s%s'\n", st.st_uid,
			    st.st_gid, path, slash, name);
		if ((st.st_mode & 07777) != mode)
			text_printf(t, "chmod %04o '%s%s%s'\n",
			    st.st_mode & 07777, path, slash, name);
	}
	free(full);
}

void
owners_text(struct query *q, const struct row *r, struct text *t)
{
	bool device = strcmp(r->kind, "device") == 0;
	size_t i;

	/* A device is there, and whose it was only the mounter can say. */
	if (device && geteuid() != 0)
		return;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (modes[i].kind != NULL ? strcmp(modes[i].kind, r->kind) == 0
					  : !device)
			owner_text(q, t, r->path, modes[i].file, modes[i].mode);
	if (!device)
		owner_text(q, t, r->path, "", 0755);
}
