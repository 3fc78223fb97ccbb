#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A peer that has nothing of rdmafs in it: one RC queue pair of pyverbs.

peer.py [DEVICE]: reads commands, one a line, and answers each with one line:
"ok" and what there is to say, the status of a bad completion as libibverbs
names it in lower case ("rem_access_err"), or "fail" and why nothing was sent.
Before the first command it answers with its address.

    connect qpn=N psn=N gid=GID [lid=N] [mtu=N]    ok
    write ADDR RKEY TEXT                           ok
    read ADDR RKEY LENGTH                          ok TEXT
    fetch_add ADDR RKEY VALUE                      ok OLD
    send TEXT | send_imm IMM TEXT                  ok
    send_inv TEXT RKEY                             ok
    recv                                           ok, a receive is posted
    wait          for one    ok bytes=N [imm=N] [invalidated=RKEY] text=TEXT
    buffer [TEXT] its own    ok addr=ADDR rkey=RKEY length=N text=TEXT
    bind RIGHT...            ok rkey=RKEY, of a type 2 window on that buffer
    reset                    ok ADDRESS, of another queue pair
    quit

An address is "qpn=N psn=N gid=GID mtu=N", what connect of the other side
takes.  In a TEXT what is not printable is \\xNN; blanks at its end are lost.
"""

import random
import socket
import struct
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SendWR, SGE

SIZE = 4096         # of the buffer, and of each part of the scratch memory
OUT, IN, RECV = 0, SIZE, 2 * SIZE    # the parts: sent, read, received
PATIENCE = 30       # seconds until a completion that does not come is given up
PORT = 1
MTU = {256: e.IBV_MTU_256, 512: e.IBV_MTU_512, 1024: e.IBV_MTU_1024,
       2048: e.IBV_MTU_2048, 4096: e.IBV_MTU_4096}
RIGHTS = {'remote_read': e.IBV_ACCESS_REMOTE_READ,
          'remote_write': e.IBV_ACCESS_REMOTE_WRITE,
          'remote_atomic': e.IBV_ACCESS_REMOTE_ATOMIC}
ALL = e.IBV_ACCESS_LOCAL_WRITE | sum(RIGHTS.values())
# soft-RoCE hands out the kernel's IB_WC_WITH_INVALIDATE, a bit that libibverbs
# has another name for; that one means nothing in what RC receives.
INVALIDATED = e.IBV_WC_WITH_INV | e.IBV_WC_IP_CSUM_OK


class Bad(Exception):
    """A completion that is not good; its text is the status."""


def printable(data):
    return ''.join(chr(c) if 32 <= c < 127 and c != 92 else f'\\x{c:02x}'
                   for c in data)


def number(text):
    return int(text, 0)


def completion(cq):
    """The next one of a completion queue."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        count, found = cq.poll()
        if count:
            status = found[0].status
            if status != e.IBV_WC_SUCCESS:
                name = e.ibv_wc_status(status).name
                raise Bad(name.replace('IBV_WC_', '').lower())
            return found[0]
        time.sleep(0.001)
    raise Bad('no_completion')


