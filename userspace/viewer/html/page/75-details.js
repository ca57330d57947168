// SPDX-License-Identifier: GPL-2.0
// 75-details.js - all that is known of the selected event and state, and the events next to it

let details_run = 0;

function add_pair(list, name, value) {
	make('dt', name, list);
	make('dd', value, list);
}

async function show_details() {
	const box = document.getElementById('details');

	leave_totals();
	const run = ++details_run;
	const parts = document.createDocumentFragment();

	if (chart.state && chart.state.row >= 0)
		add_state(parts, chart.state);
	if (selection.event)
		add_event(parts, selection.event);
	box.replaceChildren(parts);
	if (selection.event)
		await add_messages(box, selection.event, () => run !== details_run);
	if (selection.event && run === details_run)
		await add_neighbours(box, selection.event, () => run !== details_run);
}

function add_state(box, { row, state, from, to }) {
	make('h2', state_name(state), box);
	const list = make('dl', '', box);

	add_pair(list, trace.head.rows[row].kind, place_text(row));
	add_pair(list, 'from', `${time_text(from)} s`);
	add_pair(list, 'for', duration_text(to - from));
	make('button', 'Zoom to it', box, { type: 'button' })
		.addEventListener('click', zoom_to_state);
	const thread = trace.head.states[state]?.row;
	if (thread !== undefined)
		make('button', 'Show its row', box, { type: 'button' }).addEventListener('click', () => {
			unfold_to(thread);
			select_row(thread);
		});
}

function zoom_to_state() {
	if (!chart.state)
		return;
	const { from, to } = chart.state;
	const margin = (to - from) * 0.1;

	set_view(from - margin, to + margin, true);
}

function add_event(box, event) {
	make('h2', event.name, box);
	const list = make('dl', '', box);
	const row = trace.head.rows[event.row];

	add_pair(list, 'number', `${count_text(event.index + 1)} of ${count_text(trace.total)}`);
	add_pair(list, 'time', `${time_text(event.exact)} s${error_text(error_at(event.file, event.time))}`);
	if (wall_text(event.exact))
		add_pair(list, 'date', wall_text(event.exact));
	if (trace.head.begin !== trace.head.wall)
		add_pair(list, 'clock', `${clock_text(event.exact)} ns`);
	if (event.cpu >= 0)
		add_pair(list, 'CPU', event.cpu);
	if (row) {
		add_pair(list, 'thread', row.name);
		if (row.tid !== undefined)
			add_pair(list, 'tid, pid', `${row.tid}, ${row.pid ?? ''}`);
		if (row.host)
			add_pair(list, 'host', row.host);
	}
	if (trace.head.files.length > 1 && event.file !== undefined)
		add_pair(list, 'file', trace.head.files[event.file].name);
	for (const field of event.fields)
		if (is_stacks(field))
			for (const [name, frames] of Object.entries(field.value))
				add_pair(list, name, shown(frames.join(' < ')));
		else
			add_pair(list, field.name, detail_text(field));
	if (event.flags.length)
		add_pair(list, 'flags', event.flags.join(', '));
}

// A name with its number
function detail_text(field) {
	const text = value_text(field.value, field);

	return enum_name(field.value, field.enums) === undefined ? text : `${text} (${field.value})`;
}

// Messages between hosts that EVENT is an end of, in its block and the next ones
async function messages_of(event) {
	const first = block_of_event(event.index);
	const machine = machine_of(event);
	const is_here = (time, row) =>
		time === event.time && trace.head.rows[row].machine === machine;
	let found = [];

	for (let id = first; id < trace.head.blocks.length && id < first + 4 && !found.length; id++) {
		const block = await trace.blocks.get(id);

		found = block.arrows.filter(a => a.kind >= MESSAGE &&
			(is_here(a.from, a.from_row) || is_here(a.to, a.to_row)));
	}
	return found;
}

// Both ends, and how long it took at least and at most
async function add_messages(box, event, is_over) {
	if (!trace.head.arrows?.[MESSAGE] || !/^net:/.test(event.name))
		return;
	const found = await messages_of(event);

	if (is_over())
		return;
	for (const { kind, from, from_row, to, to_row } of found) {
		const errors = [[from, from_row], [to, to_row]]
			.map(([time, row]) => error_at(trace.head.rows[row].machine, time));

		make('h2', trace.head.arrows[kind], box);
		const list = make('dl', '', box, { class: 'message' });
		for (const [name, time, row, error] of [['from', from, from_row, errors[0]],
			['to', to, to_row, errors[1]]])
			add_pair(list, name, `${host_name(row)}, ${trace.head.rows[row].name}, ` +
				`${time_text(time)} s${error_text(error)}`);
		if (kind === MESSAGE)
			add_pair(list, 'took', trip_text(to - from, ...errors));
	}
}

function host_name(row) {
	const { machine } = trace.head.rows[row];

	return trace.head.rows.find(r => r.kind === 'host' && r.machine === machine)?.name ?? '?';
}

// It was received after it was sent, so it took no less than nothing.
function trip_text(trip, from, to) {
	if (!from || !to)
		return `${duration_text(Math.max(trip, 0))} ±?`;
	const least = Math.max(trip - to[0] - from[1], 0), most = trip + to[1] + from[0];

	return `${duration_text(trip)} (${duration_text(least)} to ${duration_text(most)})`;
}

// Events before and after: any, of the same thread, of the same CPU, of the same type
async function add_neighbours(box, event, is_over) {
	const kinds = [
		['any', () => true],
		['thread', (block, i) => block.rows[i] === event.row, event.row >= 0],
		['CPU', (block, i) => cpu_of(block, i) === event.cpu, event.cpu >= 0],
		['type', (block, i) => block.types[i] === event.type],
	];
	const found = [];

	for (const [name, test, is_wanted = true] of kinds)
		if (is_wanted)
			found.push([name, await neighbour(event.index, -1, test),
				await neighbour(event.index, 1, test)]);
	if (is_over())
		return;
	make('h2', 'Next to it', box);
	const list = make('table', '', box, { class: 'next' });
	for (const [name, before, after] of found) {
		const line = list.insertRow();
		make('th', name, line, { scope: 'row' });
		for (const [mark, other] of [['◂', before], ['▸', after]])
			add_link(line.insertCell(), mark, event, other);
	}
}

function machine_of(event) {
	return trace.head.streams.find(s => s.file === event.file)?.machine;
}

// How far OTHER is away; of an event of another host, with the error of that
function away_text(event, other) {
	const away = duration_text(Number(other.exact - event.exact));
	const from = error_at(event.file, event.time), to = error_at(other.file, other.time);

	if (from === undefined || machine_of(event) === machine_of(other))
		return away;
	return away + error_text(from && to && [to[0] + from[1], to[1] + from[0]]);
}

function add_link(cell, mark, event, other) {
	if (!other)
		return;
	const away = away_text(event, other);

	make('button', `${mark} ${other.name.replace(/^.*:/, '')} ${away}`, cell,
		{ type: 'button', title: `${other.name}, ${away}`,
		  'data-index': other.index }).addEventListener('click',
		() => select_event(other.index));
}

// The next event that a test is true of, a few blocks away at most; null = none
async function neighbour(index, step, test) {
	let at = index + step;

	for (let n = 0; n < 4 && at >= 0 && at < trace.total; n++) {
		const block = await trace.blocks.get(block_of_event(at));

		for (let i = at - block.first; i >= 0 && i < block.count; i += step)
			if (test(block, i))
				return event_of(block, i);
		at = step > 0 ? block.first + block.count : block.first - 1;
	}
	return null;
}
