# SPDX-License-Identifier: GPL-2.0
"""Tables and plots of what bench/run has measured.

A sample set is {figure, variant, unit, x, values}. Figures are compared by their medians:
repetitions of the variants were interleaved, so what slows the machine slows all of them.
"""
import glob
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys

COLUMNS = ["figure", "variant", "unit", "n", "min", "median", "max", "ratio", "aim", "reached"]


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


class Aim:
    """A line of aims.tsv: figure[@x], variant, <= or >=, factor, reference, where from.

    The reference is a variant of the same figure; "-": factor is a value; "slope": factor is
    an exponent, value ~ x^factor at most.
    """

    def __init__(self, line):
        self.figure, self.variant, self.op, factor, self.reference, self.origin = line
        self.factor = float(factor)
        if self.op not in ("<=", ">="):
            raise ValueError(f"aims.tsv: {self.op} is neither <= nor >=")

    def text(self):
        of = {"-": "", "slope": " as exponent"}.get(self.reference, " x " + self.reference)
        return f"{self.op} {self.factor:g}{of}"

    def is_met(self, value):
        return value <= self.factor if self.op == "<=" else value >= self.factor


def read_aims(path):
    with open(path, encoding="utf-8") as f:
        lines = [l.rstrip("\n") for l in f if l.strip() and not l.startswith("#")]
    return [Aim(l.split("\t")) for l in lines]


def number(v):
    return f"{v:.0f}" if abs(v) >= 1000 else f"{v:.4g}"


def label(s):
    return s["figure"] if s["x"] is None else f"{s['figure']}@{number(s['x'])}"


def find(samples, like, variant):
    for s in samples:
        if (s["figure"], s["x"], s["unit"], s["variant"]) == \
                (like["figure"], like["x"], like["unit"], variant):
            return s
    return None


def slope(samples, like):
    """Exponent of value ~ x^e, by least squares; None if there are not two points."""
    points = [(math.log(s["x"]), math.log(statistics.median(s["values"]))) for s in samples
              if s["figure"] == like["figure"] and s["variant"] == like["variant"] and s["x"]
              and statistics.median(s["values"]) > 0]
    if len({p[0] for p in points}) < 2:
        return None
    mx, my = (statistics.mean(p[i] for p in points) for i in (0, 1))
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def measure(samples, s, aim):
    """The number that the aim is about, None if the reference was not measured."""
    median = statistics.median(s["values"])
    if aim.reference == "-":
        return median
    if aim.reference == "slope":
        return slope(samples, s)
    reference = find(samples, s, aim.reference)
    base = statistics.median(reference["values"]) if reference else 0
    return median / base if base else None


def is_last_point(samples, s):
    return s["x"] == max(o["x"] for o in samples if o["figure"] == s["figure"]
                         and o["variant"] == s["variant"] and o["x"] is not None)


def aims_of(samples, s, aims):
    for aim in aims:
        if aim.variant != s["variant"] or aim.figure not in (s["figure"], label(s)):
            continue
        if aim.reference == "slope" and (s["x"] is None or not is_last_point(samples, s)):
            continue
        yield aim


def rows(samples, aims):
    for s in samples:
        v = s["values"]
        row = [label(s), s["variant"], s["unit"], str(len(v)), number(min(v)),
               number(statistics.median(v)), number(max(v))]
        said = False
        for aim in aims_of(samples, s, aims):
            ratio = measure(samples, s, aim)
            verdict = "unknown" if ratio is None else "yes" if aim.is_met(ratio) else "NO"
            yield row + ["" if ratio is None or aim.reference == "-" else f"{ratio:.3f}",
                         aim.text(), verdict]
            said = True
        if not said:
            yield row + ["", "", ""]


