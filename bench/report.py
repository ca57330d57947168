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


def x_text(x):
    """Powers of ten that one would have to count the zeros of are written as such."""
    power = round(math.log10(x)) if x >= 10000 else 0
    return "10" + "⁰¹²³⁴⁵⁶⁷⁸⁹"[power] if power and x == 10 ** power else f"{x:g}"


class Names:
    """What figures are called, and what they are plotted against."""

    def __init__(self, path):
        self.rows = []
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    pattern, text, *x = line.rstrip("\n").split("\t")
                    self.rows.append((re.compile(pattern), text, x[0] if x else ""))

    def find(self, figure):
        """(text, what x is); a figure without a row is its own text"""
        for pattern, text, x in self.rows:
            match = pattern.fullmatch(figure)
            if match:
                return match.expand(text), x
        return figure, ""

    def text(self, figure, x=None):
        text, against = self.find(figure)
        return text if x is None else f"{text}, {x_text(x)} {against}".rstrip()

    def text_of_aim(self, aim, x=None):
        figure, *at = aim.figure.split("@")
        text, against = self.find(figure)
        who = "" if aim.variant == "ktrace" else f" ({aim.variant})"
        if aim.reference == "slope":
            return f"{text}, against {against}{who}"
        return self.text(figure, float(at[0]) if at else x) + who


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


def is_curve(samples):
    return is_plotted(samples) and samples[0]["x"] is not None


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


def curve_script(blocks, samples, against):
    """What is special when there is an x: ticks where there are points, if they are far apart."""
    out = [f'set xlabel "{against}" noenhanced', "set key outside right noenhanced"]
    if is_wide([v for s in samples for v in s["values"]]):
        out.append("set logscale y")
    else:
        out.append("set yrange [0:*]")
    xs = sorted({s["x"] for s in samples})
    if is_wide(xs):
        ticks = ", ".join(f'"{x_text(x)}" {x:g}' for x in xs)
        out += ["set logscale x", f"set xtics ({ticks})",
                f"set xrange [{xs[0] * 0.8:g}:{xs[-1] * 1.25:g}]"]
    draw = [f'$d{i} using 1:3:4:5 with yerrorlines lw 2 pt 7 ps 0.6 title "{v}"'
            for i, v in enumerate(blocks)]
    return out + ["plot " + ", ".join(draw)]


def bar_script(blocks):
    """They begin at 0, whatever is beside them: lengths are what is compared."""
    last = len(blocks) - 1
    ticks = ", ".join(f'"{v}" {last - i}' for i, v in enumerate(blocks))
    draw = [part for i, v in enumerate(blocks) for part in (
        f"$d{i} using (0):({last}-$1):(0):3:({last}-$1-0.35):({last}-$1+0.35) "
        f"with boxxyerror lc rgb '{'#0072b2' if 'ktrace' in v else '#aaaaaa'}'",
        f"$d{i} using 3:({last}-$1):4:5 with xerrorbars lc black pt 0",
        f"$d{i} using 5:({last}-$1):(sprintf('%.4g', $3)) with labels left offset 1,0")]
    return ["set style fill solid", "unset key", f"set ytics ({ticks}) noenhanced scale 0",
            "set xrange [0:*]", f"set yrange [-0.6:{last + 0.6}]",
            "set offsets 0, graph 0.12, 0, 0", "unset grid", "set grid x",
            "plot " + ", ".join(draw)]


def gnuplot_script(figure, samples, path, names):
    blocks = points(samples)
    text, against = names.find(figure)
    text = text.replace("`", "")  # a command to gnuplot
    name = re.sub(r"[^A-Za-z0-9]", "_", figure)
    out = ["set encoding utf8", f'set terminal svg size 800,420 font "sans,12" background "white" name "{name}"',
           f'set output "{path}"', f'set title "{text} [{samples[0]["unit"]}]" noenhanced',
           "set grid y", "set colorsequence podo", "set border 3", "set tics nomirror"]
    for i, lines in enumerate(blocks.values()):
        out += [f"$d{i} << END", *lines, "END"]
    is_curve = samples[0]["x"] is not None
    out += curve_script(blocks, samples, against) if is_curve else bar_script(blocks)
    return "\n".join(out) + "\n"


def plot(results, folder, names, is_wanted=is_plotted):
    """One SVG for each figure that is wanted, or else that has something to compare."""
    if not shutil.which("gnuplot"):
        print("run: no plots: there is no gnuplot", file=sys.stderr)
        return
    os.makedirs(folder, exist_ok=True)
    for r in results.values():
        for figure, samples in by_figure(r["samples"]).items():
            if is_wanted(samples):
                path = os.path.join(folder, figure + ".svg")
                subprocess.run(["gnuplot"], input=gnuplot_script(figure, samples, path, names),
                               text=True, check=True)


def latest(folder):
    """The newest result of each benchmark over all files."""
    results = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        results.update(load(path))
    return results
