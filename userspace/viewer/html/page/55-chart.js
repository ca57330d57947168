// SPDX-License-Identifier: GPL-2.0
// 55-chart.js - the rows on their canvas, and the names beside it
//
// Pixels of states are computed line by line and put on the canvas at once, which takes the same
// time however many events there are. Arrows, lines and texts are drawn above.

const view = { from: 0, to: 1, scroll: 0 };	// ns since the beginning; pixels
const back_views = [];				// ranges looked at before
const ARROWS_MAX = 2000, TEXTS_MAX = 300;
const ARROW_DASHES = [[], [4, 3], [1, 3]];	// as in the legend

const chart = {
	canvas: null, draw: null, width: 0, height: 0, dpr: 1,
	picture: null, pixels: null,
	parts: [], codes: null,
	wish: 0,		// of the next frame; 0 = none is wanted
	frames: [],		// when the last ones were drawn
	has_arrows: true,
	hover: null,		// {x, y} of the pointer
	band: null,		// {from, to}: range being marked
	range: null,		// {from, to}: whose totals are shown
	state: null,		// {row, from, to, state} that was clicked
};

function init_chart() {
	chart.canvas = document.getElementById('chart');
	chart.draw = chart.canvas.getContext('2d', { alpha: false });
	new ResizeObserver(layout).observe(document.getElementById('rows'));
	document.getElementById('scroller').addEventListener('scroll', e => {
		view.scroll = e.target.scrollTop;
		request_draw();
	});
}

// Sizes, after anything that changes them
function layout() {
	const box = document.getElementById('rows').getBoundingClientRect();
	const side = document.getElementById('names').offsetWidth;
	const scroller = document.getElementById('scroller');

	chart.dpr = devicePixelRatio || 1;
	chart.width = Math.max(Math.round((box.width - side - scroller.offsetWidth)), 10);
	chart.height = Math.max(Math.round(box.height), 10);
	fit_canvas(chart.canvas, chart.width, chart.height);
	chart.picture = new ImageData(chart.canvas.width, chart.canvas.height);
	chart.pixels = new Uint32Array(chart.picture.data.buffer);
	scroller.firstElementChild.style.height = `${rows.shown.length * ROW_HEIGHT + 4}px`;
	view.scroll = scroller.scrollTop;
	size_histogram(chart.width);
	request_draw();
}

function fit_canvas(canvas, width, height) {
	canvas.width = Math.round(width * chart.dpr);
	canvas.height = Math.round(height * chart.dpr);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
}

function request_draw() {
	if (!chart.wish)
		chart.wish = requestAnimationFrame(draw_all);
}

function draw_all() {
	chart.wish = 0;
	if (!trace.head || !chart.width)
		return;
	chart.frames.push(performance.now());
	if (chart.frames.length > 1000)
		chart.frames.shift();
	chart.parts = plan(view.from, view.to, chart.canvas.width);
	draw_rows();
	draw_histogram();
	draw_names();
	show_hover();
}

// ---- looking elsewhere

// ns that a screen shows at least: numbers have 53 bits
function least_view() {
	return trace.is_long ? trace.span / 2 ** 43 : 10;
}

// Puts [from, to) into the trace
function set_view(from, to, is_jump = false) {
	const size = Math.min(Math.max(to - from, least_view()), trace.span);

	if (is_jump)
		remember_view();
	from = Math.min(Math.max(from + (to - from - size) / 2, 0), trace.span - size);
	view.from = from;
	view.to = from + size;
	view_changed();
	request_draw();
}

function remember_view() {
	back_views.push([view.from, view.to]);
	if (back_views.length > 100)
		back_views.shift();
}

// What may wait until the view rests
let rest_timer = 0;
function view_changed() {
	clearTimeout(rest_timer);
	rest_timer = setTimeout(() => {
		write_address();
		update_busy();
	}, 200);
}

function update_busy() {
	if (!rows.hides_idle)
		return;
	rows.busy = busy_rows(plan(view.from, view.to, chart.canvas.width));
	rows_changed();
}

