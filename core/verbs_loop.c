/* SPDX-License-Identifier: MIT */
/*
 * Connects a queue pair to itself.  Such a one binds windows on every device
 * and needs no peer.
 */
#include <string.h>

#include "verbs_impl.h"

int
loop_connect(struct ibv_qp *qp, unsigned ports, struct err *e)
{
	struct qp_addr self = { .qpn = qp->qp_num };
	struct conn c;
	int r;

	/* A port that is down will do, for a bind sends nothing. */
	if ((r = conn_find(qp->context, ports, 0, -1, &c, e)) < 0)
		return r;
	memcpy(self.gid.raw, c.gid.raw, sizeof(self.gid.raw));
	self.lid = c.attr.lid;
	return conn_up(qp, &c, 0, &self, IBV_ACCESS_MW_BIND, e);
}
