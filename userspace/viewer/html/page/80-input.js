// SPDX-License-Identifier: GPL-2.0
// 80-input.js - mouse, wheel and keyboard; the help is made of the same table of keys

const focus = id => {
	document.getElementById(id).focus();
	document.getElementById(id).select();
};

// [keys, what they do, function]
const KEYS = [
	[['ArrowLeft', 'a'], 'earlier (Shift: a whole screen)', e => pan(e.shiftKey ? -1 : -0.15)],
	[['ArrowRight', 'd'], 'later (Shift: a whole screen)', e => pan(e.shiftKey ? 1 : 0.15)],
	[['+', '=', 'w'], 'zoom in', () => zoom(0.6, zoom_center())],
	[['-', 's'], 'zoom out', () => zoom(1 / 0.6, zoom_center())],
	[['0'], 'the whole trace', () => set_view(0, trace.span, true)],
	[['Home'], 'the beginning', () => set_view(0, view.to - view.from, true)],
	[['End'], 'the end', () => set_view(trace.span - (view.to - view.from), trace.span, true)],
	[['Backspace'], 'the range before', go_back],
	[['z'], 'zoom to the selected state', zoom_to_state],
	[['m'], 'totals of the range on the screen', () => press('totals')],
	[['ArrowUp'], 'row above; in the list: event before', () => move_row(-1)],
	[['ArrowDown'], 'row below; in the list: event after', () => move_row(1)],
	[['PageUp'], 'rows above; in the list: a page', () => scroll_rows(-0.8)],
	[['PageDown'], 'rows below; in the list: a page', () => scroll_rows(0.8)],
	[['Enter', ' '], 'fold or unfold the row', () => rows.selected >= 0 && fold_row(rows.selected)],
	[['c'], 'fold or unfold all', fold_all],
	[['n'], 'next event of the row', () => step_in_row(1)],
	[['p'], 'event before of the row', () => step_in_row(-1)],
	[['.'], 'next event', () => step_event(1)],
	[[','], 'event before', () => step_event(-1)],
	[['/'], 'find: words, field=value, -not; Enter next, Shift+Enter before', () => focus('find')],
	[['f'], 'filter the events', () => focus('filter')],
	[['r'], 'filter the rows', () => focus('row-filter')],
	[['q'], 'ask with SQL (of a server that answers it)', () => trace.head.sql && press('sql')],
	[['i'], 'hide rows that are idle here, or show them', () => press('idle')],
	[['x'], 'show arrows or not', () => press('arrows')],
	[['t'], 'dark or light', () => press('theme')],
	[['Escape'], 'leave a box, end a search, close this', leave],
	[['?'], 'this help', () => press('help')],
];
const MOUSE = [
	['wheel', 'zoom at the pointer'],
	['Shift+wheel, sideways', 'earlier and later'],
	['Alt+wheel, wheel over names', 'rows above and below'],
	['drag', 'move'],
	['Ctrl+drag', 'mark a range: its totals'],
	['Shift+drag, drag over the histogram', 'mark a range and zoom to it'],
	['click', 'select state and event'],
	['double click', 'zoom to the state'],
	['drag in the line at the top', 'move the range over the whole trace'],
];

const press = id => document.getElementById(id).click();

function zoom_center() {
	const { time } = selection;

	return time >= view.from && time < view.to ? time : (view.from + view.to) / 2;
}

function go_back() {
	const before = back_views.pop();

	if (before)
		set_view(...before);
}

function move_row(step) {
	const place = (rows.place.get(rows.selected) ?? (step > 0 ? -1 : rows.shown.length)) + step;

	if (place >= 0 && place < rows.shown.length) {
		select_row(rows.shown[place]);
		say(row_text(rows.shown[place]));
	}
}

function scroll_rows(part) {
	document.getElementById('scroller').scrollTop += part * chart.height;
}

// Next event of the selected row: by the number of its thread, or CPU
async function step_in_row(step) {
	const row = rows.selected;

	if (row < 0)
		return step_event(step);
	const wanted = new Set([row, ...rows.all[row].children]);
	let at = selection.index < 0 ? 0 : selection.index + step;
	while (at >= 0 && at < trace.total) {
		const block = await trace.blocks.get(block_of_event(at));

		for (let i = at - block.first; i >= 0 && i < block.count; i += step)
			if (is_of(block, i, wanted) && matches(search.filter, block, i)) {
				await select_event(block.first + i);
				return select_row(row);
			}
		at = step > 0 ? block.first + block.count : block.first - 1;
	}
	say(`${row_text(row)} has no event ${step > 0 ? 'after' : 'before'} this one`);
}

function leave() {
	search.run++;
	document.getElementById('help-text').close();
	document.getElementById('picture').focus();
	chart.band = null;
	leave_totals();
	say('');
	request_draw();
}

// ---- keyboard

const TABLE_KEYS = {
	ArrowUp: () => step_event(-1), ArrowDown: () => step_event(1),
	PageUp: () => scroll_table(-lines_nr()), PageDown: () => scroll_table(lines_nr()),
};