function zoom(factor, at = (view.from + view.to) / 2) {
	const size = Math.min(Math.max((view.to - view.from) * factor, least_view()), trace.span);
	const left = (at - view.from) / (view.to - view.from);

	set_view(at - left * size, at + (1 - left) * size);
}

function pan(part) {
	const step = (view.to - view.from) * part;

	set_view(view.from + step, view.to + step);
}

// Has TIME on the screen, in the middle if it was not
function show_time(time) {
	const size = view.to - view.from;

	if (time < view.from || time >= view.to)
		set_view(time - size / 2, time + size / 2, true);
	request_draw();
}

function scroll_to_row(row) {
	const scroller = document.getElementById('scroller');
	const top = rows.place.get(row) * ROW_HEIGHT;

	if (top < view.scroll)
		scroller.scrollTop = top;
	else if (top + ROW_HEIGHT > view.scroll + chart.height)
		scroller.scrollTop = top + ROW_HEIGHT - chart.height;
}

const time_at_x = x => view.from + x * (view.to - view.from) / chart.width;
const x_of_time = time => (time - view.from) * chart.width / (view.to - view.from);
const row_at_y = y => rows.shown[Math.floor((y + view.scroll) / ROW_HEIGHT)] ?? -1;
const y_of_row = row => rows.place.get(row) * ROW_HEIGHT - view.scroll;

// ---- drawing

// Codes of a row; those of a folded process, or of one without its own, are its threads'
function row_codes(row, width) {
	const codes = new Uint32Array(width);

	paint_states(codes, chart.parts, row, view);
	const { children, is_folded } = rows.all[row];
	if (!children.length || (!is_folded && trace.head.rows[row].kind !== 'process'))
		return codes;
	for (const child of children) {
		if (trace.head.rows[child].kind !== 'thread' && trace.head.rows[child].kind !== 'process')
			continue;
		const below = row_codes(child, width);
		for (let x = 0; x < width; x++)
			if (rank_of(below[x] - 1) > rank_of(codes[x] - 1))
				codes[x] = below[x];
	}
	return codes;
}

function row_marks(row, width) {
	const marks = new Uint8Array(width);

	paint_marks(marks, chart.parts, row, view, search.filter);
	if (rows.all[row].is_folded)
		for (const child of rows.all[row].children) {
			const below = row_marks(child, width);
			for (let x = 0; x < width; x++)
				marks[x] = Math.max(marks[x], below[x]);
		}
	return marks;
}

function draw_rows() {
	const { width, height } = chart.canvas;
	const { dpr } = chart;
	const first = Math.floor(view.scroll / ROW_HEIGHT);
	const last = Math.min(Math.ceil((view.scroll + chart.height) / ROW_HEIGHT), rows.shown.length);
	const texts = [];

	chart.pixels.fill(looks.pixels.back);
	for (let place = first; place < last; place++) {
		const row = rows.shown[place];
		const top = Math.round((place * ROW_HEIGHT - view.scroll) * dpr);
		const codes = row_codes(row, width);

		draw_row(row, codes, row_marks(row, width), top, width, height, place % 2);
		find_texts(texts, codes, top / dpr);
	}
	chart.draw.putImageData(chart.picture, 0, 0);
	chart.draw.setTransform(dpr, 0, 0, dpr, 0, 0);
	draw_grid();
	draw_texts(texts);
	draw_errors();
	draw_arrows();
	draw_lines();
}

