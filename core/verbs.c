/* SPDX-License-Identifier: MIT */
/*
 * The device kind "verbs": its table, opening and closing, protection domains,
 * and the names of the devices that there are.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs.h"
#include "verbs_impl.h"

/* The bits of rights go to the verbs as they are. */
static_assert(RIGHT_LOCAL_WRITE == IBV_ACCESS_LOCAL_WRITE &&
		  RIGHT_REMOTE_WRITE == IBV_ACCESS_REMOTE_WRITE &&
		  RIGHT_REMOTE_READ == IBV_ACCESS_REMOTE_READ &&
		  RIGHT_REMOTE_ATOMIC == IBV_ACCESS_REMOTE_ATOMIC &&
		  RIGHT_MW_BIND == IBV_ACCESS_MW_BIND &&
		  RIGHT_ZERO_BASED == IBV_ACCESS_ZERO_BASED &&
		  RIGHT_ON_DEMAND == IBV_ACCESS_ON_DEMAND &&
		  RIGHT_HUGETLB == IBV_ACCESS_HUGETLB &&
		  RIGHT_RELAXED_ORDERING == IBV_ACCESS_RELAXED_ORDERING &&
		  RIGHT_OPTIONAL == IBV_ACCESS_OPTIONAL_RANGE,
    "rights differ from enum ibv_access_flags");

static void
names_copy(struct ibv_device **list, int count, char **names, size_t *n)
{
	while ((int)*n < count &&
	       (names[*n] = strdup(ibv_get_device_name(list[*n]))) != NULL)
		++*n;
}

int
verbs_names(char ***names, size_t *n, struct err *e)
{
	struct ibv_device **list;
	int count, r = 0;

	*names = NULL;
	*n = 0;
	if ((list = ibv_get_device_list(&count)) == NULL) {
		r = errno;
		if (r == ENOSYS || r == ENOENT) /* the kernel has no RDMA */
			return 0;
		return verbs_fail(e, r, "ibv_get_device_list");
	}
	*names = calloc((size_t)count + 1, sizeof(**names));
	if (*names != NULL)
		names_copy(list, count, *names, n);
	if ((int)*n < count) {
		verbs_names_free(*names, *n);
		r = fail(e, ENOMEM, "no memory for %d device names", count);
	}
	ibv_free_device_list(list);
	return r;
}

void
verbs_names_free(char **names, size_t n)
{
	size_t i;

	if (names == NULL)
		return;
	for (i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static struct ibv_device *
device_named(struct ibv_device **list, const char *name)
{
	for (; *list != NULL; list++)
		if (strcmp(ibv_get_device_name(*list), name) == 0)
			return *list;
	return NULL;
}

static int
context_open(struct ibv_context **ctx, const char *name, struct err *e)
{
	struct ibv_device **list, *dev;
	int r = 0;

	if ((list = ibv_get_device_list(NULL)) == NULL) {
		r = errno;
		if (r == ENOSYS || r == ENOENT)
			return fail(e, ENODEV,
			    "there is no RDMA device named %s, and this kernel "
			    "has no RDMA",
			    name);
		return verbs_fail(e, r, "ibv_get_device_list");
	}
	if ((dev = device_named(list, name)) == NULL)
		r = fail(e, ENODEV, "there is no RDMA device named %s", name);
	else if ((*ctx = ibv_open_device(dev)) == NULL)
		r = verbs_fail(e, errno, "ibv_open_device");
	ibv_free_device_list(list);
	return r;
}

static void
dev_free(struct verbs_dev *d)
{
	listener_stop(d);
	if (d->ctx != NULL)
		(void)ibv_close_device(d->ctx);
	(void)pthread_mutex_destroy(&d->lock);
	(void)pthread_mutex_destroy(&d->serving);
	free(d);
}

static void
verbs_close(struct backend *b)
{
	dev_free(b->priv);
}

static int
verbs_open(struct backend *b, const char *name, struct err *e)
{
	struct verbs_dev *d;
	int r;

	if ((d = calloc(1, sizeof(*d))) == NULL)
		return fail(e, ENOMEM, "no memory for device %s", name);
	d->wake = -1;
	(void)pthread_mutex_init(&d->serving, NULL);
	(void)pthread_mutex_init(&d->lock, NULL);
	TAILQ_INIT(&d->qps);
	LIST_INIT(&d->queues);
	if ((r = context_open(&d->ctx, name, e)) < 0 ||
	    (r = verbs_describe(d->ctx, &b->info, e)) < 0 ||
	    (r = listener_start(d, e)) < 0) {
		dev_free(d);
		return r;
	}
	b->priv = d;
	return 0;
}

static int
verbs_pd_alloc(struct backend *b, struct bk_pd **out, struct err *e)
{
	struct verbs_dev *d = b->priv;
	struct bk_pd *pd;
	int r;

	if ((pd = calloc(1, sizeof(*pd))) == NULL)
		return fail(e, ENOMEM, "no memory for a protection domain");
	if ((pd->pd = ibv_alloc_pd(d->ctx)) == NULL) {
		r = errno;
		free(pd);
		return verbs_alloc_fail(
		    e, r, "ibv_alloc_pd", "max_pd", b->info.max_pd);
	}
	(void)pthread_mutex_init(&pd->lock, NULL);
	bounce_init(&pd->bounce);
	*out = pd;
	return 0;
}

static int
verbs_pd_free(struct backend *b, struct bk_pd *pd, struct err *e)
{
	int r;

	if (pd->binds != NULL) {
		if ((r = bindq_free(pd->binds, e)) < 0)
			return r;
		pd->binds = NULL; /* made again if the next verb fails */
	}
	if ((r = bounce_fini(&pd->bounce, e)) < 0) /* and so is that */
		return r;
	if ((r = ibv_dealloc_pd(pd->pd)) != 0)
		return verbs_fail(e, r, "ibv_dealloc_pd");
	(void)pthread_mutex_destroy(&pd->lock);
	free(pd);
	return 0;
}

const struct backend_ops verbs_ops = {
	.kind = "verbs",
	.open = verbs_open,
	.close = verbs_close,
	.port_query = verbs_port_query,
	.gid_query = verbs_gid_query,
	.watch = verbs_watch,
	.pd_alloc = verbs_pd_alloc,
	.pd_free = verbs_pd_free,
	.mr_reg = verbs_mr_reg,
	.mr_rereg = verbs_mr_rereg,
	.mr_dereg = verbs_mr_dereg,
	.mw_alloc = verbs_mw_alloc,
	.mw_free = verbs_mw_free,
	.mw_bind = verbs_mw_bind,
	.mw_invalidate = verbs_mw_invalidate,
	.mw_flush = verbs_mw_flush,
	.qp_create = verbs_qp_create,
	.qp_destroy = verbs_qp_destroy,
	.qp_connect = verbs_qp_connect,
	.qp_rights = verbs_qp_rights,
	.qp_state = verbs_qp_state,
	.qp_post = verbs_qp_post,
	.qp_recv = verbs_qp_recv,
};