class Peer:
    def __init__(self, device):
        self.context = Context(name=device)
        self.pd = PD(self.context)
        self.scratch = MR(self.pd, 3 * SIZE, e.IBV_ACCESS_LOCAL_WRITE)
        self.buffer = MR(self.pd, SIZE, ALL | e.IBV_ACCESS_MW_BIND)
        self.buffer.write(bytes(SIZE), SIZE)
        self.gid_index, self.gid = self.find_gid()
        port = self.context.query_port(PORT)
        self.mtu = next(m for m, v in MTU.items() if v == port.active_mtu)
        self.window = None
        self.make()

    def find_gid(self):
        """The first that is an IPv4 address, with which RoCE v2 goes."""
        length = self.context.query_port(PORT).gid_tbl_len
        for index in range(length):
            gid = self.context.query_gid(PORT, index).gid
            if gid.startswith('0000:0000:0000:0000:0000:ffff:'):
                return index, gid
        raise LookupError('no IPv4 GID')

    def make(self):
        self.psn = random.getrandbits(24)
        self.send_cq = CQ(self.context, 16)
        self.recv_cq = CQ(self.context, 16)
        self.qp = QP(self.pd, QPInitAttr(
            qp_type=e.IBV_QPT_RC, scq=self.send_cq, rcq=self.recv_cq,
            cap=QPCap(max_send_wr=8, max_recv_wr=8)))

    def address(self):
        return (f'qpn={self.qp.qp_num} psn={self.psn} gid={self.gid} '
                f'mtu={self.mtu}')

    def post(self, opcode, length=0, part=OUT, **more):
        """Sends a request and waits for its completion; the callers of
        requests that name the peer's memory give its address and key."""
        sge = SGE(self.scratch.buf + part, length, self.scratch.lkey)
        request = SendWR(opcode=opcode, num_sge=1, sg=[sge],
                         send_flags=e.IBV_SEND_SIGNALED,
                         imm_data=more.get('imm', 0))
        if 'add' in more:
            request.set_wr_atomic(more['rkey'], more['addr'], more['add'], 0)
        elif 'rkey' in more:
            request.set_wr_rdma(more['rkey'], more['addr'])
        self.qp.post_send(request)
        return completion(self.send_cq)

    def fill(self, text):
        data = text.encode()
        self.scratch.write(data, len(data), OUT)
        return len(data)

    # Each command gets the rest of its line, and returns what follows "ok".

    def do_connect(self, line):
        to = dict(word.split('=', 1) for word in line.split())
        attr = QPAttr(port_num=PORT)
        attr.qp_access_flags = ALL
        attr.path_mtu = MTU[min(self.mtu, number(to.get('mtu', '4096')))]
        attr.dest_qp_num = number(to['qpn'])
        attr.rq_psn = number(to['psn'])
        attr.sq_psn = self.psn
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        attr.min_rnr_timer = 12
        attr.timeout = 16       # 0.3 s, for an emulated machine
        attr.retry_cnt = 7
        attr.rnr_retry = 6
        route = GlobalRoute(dgid=GID(to['gid']), sgid_index=self.gid_index,
                            hop_limit=64)
        attr.ah_attr = AHAttr(dlid=number(to.get('lid', '0')), is_global=1,
                              port_num=PORT, gr=route)
        self.qp.to_rts(attr)
        return ''

    def do_write(self, line):
        addr, rkey, text = line.split(' ', 2)
        self.post(e.IBV_WR_RDMA_WRITE, self.fill(text),
                  addr=number(addr), rkey=number(rkey))
        return ''

    def do_read(self, line):
        addr, rkey, length = line.split()
        length = number(length)
        self.post(e.IBV_WR_RDMA_READ, length, IN,
                  addr=number(addr), rkey=number(rkey))
        return printable(self.scratch.read(length, IN))

    def do_fetch_add(self, line):
        addr, rkey, value = line.split()
        self.post(e.IBV_WR_ATOMIC_FETCH_AND_ADD, 8, IN, addr=number(addr),
                  rkey=number(rkey), add=number(value))
        return str(struct.unpack('=Q', self.scratch.read(8, IN))[0])

    def do_send(self, line):
        self.post(e.IBV_WR_SEND, self.fill(line))
        return ''

    def do_send_imm(self, line):
        imm, text = line.split(' ', 1)
        self.post(e.IBV_WR_SEND_WITH_IMM, self.fill(text),
                  imm=socket.htonl(number(imm)))
        return ''

    def do_send_inv(self, line):
        text, rkey = line.rsplit(' ', 1)
        # libibverbs has both in one place, pyverbs has a name for one.
        self.post(e.IBV_WR_SEND_WITH_INV, self.fill(text), imm=number(rkey))
        return ''

    def do_recv(self, line):
        sge = SGE(self.scratch.buf + RECV, SIZE, self.scratch.lkey)
        self.qp.post_recv(RecvWR(num_sge=1, sg=[sge]))
        return ''

    def do_wait(self, line):
        wc = completion(self.recv_cq)
        words = [f'bytes={wc.byte_len}']
        if wc.wc_flags & e.IBV_WC_WITH_IMM:
            words.append(f'imm={socket.ntohl(wc.imm_data)}')
        if wc.wc_flags & INVALIDATED:
            words.append(f'invalidated=0x{wc.imm_data:08x}')
        data = self.scratch.read(wc.byte_len, RECV)
        return ' '.join(words + [f'text={printable(data)}'])

    def do_buffer(self, line):
        if line:
            data = line.encode()
            self.buffer.write(data, len(data))
        text = self.buffer.read(SIZE, 0).rstrip(b'\0')
        return (f'addr=0x{self.buffer.buf:016x} rkey=0x{self.buffer.rkey:08x} '
                f'length={SIZE} text={printable(text)}')

    def do_bind(self, line):
        rights = sum(RIGHTS[word] for word in line.split())
        # Always another one: soft-RoCE's kernel panics if an unbound window
        # is invalidated, and pyverbs does not learn the key of a second bind.
        self.drop_window()
        self.window = MW(self.pd, e.IBV_MW_TYPE_2)
        request = SendWR(opcode=e.IBV_WR_BIND_MW, num_sge=0, sg=None,
                         send_flags=e.IBV_SEND_SIGNALED)
        request.set_bind_wr(self.window, MWBindInfo(
            self.buffer, self.buffer.buf, SIZE, rights))
        self.qp.post_send(request)
        completion(self.send_cq)
        return f'rkey=0x{request.rkey:08x}'

    def drop_window(self):
        if self.window:
            self.window.close()
            self.window = None

    def do_reset(self, line):
        # soft-RoCE takes a minute over a queue pair with a bound window.
        self.drop_window()
        self.qp.close()
        self.send_cq.close()
        self.recv_cq.close()
        self.make()
        return self.address()

    def do(self, line):
        verb, _, rest = line.partition(' ')
        command = getattr(self, 'do_' + verb, None)
        if not command:
            return f'fail no command {verb}'
        try:
            return f'ok {command(rest)}'.rstrip()
        except Bad as status:
            return str(status)
        # Whatever it is, the script that drives this has to hear of it.
        except Exception as why:    # pylint: disable=broad-except
            return f'fail {type(why).__name__}: {" ".join(str(why).split())}'


def main():
    peer = Peer(sys.argv[1] if len(sys.argv) > 1 else 'rxe0')
    print('ok', peer.address(), flush=True)
    for line in sys.stdin:
        line = line.rstrip()
        if line == 'quit':
            print('ok', flush=True)
            break
        print(peer.do(line), flush=True)
    peer.drop_window()


if __name__ == '__main__':
    main()