// One row: lines of pixels, each of which is computed once and copied
function draw_row(row, codes, marks, top, width, height, is_odd) {
	const { dpr, pixels } = chart;
	const back = row === rows.selected ? looks.pixels.chosen :
		is_odd ? looks.pixels.stripe : looks.pixels.back;
	const lines = [THIN, MIDDLE, FULL].map(least => {
		const line = new Uint32Array(width).fill(back);
		for (let x = 0; x < width; x++)
			if (codes[x]) {
				if (looks.list[codes[x] - 1].height >= least)
					line[x] = looks.list[codes[x] - 1].pixel;
			} else if (marks[x] && least < FULL) {
				// Events, but nothing known of states
				line[x] = looks.pixels.bar;
			}
		return line;
	});
	const ticks = new Uint32Array(width).fill(back);
	for (let x = 0; x < width; x++)
		if (marks[x])
			ticks[x] = marks[x] > 4 ? looks.pixels.text : looks.pixels.faint;
	const empty = new Uint32Array(width).fill(back);
	// From the top, in CSS pixels: edge, full, middle, thin, middle, full, marks
	const bands = [[0, empty], [2, lines[FULL]], [5, lines[MIDDLE]], [8, lines[THIN]],
		[11, lines[MIDDLE]], [14, lines[FULL]], [16, ticks], [ROW_HEIGHT - 1, empty],
		[ROW_HEIGHT, null]];
	for (let i = 0; i + 1 < bands.length; i++) {
		const end = Math.min(top + Math.round(bands[i + 1][0] * dpr), height);
		for (let y = Math.max(top + Math.round(bands[i][0] * dpr), 0); y < end; y++)
			pixels.set(bands[i][1], y * width);
	}
}

// States that are wide enough for their name
function find_texts(texts, codes, top) {
	const least = 44 * chart.dpr;

	for (let x = 0, end; x < codes.length && texts.length < TEXTS_MAX; x = end) {
		for (end = x + 1; end < codes.length && codes[end] === codes[x];)
			end++;
		if (codes[x] && end - x >= least && looks.list[codes[x] - 1].height === FULL)
			texts.push([looks.list[codes[x] - 1], x / chart.dpr, top, (end - x) / chart.dpr]);
	}
}

function draw_texts(texts) {
	const { draw } = chart;

	draw.font = '11px system-ui, sans-serif';
	draw.textBaseline = 'middle';
	for (const [look, x, top, width] of texts) {
		const most = Math.floor((width - 6) / 5.6);
		const text = look.name.length > most ? look.name.slice(0, most - 1) + '…' : look.name;

		draw.fillStyle = look.ink;
		draw.fillText(text, x + 3, top + 9.5, width - 4);
	}
}

function draw_arrows() {
	const { draw } = chart;
	let nr = 0;

	if (!chart.has_arrows)
		return;
	draw.lineWidth = 1;
	for (const { block } of chart.parts)
		for (const arrow of block ? block.arrows : []) {
			const from = shown_for(arrow.from_row), to = shown_for(arrow.to_row);

			if (from < 0 || to < 0 || from === to || arrow.to < view.from ||
			    arrow.from > view.to || nr++ > ARROWS_MAX)
				continue;
			draw_arrow(arrow.kind, x_of_time(arrow.from), y_of_row(from) + 9,
				x_of_time(arrow.to), y_of_row(to) + 9);
		}
	draw.setLineDash([]);
}

function draw_arrow(kind, x0, y0, x1, y1) {
	const { draw } = chart;
	const down = Math.sign(y1 - y0);
	const tip = y1 - down * 6;

	if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > chart.height)
		return;
	draw.strokeStyle = draw.fillStyle = kind < MESSAGE ? looks.theme.text : looks.theme.accent;
	draw.setLineDash(ARROW_DASHES[kind % ARROW_DASHES.length]);
	draw.beginPath();
	draw.moveTo(x0, y0);
	draw.lineTo(x1, tip);
	draw.stroke();
	draw.beginPath();
	draw.moveTo(x1, tip + down * 2);
	draw.lineTo(x1 - 3, tip - down * 5);
	draw.lineTo(x1 + 3, tip - down * 5);
	draw.fill();
}

function draw_grid() {
	const { draw } = chart;

	draw.fillStyle = looks.theme.line;
	draw.globalAlpha = 0.5;
	for (const mark of axis_marks())
		draw.fillRect(Math.round(x_of_time(mark)), 0, 1, chart.height);
	draw.globalAlpha = 1;
}

