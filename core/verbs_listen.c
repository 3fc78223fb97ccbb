/* SPDX-License-Identifier: MIT */
/*
 * The thread that waits for a device's completions and events.  Knows who has
 * some, not what they mean.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "verbs_impl.h"

/*
 * Handles one event.  It is acknowledged last: ibv_destroy_cq(3) waits for
 * that, so the queue stays while it is drained.
 */
static int
serve_event(struct verbs_dev *d)
{
	int (*drain)(struct cq_owner *);
	struct cq_owner *owner;
	struct ibv_cq *cq;
	void *context;
	int r;

	if (ibv_get_cq_event(d->channel, &cq, &context) != 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	owner = context;
	pthread_mutex_lock(&d->lock); /* only then is its making over */
	drain = owner->drain;
	pthread_mutex_unlock(&d->lock);
	r = drain(owner);
	ibv_ack_cq_events(cq, 1);
	return r;
}

/* Serves what fd has; one that will have nothing any more is not waited for. */
static int
listener_serve(
    struct verbs_dev *d, struct pollfd *fd, int (*serve)(struct verbs_dev *d))
{
	int r;

	if (fd->revents == 0)
		return 0;
	pthread_mutex_lock(&d->serving);
	r = serve(d);
	pthread_mutex_unlock(&d->serving);
	if (r < 0)
		fd->fd = -1;
	return r;
}

/* Returns whether it is to end. */
static bool
listener_woken(struct verbs_dev *d)
{
	eventfd_t count;
	bool stop;

	(void)eventfd_read(d->wake, &count);
	pthread_mutex_lock(&d->lock);
	stop = d->stop;
	pthread_mutex_unlock(&d->lock);
	if (!stop) {
		bindqs_serve(d);
		qps_serve(d);
	}
	return stop;
}

static void *
listener_main(void *arg)
{
	struct verbs_dev *d = arg;
	struct pollfd fds[] = {
		{ .fd = d->wake, .events = POLLIN },
		{ .fd = d->channel->fd, .events = POLLIN },
		{ .fd = d->ctx->async_fd, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, 3, -1) < 0)
			continue;
		if (fds[0].revents != 0 && listener_woken(d))
			return NULL;
		(void)listener_serve(d, &fds[2], events_serve);
		if (listener_serve(d, &fds[1], serve_event) == 0)
			continue;
		bindq_abort(d); /* no completion will ever come again (D16) */
		qps_abort(d);
	}
}

/* Signals are for the threads of the program, not for this one. */
static int
listener_run(struct verbs_dev *d)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&d->listener, NULL, listener_main, d);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	d->listening = r == 0;
	return r;
}

static int
nonblocking(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int
listener_start(struct verbs_dev *d, struct err *e)
{
	int r;

	if ((d->channel = ibv_create_comp_channel(d->ctx)) == NULL)
		return verbs_fail(e, errno, "ibv_create_comp_channel");
	if (nonblocking(d->channel->fd) < 0 ||
	    nonblocking(d->ctx->async_fd) < 0)
		return verbs_fail(e, errno, "O_NONBLOCK on a verbs descriptor");
	if ((d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
		return verbs_fail(e, errno, "eventfd");
	if ((r = listener_run(d)) != 0)
		return verbs_fail(e, r, "pthread_create");
	return 0;
}

void
listener_wake(struct verbs_dev *d)
{
	(void)eventfd_write(d->wake, 1);
}

void
listener_stop(struct verbs_dev *d)
{
	if (d->listening) {
		pthread_mutex_lock(&d->lock);
		d->stop = true;
		pthread_mutex_unlock(&d->lock);
		listener_wake(d);
		(void)pthread_join(d->listener, NULL);
	}
	if (d->wake >= 0)
		(void)close(d->wake);
	if (d->channel != NULL)
		(void)ibv_destroy_comp_channel(d->channel);
}
