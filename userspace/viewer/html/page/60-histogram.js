// SPDX-License-Identifier: GPL-2.0
// 60-histogram.js - events over time: of the whole trace, and of the range on the screen; the axis
//
// Lost events are shown above the others, in the colour of loss.

const OVERVIEW_HEIGHT = 28, HISTOGRAM_HEIGHT = 44, AXIS_HEIGHT = 18;

const histogram = { overview: null, canvas: null, text: '' };

function init_histogram() {
	histogram.overview = document.getElementById('overview');
	histogram.canvas = document.getElementById('histogram');
}

function size_histogram(width) {
	fit_canvas(histogram.overview, width, OVERVIEW_HEIGHT);
	fit_canvas(histogram.canvas, width, HISTOGRAM_HEIGHT + AXIS_HEIGHT);
	histogram.whole = null;
}

function draw_histogram() {
	draw_overview();
	draw_range();
}

function clear(canvas) {
	const draw = canvas.getContext('2d', { alpha: false });

	draw.setTransform(1, 0, 0, 1, 0, 0);
	draw.fillStyle = looks.theme.back;
	draw.fillRect(0, 0, canvas.width, canvas.height);
	return draw;
}

// Bars of counts, one a pixel; an event that is alone is seen, too. Returns the largest count.
function draw_bars(draw, { events, lost }, height) {
	const top = events.reduce((sum, nr, x) => Math.max(sum, nr + lost[x]), 0);
	const most = Math.max(top, 1);

	for (const [counts, below, color] of [[events, null, looks.theme.bar],
		[lost, events, looks.theme.loss]]) {
		draw.fillStyle = color;
		for (let x = 0; x < events.length; x++) {
			if (!(counts[x] > 1e-9))
				continue;
			const base = below ? below[x] / most * height : 0;
			const size = Math.max(counts[x] / most * height, 1.5);
			draw.fillRect(x, Math.max(height - base - size, 0), 1, size);
		}
	}
	return top;
}

function draw_overview() {
	const { overview } = histogram;
	const draw = clear(overview);
	const root = trace.head.nodes.length ? trace.nodes.peek(0) : null;
	const whole = { from: 0, to: trace.span };

	if (root)
		histogram.whole ||= count_pixels([{ node: root, from: 0, to: trace.span }], whole,
			overview.width);
	if (histogram.whole)
		draw_bars(draw, histogram.whole, overview.height);
	const left = view.from / trace.span * overview.width;
	const right = view.to / trace.span * overview.width;
	draw.fillStyle = looks.theme.back;
	draw.globalAlpha = 0.65;
	draw.fillRect(0, 0, left, overview.height);
	draw.fillRect(right, 0, overview.width - right, overview.height);
	draw.globalAlpha = 1;
	draw.strokeStyle = looks.theme.accent;
	draw.lineWidth = 2 * chart.dpr;
	draw.strokeRect(left, 0, Math.max(right - left, 2), overview.height);
}

function draw_range() {
	const { canvas } = histogram;
	const draw = clear(canvas);
	const { dpr } = chart;
	const counts = count_pixels(chart.parts, view, canvas.width);
	const most = draw_bars(draw, counts, HISTOGRAM_HEIGHT * dpr);

	draw.setTransform(dpr, 0, 0, dpr, 0, 0);
	draw.font = '11px system-ui, sans-serif';
	draw.textBaseline = 'top';
	const rate = most / ((view.to - view.from) / canvas.width) * 1e9;
	histogram.text = most > 1e-9 ? `at most ${count_text(Math.ceil(rate))} events/s` : 'no events';
	label(draw, histogram.text, 4, 3);
	draw_axis(draw);
	if (selection.time >= 0) {
		draw.fillStyle = looks.theme.accent;
		draw.fillRect(Math.round(x_of_time(selection.time)), 0, 1.5, HISTOGRAM_HEIGHT);
	}
}

// A text on a piece of background of its own
function label(draw, text, x, y) {
	draw.fillStyle = looks.theme.back;
	draw.globalAlpha = 0.8;
	draw.fillRect(x - 2, y - 1, draw.measureText(text).width + 4, 14);
	draw.globalAlpha = 1;
	draw.fillStyle = looks.theme.faint;
	draw.fillText(text, x, y);
}

// Distance of the marks: 1, 2 or 5 times a power of ten, some 130 pixels
function axis_step() {
	const least = (view.to - view.from) / chart.width * 110;
	const power = 10 ** Math.floor(Math.log10(least));

	return Math.max([1, 2, 5, 10].map(n => n * power).find(n => n >= least), 1);
}

function axis_marks() {
	const step = axis_step();
	const marks = [];

	for (let n = Math.ceil(view.from / step); n * step < view.to; n++)
		marks.push(n * step);
	return marks;
}

function draw_axis(draw) {
	const step = axis_step();

	draw.fillStyle = looks.theme.line;
	draw.fillRect(0, HISTOGRAM_HEIGHT, chart.width, 1);
	for (const mark of axis_marks()) {
		const x = Math.round(x_of_time(mark));

		draw.fillStyle = looks.theme.line;
		draw.fillRect(x, HISTOGRAM_HEIGHT, 1, 5);
		draw.fillStyle = looks.theme.text;
		const text = axis_text(mark, step);
		if (x + 3 + draw.measureText(text).width < chart.width)
			draw.fillText(text, x + 3, HISTOGRAM_HEIGHT + 4);
	}
}
