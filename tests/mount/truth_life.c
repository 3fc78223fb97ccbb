/* SPDX-License-Identifier: MIT */
/* Objects that come and go, and what goes with them. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "truth.h"

#define GOES_SECONDS 30 /* a clone, after the last close */

/* A window that comes, is bound and goes again: by rmdir, by destroy. */
void
change_life(struct truth *t)
{
	make("%s/mw/x", t->near);
	see_there(t, true, "%s/mw/x", t->near);
	see_window(t, "x", NULL);
	see_all(t, PD, "%s", t->near);
	judge(t);
	bind_window(t, "x", "remote_read");
	see_region(t, t->near, t->region);
	see_window(t, "x", t->region);
	judge(t);
	if (t->round % 2)
		unmake("%s/mw/x", t->near);
	else
		put("destroy\n", "%s/mw/x/ctl", t->near);
	see_there(t, false, "%s/mw/x", t->near);
	see(t, "%s/mw/x/status", t->near);
	see_region(t, t->near, t->region);
	see_all(t, PD, "%s", t->near);
	see(t, "%s/mw", t->near);
	judge(t);
}

/* A region goes and unbinds a window. */
void
change_region_end(struct truth *t)
{
	char line[] = "bind y remote_read\n";

	make("%s/mr/y", t->near);
	put("reg 4K local_write mw_bind\n", "%s/mr/y/ctl", t->near);
	put(line, "%s/mw/%s/ctl", t->near, t->window);
	put("destroy\n", "%s/mr/y/ctl", t->near);
	see_there(t, false, "%s/mr/y", t->near);
	see_window(t, t->window, NULL);
	see_all(t, PD, "%s", t->near);
	judge(t);
}

static void
wait_gone(struct truth *t, const char *path)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const time_t end = time(NULL) + GOES_SECONDS;
	struct stat st;

	while (lstat(path, &st) == 0) {
		if (time(NULL) > end) {
			stale(t, path, "it stays");
			return;
		}
		nanosleep(&pause, NULL);
	}
}

void
change_clone(struct truth *t)
{
	char path[256], name[16], line[200];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/mw/clone", t->near);
	if ((fd = open(path, O_RDWR)) < 0 ||
	    (n = read(fd, name, sizeof(name) - 1)) <= 1)
		err(2, "%s", path);
	name[n - 1] = '\0';
	see_there(t, true, "%s/mw/%s", t->near, name);
	see_all(t, PD, "%s", t->near);
	judge(t);
	snprintf(line, sizeof(line), "bind %s remote_read\n", t->region);
	if (write(fd, line, strlen(line)) < 0)
		err(2, "%s", path);
	see_window(t, name, t->region);
	see_region(t, t->near, t->region);
	judge(t);
	close(fd);
	snprintf(path, sizeof(path), "%s/mw/%s", t->near, name);
	wait_gone(t, path);
	see_there(t, false, "%s", path);
	see_region(t, t->near, t->region);
	see_all(t, PD, "%s", t->near);
	judge(t);
}

/* A real device frees the window soon behind its key's end, and its status says
 * so meanwhile. */
static void
await_idle(const char *status)
{
	char buf[512];
	unsigned idle = 0;
	ssize_t n;
	int fd;

	while (idle < 5) {
		usleep(2000);
		if ((fd = open(status, O_RDONLY)) < 0 ||
		    (n = read(fd, buf, sizeof(buf) - 1)) < 0)
			err(2, "%s", status);
		close(fd);
		buf[n] = '\0';
		idle = strstr(buf, " busy=") == NULL ? idle + 1 : 0;
	}
}

/*
 * The peer ends the key of v.  In turn another process sends, and who waits
 * for the completion looks; or who has sent looks.
 */
void
change_by_peer(struct truth *t)
{
	char path[256], key[32], line[200], entry[256];
	ssize_t n;
	int fd;

	bind_window(t, "v", "0 4096 remote_write qp=q");
	snprintf(path, sizeof(path), "%s/mw/v/rkey", t->near);
	word(key, sizeof(key), path);
	snprintf(line, sizeof(line), "recv %s 0 64\n", t->region);
	put(line, "%s/qp/q/ctl", t->near);
	snprintf(path, sizeof(path), "%s/qp/q/wc", t->near);
	if ((fd = open(path, O_RDWR)) < 0)
		err(2, "%s", path);
	snprintf(path, sizeof(path), "%s/qp/q/ctl", t->far);
	snprintf(line, sizeof(line), "send r 0 0 invalidate=%s\n", key);
	if (t->round % 2)
		helper_put(t, line, path);
	else
		put(line, "%s", path);
	/* The bind's own completion may be told first. */
	do {
		if ((n = read(fd, entry, sizeof(entry) - 1)) <= 0)
			err(2, "%s/qp/q/wc", t->near);
		entry[n] = '\0';
	} while (strstr(entry, " recv ") == NULL);
	snprintf(path, sizeof(path), "%s/mw/v/status", t->near);
	if (strstr(path, "/soft") == NULL)
		await_idle(path);
	if (t->round % 2)
		t->ask = -1; /* the helper may be at it still */
	see_window(t, "v", NULL);
	see_region(t, t->near, t->region);
	see_all(t, QP, "%s/qp/q", t->near);
	if (t->round % 2)
		helper_wait(t);
	judge(t);
	close(fd);
}

void
join(const char *one, const char *two)
{
	char path[256], line[300];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/qp/q/local", two);
	n = snprintf(line, sizeof(line), "connect ");
	if ((fd = open(path, O_RDONLY)) < 0 ||
	    read(fd, line + n, sizeof(line) - 1 - (size_t)n) <= 0)
		err(2, "%s", path);
	close(fd);
	*(strchr(line, '\n') + 1) = '\0';
	put(line, "%s/qp/q/ctl", one);
}

void
change_qp(struct truth *t)
{
	put("remote_read\n", "%s/qp/q/rights", t->near);
	see_all(t, QP, "%s/qp/q", t->near);
	judge(t);
	put("remote_read remote_write mw_bind\n", "%s/qp/q/rights", t->near);
	bind_window(t, "v", "0 4096 remote_write qp=q");
	see_all(t, QP, "%s/qp/q", t->near);
	judge(t);
	put("reset\n", "%s/qp/q/ctl", t->near);
	see_window(t, "v", NULL);
	see_all(t, QP, "%s/qp/q", t->near);
	judge(t);
	put("reset\n", "%s/qp/q/ctl", t->far);
	join(t->near, t->far);
	see_all(t, QP, "%s/qp/q", t->near);
	judge(t);
	join(t->far, t->near);
}

void
change_all_invalid(struct truth *t)
{
	bind_window(t, t->window, "remote_read");
	bind_window(t, "v", "0 4096 remote_write qp=q");
	put("invalidate\n", "%s/ctl", t->near);
	see_window(t, t->window, NULL);
	see_window(t, "v", NULL);
	see_region(t, t->near, t->region);
	judge(t);
}

void
change_domain(struct truth *t)
{
	make("%s-too", t->near);
	make("%s-too/mw/w", t->near);
	see_there(t, true, "%s-too", t->near);
	see_there(t, true, "%s-too/mw/w", t->near);
	see_all(t, PD, "%s-too", t->near);
	judge(t);
	put("destroy\n", "%s-too/ctl", t->near);
	see_there(t, false, "%s-too", t->near);
	see(t, "%s-too/mw/w/status", t->near);
	judge(t);
}
