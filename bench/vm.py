# SPDX-License-Identifier: GPL-2.0
"""Runs the part of a benchmark that is in bench/guest, in a VM, with the module built for it."""
import os
import subprocess
import sys

from recorder import QUICK, ROOT

VM = os.path.join(ROOT, "tests/vm/vm")


def kdir(flavour):
    """Where modules for that kernel are built against; None if it cannot be had."""
    out = subprocess.run([VM, "kdir", flavour], stdout=subprocess.PIPE, text=True, check=False)
    return None if out.returncode else out.stdout.strip()


def why_not(flavour="6.12-cloud"):
    """None if there can be a VM."""
    if os.environ.get("BENCH_NO_VM"):
        return "no VM is wanted"
    if os.geteuid():
        return "the VM needs root"
    headers = kdir(flavour)
    if not headers:
        return "no kernel for the VM"
    built = subprocess.run(["make", "-s", "-C", ROOT, "module", "KDIR=" + headers],
                           stdout=sys.stderr, check=False)
    return "the module does not build" if built.returncode else None


def run(part, *arguments, flavour="6.12-cloud", cpus=2):
    """Its samples go where ours go."""
    subprocess.run([VM, "run", "-k", flavour, "-c", str(cpus), "-m", "1536", "-t", "1800", "--",
                    "env", f"BENCH_QUICK={'1' if QUICK else ''}", "bench/guest/" + part,
                    *arguments],
                   cwd=ROOT, check=True)
