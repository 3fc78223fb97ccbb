/* SPDX-License-Identifier: MIT */
/* What joins soft devices: a lock, a list and threads; see softfabric.h. */
#include <assert.h>
#include <stdlib.h>

#include "softobj.h"

#define THREADS 4 /* that move data */

struct fabric *
fabric_new(void)
{
	struct fabric *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	if ((f->pool = pool_new(THREADS)) == NULL) {
		free(f);
		return NULL;
	}
	(void)pthread_mutex_init(&f->lock, NULL);
	(void)pthread_cond_init(&f->moved, NULL);
	(void)pthread_cond_init(&f->unused, NULL);
	LIST_INIT(&f->devices);
	TAILQ_INIT(&f->movers);
	return f;
}

void
fabric_free(struct fabric *f)
{
	if (f == NULL)
		return;
	assert(LIST_EMPTY(&f->devices) && TAILQ_EMPTY(&f->movers));
	pool_free(f->pool);
	(void)pthread_cond_destroy(&f->unused);
	(void)pthread_cond_destroy(&f->moved);
	(void)pthread_mutex_destroy(&f->lock);
	free(f);
}