def aligned(lines):
    width = [max(len(l[i]) for l in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(c.ljust(w) if i < 3 else c.rjust(w)
                               for i, (c, w) in enumerate(zip(l, width))).rstrip()
                     for l in lines)


def table(results, aims):
    lines = [COLUMNS]
    for r in results.values():
        lines += rows(r["samples"], aims)
    out = aligned(lines)
    for name, r in results.items():
        for variant, reason in r["skipped"].items():
            out += f"\n{name}: {variant} was skipped: {reason}"
    missed = sum(l[-1] == "NO" for l in lines)
    reached = sum(l[-1] == "yes" for l in lines)
    return out + f"\n{reached} aims reached, {missed} missed"


def by_figure(samples):
    figures = {}
    for s in samples:
        figures.setdefault(s["figure"], []).append(s)
    return figures


def is_plotted(samples):
    return len(samples) >= 3 and len({s["unit"] for s in samples}) == 1


def points(samples):
    """gnuplot data blocks, one a variant; columns: x, name, median, min, max"""
    blocks = {}
    for i, s in enumerate(samples):
        v = s["values"]
        x = i if s["x"] is None else s["x"]
        blocks.setdefault(s["variant"], []).append(
            f'{x:g} "{s["variant"]}" {statistics.median(v):g} {min(v):g} {max(v):g}')
    return blocks


def is_wide(values):
    return min(values) > 0 and max(values) / min(values) > 20


def gnuplot_script(figure, samples, path):
    blocks = points(samples)
    is_curve = samples[0]["x"] is not None
    name = re.sub(r"[^A-Za-z0-9]", "_", figure)
    out = [f'set terminal svg size 720,420 font "sans,12" name "{name}"',
           f'set output "{path}"', f'set title "{figure}" noenhanced',
           f'set ylabel "{samples[0]["unit"]}" noenhanced', "set grid y",
           "set key outside right noenhanced", "set xtics noenhanced"]
    for i, lines in enumerate(blocks.values()):
        out += [f"$d{i} << END", *lines, "END"]
    if is_wide([m for s in samples for m in (min(s["values"]), max(s["values"]))]):
        out.append("set logscale y")
    else:
        out.append("set yrange [0:*]")
    if is_curve:
        if is_wide([s["x"] for s in samples]):
            out.append("set logscale x")
        draw = [f'$d{i} using 1:3:4:5 with yerrorlines title "{v}"' for i, v in enumerate(blocks)]
    else:
        out += ["set style fill solid 0.5", "set boxwidth 0.7", "unset key",
                f"set xrange [-0.6:{len(samples) - 0.4}]"]
        draw = [f"$d{i} using 1:3:xtic(2) with boxes, "
                f"$d{i} using 1:3:4:5 with yerrorbars lc black" for i in range(len(blocks))]
    return "\n".join(out + ["plot " + ", ".join(draw)]) + "\n"


def plot(results, folder):
    """One SVG for each figure that has something to compare."""
    if not shutil.which("gnuplot"):
        print("run: no plots: there is no gnuplot", file=sys.stderr)
        return
    os.makedirs(folder, exist_ok=True)
    for r in results.values():
        for figure, samples in by_figure(r["samples"]).items():
            if is_plotted(samples):
                path = os.path.join(folder, figure + ".svg")
                subprocess.run(["gnuplot"], input=gnuplot_script(figure, samples, path),
                               text=True, check=True)


def latest(folder):
    """The newest result of each benchmark over all files."""
    results = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        results.update(load(path))
    return results


def markdown(name, r, aims):
    m = r["machine"]
    out = [f"### {name}", "",
           f"{r['ended']}, commit `{r['commit']}`, {r['seconds']} s; {m['cpu']}, {m['cpus']} CPUs, "
           f"{m['system']}, Linux {m['kernel']}; load before: {r['load']:.2f}."]
    if r["peers"]:
        out.append("Peers: " + ", ".join(f"{p} {v}" for p, v in r["peers"].items()) + ".")
    out += [f"Skipped: {v}: {reason}." for v, reason in r["skipped"].items()]
    out += ["", "| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    out += ["| " + " | ".join(row) + " |" for row in rows(r["samples"], aims)]
    plots = [f"[{f}](plots/{f}.svg)" for f, s in by_figure(r["samples"]).items() if is_plotted(s)]
    if plots:
        out += ["", "Plots: " + ", ".join(plots) + "."]
    return out + [""]


def document(root, aims):
    """Puts tables between the marks of the page, plots beside it."""
    page = os.path.join(root, "Documentation", "performance.md")
    results = latest(os.path.join(root, "bench", "results"))
    begin, end = "<!-- results: begin -->", "<!-- results: end -->"
    with open(page, encoding="utf-8") as f:
        head, rest = f.read().split(begin)
        tail = rest.split(end)[1]
    body = [l for name in sorted(results) for l in markdown(name, results[name], aims)]
    with open(page, "w", encoding="utf-8") as f:
        f.write(head + begin + "\n\n" + "\n".join(body) + "\n" + end + tail)
    plot(results, os.path.join(root, "Documentation", "plots"))
    return 0
