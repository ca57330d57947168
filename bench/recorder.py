# SPDX-License-Identifier: GPL-2.0
"""What benchmarks of the daemon share: a ktraced without a command, and a writer beside it.

The daemon has no children then, so its processor time is its own; writers find it by
KTRACE_SESSION.
"""
import os
import re
import resource
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
QUICK = bool(os.environ.get("BENCH_QUICK"))
KTRACED = os.path.join(BUILD, "bin/ktraced")
PACE = os.path.join(BUILD, "progs/pace")


def emit(figure, variant, unit, value, x=None):
    fields = [figure, variant, unit, f"{value:.6g}"] + ([] if x is None else [f"{x:g}"])
    print("\t".join(fields), flush=True)


def fail(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


class Recorder:
    """One ktraced. After stop(): events, lost, bytes, cpu and wall (seconds), memory (bytes)."""

    def __init__(self, output, *options):
        self.begin = time.monotonic()
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [KTRACED, *options, "-o", output], stderr=subprocess.PIPE, text=True)
        self.log, found = "", None
        while not found:
            line = self.process.stderr.readline()
            if not line:
                fail(self.log)
            self.log += line
            found = re.search(r"KTRACE_SESSION=(\S+)", line)
        self.env = dict(os.environ, KTRACE_SESSION=found.group(1))
        self.events = self.lost = self.bytes = self.cpu = self.wall = self.memory = 0

    def cpu_now(self):
        """Seconds it has used so far."""
        with open(f"/proc/{self.process.pid}/schedstat", encoding="ascii") as f:
            return int(f.read().split()[0]) / 1e9

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.log += self.process.stderr.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.wall = time.monotonic() - self.begin
        self.process.returncode = os.waitstatus_to_exitcode(status)
        found = re.search(r"(\d+) events, (\d+) lost.*?, (\d+) bytes", self.log)
        if self.process.returncode or not found:
            fail(self.log)
        self.events, self.lost, self.bytes = map(int, found.groups())
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * 1024
        return self


class Pace:
    """One run of tests/progs/pace.c: events, wall, cost, start and least in ns, as it says."""

    def __init__(self, *options, env=None, prefix=()):
        out = subprocess.run([*prefix, PACE, *map(str, options)], stdout=subprocess.PIPE,
                             text=True, check=True, env=env or untraced()).stdout
        self.events, self.wall, self.cost, self.start, self.least = map(float, out.split()[1::2])


def untraced():
    return {k: v for k, v in os.environ.items() if k != "KTRACE_SESSION"}


def child_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
