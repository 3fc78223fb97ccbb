#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a verb costs by each way that a user has to it.

compare.py DAEMON VERBS KEEP [ROUNDS [DEVICE]]: mounts, sets up as many objects
for each way, and times them one after the other, so many rounds (15; fewer, and
at least 3, if the time is up).  Prints medians: microseconds of the program in
C, and of each other way how many times that is (a median of the ratios of each
round).  "-": there is no such way.

    C         verbs.c: libibverbs, completions polled for
    pyverbs   pyverbs_ops.py
    kept      a write to a file that is kept open, by a program in C (keep.c)
    echo      the builtin of dash, which opens and closes the file (builtin.sh)
    batch     so many lines in one write to a batch that is kept open
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = ['C', 'pyverbs', 'kept', 'echo', 'batch']
LETTER = {'kept': 'k', 'echo': 'e', 'batch': 'b'}
CHAIN = 256         # windows of a kind, and requests to a completion
OBJECTS = 64        # one after the other
PATIENCE = 120      # seconds, after which no round begins
BUFFER = 1 << 20
SIZES = {'4K': 4096, '1M': 1 << 20, '64M': 64 << 20}
REMOTE = 'remote_read remote_write'
LOCAL = 'local_write mw_bind'


class Row:
    """An operation.  name: what verbs.c and pyverbs_ops.py call it.  path,
    text: of a command to rdmafs, in which %s is the letter of the way.  size:
    for the first two.  more: the verb of keep.c; the ways that there are; the
    goal for the ratio of the last."""

    # pylint: disable=too-many-arguments
    def __init__(self, title, name, count, path, text, size=None, **more):
        self.title = title
        self.name = name
        self.count = count
        self.path = path
        self.text = text
        self.size = size
        self.verb = more.get('verb', 'kept')
        self.ways = more.get('ways', WAYS)
        self.goal = more.get('goal', '')
        self.times = {way: [] for way in WAYS}

    def line(self, way, pd):
        """What is asked of the program of a way."""
        if way in ('C', 'pyverbs'):
            return f'{self.name} {self.count} {self.size or ""}'.rstrip()
        path = self.path.replace('%s', LETTER[way])
        text = self.text.replace('%s', LETTER[way])
        if way == 'batch':
            text = f'{os.path.dirname(path)} {text}'
            return f'batch\t{self.count}\t{pd}/batch\t{text}'
        return f'{self.verb}\t{self.count}\t{pd}/{path}\t{text}'


def rows(far):
    """far: address and key of what is written to."""
    mr, one, two = 'mr/%s-#/ctl', 'mw/%s1-#/ctl', 'mw/%s2-#/ctl'
    bind = f'bind buf 0 4K {REMOTE}'
    chain = {'ways': ['C', 'batch'], 'goal': '1.5'}
    found = [
        # What FUSE and the way to it cost, without a verb.
        Row('an empty line', None, OBJECTS, one, '', ways=['kept', 'echo']),
        Row('register 4K', 'reg', OBJECTS, mr, f'reg 4K {LOCAL} remote_read'),
        Row('rereg 4K', 'rereg', OBJECTS, mr, f'rereg {LOCAL} {REMOTE}'),
        Row('deregister 4K', 'dereg', OBJECTS, mr, 'dereg'),
        Row('bind, type 1', 'bind_1', OBJECTS, one, bind),
        Row('invalidate, type 1', 'end_1', OBJECTS, one, 'invalidate'),
        Row('bind, type 2', 'bind_2', OBJECTS, two, bind + ' qp=q'),
        Row('invalidate, type 2', 'end_2', OBJECTS, two, 'invalidate'),
        Row('new window, bind', 'bind_new', OBJECTS, two, bind + ' qp=q'),
        Row('invalidate, free', 'end_new', OBJECTS, two, 'invalidate'),
        Row('256 binds, type 1', 'chain_1', CHAIN, one, bind, **chain),
        Row('256 ends, type 1', 'chain_end_1', CHAIN, one, 'invalidate',
            **chain),
        Row('256 binds, type 2', 'chain_2', CHAIN, two, bind + ' qp=q',
            **chain),
        Row('256 ends, type 2', 'chain_end_2', CHAIN, two, 'invalidate',
            **chain),
    ]
    for name, count in (('4K', 64), ('1M', 4)):
        size = SIZES[name]
        found += [
            Row(f'RDMA write {name}', 'write', count, 'qp/q/ctl',
                f'write buf 0 {name} {far}', size),
            Row('the same, mem/*/data', 'write', count, 'qp/q/mem/far/data',
                str(size), size, verb='data', ways=['C', 'kept']),
        ]
    for name, count in (('4K', 64), ('1M', 32), ('64M', 8)):
        found += [
            Row(f'rights {name}, window', 'rights_mw', count,
                f'mw/%s{name}/ctl', f'rights {REMOTE}', SIZES[name]),
            Row(f'rights {name}, region', 'rights_mr', count,
                f'mr/%s{name}/ctl', f'rights {LOCAL} remote_read',
                SIZES[name]),
        ]
    return found


