// SPDX-License-Identifier: GPL-2.0
// 70-table.js - the list of events, in step with the selected time
//
// There may be more events than a browser can scroll over, so only the lines on the screen exist;
// the slider beside them is the place in the whole trace. With a filter the lines are looked for
// from the first one on.

const LINE_HEIGHT = 20;
const table = { top: 0, lines: [], run: 0, body: null, slider: null, events: [] };

function init_table() {
	table.body = document.getElementById('lines');
	table.slider = document.getElementById('place');
	size_table();
	new ResizeObserver(fill_table).observe(document.getElementById('table'));
	table.slider.addEventListener('input', () => {
		table.top = Number(table.slider.value);
		fill_table();
	});
	document.getElementById('table').addEventListener('wheel', e => {
		e.preventDefault();
		scroll_table(Math.sign(e.deltaY) * Math.max(Math.round(Math.abs(e.deltaY) / 30), 1));
	}, { passive: false });
	table.body.addEventListener('click', e => {
		const line = e.target.closest('tr');

		if (line)
			select_event(Number(line.dataset.index));
	});
}

function size_table() {
	table.slider.max = Math.max(trace.total - 1, 0);
	document.getElementById('grid').setAttribute('aria-rowcount', trace.total);
}

function lines_nr() {
	const box = document.getElementById('table');

	return Math.max(Math.floor((box.clientHeight - LINE_HEIGHT) / LINE_HEIGHT), 1);
}

// Moves the list so that the selected event is in it, as little as possible
function table_follow() {
	const { index } = selection;
	const shown = table.events;

	if (index >= 0 && !(shown.length && index >= shown[0].index &&
			    index <= shown[shown.length - 1].index && !search.filter))
		table.top = Math.max(index - Math.floor(lines_nr() / 3), 0);
	if (search.filter && index >= 0)
		table.top = index;
	fill_table();
}

async function scroll_table(lines) {
	const last = Math.max(trace.total - lines_nr(), 0);

	if (!search.filter) {
		table.top = Math.min(Math.max(table.top + lines, 0), last);
	} else {
		const run = ++table.run;
		let at = table.top;
		for (let i = 0; i < Math.abs(lines); i++) {
			const next = await find_event(search.filter, at + Math.sign(lines),
				Math.sign(lines), () => run !== table.run);
			if (next < 0)
				break;
			at = next;
		}
		if (run !== table.run)
			return;
		table.top = at;
	}
	fill_table();
}

// Events from the first line on, as many as there are lines
async function lines_from(top, is_over) {
	const events = [];

	for (let index = top, nr = lines_nr(); events.length < nr && !is_over(); index++) {
		if (search.filter)
			index = await find_event(search.filter, index, 1, is_over);
		if (index < 0 || index >= trace.total)
			break;
		events.push(await event_at(index));
	}
	return events;
}

async function fill_table() {
	const run = ++table.run;
	const events = await lines_from(table.top, () => run !== table.run);

	if (run !== table.run)
		return;
	// With a filter the place is that of the first event that is meant.
	if (events.length)
		table.top = events[0].index;
	table.events = events;
	table.slider.value = table.top;
	table.slider.setAttribute('aria-valuetext', `event ${table.top + 1} of ${trace.total}`);
	while (table.body.rows.length > events.length)
		table.body.deleteRow(-1);
	events.forEach((event, i) => fill_line(table.body.rows[i] || make_line(), event));
	const nothing = document.getElementById('no-events');
	nothing.hidden = events.length > 0;
	nothing.textContent = search.filter ? 'No event from here on passes the filter.' :
		'No event here or later.';
}

function make_line() {
	const line = table.body.insertRow();

	for (let i = 0; i < 5; i++)
		line.insertCell();
	return line;
}

function fill_line(line, event) {
	const texts = [time_text(event.exact), event.cpu >= 0 ? event.cpu : '', row_text(event.row),
		event.name, fields_text(event)];

	texts.forEach((text, i) => {
		line.cells[i].textContent = text;
		line.cells[i].title = i > 1 ? text : '';
	});
	line.dataset.index = event.index;
	line.setAttribute('aria-rowindex', event.index + 1);
	line.setAttribute('aria-selected', event.index === selection.index);
}