function on_key(e) {
	const is_box = e.target.matches('input:not([type=range]), textarea');

	if (e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (is_box && e.key !== 'Escape')
		return;
	// A button that has the focus is pressed by Enter and blank.
	if (e.target.matches('button, summary, input[type=range]') &&
	    (['Enter', ' '].includes(e.key) || e.target.matches('input') && /Arrow|Page|Home|End/.test(e.key)))
		return;
	const action = (e.target.closest('#table') && TABLE_KEYS[e.key]) ||
		KEYS.find(([keys]) => keys.includes(e.key))?.[2];
	if (!action)
		return;
	e.preventDefault();
	action(e);
}

function init_boxes() {
	const on_enter = (id, action) => document.getElementById(id)
		.addEventListener('keydown', e => e.key === 'Enter' && action(e));

	on_enter('find', e => find_next(e.shiftKey ? -1 : 1));
	on_enter('filter', apply_filter);
	document.getElementById('filter').addEventListener('change', apply_filter);
	document.getElementById('row-filter').addEventListener('input', apply_row_filter);
}

// ---- wheel and drag

// X of the pointer from the left edge of an element
const x_in = (element, e) => e.clientX - element.getBoundingClientRect().left;

function on_wheel(e) {
	e.preventDefault();
	const turn = (e.deltaMode ? 30 : 1) * (e.deltaY || e.deltaX);

	if (e.altKey || e.currentTarget.id === 'names')
		document.getElementById('scroller').scrollTop += turn;
	else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
		pan(turn / chart.width);
	else
		zoom(Math.exp(turn * 0.002), time_at_x(x_in(e.currentTarget, e)));
}

// Follows the pointer from a press to its release. move(e, start), end(e, has_moved)
function follow(element, begin) {
	element.addEventListener('pointerdown', e => {
		if (e.button)
			return;
		const { move, end } = begin(e);
		let has_moved = false;
		const on_move = m => {
			has_moved ||= Math.hypot(m.clientX - e.clientX, m.clientY - e.clientY) > 3;
			if (has_moved)
				move(m);
		};
		element.setPointerCapture(e.pointerId);
		element.addEventListener('pointermove', on_move);
		const over = u => {
			element.removeEventListener('pointermove', on_move);
			element.removeEventListener('pointerup', over);
			element.removeEventListener('pointercancel', over);
			end(u, has_moved);
		};
		element.addEventListener('pointerup', over);
		element.addEventListener('pointercancel', over);
	});
}

// Dragging moves time and rows
function begin_move(e) {
	const start = { from: view.from, to: view.to, scroll: view.scroll };
	const scroller = document.getElementById('scroller');

	return {
		move(m) {
			const away = (m.clientX - e.clientX) * (start.to - start.from) / chart.width;
			set_view(start.from - away, start.to - away);
			scroller.scrollTop = start.scroll - (m.clientY - e.clientY);
			chart.canvas.classList.add('moving');
		},
		end(u, has_moved) {
			chart.canvas.classList.remove('moving');
			if (has_moved)
				return;
			const box = chart.canvas.getBoundingClientRect();
			const row = row_at_y(u.clientY - box.top);
			const time = time_at_x(u.clientX - box.left);
			const done = row >= 0 ? select_at(row, time) : select_time(time);
			done.catch(trace.failed);
		},
	};
}

// Dragging marks a range, for which USE is called
function begin_band(e, use = (from, to) => set_view(from, to, true)) {
	const element = e.currentTarget;
	const start = time_at_x(x_in(element, e));

	return {
		move(m) {
			const now = time_at_x(x_in(element, m));
			chart.band = { from: Math.min(start, now), to: Math.max(start, now) };
			say(duration_text(chart.band.to - chart.band.from));
			request_draw();
		},
		end(u, has_moved) {
			const { band } = chart;
			chart.band = null;
			if (has_moved && band)
				use(band.from, band.to);
			else
				select_time(start).catch(trace.failed);
			request_draw();
		},
	};
}

function begin_overview(e) {
	const { overview } = histogram;
	const go = m => {
		const half = (view.to - view.from) / 2;
		const time = x_in(overview, m) / chart.width * trace.span;
		set_view(time - half, time + half);
	};

	go(e);
	return { move: go, end() {} };
}

function begin_split(e) {
	const below = document.getElementById('below');
	const height = below.offsetHeight;

	return {
		move: m => set_split(height + e.clientY - m.clientY),
		end() {},
	};
}

// Height of the list of events
function set_split(height) {
	const most = document.body.clientHeight - 220;

	height = Math.round(Math.min(Math.max(height, 60), Math.max(most, 60)));
	document.getElementById('below').style.height = `${height}px`;
	document.getElementById('split').setAttribute('aria-valuenow', height);
}

function init_input() {
	const { canvas } = chart;
	const names = document.getElementById('names');

	document.addEventListener('keydown', on_key);
	for (const element of [canvas, histogram.canvas, names])
		element.addEventListener('wheel', on_wheel, { passive: false });
	const total = (from, to) => show_totals(from, to).catch(trace.failed);
	follow(canvas, e => e.ctrlKey || e.metaKey ? begin_band(e, total) :
		e.shiftKey ? begin_band(e) : begin_move(e));
	follow(histogram.canvas, e => begin_band(e, e.ctrlKey || e.metaKey ? total : undefined));
	follow(histogram.overview, begin_overview);
	follow(document.getElementById('split'), begin_split);
	document.getElementById('split').addEventListener('keydown', e => {
		const step = { ArrowUp: 20, ArrowDown: -20 }[e.key];
		if (!step)
			return;
		e.preventDefault();
		e.stopPropagation();
		set_split(document.getElementById('below').offsetHeight + step);
	});
	canvas.addEventListener('dblclick', zoom_to_state);
	canvas.addEventListener('pointermove', e => {
		chart.hover = { x: e.offsetX, y: e.offsetY };
		request_draw();
	});
	canvas.addEventListener('pointerleave', () => {
		chart.hover = null;
		request_draw();
	});
	names.addEventListener('click', e => {
		const item = e.target.closest('[role=treeitem]');
		if (!item)
			return;
		select_row(Number(item.dataset.row));
		if (e.target.closest('.fold'))
			fold_row(Number(item.dataset.row));
	});
	init_boxes();
}
