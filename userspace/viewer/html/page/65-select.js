// SPDX-License-Identifier: GPL-2.0
// 65-select.js - what is selected, shown by all parts at once; finding and filtering
//
// There is one selected time and one selected event, the first at that time or the one that was
// clicked. Picture, histogram, table and details follow it.

const selection = { index: -1, time: -1, event: null };
const search = { terms: null, filter: null, run: 0 };

// Says something to those who look and those who listen
function say(text) {
	document.getElementById('status').textContent = text;
}

let select_run = 0;

// Selects an event by its number
async function select_event(index, does_show = true) {
	const run = ++select_run;
	const event = await event_at(index);

	if (!event || run !== select_run)
		return null;
	Object.assign(selection, { index, time: event.time, event });
	if (does_show)
		show_time(event.time);
	if (event.row >= 0)
		select_row(shown_for(event.row));
	table_follow();
	show_details();
	view_changed();
	request_draw();
	return event;
}

// Selects a time, and the event there or next
async function select_time(time) {
	const index = await index_at(time);
	const row = rows.selected;

	if (index >= 0)
		await select_event(index, false);
	selection.time = time;
	rows.selected = row;
	request_draw();
}

// A click in the picture: the state there, and the row's event next to it within some pixels
async function select_at(row, time) {
	const reach = (view.to - view.from) / chart.width * 5;
	const found = await nearest_event(row, time, reach);

	if (found >= 0)
		await select_event(found, false);
	else
		await select_time(time);
	select_row(row);
	const state = await state_below(row, time);
	chart.state = state;
	show_details();
	request_draw();
	return state;
}

// The state that is painted for a row: its own, or of the threads below it the one that does most
async function state_below(row, time) {
	let best = { row, ...await state_at(row, time) };

	if (best.state < 0 && (rows.all[row].is_folded || trace.head.rows[row].kind === 'process'))
		for (const child of rows.all[row].children) {
			const below = await state_below(child, time);
			if (rank_of(below.state) > rank_of(best.state))
				best = below;
		}
	return best;
}

// Index of the row's event nearest to a time; -1 = none within REACH
async function nearest_event(row, time, reach) {
	const wanted = new Set([row]);
	let best = -1, distance = reach;

	if (!trace.head.blocks.length)
		return -1;
	if (rows.all[row].is_folded)
		(function add(r) {
			wanted.add(r);
			rows.all[r].children.forEach(add);
		})(row);
	const last = block_of_time(time + reach);
	for (let id = Math.max(block_of_time(time - reach) - 1, 0, last - 8); id <= last; id++) {
		const block = await trace.blocks.get(id);
		for (let i = last_upto(block.count, n => block.times[n], time - reach - 1) + 1;
		     i < block.count && block.times[i] <= time + reach; i++) {
			const away = Math.abs(block.times[i] - time);
			if (away <= distance && is_of(block, i, wanted) &&
			    matches(search.filter, block, i)) {
				best = block.first + i;
				distance = away;
			}
		}
	}
	return best;
}

// Whether an event belongs to one of some rows, which may be CPUs
function is_of(block, i, wanted) {
	if (wanted.has(block.rows[i]))
		return true;
	return wanted.has(row_of_stream(block.streams[i]));
}

// The row of a stream's CPU, of its boot of its machine; -1 = none
function row_of_stream(stream) {
	if (!rows.of_stream)
		rows.of_stream = trace.head.streams.map(({ machine, cpu }) =>
			trace.head.rows.findIndex(r => r.kind === 'cpu' && r.number === cpu &&
				r.machine === machine));
	return rows.of_stream[stream] ?? -1;
}

// The next event, from the selected one, that terms mean and the filter lets through
async function step_event(step, terms = null) {
	const all = [...(terms || []), ...(search.filter || [])];
	// Without a selected event from the edge of the screen
	const start = selection.index >= 0 ? selection.index + step :
		await index_at(step > 0 ? view.from : view.to);

	return look_for(all.length ? all : null, start, step);
}

async function look_for(terms, start, step) {
	const run = ++search.run;
	const found = await find_event(terms, start, step, seen => {
		if (seen > 200000)
			say(`looking: ${count_text(seen)} events so far (Escape ends it)`);
		return run !== search.run;
	});

	if (run !== search.run)
		return -1;
	if (found >= 0) {
		await select_event(found);
		say(`event ${count_text(found + 1)} of ${count_text(trace.total)}`);
	}
	return found;
}

// Next event that the box of words means; from the other end if there is none up to this one
async function find_next(step) {
	const box = document.getElementById('find');

	search.terms = read_box(box);
	if (!search.terms)
		return -1;
	let found = await step_event(step, search.terms);
	if (found < 0 && search.run && selection.index >= 0) {
		const all = [...search.terms, ...(search.filter || [])];
		found = await look_for(all, step > 0 ? 0 : trace.total - 1, step);
		say(found < 0 ? `no event is meant by "${box.value}"` :
			`found from the other end: event ${count_text(found + 1)}`);
	} else if (found < 0) {
		say(`no event is meant by "${box.value}"`);
	}
	return found;
}

// What a box says; what is wrong with it is shown
function read_box(box) {
	try {
		const terms = parse_expression(box.value);

		box.removeAttribute('aria-invalid');
		box.title = '';
		return terms;
	} catch (error) {
		box.setAttribute('aria-invalid', 'true');
		box.title = error.message;
		say(error.message);
		return null;
	}
}

// Only events that the box means are listed and marked
function apply_filter() {
	const box = document.getElementById('filter');
	const terms = read_box(box);

	if (box.getAttribute('aria-invalid'))
		return;
	search.filter = terms;
	table.heading = '';
	table_follow();
	view_changed();
	request_draw();
}

function apply_row_filter() {
	rows.filter = document.getElementById('row-filter').value.trim();
	rows_changed();
	say(rows.shown.length ? `${count_text(rows.shown.length)} rows` : 'no row passes the filter');
}
