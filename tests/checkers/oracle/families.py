# SPDX-License-Identifier: GPL-2.0
"""Compares each of ktrace's own events with ftrace's event at the same place

KINDS: by name, the tracepoints, ours(payload) and theirs(values of the record, Kernel); both return
the same tuple, in which ANY stands for values that the other tracer does not record.
"""
import re
import struct


class Anything:
    def __eq__(self, other):
        return True

    def __repr__(self):
        return "?"


ANY = Anything()
U64 = (1 << 64) - 1


# So many ticks may come between the two tracers' looks at the kernel's count of them, when an emulated
# CPU was not run for so long
TICKS = 100


class Near(int):
    """a number that is read by each tracer for itself: it may have moved on"""
    def __new__(cls, value, step):
        self = super().__new__(cls, value)
        self.step = step
        return self

    def __eq__(self, other):
        return other is ANY or abs(int(self) - int(other)) <= self.step


class Kernel:
    """What is to be known of the kernel: its functions, the length of a tick, timers' ends"""

    def __init__(self, kallsyms, hz, cpus):
        self.names = {}
        self.ends = {}
        self.calls = {}
        self.tick = (10**9 + hz // 2) // hz
        self.unbound = cpus
        with open(kallsyms, encoding="ascii", errors="replace") as file:
            for line in file:
                address, kind, name = line.rstrip("\n").split(" ", 2)
                if kind in "tTwW":
                    self.names.setdefault(int(address, 16), set()).add(name.replace("\t", " "))

    def function(self, address):
        """what the function at an address is called, one of the names"""
        return Names(self.names.get(address & U64, {""}))


class Names(frozenset):
    """a function may have several"""
    def __eq__(self, other):
        return other is ANY or other in self

    __hash__ = None


class Cut(bytes):
    """a name of which the other tracer may have the beginning alone"""
    def __new__(cls, name, size):
        self = super().__new__(cls, name)
        self.size = size
        return self

    def __eq__(self, other):
        return bytes(self) == bytes(other) or \
            len(other) >= min(len(self), self.size) and bytes(self).startswith(bytes(other))

    __hash__ = None


def text(data):
    return data.split(b"\0")[0]


def unpack(layout, payload, names=()):
    """numbers and texts of a struct; what follows it, up to its end, as one more text"""
    layout = "=" + layout
    size = struct.calcsize(layout)
    row = [text(v) if isinstance(v, bytes) else v for v in struct.unpack_from(layout, payload)]
    if names:
        row.append(text(payload[size:]))
    return tuple(row)


def layout(form, tail=False):
    return lambda payload: unpack(form, payload, tail)


def function_behind(form):
    """the struct, then a function's name as text"""
    def take(payload):
        row = unpack(form, payload, True)
        return row[:-1] + (row[-1].decode(),)
    return take


def fields(*names):
    return lambda v, _: tuple(v[n] for n in names)


STATES = {0: 0, 0x100: 0, 1: 1, 2: 2, 4: 3, 8: 4, 0x10: 5, 0x20: 5, 0x40: 7, 0x80: 6}


def switch(v, _):
    return (v["prev_pid"], v["next_pid"], v["prev_prio"], v["next_prio"],
            STATES.get(v["prev_state"] & 0x1ff, 2), v["prev_comm"], v["next_comm"])


def args_of(v):
    return struct.unpack("=6Q", v["args"])


def block_op(rwbs):
    if rwbs[:1] == b"F" and rwbs[1:2] in (b"W", b"R", b"D"):
        rwbs = rwbs[1:]
    return {b"R": 0, b"W": 1, b"F": 2, b"D": 3}.get(rwbs[:1], ANY)


def request(v, _):
    return (v["dev"], ANY, v["sector"], v["bytes"], block_op(v["rwbs"]))


def complete(v, _):
    sector = 0 if v["sector"] & U64 == U64 else v["sector"]         # of a flush
    return (v["dev"], ANY, sector, v["nr_sector"] * 512, block_op(v["rwbs"]), ANY, v["error"])


def complete_ours(payload):
    row = list(unpack("IIQIIIi", payload))
    row[3] = row[3] // 512 * 512
    return tuple(row)


# What ftrace's tracepoint says, to what <linux/ktrace_events.h> says
RESULTS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}


def generate(v, _):
    return (v["sig"], v["code"], v["pid"], ANY, v["group"], RESULTS[v["result"]], v["comm"])


def fault(v, _):
    error = v["error_code"]
    return (v["address"] & U64, v["ip"] & U64, 2 if error & 16 else 1 if error & 2 else 0, error & 1)


def packet(v, _):
    return (v["skbaddr"] & U64, v["len"], ANY, v.get("rc", 0), v["name"])


def packet_and_rest(v, k):
    """ftrace tells nothing of the headers: tests/checkers/packets.py compares these"""
    return packet(v, k) + (ANY,)


