// SPDX-License-Identifier: GPL-2.0
// 77-totals.js - totals of a range: CPUs and threads by state, threads, waits and spans by name
//
// They are exact, from the states in the blocks, so a long range takes a while; it can be left.

const TOTALS_ROWS = 25;		// of a table that are shown; a line says how many more there are
const RUNS = ['run', 'user', 'syscall', 'trap', 'irq', 'softirq'];
let totals_run = 0;

// Calls add(row, state, ns, is_new) for what each row does in [from, to). is_new: it has not gone on
// from the block before. Returns false if is_over() became true.
async function walk_states(from, to, add, is_over) {
	const { blocks } = trace.head;
	const going_on = new Map();	// by row: state and end of the latest
	const last = blocks.length ? block_of_time(to) : -1;

	for (let id = Math.max(block_of_time(from) - 1, 0); id <= last && !is_over(id, last); id++) {
		// Not by get(): what the picture needs is to stay.
		const block = trace.blocks.kept.get(id) ?? await trace.blocks.load(id);

		for (const [row, { times, states }] of block.changes)
			for (let i = 0; i < times.length; i++) {
				const end = times[i + 1] ?? block.end;
				const before = i ? undefined : going_on.get(row);
				const ns = Math.min(end, to) - Math.max(times[i], from);

				if (i === times.length - 1)
					going_on.set(row, { state: states[i], end });
				if (states[i] >= 0 && ns > 0)
					add(row, states[i], ns, before?.state !== states[i] ||
						before.end !== times[i] || times[i] <= from);
			}
	}
	return !is_over(last, last);
}

class Sums {
	constructor() {
		this.by_name = new Map();
	}

	// Of one NAME: how long, how often, the longest
	add(name, ns, is_new) {
		let sum = this.by_name.get(name);

		if (!sum)
			this.by_name.set(name, sum = { name, ns: 0, nr: 0, longest: 0, now: 0 });
		sum.ns += ns;
		sum.nr += is_new;
		return sum;
	}

	sorted() {
		return [...this.by_name.values()].sort((a, b) => b.ns - a.ns);
	}
}

// What a range comes to: { cpus, states, threads, waits, spans }, each a list, the most first; null
// if is_over(block, last) became true
async function totals_of(from, to, is_over = () => false) {
	const cpus = new Sums(), states = new Sums(), waits = new Sums(), spans = new Sums();
	const threads = new Map();
	const open = new Map();		// by row of spans: ns of the one that goes on
	const thread = row => {
		if (!threads.has(row))
			threads.set(row, { row, name: row_text(row), runs: 0, ready: 0, waits: 0 });
		return threads.get(row);
	};
	const is_whole = await walk_states(from, to, (row, state, ns, is_new) => {
		const { kind, parent } = trace.head.rows[row];
		const { name, group } = looks.list[state];

		if (kind === 'cpu')
			cpus.add(group === 'run' ? 'a thread' : name, ns, is_new);
		if (kind === 'thread') {
			states.add(name, ns, is_new);
			thread(row)[RUNS.includes(name) ? 'runs' :
				name === 'wait-cpu' ? 'ready' : 'waits'] += ns;
		}
		if (kind === 'wait') {
			waits.add(name, ns, is_new);
			// Where the kernel says nothing, these are all that is known.
			thread(parent).calls = (thread(parent).calls ?? 0) + ns;
		}
		if (kind === 'span') {
			const sum = spans.add(name, ns, is_new);

			open.set(row, (is_new ? 0 : open.get(row) ?? 0) + ns);
			sum.longest = Math.max(sum.longest, open.get(row));
		}
	}, is_over);

	return is_whole && {
		cpus: cpus.sorted(), states: states.sorted(), waits: waits.sorted(), spans: spans.sorted(),
		threads: [...threads.values()].map(t => ({ ...t, waits: t.waits || (t.calls ?? 0) }))
			.sort((a, b) => b.runs - a.runs || b.waits - a.waits),
	};
}

// A table of totals, with a title; values(entry) says what is in its columns
function add_totals(box, title, heads, list, values) {
	if (!list.length)
		return;
	make('h2', title, box);
	const table = make('table', '', box, { class: 'totals' });
	const head = table.createTHead().insertRow();
	const body = table.createTBody();

	heads.forEach(h => make('th', h, head, { scope: 'col' }));
	for (const entry of list.slice(0, TOTALS_ROWS)) {
		const line = body.insertRow();

		values(entry).forEach(v => { line.insertCell().textContent = v; });
		if (entry.row !== undefined)
			line.addEventListener('click', () => {
				unfold_to(entry.row);
				select_row(entry.row);
			});
	}
	if (list.length > TOTALS_ROWS)
		make('p', `${count_text(list.length - TOTALS_ROWS)} more are not shown`, box,
			{ class: 'faint' });
}

function put_totals(box, { from, to }, totals) {
	const of_range = ns => `${(100 * ns / (to - from)).toFixed(1)} %`;
	const time = entry => [entry.name, duration_text(entry.ns), of_range(entry.ns)];
	const spent = ns => ns ? duration_text(ns) : '';

	make('h2', `Range of ${duration_text(to - from)}`, box);
	const list = make('dl', '', box);
	add_pair(list, 'from', `${time_text(from)} s`);
	add_pair(list, 'to', `${time_text(to)} s`);
	make('button', 'Zoom to it', box, { type: 'button' })
		.addEventListener('click', () => set_view(from, to, true));
	add_totals(box, 'CPUs run', ['', 'time', 'of range'], totals.cpus, time);
	add_totals(box, 'Threads', ['', 'runs', 'ready', 'waits'], totals.threads,
		t => [t.name, spent(t.runs), spent(t.ready), spent(t.waits)]);
	add_totals(box, 'States of threads', ['', 'time', 'of range'], totals.states, time);
	add_totals(box, 'Waits for', ['', 'time', 'of range', 'times'], totals.waits,
		w => [...time(w), count_text(w.nr)]);
	add_totals(box, 'Spans', ['', 'time', 'times', 'longest'], totals.spans,
		s => [s.name, duration_text(s.ns), count_text(s.nr), duration_text(s.longest)]);
}

// Marks a range and shows its totals in the place of details
async function show_totals(from, to) {
	const run = ++totals_run;
	const range = { from: Math.max(from, 0), to: Math.min(to, trace.known) };
	const is_over = (block, last) => {
		if (last > 100 && block < last)
			say(`totals: block ${count_text(block)} of ${count_text(last)} (Escape ends it)`);
		return run !== totals_run;
	};

	if (!(range.to > range.from))
		return;
	chart.range = range;
	details_run++;
	view_changed();
	request_draw();
	const totals = await totals_of(range.from, range.to, is_over);
	if (!totals)
		return;
	const parts = document.createDocumentFragment();
	put_totals(parts, range, totals);
	document.getElementById('details').replaceChildren(parts);
	say(`totals of ${duration_text(range.to - range.from)}`);
}

function leave_totals() {
	totals_run++;
	chart.range = null;
	view_changed();
}
