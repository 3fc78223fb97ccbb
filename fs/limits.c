/* SPDX-License-Identifier: MIT */
/* <dev>/limits and usage: what each user may have and has of a device. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "script.h"
#include "tree.h"

/* "mr=10" with a blank before it. */
static void
add_word(struct text *t, enum limit what, uint64_t n)
{
	text_printf(t, " %s=", name_of(limit_names, what));
	if (n == LIMIT_MAX)
		text_puts(t, "max");
	else
		text_printf(t, "%" PRIu64, n);
}

/* Those of set, behind who they are for. */
static void
add_limits(struct text *t, const uint64_t most[LIMITS], unsigned set)
{
	unsigned i;

	for (i = 0; i < LIMITS; i++)
		if (set & 1u << i)
			add_word(t, (enum limit)i, most[i]);
	text_puts(t, "\n");
}

/* The user behind u, by uid; NULL: there is none. */
static struct limit_user *
user_next(struct limits *l, const struct limit_user *u)
{
	return u->uid == UINT32_MAX ? NULL : limits_from(l, u->uid + 1);
}

int
get_limits(const struct view *v, struct text *t)
{
	struct limits *l = &dev_of(v->o)->limits;
	struct limit_user *u;

	text_puts(t, "default");
	add_limits(t, l->most, ~0u);
	for (u = limits_from(l, 0); u != NULL; u = user_next(l, u)) {
		if (u->set == 0)
			continue;
		text_printf(t, "%u", u->uid);
		add_limits(t, u->most, u->set);
	}
	return 0;
}

static void
add_usage(struct text *t, const struct limit_user *u)
{
	static const enum limit order[] = { LIMIT_PD, LIMIT_MR, LIMIT_MW,
		LIMIT_QP, LIMIT_BYTES };
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < LIMITS; i++)
		sum |= u->use[i];
	if (sum == 0)
		return;
	text_printf(t, "%u", u->uid);
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		add_word(t, order[i], u->use[order[i]]);
	text_puts(t, "\n");
}

/* One's own line; root sees all. */
int
get_usage(const struct view *v, struct text *t)
{
	struct limits *l = &dev_of(v->o)->limits;
	const uid_t uid = v->cred->uid;
	struct limit_user *u = limits_from(l, uid);

	if (uid != 0) {
		if (u != NULL && u->uid == uid)
			add_usage(t, u);
		return 0;
	}
	for (; u != NULL; u = user_next(l, u))
		add_usage(t, u);
	return 0;
}

/* Fills in what the line says of one limit. */
static void
change_add(
    struct limit_change *c, const struct cmd *cmd, const struct name *what)
{
	const char *str = cmd_str(cmd, what->name);

	if (str == NULL)
		return;
	if (strcmp(str, "default") == 0)
		c->unset |= 1u << what->value;
	else
		c->set |= 1u << what->value;
	c->most[what->value] = cmd_num(cmd, what->name, 0);
}

static int
run_limit(struct call *c)
{
	struct limits *l = &dev_of(c->op.obj)->limits;
	const uint64_t who = cmd_num(c->cmd, "who", 0);
	struct limit_change change = { 0 };
	const struct name *n;
	int r = 0;

	for (n = limit_names; n->name != NULL; n++)
		change_add(&change, c->cmd, n);
	if (change.set == 0 && change.unset == 0)
		return fail(&c->op.err, EINVAL,
		    "no limit is given: mr= mw= qp= pd= bytes=");
	if (who == OWNER_DEFAULT && change.unset != 0)
		return fail(&c->op.err, EINVAL,
		    "nothing stands behind the default: max is no limit");
	world_lock(c->op.obj->world);
	if (who == OWNER_DEFAULT)
		limits_set_default(l, &change);
	else
		r = limits_set(l, (uid_t)who, &change, &c->op.err);
	world_unlock(c->op.obj->world);
	return r;
}

const struct verb limits_verbs[] = {
	{ "limit",
	    "who:owner [mr=limit] [mw=limit] [qp=limit] [pd=limit] "
	    "[bytes=limit]",
	    run_limit, "the default, or what one user may have" },
	{ NULL, NULL, NULL, NULL },
};