class Program:
    """What reads a line and answers it with nanoseconds, or - and why not."""

    def __init__(self, *command, timed_here=False):
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.timed_here = timed_here

    def ask(self, line):
        """Nanoseconds, or the reason why there are none."""
        begin = time.monotonic_ns()
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        spent = time.monotonic_ns() - begin
        if not answer:
            sys.exit(f'no answer to "{line}" from {self.process.args}')
        if answer.startswith('-'):
            return answer
        return spent if self.timed_here else int(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def write(path, text):
    with open(path, 'w', encoding='ascii') as file:
        file.write(text + '\n')


def read(path):
    with open(path, encoding='ascii') as file:
        return file.read().strip()


def build(pd):
    """All objects of the ways that go through rdmafs."""
    os.mkdir(pd)
    os.mkdir(f'{pd}/mr/buf')
    write(f'{pd}/mr/buf/ctl', f'reg 1M {LOCAL} {REMOTE}')
    os.mkdir(f'{pd}/qp/q')
    write(f'{pd}/qp/q/ctl', 'connect ' + read(f'{pd}/qp/q/local'))
    os.mkdir(f'{pd}/qp/q/mem/far')
    far = [read(f'{pd}/mr/buf/{name}') for name in ('addr', 'rkey')]
    write(f'{pd}/qp/q/mem/far/ctl', f'map {far[0]} {BUFFER} {far[1]}')
    for letter in LETTER.values():
        for i in range(OBJECTS):
            os.mkdir(f'{pd}/mr/{letter}-{i}')
        for i in range(CHAIN):
            os.mkdir(f'{pd}/mw/{letter}1-{i}')
            os.mkdir(f'{pd}/mw/{letter}2-{i}')
            write(f'{pd}/mw/{letter}2-{i}/ctl', 'type 2')
        for size in SIZES:
            # The window lies in a region of its own: rights of a region
            # with windows cannot be changed (M10).
            for name in (f'{letter}{size}', f'{letter}{size}-bound'):
                os.mkdir(f'{pd}/mr/{name}')
                write(f'{pd}/mr/{name}/ctl', f'reg {size} {LOCAL} remote_read')
            os.mkdir(f'{pd}/mw/{letter}{size}')
            write(f'{pd}/mw/{letter}{size}/ctl',
                  f'bind {letter}{size}-bound 0 {size} remote_read')
    return ' '.join(far)


def measure(table, programs, pd, rounds):
    """Adds microseconds to the rows; returns why ways cannot do something."""
    why = {}
    end = time.monotonic() + PATIENCE
    for number in range(rounds + 1):
        if number > 3 and time.monotonic() > end:
            break
        for row in table:
            # No way always comes first.
            turn = number % len(WAYS)
            for way in WAYS[turn:] + WAYS[:turn]:
                if (way not in row.ways or way not in programs or
                        (way, row.title) in why):
                    continue
                spent = programs[way].ask(row.line(way, pd))
                if isinstance(spent, str):
                    why[way, row.title] = spent
                elif number > 0:    # the first makes everything warm
                    row.times[way].append(spent / row.count / 1000)
    return why


def ratio(row, way):
    """How many times as long as the program in C, in the median round; or, if
    that has no such operation, microseconds."""
    if not row.times[way]:
        return '-'
    if not row.times['C']:
        return '%.0f us' % statistics.median(row.times[way])
    return '%.2f' % statistics.median(
        this / floor for this, floor in zip(row.times[way], row.times['C']))


def show(table):
    print('%-22s %9s' % ('', 'C, us'),
          *('%8s' % way for way in WAYS[1:]), '  goal')
    for row in table:
        floor = row.times['C']
        print('%-22s %9s' % (row.title, '%.2f' % statistics.median(floor)
                             if floor else '-'),
              *('%8s' % ratio(row, way) for way in WAYS[1:]), ' ', row.goal)


def show_claim(table):
    """The rows of rights are pairs: by window, by region."""
    print('\nrights by re-registration: how many times as long as by window')
    print('%-22s %9s' % ('', 'C'), *('%8s' % way for way in WAYS[1:]))
    by_title = {row.title: row for row in table}
    for size in SIZES:
        window = by_title[f'rights {size}, window']
        region = by_title[f'rights {size}, region']
        found = []
        for way in WAYS:
            pairs = list(zip(window.times[way], region.times[way]))
            found.append('%.2f' % statistics.median(b / a for a, b in pairs)
                         if pairs else '-')
        print('%-22s %9s' % (size, found[0]), *('%8s' % f for f in found[1:]))


def mounted(daemon, device, where):
    """The daemon, when the device is there."""
    # pylint: disable=consider-using-with
    process = subprocess.Popen([daemon, '-f', '--soft', '1', where])
    while not os.path.exists(f'{where}/{device}/pd'):
        if process.poll() is not None:
            sys.exit(f'{daemon} ended with {process.returncode}')
        time.sleep(0.05)
    return process


def soft_line(where):
    """Microseconds of a line of a batch whose device costs next to nothing."""
    pd = f'{where}/soft0/pd/line'
    os.mkdir(pd)
    made = ''.join(f'mkdir mw/w{i}\n' for i in range(CHAIN))
    lines = ''.join(f'mw/w{i} {verb}\n' for i in range(CHAIN)
                    for verb in ('bind r 0 4K remote_write', 'invalidate'))
    times = []
    with open(f'{pd}/batch', 'wb', buffering=0) as batch:
        batch.write(b'mkdir mr/r\nmr/r reg 4K local_write mw_bind\n')
        batch.write(made.encode())
        for _ in range(9):
            begin = time.perf_counter()
            batch.write(lines.encode())
            times.append(time.perf_counter() - begin)
    return statistics.median(times) / (2 * CHAIN) * 1e6


def main():
    daemon, verbs, keep, *rest = sys.argv[1:]
    rounds = int(rest[0]) if rest else 15
    device = rest[1] if len(rest) > 1 else 'rxe0'
    where = tempfile.mkdtemp(prefix='rdmafs-bench.')
    process = mounted(daemon, device, where)
    pd = f'{where}/{device}/pd/bench'
    table = rows(build(pd))
    kept = Program(keep)
    programs = {
        'C': Program(verbs, device),
        'pyverbs': Program('/usr/bin/python3', f'{HERE}/pyverbs_ops.py',
                           device),
        'kept': kept,
        'echo': Program('dash', f'{HERE}/builtin.sh', timed_here=True),
    }
    if os.path.exists(f'{pd}/batch'):
        programs['batch'] = kept
    why = measure(table, programs, pd, rounds)
    print(f'{os.uname().release}, {os.cpu_count()} processors, {device}, '
          f'{len(table[1].times["C"])} rounds')
    show(table)
    show_claim(table)
    print(f'\na line of a batch of a soft device: {soft_line(where):.1f} us')
    for (way, title), reason in sorted(why.items()):
        print(f'# {way}, {title}: {reason.lstrip("- ")}')
    for program in set(programs.values()):
        program.end()
    process.terminate()
    process.wait()
    os.rmdir(where)


if __name__ == '__main__':
    main()