def queue_work(v, _k):
    cpu = v["req_cpu"]
    # Unbound: a number above all of CPUs that there can be
    return (v["work"] & U64, -1 if cpu >= _k.unbound else cpu, _k.function(v["function"]))


def work(v, k):
    return (v["work"] & U64, k.function(v["function"]))


def clamp(ticks, k):
    most = ((1 << 63) - 1) // k.tick
    return max(-most, min(ticks, most)) * k.tick


def signed(n):
    return (n + (1 << 63)) % (1 << 64) - (1 << 63)


def timer_start(v, k):
    k.ends[v["timer"]] = v["expires"]
    delay = signed(v["expires"] - v["now"])
    return (v["timer"] & U64, Near(clamp(delay, k), TICKS * k.tick), k.function(v["function"]))


def timer_enter(v, k):
    end = k.ends.get(v["timer"])
    late = ANY if end is None else Near(clamp(signed(v["now"] - end), k), TICKS * k.tick)
    return (v["timer"] & U64, late, k.function(v["function"]))


def hrtimer_start(v, k):
    k.ends[v["hrtimer"]] = v["softexpires"]
    return (v["hrtimer"] & U64, ANY, k.function(v["function"]))


def hrtimer_enter(v, k):
    end = k.ends.get(v["hrtimer"])
    late = ANY if end is None else v["now"] - end
    return (v["hrtimer"] & U64, late, k.function(v["function"]))


def only(name):
    return lambda v, _: (v[name] & U64,)


def only_and_name(name):
    return lambda v, _: (v[name] & U64, ANY)


def rss(v, _):
    return (v["size"], ANY, v["member"])


def victim(v, _):
    return (v["pid"], ANY, v.get("oom_score_adj", ANY), v.get("comm", ANY))


FUTEX, FUTEX_WAITV = 202, 449
VALUE, TIMEOUT, VALUE2, ADDRESS2, VALUE3 = 1, 2, 4, 8, 16
TWO = VALUE | VALUE2 | ADDRESS2
# futex(2): what each operation uses of its arguments
USES = {0: VALUE | TIMEOUT, 1: VALUE, 2: VALUE, 3: TWO, 4: TWO | VALUE3, 5: TWO | VALUE3, 6: TIMEOUT,
        9: VALUE | TIMEOUT | VALUE3, 10: VALUE | VALUE3, 11: VALUE | TIMEOUT | ADDRESS2,
        12: TWO | VALUE3, 13: TIMEOUT}


def futex_enter(v, k):
    """None: another call"""
    a = args_of(v)
    if v["id"] == FUTEX_WAITV:
        flags = (2 if a[3] and a[4] & 0xffffffff == 0 else 0) | (4 if a[3] else 0)
        return (a[0], 0, 128, flags, a[1] & 0xffffffff, 0, 0)
    if v["id"] != FUTEX:
        return None
    op = a[1] & 0xffffffff & ~(128 | 256)
    uses = USES.get(op, 0)
    k.calls[v["common_pid"]] = (a[0], op)
    low = 0xffffffff
    return (a[0], a[4] if uses & ADDRESS2 else 0, op,
            (a[1] >> 7 & 1) | (a[1] >> 8 & 1) << 1 | (4 if uses & TIMEOUT and a[3] else 0),
            a[2] & low if uses & VALUE else 0, a[3] & low if uses & VALUE2 else 0,
            a[5] & low if uses & VALUE3 else 0)


def futex_exit(v, k):
    if v["id"] == FUTEX_WAITV:
        return (ANY, 128, v["ret"])
    if v["id"] != FUTEX:
        return None
    # What it was called with is known where its beginning was recorded.
    address, op = k.calls.pop(v["common_pid"], (ANY, ANY))
    return (address, op, v["ret"])


def logged(v, _):
    return (v["type"], v["par1"], v["par2"])


def flagless(v, _):
    """flags of a lock: the names for them are the same numbers"""
    return (v["lock_addr"] & U64, v["flags"])


def deliver(v, _):
    return (v["sig"], v["code"], v["sa_handler"] & U64, v["sa_flags"] & U64)


def enter_call(v, _):
    return (v["id"], ANY) + args_of(v)


def exit_call(v, _):
    return (v["id"], ANY, v["ret"])


def irq_name(name):
    """what is too long keeps its beginning and its end"""
    return name if len(name) <= 15 else name[:10] + b"~" + name[-4:]