// Slanted lines for what is inexact, 6 by 6 pixels
function hatch() {
	if (chart.hatch?.color !== looks.theme.accent) {
		const tile = document.createElement('canvas');
		tile.width = tile.height = 6;
		const pen = tile.getContext('2d');
		pen.strokeStyle = looks.theme.accent;
		pen.beginPath();
		for (const x of [-3, 3]) {
			pen.moveTo(x, 6);
			pen.lineTo(x + 6, 0);
		}
		pen.stroke();
		chart.hatch = { color: looks.theme.accent, pattern: chart.draw.createPattern(tile, 'repeat') };
	}
	return chart.hatch.pattern;
}

// Where the error of a host's times is wider than a pixel, or unknown: [left, right, text] of each part
function inexact_parts(machine) {
	const errors = trace.head.files[machine]?.errors ?? [];
	const pixel = 1.5 * (view.to - view.from) / chart.width;
	const parts = [];

	for (let i = Math.max(last_upto(errors.length, k => errors[k][0], view.from), 0);
		i < errors.length && errors[i][0] < view.to; i++) {
		const [from, early, late] = errors[i];
		const is_known = errors[i].length > 1;
		const left = Math.max(x_of_time(from), 0);
		const right = Math.min(x_of_time(errors[i + 1]?.[0] ?? trace.span), chart.width);

		if (right > left && (!is_known || early + late > pixel))
			parts.push([left, right, error_text(is_known ? [early, late] : null).trim()]);
	}
	return parts;
}

// Rows of hosts are hatched there, with the error where it has room.
function draw_errors() {
	const { draw } = chart;
	const first = Math.max(Math.floor(view.scroll / ROW_HEIGHT), 0);
	const last = Math.min(Math.ceil((view.scroll + chart.height) / ROW_HEIGHT), rows.shown.length);

	chart.inexact = new Map();
	for (const row of rows.shown.slice(first, last)) {
		const { kind, machine } = trace.head.rows[row];
		if (kind !== 'host')
			continue;
		const parts = inexact_parts(machine);
		chart.inexact.set(machine, parts);
		for (const [left, right] of parts) {
			draw.globalAlpha = 0.5;
			draw.fillStyle = hatch();
			draw.fillRect(left, y_of_row(row) + 2, right - left, ROW_HEIGHT - 5);
			draw.globalAlpha = 1;
		}
		draw_error_texts(parts, y_of_row(row));
	}
}

function draw_error_texts(parts, top) {
	const { draw } = chart;

	draw.font = '11px system-ui, sans-serif';
	draw.textBaseline = 'middle';
	for (const [left, right, text] of parts) {
		const width = 7 * text.length;

		if (right - left < width + 8)
			continue;
		draw.fillStyle = looks.theme.back;
		draw.fillRect(left + 4, top + 2, width, ROW_HEIGHT - 5);
		draw.fillStyle = looks.theme.text;
		draw.fillText(text, left + 6, top + 9.5, width - 4);
	}
}

// The interval that has the true time of the selected event, where it is wider than a pixel
function draw_interval() {
	const { draw } = chart;
	const { event } = selection;
	const [early, late] = (event && error_at(event.file, event.time)) || [0, 0];
	const left = Math.max(x_of_time(event?.time - early), 0);
	const right = Math.min(x_of_time(event?.time + late), chart.width);

	chart.interval = right - left > 1.5 ? [left, right] : null;
	if (!chart.interval)
		return;
	draw.fillStyle = looks.theme.accent;
	draw.globalAlpha = 0.15;
	draw.fillRect(left, 0, right - left, chart.height);
	draw.globalAlpha = 0.6;
	draw.fillStyle = hatch();
	for (const x of [left, right - 3])
		draw.fillRect(x, 0, Math.min(3, right - left), chart.height);
	draw.globalAlpha = 1;
}

