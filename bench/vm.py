# SPDX-License-Identifier: GPL-2.0
"""Runs the part of a benchmark that is in bench/guest, in a VM, with the module built for it."""
import os
import subprocess
import sys

from recorder import QUICK, ROOT

FLAVOUR = "6.12-cloud"
VM = os.path.join(ROOT, "tests/vm/vm")


def why_not():
    """None if there can be a VM."""
    if os.geteuid():
        return "the VM needs root"
    kdir = subprocess.run([VM, "kdir", FLAVOUR], stdout=subprocess.PIPE, text=True, check=False)
    if kdir.returncode:
        return "no kernel for the VM"
    built = subprocess.run(["make", "-s", "-C", ROOT, "module", "KDIR=" + kdir.stdout.strip()],
                           stdout=sys.stderr, check=False)
    return "the module does not build" if built.returncode else None


def run(part, cpus=2):
    """Its samples go where ours go."""
    subprocess.run([VM, "run", "-k", FLAVOUR, "-c", str(cpus), "-m", "1536", "-t", "1800", "--",
                    "env", f"BENCH_QUICK={'1' if QUICK else ''}", "bench/guest/" + part],
                   cwd=ROOT, check=True)