KINDS = {
    "log:event": (["ktrace_provoke:log"], layout("HHI"), logged),
    "sched:switch": (["sched:sched_switch"], layout("IIiiI16s16s"), switch),
    "sched:wakeup": (["sched:sched_wakeup", "sched:sched_wakeup_new"], layout("IiI16s"),
                     fields("pid", "prio", "target_cpu", "comm")),
    "sched:migrate": (["sched:sched_migrate_task"], layout("IiII16s"),
                      fields("pid", "prio", "orig_cpu", "dest_cpu", "comm")),
    "sched:fork": (["sched:sched_process_fork"], layout("IIII16s"),
                   lambda v, _: (v["parent_pid"], ANY, v["child_pid"], ANY, v["child_comm"])),
    "sched:exec": (["sched:sched_process_exec"], layout("II", True),
                   fields("pid", "old_pid", "filename")),
    "sched:exit": (["sched:sched_process_exit"], layout("IIi16s"),
                   lambda v, _: (v["pid"], ANY, v["prio"], v["comm"])),
    "sched:comm": (["task:task_rename"], layout("II16s"),
                   lambda v, _: (v.get("pid", v["common_pid"]), ANY, v["newcomm"])),
    "syscall:enter": (["raw_syscalls:sys_enter"], layout("iI6Q"), enter_call),
    "syscall:exit": (["raw_syscalls:sys_exit"], layout("iIq"), exit_call),
    "irq:enter": (["irq:irq_handler_entry"], layout("I16s"),
                  lambda v, _: (v["irq"], irq_name(v["name"]))),
    "irq:exit": (["irq:irq_handler_exit"], layout("II"), lambda v, _: (v["irq"], int(v["ret"] != 0))),
    "softirq:enter": (["irq:softirq_entry"], layout("I"), fields("vec")),
    "softirq:exit": (["irq:softirq_exit"], layout("I"), fields("vec")),
    "softirq:raise": (["irq:softirq_raise"], layout("I"), fields("vec")),
    "block:issue": (["block:block_rq_issue"], layout("IIQII"), request),
    "block:complete": (["block:block_rq_complete"], complete_ours, complete),
    "block:requeue": (["block:block_rq_requeue"], layout("IIQII"),
                      lambda v, _: (v["dev"], ANY, v["sector"], v["nr_sector"] * 512,
                                    block_op(v["rwbs"]))),
    "signal:generate": (["signal:signal_generate"], layout("IiIIII16s"), generate),
    "signal:deliver": (["signal:signal_deliver"], layout("IiQQ"), deliver),
    "fault:user": (["exceptions:page_fault_user"], layout("QQII"), fault),
    "fault:kernel": (["exceptions:page_fault_kernel"], layout("QQII"), fault),
    "lock:contended": (["lock:contention_begin"], layout("QQ"), flagless),
    "lock:acquired": (["lock:contention_end"], layout("Qq"),
                      lambda v, _: (v["lock_addr"] & U64, v["ret"])),
    "power:idle": (["power:cpu_idle"], layout("Ii"),
                   lambda v, _: (v["cpu_id"], signed(v["state"] << 32) >> 32)),
    "power:frequency": (["power:cpu_frequency"], layout("II"), fields("cpu_id", "state")),
    "module:load": (["module:module_load"], layout("56s"), lambda v, _: (Cut(v["name"], 55),)),
    "module:free": (["module:module_free"], layout("56s"), lambda v, _: (Cut(v["name"], 55),)),
    "module:request": (["module:module_request"], layout("56s"), lambda v, _: (Cut(v["name"], 55),)),
    "net:queue": (["net:net_dev_queue"], layout("QIHh16s", True), packet_and_rest),
    "net:xmit": (["net:net_dev_xmit"], layout("QIHh16s"), packet),
    "net:receive": (["net:netif_receive_skb"], layout("QIHh16s", True), packet_and_rest),
    "workqueue:queue": (["workqueue:workqueue_queue_work"], function_behind("Qq"), queue_work),
    "workqueue:start": (["workqueue:workqueue_execute_start"], function_behind("Q"), work),
    "workqueue:end": (["workqueue:workqueue_execute_end"], function_behind("Q"), work),
    "timer:start": (["timer:timer_start"], function_behind("Qq"), timer_start),
    "timer:cancel": (["timer:timer_cancel"], function_behind("Q"), only_and_name("timer")),
    "timer:enter": (["timer:timer_expire_entry"], function_behind("Qq"), timer_enter),
    "timer:exit": (["timer:timer_expire_exit"], layout("Q"), only("timer")),
    "hrtimer:start": (["timer:hrtimer_start"], function_behind("Qq"), hrtimer_start),
    "hrtimer:cancel": (["timer:hrtimer_cancel"], function_behind("Q"), only_and_name("hrtimer")),
    "hrtimer:enter": (["timer:hrtimer_expire_entry"], function_behind("Qq"), hrtimer_enter),
    "hrtimer:exit": (["timer:hrtimer_expire_exit"], layout("Q"), only("hrtimer")),
    "memory:rss": (["kmem:rss_stat"], layout("QII"), rss),
    "memory:oom": (["oom:mark_victim"], layout("IIi16s"), victim),
    "futex:enter": (["raw_syscalls:sys_enter"], layout("QQIIIIQ"), futex_enter),
    "futex:exit": (["raw_syscalls:sys_exit"], layout("QIi"), futex_exit),
}


def ids_of(header):
    """the number of kinds that a header declares"""
    return len(re.findall(r"^\tKTRACE_EV_\w+ = 0x", header, re.M))