function draw_lines() {
	const { draw } = chart;
	draw_interval();
	const framed = chart.state ? shown_for(chart.state.row) : -1;
	if (framed >= 0) {
		const left = Math.max(x_of_time(chart.state.from), -2);
		const right = Math.min(x_of_time(chart.state.to), chart.width + 2);
		draw.strokeStyle = looks.theme.text;
		draw.lineWidth = 2;
		draw.strokeRect(left, y_of_row(framed) + 1, Math.max(right - left, 2), 16);
	}
	for (const band of [chart.band, chart.range]) {
		if (!band)
			continue;
		const left = x_of_time(band.from), right = x_of_time(band.to);
		draw.fillStyle = looks.theme.accent;
		draw.globalAlpha = 0.2;
		draw.fillRect(left, 0, right - left, chart.height);
		draw.globalAlpha = 1;
	}
	if (selection.time >= 0) {
		draw.fillStyle = looks.theme.accent;
		draw.fillRect(Math.round(x_of_time(selection.time)), 0, 1.5, chart.height);
	}
}

// ---- names: elements, so that they can be read aloud, selected and searched by the browser

const name_pool = [];

function draw_names() {
	const first = Math.floor(view.scroll / ROW_HEIGHT);
	const last = Math.min(Math.ceil((view.scroll + chart.height) / ROW_HEIGHT), rows.shown.length);
	const box = document.getElementById('names');

	for (let i = 0; i < Math.max(last - first, name_pool.length); i++) {
		if (!name_pool[i])
			name_pool.push(box.appendChild(make_name()));
		name_pool[i].hidden = first + i >= last;
		if (first + i < last)
			fill_name(name_pool[i], rows.shown[first + i], (first + i) * ROW_HEIGHT - view.scroll);
	}
	const chosen = rows.place.get(rows.selected) - first;
	if (name_pool[chosen] && !name_pool[chosen].hidden)
		box.setAttribute('aria-activedescendant', name_pool[chosen].id);
	else
		box.removeAttribute('aria-activedescendant');
}

function make_name() {
	const item = document.createElement('div');
	const fold = document.createElement('span');
	const name = document.createElement('span');
	const number = document.createElement('span');

	item.setAttribute('role', 'treeitem');
	item.id = `name-${name_pool.length}`;
	fold.className = 'fold';
	fold.setAttribute('aria-hidden', 'true');
	number.className = 'number';
	item.append(fold, name, number);
	return item;
}

// Only what differs is changed, for each change costs the browser a layout.
function fill_name(item, row, top) {
	const { depth, is_folded, children } = rows.all[row];
	const key = `${row} ${is_folded} ${row === rows.selected} ${top}`;

	if (item.key === key)
		return;
	item.key = key;
	const { name, kind } = trace.head.rows[row];
	const number = number_of(row);
	item.style.transform = `translateY(${top}px)`;
	item.style.paddingLeft = `${4 + depth * 12}px`;
	item.dataset.row = row;
	item.dataset.kind = kind;
	item.title = `${kind} ${name} ${number}`;
	item.setAttribute('aria-level', depth + 1);
	item.setAttribute('aria-selected', row === rows.selected);
	item.setAttribute('aria-label', item.title.trim());
	if (children.length)
		item.setAttribute('aria-expanded', !is_folded);
	else
		item.removeAttribute('aria-expanded');
	item.firstChild.textContent = children.length ? (is_folded ? '▸' : '▾') : '';
	item.children[1].textContent = name;
	item.lastChild.textContent = number;
}

// ---- what is under the pointer

function show_hover() {
	const tip = document.getElementById('tip');
	const row = chart.hover ? row_at_y(chart.hover.y) : -1;

	tip.hidden = row < 0;
	if (row < 0)
		return;
	const codes = row_codes(row, chart.canvas.width);
	const code = codes[Math.floor(chart.hover.x * chart.dpr)] || 0;
	tip.textContent = `${place_text(row)}: ${state_name(code - 1)}\n` +
		`${time_text(time_at_x(chart.hover.x))} s`;
	const box = document.getElementById('names').offsetWidth;
	const is_right = chart.hover.x > chart.width - 220;
	tip.style.left = is_right ? '' : `${box + chart.hover.x + 14}px`;
	tip.style.right = is_right ? `${chart.width - chart.hover.x + 28}px` : '';
	tip.style.top = `${Math.min(chart.hover.y + 14, chart.height - 44)}px`;
}
