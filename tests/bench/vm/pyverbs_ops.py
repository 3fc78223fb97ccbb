#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the verbs cost a program in Python: the lines of verbs.c, in pyverbs.

pyverbs_ops.py [DEVICE]: reads lines "OPERATION COUNT [SIZE]" and answers each
with the nanoseconds that all of them took, or with - if it has no such
operation.  A type 2 window is made for each bind, not timed: pyverbs does not
learn the key of a second one.
"""

import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SendWR, SGE

PAGE = 4096
BUFFER = 1 << 20
OBJECTS = 256
DEPTH = 2 * OBJECTS
PORT = 1
REMOTE = e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE
LOCAL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_MW_BIND


def rights(i):
    """Those that differ from those of the one before."""
    return REMOTE if i % 2 else e.IBV_ACCESS_REMOTE_READ


class Bench:
    def __init__(self, device):
        self.context = Context(name=device)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, DEPTH)
        self.qp = QP(self.pd, QPInitAttr(
            qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq,
            cap=QPCap(max_send_wr=DEPTH, max_recv_wr=1)))
        self.connect_to_itself()
        self.mr = MR(self.pd, BUFFER, LOCAL | REMOTE)
        self.mr.write(bytes(BUFFER), BUFFER)    # it has its pages
        self.one = [MW(self.pd, e.IBV_MW_TYPE_1) for i in range(OBJECTS)]
        self.two = []
        self.keys = []
        self.small = []
        self.sized = self.over = None

    def connect_to_itself(self):
        port = self.context.query_port(PORT)
        gids = [self.context.query_gid(PORT, i).gid
                for i in range(port.gid_tbl_len)]
        index = next(i for i, gid in enumerate(gids)
                     if gid.startswith('0000:0000:0000:0000:0000:ffff:'))
        attr = QPAttr(port_num=PORT)
        attr.qp_access_flags = REMOTE | e.IBV_ACCESS_MW_BIND
        attr.path_mtu = port.active_mtu
        attr.dest_qp_num = self.qp.qp_num
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        attr.min_rnr_timer = 12
        attr.timeout = 14
        attr.retry_cnt = attr.rnr_retry = 7
        route = GlobalRoute(dgid=GID(gids[index]), sgid_index=index,
                            hop_limit=64)
        attr.ah_attr = AHAttr(is_global=1, port_num=PORT, gr=route)
        self.qp.to_rts(attr)

    def wait(self):
        while True:
            count, found = self.cq.poll()
            if count:
                if found[0].status != e.IBV_WC_SUCCESS:
                    raise OSError(e.ibv_wc_status(found[0].status).name)
                return

    def post_1(self, window, region, length, access):
        """Without a length it ends the key."""
        self.qp.bind_mw(window, MWBind(
            MWBindInfo(region, region.buf if length else 0, length, access),
            e.IBV_SEND_SIGNALED))
        self.wait()

    # Each of these is timed, but for those that begin with make and drop.

    def reg(self, count, _):
        self.small = [MR(self.pd, PAGE, LOCAL | e.IBV_ACCESS_REMOTE_READ)
                      for i in range(count)]

    def rereg(self, count, _):
        """As verbs.c does it; the memory stays the old one's."""
        for old in self.small[:count]:
            new = MR(self.pd, PAGE, LOCAL | REMOTE, address=old.buf)
            new.close()

    def dereg(self, count, _):
        for region in self.small[:count]:
            region.close()

    def bind_1(self, count, size):
        for window in self.one[:count]:
            self.post_1(window, self.mr, PAGE, REMOTE)

    def end_1(self, count, size):
        for window in self.one[:count]:
            self.post_1(window, self.mr, 0, 0)

    def make_bind_2(self, size):
        self.two = [MW(self.pd, e.IBV_MW_TYPE_2) for i in range(OBJECTS)]
        self.keys = []

    def bind_2(self, count, size):
        for window in self.two[:count]:
            request = SendWR(opcode=e.IBV_WR_BIND_MW, num_sge=0, sg=None,
                             send_flags=e.IBV_SEND_SIGNALED)
            request.set_bind_wr(window, MWBindInfo(
                self.mr, self.mr.buf, PAGE, REMOTE))
            self.qp.post_send(request)
            self.wait()
            self.keys.append(request.rkey)

    def end_2(self, count, size):
        for key in self.keys[:count]:
            # One place in libibverbs, which pyverbs knows by another name.
            self.qp.post_send(SendWR(
                opcode=e.IBV_WR_LOCAL_INV, num_sge=0, sg=None,
                send_flags=e.IBV_SEND_SIGNALED, imm_data=key))
            self.wait()

    def drop_end_2(self):
        for window in self.two:
            window.close()
        self.two = []

    def write(self, count, size):
        for _ in range(count):
            request = SendWR(
                opcode=e.IBV_WR_RDMA_WRITE, num_sge=1,
                sg=[SGE(self.mr.buf, size, self.mr.lkey)],
                send_flags=e.IBV_SEND_SIGNALED)
            request.set_wr_rdma(self.mr.rkey, self.mr.buf)
            self.qp.post_send(request)
            self.wait()

    def make_rights_mw(self, size):
        self.sized = MR(self.pd, size, LOCAL | e.IBV_ACCESS_REMOTE_READ)
        self.over = MW(self.pd, e.IBV_MW_TYPE_1)

    def rights_mw(self, count, size):
        for i in range(count):
            self.post_1(self.over, self.sized, size, rights(i))

    def drop_rights_mw(self):
        self.over.close()
        self.sized.close()

    make_rights_mr = make_rights_mw

    def rights_mr(self, count, size):
        for i in range(count):
            new = MR(self.pd, size, LOCAL | rights(i),
                     address=self.sized.buf)
            new.close()

    drop_rights_mr = drop_rights_mw

    def timed(self, name, count, size):
        getattr(self, 'make_' + name, lambda size: None)(size)
        run = getattr(self, name)
        begin = time.monotonic_ns()
        run(count, size)
        spent = time.monotonic_ns() - begin
        getattr(self, 'drop_' + name, lambda: None)()
        return spent


OPERATIONS = {'reg', 'rereg', 'dereg', 'bind_1', 'end_1', 'bind_2', 'end_2',
              'write', 'rights_mw', 'rights_mr'}


def main():
    bench = Bench(sys.argv[1] if len(sys.argv) > 1 else 'rxe0')
    for line in sys.stdin:
        name, count, *size = line.split()
        if name in OPERATIONS:
            print(bench.timed(name, int(count), int(size[0]) if size else PAGE),
                  flush=True)
        else:
            print('-', 'not in pyverbs', flush=True)


if __name__ == '__main__':
    main()
