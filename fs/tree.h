/* SPDX-License-Identifier: MIT */
/*
 * The tree as tables: each kind of directory is a dirtype, each file in it a
 * row.  The rows feed lookups, modes, sizes, the parser, the help in a ctl and
 * `rdmafs --tree`.  Knows objects and texts; knows nothing of FUSE or of open
 * files.
 */
#ifndef FS_TREE_H
#define FS_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../core/dev.h"
#include "../core/mr.h"
#include "../core/mw.h"
#include "../core/obj.h"
#include "../core/pd.h"
#include "../core/qp.h"
#include "../core/rmem.h"
#include "../proto/cmd.h"
#include "../proto/text.h"

/* Who asks: as taken when a file was opened; groups included. */
struct cred {
	uid_t uid;
	gid_t gid;
	unsigned ngroups;
	gid_t *groups; /* malloc'ed, or NULL */
	mode_t umask; /* of who opened a batch; of others 0 */
};

struct fs;
struct file;
struct dirtype;

/* What a file's text is made for. */
struct view {
	struct fs *fs;
	struct obj *o;
	const struct file *file;
	unsigned index; /* of a numbered row: gid/<i> */
	const struct cred *cred;
};

/*
 * Where a text that is made piece by piece has got to; all zero is the start.
 * The meaning of the fields is the file's own.
 */
#define CURSOR_DEPTH 4
struct cursor {
	uint64_t id[CURSOR_DEPTH];
	unsigned set[CURSOR_DEPTH];
	unsigned depth;
	bool started;
};

/* How far a reader of a journal is; the meaning is the journal's own. */
struct place {
	uint64_t next;
	uint32_t seen;
};

/*
 * Entries that come one by one, of which the last are kept; lock held.  They
 * work when the object is gone, too.
 */
struct journal {
	/* The place behind all that has come. */
	void (*now)(const struct view *v, struct place *at);
	/*
	 * Adds the lines from *at on until t has want bytes, and "lost N" for
	 * N that are not kept any more; *at moves.  0, or -ENOMEM and it
	 * stays.
	 */
	int (*since)(const struct view *v, struct place *at, size_t want,
	    struct text *t);
	/* Whether something has come since. */
	bool (*come)(const struct view *v, const struct place *at);
};

enum file_type { FILE_TEXT, FILE_LINK, FILE_DATA, FILE_CLONE, FILE_BATCH };

/* Flags of a row. */
#define FILE_SECRET   (1u << 0) /* never for the world */
#define FILE_UNLOCKED (1u << 1) /* get, bound ask the device: no lock held */
#define FILE_ROOT     (1u << 2) /* root's, whoever the object belongs to */
#define FILE_ERROR    (1u << 3) /* its mode follows ctl */
#define FILE_DATED    (1u << 4) /* mtime is the object's last change */
#define FILE_NO_SIZE  (1u << 5) /* st_size is 0, whatever a read would give */
/*
 * Its lines ask and change nothing: how they went is no news of the object.
 * Opened read-write only, so that no walker reads it; the answer is what it is
 * there for.
 */
#define FILE_ASKS (1u << 6)
#define FILE_OTHERS \
	(1u << 7) /* shows what other objects are, or the reader's */
#define FILE_FIXED (1u << 8) /* its size never changes */

struct file {
	const char *name;
	/*
	 * Adds the file's text.  Returns 0, -ENODATA (the value does not
	 * exist), or -errno.  world.lock is held unless FILE_UNLOCKED.
	 * Beside more: adds nothing, and only says whether there is a text.
	 */
	int (*get)(const struct view *v, struct text *t);
	/* What lines written to it may say; NULL: it is for reading. */
	const struct verb *verbs;
	const char *implied; /* the verb that every line is arguments of */
	mode_t mode; /* 0: 0444, with verbs 0644 */
	unsigned flags;
	/* What makes it readable for poll(2), WAIT_* of core/obj.h; 0: it
	 * always is. */
	unsigned waits;
	enum file_type type;
	/*
	 * Instead of get, for what may be huge: adds some whole lines behind
	 * the cursor; returns 1, 0 at the end, or -errno.  Lock not held.
	 * bound: what st_size says, at least the true length; lock held
	 * unless FILE_UNLOCKED.
	 */
	int (*more)(const struct view *v, struct cursor *c, struct text *t);
	uint64_t (*bound)(const struct view *v);
	/* Of a file of entries that come one by one: opened read-write it
	 * starts at now and waits for the next. */
	const struct journal *journal;
	/* Adds lines to --tree: what stands in it; NULL: nothing more. */
	void (*tree)(const char *path, struct text *t);
};

struct dirtype {
	const char *name; /* of a fixed directory; NULL: an object's own */
	const char *pattern; /* "/<dev>/pd/<pd>" */
	enum kind kind; /* of the object it is a part of */
	unsigned number; /* among that kind's directories; 0: its own */
	const struct file *files; /* ends in a NULL name */
	const struct dirtype *const *dirs; /* fixed ones in it, NULL: none */
	int children; /* enum kind of the objects in it, -1: none */
	/* Rows that are numbers, from 0: how many, and the row for all. */
	unsigned (*numbered)(const struct obj *o);
	const struct file *numbered_file;
	/* Whether a numbered row has a value; asks the device, lock not
	 * held. */
	bool (*numbered_there)(struct obj *o, unsigned index);
};

