// SPDX-License-Identifier: GPL-2.0
// 90-main.js - begins; buttons, notes, help; what tests may ask, as window.ktrace

function set_theme(name) {
	document.documentElement.dataset.theme = name;
	read_theme();
	request_draw();
}

function keep_theme(name) {
	try {
		localStorage.setItem('ktrace-theme', name);
	} catch {
		// A browser may forbid it for files.
	}
	set_theme(name);
}

// What was wished for; null = nothing, and the system's wish will do
function kept_theme() {
	try {
		return localStorage.getItem('ktrace-theme');
	} catch {
		return null;
	}
}

function init_theme() {
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const wish = () => kept_theme() || (dark.matches ? 'dark' : 'light');

	document.documentElement.dataset.theme = wish();
	dark.addEventListener('change', () => set_theme(wish()));
}

// A button that is on or off
function toggle(id, action) {
	const button = document.getElementById(id);

	button.addEventListener('click', () => {
		const is_on = button.getAttribute('aria-pressed') !== 'true';

		button.setAttribute('aria-pressed', is_on);
		action(is_on);
		request_draw();
	});
}

function init_buttons() {
	const on_click = (id, action) =>
		document.getElementById(id).addEventListener('click', action);
	const help = document.getElementById('help-text');

	on_click('in', () => zoom(0.5, zoom_center()));
	on_click('out', () => zoom(2, zoom_center()));
	on_click('fit', () => set_view(0, trace.span, true));
	on_click('back', go_back);
	on_click('totals', () => show_totals(view.from, view.to).catch(trace.failed));
	on_click('find-next', () => find_next(1));
	on_click('find-before', () => find_next(-1));
	on_click('theme', () =>
		keep_theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
	on_click('help', () => help.open ? help.close() : help.showModal());
	on_click('close-help', () => help.close());
	toggle('arrows', is_on => { chart.has_arrows = is_on; });
	toggle('idle', is_on => {
		rows.hides_idle = is_on;
		rows.busy = null;
		update_busy();
		rows_changed();
	});
}

function show_help() {
	const names = { ' ': 'Space', ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };

	for (const [id, list] of [['keys', KEYS.map(([keys, text]) =>
		[keys.map(k => names[k] || k), text])], ['mouse', MOUSE.map(([k, text]) => [[k], text])]])
		for (const [keys, text] of list) {
			const line = document.getElementById(id).insertRow();
			const cell = line.insertCell();

			keys.forEach(k => make('kbd', k, cell));
			line.insertCell().textContent = text;
		}
}

// Which file, if there are several
function loss_place({ file }) {
	if (trace.head.files.length < 2 || file === undefined)
		return '';
	return ` (${trace.head.files[file]?.name ?? file})`;
}

// Title, loss, notes
function show_head() {
	const { head } = trace;
	const lost = (head.loss || []).reduce((sum, l) => sum + l.count, 0);
	const notes = document.getElementById('notes');

	notes.replaceChildren();
	document.title = head.title;
	document.getElementById('title').textContent = head.title;
	document.getElementById('size').textContent =
		`${count_text(trace.total)} events${trace.is_whole ? '' : ' so far'} in ` +
		duration_text(head.span);
	const loss = make('li', '', notes, { id: 'loss', class: lost ? 'lost' : 'whole' });
	loss.textContent = lost ? `${count_text(lost)} events lost: ` + head.loss.map(l =>
		`${count_text(l.count)} ${l.reason}${loss_place(l)}`).join(', ') : 'no event lost';
	for (const file of head.files || [])
		if (head.files.length > 1 || file.host)
			make('li', `${file.name}${file.host ? ` of ${file.host}` : ''}: ` +
				`${count_text(file.events)} events` +
				(file.lost ? `, ${count_text(file.lost)} lost` : ''), notes);
	for (const note of head.notes || [])
		make('li', note, notes, { class: 'note' });
	if (trace.total && head.wall !== null && head.wall !== undefined)
		make('li', `begins ${wall_text(0)}`, notes);
}

function show_failure(error) {
	const box = document.getElementById('failure');

	box.hidden = false;
	box.textContent = error.message;
	console.error(error);
}

async function begin() {
	trace.failed = show_failure;
	init_theme();
	await load_head();
	trace.changed = request_draw;
	view.to = trace.span;
	init_rows();
	init_looks();
	init_chart();
	init_histogram();
	init_table();
	init_input();
	init_buttons();
	init_sql();
	show_head();
	show_growth();
	show_help();
	layout();
	show_legend(trace.head.nodes.length ? await trace.nodes.get(0) : null);
	request_draw();
	await read_address();
	addEventListener('hashchange', read_address);
	await fill_table();
	growth.over = grow();
}

// Waits until all that the view needs is loaded and drawn
async function settled() {
	do {
		request_draw();
		await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
		await Promise.allSettled([...trace.nodes.coming.values(),
			...trace.blocks.coming.values()]);
	} while (trace.nodes.coming.size || trace.blocks.coming.size || chart.wish);
}

window.ktrace = {
	ready: begin().catch(error => {
		show_failure(error);
		throw error;
	}),
	settled,
	// Fulfilled when there is nothing more to come from a server
	whole: async () => { await window.ktrace.ready; await growth.over; },
	head: () => trace.head,
	view: () => ({ from: view.from, to: view.to }),
	setView: (from, to) => set_view(from, to),
	rowAt: y => row_at_y(y),
	yOf: row => rows.place.has(row) ? y_of_row(row) + ROW_HEIGHT / 2 : -1,
	xOf: time => x_of_time(time),
	shownRows: () => rows.shown.slice(),
	stateAt: state_at,
	errorAt: error_at,
	interval: () => chart.interval,
	inexact: machine => chart.inexact?.get(machine),
	arrowsOf: async id => (await trace.blocks.get(id)).arrows,
	// Names of the states that are painted in a row: one for each device pixel
	painted: row => Array.from(row_codes(row, chart.canvas.width), c => c ? state_name(c - 1) : ''),
	parts: () => chart.parts.map(p => (p.block ? `b${p.block.id}` : 'n')),
	selected: () => ({ ...selection, row: rows.selected, state: chart.state }),
	visibleEvents: () => table.events.slice(),
	eventAt: event_at,
	totals: totals_of,
	range: () => chart.range,
	text: field => value_text(field.value, field),
	find: async (text, from = 0) => find_event(parse_expression(text), from, 1),
	rate: () => histogram.text,
	counts: () => count_pixels(chart.parts, view, chart.canvas.width),
	ask: ask_sql,
	colors: () => looks.list.map(({ name, color, height }) => ({ name, color, height })),
	get frames() { return chart.frames; },
};
