# SPDX-License-Identifier: GPL-2.0
"""The results of bench/run as a chapter of Documentation/performance.md, and some in README.md.

First what was aimed at, one line an aim; then what each benchmark has measured, one line a
figure with a column for each that took part. bench/figures.tsv says what a figure is.
"""
import os
import statistics

import report

RESULTS = "<!-- results: begin -->", "<!-- results: end -->"
AIM_COLUMNS = ["what", "ktrace", "beside", "ratio", "aim", "reached"]

# The README's table: what, figure, x, the variant that the others are divided by; a variant a column
FIGURES = "<!-- figures: begin -->", "<!-- figures: end -->"
FIGURES_COLUMNS = ["", "ktrace", "LTTng", "ftrace", "perf"]
FIGURES_ROWS = [
    ("an event of a program, 16 bytes", "writer.payload", 16, None, "ktrace", "lttng-ust", None, None),
    ("an event of the kernel, Linux 6.1", "kernel.event.6.1", None, None,
     "ktrace", "lttng-modules", "ftrace event", None),
    ("a recorded system call (untraced: 1)", "effect.getppid", None, "no module",
     "ktrace", "lttng-modules", "trace-cmd", "perf"),
    ("events listed in a second (LTTng: by babeltrace2)", "reader.text", None, None, "ktrace", "babeltrace2", None, None),
]


def scale(unit, values):
    """Unit and factor by which seconds are read easily: 744 ns, not 7.44e-07 s"""
    if unit != "s":
        return unit, 1
    steps = ("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)
    return next((s for s in steps if max(values) * s[1] >= 1), steps[0])


def spread(s):
    """Median with least and largest."""
    v = s["values"]
    unit, factor = scale(s["unit"], [statistics.median(v)])
    low, middle, high = (report.number(n * factor) for n in (min(v), statistics.median(v), max(v)))
    return f"{middle} {unit}" + (f" ({low} to {high})" if len(v) > 1 else "")


def row(cells):
    return "| " + " | ".join(cells) + " |"


def header(cells):
    return [row(cells), "|" + "---|" * len(cells)]


def curve_ends(samples, s):
    """First and last point of the curve that @s is of."""
    curve = sorted((o for o in samples if o["figure"] == s["figure"] and o["x"] is not None
                    and o["variant"] == s["variant"]), key=lambda o: o["x"])
    return " to ".join(f"{report.number(statistics.median(o['values']))} {o['unit']} at "
                       f"{report.x_text(o['x'])}" for o in (curve[0], curve[-1]))


def beside(samples, s, aim):
    other = report.find(samples, s, aim.reference)
    return f"{aim.reference}: {spread(other)}" if other else f"{aim.reference}: not measured"


def aim_text(aim, unit=""):
    if aim.reference == "slope":
        return f"at most x^{aim.factor:g}"
    of = f"× {aim.reference}" if aim.reference != "-" else unit
    return f"{'≤' if aim.op == '<=' else '≥'} {aim.factor:g} {of}".rstrip()


def aim_row(samples, s, aim, names):
    number = report.measure(samples, s, aim)
    verdict = "not measured" if number is None else "yes" if aim.is_met(number) else "**no**"
    ratio = "" if number is None or aim.reference == "-" else f"{number:.3f}"
    if aim.reference == "slope":
        return [names.text_of_aim(aim), curve_ends(samples, s), "",
                "" if number is None else f"x^{number:.2f}", aim_text(aim), verdict]
    other = "" if aim.reference == "-" else beside(samples, s, aim)
    return [names.text_of_aim(aim, s["x"]), spread(s), other, ratio, aim_text(aim, s["unit"]),
            verdict]


def aim_table(results, aims, names):
    samples = [s for r in results.values() for s in r["samples"]]
    rows = []
    for aim in aims:
        found = [s for s in samples if list(report.aims_of(samples, s, [aim]))]
        rows += [aim_row(samples, s, aim, names) for s in found]
        if not found:
            rows.append([names.text_of_aim(aim), "", "", "", aim_text(aim), "not measured"])
    counts = [sum(r[-1] == verdict for r in rows) for verdict in ("yes", "**no**", "not measured")]
    return ["### Aims", "",
            "{} reached, {} missed, {} not measured. Medians, with least and largest; ratio: to"
            " what is beside.".format(*counts),
            "", *header(AIM_COLUMNS), *map(row, rows), ""]


def lines_of(samples):
    """{(figure, x, unit): {variant: sample}}, in order"""
    lines = {}
    for s in samples:
        lines.setdefault((s["figure"], s["x"], s["unit"]), {})[s["variant"]] = s
    return lines


def figure_tables(samples, names):
    """A table for each set of those who took part."""
    out, columns = [], None
    for (figure, x, unit), line in lines_of(samples).items():
        if tuple(line) != columns:
            columns = tuple(line)
            out += ["", *header(["what", "unit", *columns])]
        medians = [statistics.median(s["values"]) for s in line.values()]
        unit, factor = scale(unit, medians)
        out.append(row([names.text(figure, x), unit, *(report.number(m * factor) for m in medians)]))
    return out


def plots(samples, names):
    curves = [f"![{names.text(figure)}](plots/{figure}.svg)"
              for figure, of in report.by_figure(samples).items() if report.is_curve(of)]
    return ["", *curves] if curves else []


def chapter(name, r, names):
    m = r["machine"]
    out = [f"### {name}", "",
           f"{r['ended']}, commit `{r['commit']}`, {r['seconds']} s{', quick' * r['quick']}; "
           f"{m['cpu']}, {m['cpus']} CPUs, {m['system']}, Linux {m['kernel']}; load before: "
           f"{r['load']:.2f}."]
    if r["peers"]:
        out.append("Installed: " + ", ".join(f"{p} {v}" for p, v in r["peers"].items()) + ".")
    out += [f"Skipped: {v}: {reason}." for v, reason in r["skipped"].items()]
    return out + figure_tables(r["samples"], names) + plots(r["samples"], names) + [""]


def figures(results):
    """The table of the README, its lines."""
    found = {(s["figure"], s["x"], s["variant"]): (statistics.median(s["values"]), s["unit"])
             for r in results.values() for s in r["samples"]}

    def cell(figure, x, base, variant):
        median, unit = found.get((figure, x, variant), (None, None))
        if median is None:
            return ""
        return f"{median / found[figure, x, base][0]:.2g} ×" if base else f"{median:.3g} {unit}"

    rows = [[what, *(cell(figure, x, base, v) for v in variants)]
            for what, figure, x, base, *variants in FIGURES_ROWS]
    return header(FIGURES_COLUMNS) + list(map(row, rows))


def between(text, marks):
    """What is before two marks, between them, and behind."""
    head, rest = text.split(marks[0])
    return head, *rest.split(marks[1])


def put(path, marks, lines):
    with open(path, encoding="utf-8") as f:
        head, _, tail = between(f.read(), marks)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join([head + marks[0], "", *lines, marks[1] + tail]))


def write(root, folder, aims):
    """Puts tables between the marks of both pages, curves beside the one that has all."""
    names = report.Names(os.path.join(root, "bench", "figures.tsv"))
    results = report.latest(folder)
    body = aim_table(results, aims, names)
    for name in sorted(results):
        body += chapter(name, results[name], names)
    put(os.path.join(root, "Documentation", "performance.md"), RESULTS, body)
    put(os.path.join(root, "README.md"), FIGURES, figures(results) + [""])
    report.plot(results, os.path.join(root, "Documentation", "plots"), names, report.is_curve)
    return 0