/* What a kind of object is called, and its own directory. */
struct kindinfo {
	const char *name;
	const struct dirtype *const *dirtypes; /* by number, NULL at the end */
	/* Adds the words of `status` up to owner=; lock held.  NULL: it has
	 * none, and stands in no list. */
	void (*status)(struct obj *o, struct text *t);
};

const struct kindinfo *kind_info(enum kind kind);

/* One place in the tree. */
struct node {
	struct obj *o; /* referenced by who holds the node */
	const struct dirtype *dir;
	const struct file *file; /* NULL: the directory itself */
	unsigned index; /* of a numbered row */
};

/* Inode numbers: an object's id and a slot in it; the root's is 1. */
uint64_t node_ino(const struct node *n);
/* Whether it is of an object's own directory; not of the root's. */
bool ino_is_own_dir(uint64_t ino);
/* Returns 0 and *n, its object not referenced, or -ENOENT; lock held. */
int node_by_ino(struct world *w, uint64_t ino, struct node *n);
/* The entry name of directory dir, its object not referenced; lock held. */
int node_lookup(const struct node *dir, const char *name, struct node *n);
/*
 * The entries of a directory in a fixed order.  *pos: 0 at first, then where
 * the last one stood.  name points into the node or to buf.  Returns false at
 * the end.  Lock held.
 */
bool node_next(const struct node *dir, uint64_t *pos, struct node *n,
    const char **name, char buf[16]);
/* Whether a node that was found is there: a numbered row may have no value.
 * Lock not held. */
bool node_there(const struct node *n);
/* The path of the node below the mount point, "soft0/pd/lab"; lock held. */
void node_path(const struct node *n, struct text *t);

/* The set of objects that directory n holds; NULL: none. */
struct set *node_set(const struct node *n);
/* Owner and mode of a directory or file; lock held. */
struct owner node_owner(const struct node *n);
/* chmod and chown; 0, -EPERM or -ENOMEM with the reason; lock held.  Whose an
 * object is counts it, see dev_chown(). */
int node_chmod(struct node *n, mode_t mode, struct err *e);
int node_chown(struct node *n, uid_t uid, gid_t gid, struct err *e);
/* ns since the epoch; lock held. */
int64_t node_changed(const struct node *n);

/* The object's own files by name, for modes and errors. */
const struct file *dir_file(const struct dirtype *dir, const char *name);
/* Whether name is a fixed file or directory anywhere in the tree. */
bool tree_has_name(const char *name);
/* Prints every path pattern, mode, verb and grammar: rdmafs --tree. */
void tree_print(struct text *t);

/* Credentials against an owner; want is R_OK, W_OK, X_OK or'ed. */
bool cred_may(const struct cred *c, const struct owner *o, int want);
/* Whether c may pass all directories above o, and o's own; lock held. */
bool cred_reaches(const struct cred *c, const struct obj *o);
/* Whether c might open that file of o's own directory for want; lock held. */
bool
cred_opens(const struct cred *c, struct obj *o, const char *file, int want);
/* Groups of process pid are read (never for root: it needs none). */
int cred_take(struct cred *c, uid_t uid, gid_t gid, pid_t pid);
/* The umask of process pid; where it is not known, one that lets in nobody. */
mode_t process_umask(pid_t pid);
void cred_fini(struct cred *c);

/* Getters that several kinds share. */
int get_status(const struct view *v, struct text *t);
int get_error(const struct view *v, struct text *t);
/* wc, of a queue pair. */
int get_wc(const struct view *v, struct text *t);
extern const struct journal wc_journal;
/* Adds n and a newline. */
int get_number(struct text *t, uint64_t n);
int get_address(struct text *t, uint64_t addr);
int get_key(struct text *t, uint32_t key);
int list_more(const struct view *v, struct cursor *c, struct text *t);
uint64_t list_bound(const struct view *v);
/* The line of o's status, its newline included; lock held. */
void status_line(struct obj *o, struct text *t);
/* One line of a list: path relative to below's directory, kind, status. */
void list_line(struct obj *o, const struct obj *below, struct text *t);

/* <dev>/explain. */
int get_explain(const struct view *v, struct text *t);
extern const struct verb explain_verbs[];
/* metrics of the root, metrics.c. */
int metrics_more(const struct view *v, struct cursor *c, struct text *t);
uint64_t metrics_bound(const struct view *v);
void metrics_tree(const char *path, struct text *t);

/* limits and usage of a device, limits.c. */
int get_limits(const struct view *v, struct text *t);
int get_usage(const struct view *v, struct text *t);
extern const struct verb limits_verbs[];

/* The rows of a directory that objects are made in: clone. */
extern const struct file clone_files[];

/* <dev>/kernel/ */
extern const struct dirtype kernel_dir;

/* The kinds, each in its own file. */
extern const struct kindinfo root_kind, dev_kind, port_kind, pd_kind, mr_kind,
    mw_kind, qp_kind, mem_kind;

#endif
