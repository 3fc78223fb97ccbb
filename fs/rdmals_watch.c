/* SPDX-License-Identifier: MIT */
/* rdmals -w: shows again when something has changed; see rdmals.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "rdmals.h"

#define POLL_MS   2000 /* where there is no events to wait for */
#define GATHER_MS 100 /* what comes together is shown together */

struct watcher {
	struct pollfd signals, events; /* an fd of -1: there is none */
	bool terminal;
};

void
look_size(struct look *look)
{
	struct winsize size;

	if (ioctl(fileno(stdout), TIOCGWINSZ, &size) == 0) {
		look->width = size.ws_col;
		look->height = size.ws_row;
	}
}

/* The signals that end it come as a file, so that no block is torn. */
static int
watcher_init(struct watcher *w, const char *mount)
{
	sigset_t set;
	char *name;

	w->terminal = isatty(fileno(stdout)) == 1;
	w->signals.fd = w->events.fd = -1;
	w->signals.events = w->events.events = POLLIN;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 ||
	    (w->signals.fd = signalfd(-1, &set, SFD_CLOEXEC)) < 0 ||
	    asprintf(&name, "%s/events", mount) < 0) {
		complain(NULL, "watching: %s", strerror(errno));
		return -1;
	}
	w->events.fd = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	free(name);
	return 0;
}

/* Reads events empty; one that ends instead is none that can be waited for. */
static void
events_drain(struct watcher *w)
{
	char buf[16384];
	ssize_t n;

	do
		n = read(w->events.fd, buf, sizeof(buf));
	while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0 && errno == EAGAIN)
		return;
	close(w->events.fd);
	w->events.fd = -1;
}

/* Until something may have changed; false: it is to end. */
static bool
watcher_wait(struct watcher *w)
{
	struct pollfd fds[2];
	int n, ms;

	fds[0] = w->signals;
	fds[1] = w->events;
	/* An age goes on without an event, on a terminal. */
	ms = w->events.fd < 0 || w->terminal ? POLL_MS : -1;
	do
		n = poll(fds, 2, ms);
	while (n < 0 && errno == EINTR);
	if (fds[0].revents != 0)
		return false;
	if (n > 0 && fds[1].revents != 0) {
		if (poll(fds, 1, GATHER_MS) > 0)
			return false;
		events_drain(w);
	}
	return true;
}

/* As many lines as a terminal has room for, and how many are left out. */
static void
print_lines(const char *text, unsigned height)
{
	unsigned n = 0, left = 0;
	const char *s, *end = text;

	for (s = text; *s != '\0'; s++) {
		if (*s != '\n')
			continue;
		n++;
		if (height == 0 || n + 2 <= height)
			end = s + 1;
		else
			left++;
	}
	(void)fwrite(text, 1, (size_t)(end - text), stdout);
	if (left > 0)
		printf("... %u more", left);
}

/* One time; *sum tells whether there is something new. */
static int
watch_show(struct watcher *w, struct query *q, struct look *look, show_fn show,
    uint64_t *sum, bool *some)
{
	char *text = NULL;
	size_t size = 0;
	int ret;

	look_size(look);
	look->now = time(NULL);
	if ((look->out = open_memstream(&text, &size)) == NULL)
		return -1;
	ret = show(q, look);
	if (fclose(look->out) != 0)
		ret = -1;
	if (ret == 0 && (w->terminal || !*some || q->sum != *sum)) {
		if (w->terminal)
			fputs("\033[H\033[2J", stdout);
		else if (*some)
			fputc('\n', stdout);
		print_lines(text, w->terminal ? look->height : 0);
		*some = true;
		*sum = q->sum;
	}
	free(text);
	if (fflush(stdout) != 0) {
		complain(q, "standard output: %s", strerror(errno));
		ret = -1;
	}
	return ret;
}

int
watch(struct query *q, struct look *look, show_fn show)
{
	struct watcher w = { .terminal = false };
	uint64_t sum = 0;
	bool some = false;
	int ret = -1;

	if (watcher_init(&w, q->mount) < 0)
		return 1;
	do
		ret = watch_show(&w, q, look, show, &sum, &some);
	while (ret == 0 && !q->trouble && watcher_wait(&w));
	if (w.terminal)
		putchar('\n');
	if (w.events.fd >= 0)
		close(w.events.fd);
	close(w.signals.fd);
	return ret == 0 && !q->trouble ? 0 : 1;
}
