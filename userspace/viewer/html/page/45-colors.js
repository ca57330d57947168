// SPDX-License-Identifier: GPL-2.0
// 45-colors.js - what each state looks like
//
// Hues have the meanings they have in LTTV (green user, blue system call, yellow trap, orange
// interrupt, pink softirq, dark red wait, ...), in shades that are told apart with any kind of
// colour vision. What runs is high, what is ready is lower, what waits is a thin line: states
// differ without any colour, too. A thread that a CPU runs has a colour that follows from its name.

const THIN = 0, MIDDLE = 1, FULL = 2;

// name: [colour, height, rank]; of a process that is folded the state with the highest rank of its
// threads is shown
const LOOKS = {
	'unknown': ['#b9bec6', THIN, 1],
	'unnamed': ['#b9bec6', THIN, 1],
	'run': ['#7ccfb4', FULL, 19],
	'user': ['#009e73', FULL, 20],
	'syscall': ['#56b4e9', FULL, 21],
	'trap': ['#f0e442', FULL, 22],
	'irq': ['#e69f00', FULL, 24],
	'softirq': ['#e58fc0', FULL, 23],
	'idle': ['#b9bec6', THIN, 2],
	'busy': ['#009e73', FULL, 20],
	'cpu-trap': ['#f0e442', FULL, 22],
	'cpu-irq': ['#e69f00', FULL, 24],
	'cpu-softirq': ['#e58fc0', FULL, 23],
	'read': ['#56b4e9', FULL, 20],
	'write': ['#d55e00', FULL, 20],
	'wait': ['#b5431f', THIN, 4],
	'wait-disk': ['#d1495b', MIDDLE, 6],
	'wait-cpu': ['#a8860d', MIDDLE, 7],
	'wait-fork': ['#2f7d57', MIDDLE, 5],
	'zombie': ['#7a5fb0', THIN, 3],
	'exit': ['#c2187f', FULL, 8],
	'dead': ['#b9bec6', THIN, 0],
	'lock unknown': ['#b9bec6', THIN, 1],
	'free': ['#7d97ad', THIN, 2],
	'taken': ['#0072b2', FULL, 15],
	'shared': ['#6aaed6', FULL, 14],
	'done': ['#7d97ad', THIN, 2],
	'gone': ['#b9bec6', THIN, 0],
};

// For spans, whose names are the program's
const SPAN_COLORS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#999933',
	'#7a5fb0', '#44aa99', '#b07c5a'];

const looks = {
	list: [],	// by state: { name, group, color, height, rank, pixel, ink }
	theme: {},	// colours of the page in this theme, as text
	pixels: {},	// the same as pixels
};

function hash_of(text) {
	let hash = 2166136261;

	for (const char of text)
		hash = Math.imul(hash ^ char.codePointAt(0), 16777619) >>> 0;
	return hash;
}

// "#rrggbb" as a pixel of ImageData, little endian
function pixel_of(color) {
	const rgb = parseInt(color.slice(1), 16);

	return (0xff000000 | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16) >>> 0;
}

// Black or white, whichever is read better on a colour
function ink_on(color) {
	const rgb = parseInt(color.slice(1), 16);
	const light = 0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255);

	return light > 140 ? '#101418' : '#ffffff';
}

function look_of({ name, group }) {
	let [color, height, rank] = [SPAN_COLORS[hash_of(name) % SPAN_COLORS.length], FULL, 10];

	// Spans and threads have the program's names, whatever these may be.
	if (group === 'wait')
		[color, height, rank] = [LOOKS['wait-disk'][0], FULL, LOOKS.wait[2]];
	else if (group === 'run')
		rank = LOOKS.busy[2];
	else if (group !== 'span')
		[color, height, rank] = LOOKS[name] || (/^wait/.test(name) ? LOOKS.wait :
			[color, height, rank]);
	return { name, group, color, height, rank, pixel: pixel_of(color), ink: ink_on(color) };
}

function rank_of(state) {
	return state < 0 ? -1 : looks.list[state].rank;
}

function init_looks() {
	looks.list = trace.head.states.map(look_of);
	read_theme();
}

// Takes the colours of the page's style sheet
function read_theme() {
	const style = getComputedStyle(document.documentElement);

	for (const name of ['back', 'stripe', 'chosen', 'line', 'text', 'faint', 'loss', 'bar',
		'accent']) {
		looks.theme[name] = style.getPropertyValue(`--${name}`).trim();
		looks.pixels[name] = pixel_of(looks.theme[name]);
	}
}

// Kinds of states that there are in the trace, by what lasts long enough for its root
function groups_there(root) {
	const groups = new Set();

	for (const [states, density] of root ? root.rows.values() : [])
		for (let i = states; i < density; i += 2)
			if (root.runs[i])
				groups.add(looks.list[root.runs[i] - 1].group);
	return groups;
}

// Legend: states of threads, CPUs and locks; spans, waits and running threads have their names in the picture
function show_legend(root) {
	const list = document.getElementById('legend');
	const heights = ['thin', 'middle', 'full'];
	const groups = groups_there(root);
	const seen = new Set();

	list.replaceChildren();
	for (const { name, group, color, height } of looks.list) {
		if (['span', 'wait', 'run'].includes(group) || !groups.has(group) || seen.has(name))
			continue;
		seen.add(name);
		const item = make('li', '', list);
		make('span', '', item, { class: `sample ${heights[height]}` }).style.background = color;
		item.append(name);
	}
	if (groups.has('run')) {
		const item = make('li', '', list);
		const colors = SPAN_COLORS.slice(0, 4).map((c, i) => `${c} ${25 * i}% ${25 * i + 25}%`);
		make('span', '', item, { class: 'sample full' }).style.background =
			`linear-gradient(90deg, ${colors})`;
		item.append('thread on a CPU, by name');
	}
	const is_message = kind => kind >= MESSAGE;
	const borders = ['solid', 'dashed', 'dotted'];
	(trace.head.arrows || []).forEach((name, kind) => {
		const item = make('li', '', list);
		make('span', '', item, { class: `arrow${is_message(kind) ? ' message' : ''}` })
			.style.borderTopStyle = borders[kind % 3];
		item.append(name);
	});
	if (!groups.has('thread') && trace.is_whole)
		make('li', 'What threads do is known from kernel events (sched, syscall, irq), ' +
			'of which this trace has none.', list, { class: 'faint' });
}
