/* SPDX-License-Identifier: MIT */
/* One mounted tree: the world of objects and what the files need beside. */
#ifndef FS_FS_H
#define FS_FS_H

#include <sys/queue.h>

#include "../core/keeper.h"
#include "../core/obj.h"
#include "commands.h"
#include "errlog.h"
#include "events.h"
#include "messages.h"

struct handle;

struct fs {
	struct world world;
	struct errlog errlog;
	struct events events;
	struct commands commands;
	struct messages requests, notifications; /* the kernel's, and to it */
	struct keeper keeper; /* world.keeper, if there is one */
	atomic_int keeper_fd; /* of the session; -1: it is over */
	LIST_HEAD(, handle) handles; /* open files; world.lock */
	/* One line for each command; NULL: nobody listens (-d). */
	void (*trace)(void *arg, const char *line);
	void *trace_arg;
};

#endif
