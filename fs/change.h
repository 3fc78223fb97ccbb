/* SPDX-License-Identifier: MIT */
/*
 * What changes the tree: mkdir, clone, rmdir, mv.  Knows nothing of FUSE.
 *
 * Each function returns 0 or -errno, or PENDING, and then done is called
 * once, from any thread.  The outcome has been recorded by then: mkdir and
 * clone in the error of the domain or device above, the others in the
 * object's own.
 */
#ifndef FS_CHANGE_H
#define FS_CHANGE_H

#include "tree.h"

struct change;

struct changer {
	struct fs *fs;
	uid_t uid;
	pid_t pid;
	/* Who asks moves what is remembered of a name to the new one himself:
	 * the viewer (core/obj.h) is not told. */
	bool moves_name;
	void (*done)(void *arg, int r, struct obj *made);
	void *arg;
	struct err *why; /* why it was refused; NULL: nobody asks */
};

/*
 * Makes an object in directory dir.  name NULL: clone.  made is referenced,
 * the caller's.
 */
int
change_make(const struct changer *by, const struct node *dir, const char *name,
    const struct owner *owner, struct obj **made, struct change **change);
/* rmdir: refused while anything is in it or bound to it. */
int change_remove(const struct changer *by, const struct node *dir,
    const char *name, struct change **change);
/*
 * mv to the name fresh in directory to, which must be dir itself: else
 * -EOPNOTSUPP, never EXDEV, which would make mv copy and so run the old ctl's
 * text.
 */
int change_rename(const struct changer *by, const struct node *dir,
    const char *name, const struct node *to, const char *fresh,
    struct change **change);
/* Gives up waiting for the object's turn: true, and done is called with
 * -EINTR.  false: it has begun and completes. */
bool change_interrupt(struct change *c);

/*
 * Destroys o and what hangs on it in the background: a clone whose holder has
 * closed, an object whose mkdir was interrupted.  Takes over a reference.
 */
void change_discard(struct fs *fs, struct obj *o);

#endif
