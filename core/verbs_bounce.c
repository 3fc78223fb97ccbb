/* SPDX-License-Identifier: MIT */
/*
 * Registered memory of a domain's, in pieces, through which requests move
 * the daemon's own: devices reach nothing that is not registered.  Knows
 * nothing of queue pairs.
 */
#include <errno.h>
#include <strings.h>
#include <sys/mman.h>

#include "verbs_impl.h"

#define PIECES 16
#define SIZE   ((size_t)PIECES * BOUNCE_PIECE)

void
bounce_init(struct bounce *bn)
{
	(void)pthread_mutex_init(&bn->lock, NULL);
}

int
bounce_fini(struct bounce *bn, struct err *e)
{
	int r;

	if (bn->mr != NULL) {
		if ((r = ibv_dereg_mr(bn->mr)) != 0)
			return verbs_fail(e, r, "ibv_dereg_mr");
		(void)munmap(bn->map, SIZE);
		bn->mr = NULL; /* made again if its domain stays */
	}
	return 0;
}

static bool
is_made(struct bounce *bn)
{
	bool made;

	pthread_mutex_lock(&bn->lock);
	made = bn->mr != NULL;
	pthread_mutex_unlock(&bn->lock);
	return made;
}

int
bounce_make(struct bounce *bn, struct ibv_pd *pd, struct err *e)
{
	struct ibv_mr *mr;
	char *map;
	int code;

	if (is_made(bn))
		return 0;
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return fail(e, ENOMEM,
		    "no memory to move data through: "
		    "need=%zu",
		    SIZE);
	if ((mr = ibv_reg_mr(pd, map, SIZE, IBV_ACCESS_LOCAL_WRITE)) == NULL) {
		code = errno;
		(void)munmap(map, SIZE);
		return fail(e, code != 0 ? code : EIO,
		    "ibv_reg_mr: no memory to move data through can be "
		    "registered: need=%zu",
		    SIZE);
	}
	pthread_mutex_lock(&bn->lock);
	bn->mr = mr;
	bn->map = map;
	bn->free = (1u << PIECES) - 1;
	pthread_mutex_unlock(&bn->lock);
	return 0;
}

int
bounce_take(struct bounce *bn, char **piece, uint32_t *lkey)
{
	int i, r = 0;

	pthread_mutex_lock(&bn->lock);
	if (bn->mr == NULL) {
		r = -ENXIO;
	} else if (bn->free == 0) {
		bn->wanted = true;
		r = -EAGAIN;
	} else {
		i = ffs((int)bn->free) - 1;
		bn->free &= ~(1u << i);
		*piece = bn->map + (size_t)i * BOUNCE_PIECE;
		*lkey = bn->mr->lkey;
	}
	pthread_mutex_unlock(&bn->lock);
	return r;
}

bool
bounce_give(struct bounce *bn, char *piece)
{
	bool wanted;

	pthread_mutex_lock(&bn->lock);
	bn->free |= 1u << (piece - bn->map) / BOUNCE_PIECE;
	wanted = bn->wanted;
	bn->wanted = false;
	pthread_mutex_unlock(&bn->lock);
	return wanted;
}
