/* SPDX-License-Identifier: MIT */
/*
 * Descriptors out of another process: whether it may hand one over, and the
 * handing over.  Knows nothing of what the descriptor is good for.
 */
#ifndef FS_PEER_H
#define FS_PEER_H

#include <sys/types.h>

#include "../core/err.h"

/*
 * Takes descriptor n out of the process that is writing, pidfd_getfd(2).
 * Takes: tid, the thread that FUSE names as the writer (0: it lives in
 * another pid namespace); uid and gid of whoever opened the file, because it
 * is the opener's authority that counts.  The process must be wholly the
 * opener's, or a program with more rights that was handed the open file could
 * be made to give away what it alone may open: every uid and gid, no
 * capability (unless uid is 0), and /proc/PID/mem, which stops to be the
 * user's when a program has changed its identity (PR_SET_DUMPABLE in
 * prctl(2)).
 * Returns a descriptor with FD_CLOEXEC, the caller's, or with arg "fd"
 * -EACCES, -EINVAL if n is not open there, -EMFILE, -ENFILE, -ENOMEM.
 */
int peer_fd(pid_t tid, int n, uid_t uid, gid_t gid, struct err *e);

#endif
