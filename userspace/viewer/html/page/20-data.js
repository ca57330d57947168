// SPDX-License-Identifier: GPL-2.0
// 20-data.js - the trace: its head, and nodes and blocks that are unpacked when looked at
//
// A node has the picture of a range of time in 1024 bins; a block has events themselves.
// Either is kept while it is among those used last. Who draws asks by peek(), which starts
// loading and says undefined until then; who needs it waits for get(). changed() is called when
// something has arrived.
//
// While a server still reads the trace, heads come one after the other (87-growth.js): a later one
// has all that those before had, and more at the end.

const BINS = 1024;
const MESSAGE = 3;	// kinds of arrows from here on are messages between hosts; this one tells its time

class Cache {
	// load(id): promise of the thing; size: how many are kept
	constructor(load, size) {
		this.load = load;
		this.size = size;
		this.kept = new Map();
		this.coming = new Map();
		this.broken = new Map();
		this.old = new Map();	// shown until what is newer has come
		this.run = 0;
	}

	// Those that test(id) is true of are to be loaded again
	renew(test) {
		this.run++;
		this.broken.clear();
		for (const [id, thing] of [...this.kept].filter(([id]) => test(id))) {
			this.kept.delete(id);
			this.old.set(id, thing);
		}
	}

	peek(id) {
		const thing = this.kept.get(id);

		if (thing === undefined) {
			if (!this.broken.has(id))
				this.get(id).catch(() => {});
			return this.old.get(id);
		}
		this.kept.delete(id);
		this.kept.set(id, thing);
		return thing;
	}

	async get(id) {
		if (this.kept.has(id))
			return this.peek(id);
		if (!this.coming.has(id))
			this.coming.set(id, this.fill(id));
		return this.coming.get(id);
	}

	async fill(id) {
		const { run } = this;

		try {
			const thing = await this.load(id);

			if (run !== this.run) {
				this.old.set(id, thing);
				return thing;
			}
			this.old.delete(id);
			this.kept.set(id, thing);
			for (const oldest of this.kept.keys()) {
				if (this.kept.size <= this.size)
					break;
				this.kept.delete(oldest);
			}
			return thing;
		} catch (error) {
			this.broken.set(id, error);
			throw error;
		} finally {
			this.coming.delete(id);
			trace.changed();
		}
	}
}

const trace = {
	head: null,
	span: 1,
	known: 1,		// up to here the server has read; all: the span
	is_whole: true,
	is_long: false,		// ns are more than numbers are exact for
	total: 0,
	nodes: new Cache(async id => read_node(await piece('n', id), trace.head.nodes[id]), 96),
	blocks: new Cache(async id => read_block(await piece('b', id), id), 64),
	children: [],
	changed() {},
	failed(error) { throw error; },
};

// ---- pieces: elements of the page, or files of the server

// Element ID once the browser has read all of it. null: there is none
function element_there(id) {
	const there = () => {
		const e = document.getElementById(id);

		return e && (e.nextSibling || document.readyState !== 'loading') ? e : null;
	};
	const is_over = () => document.readyState !== 'loading';

	if (there() || is_over())
		return Promise.resolve(there());
	return new Promise(done => {
		const look = () => {
			if (!there() && !is_over())
				return;
			watch.disconnect();
			document.removeEventListener('readystatechange', look);
			done(there());
		};
		const watch = new MutationObserver(look);

		watch.observe(document.body, { childList: true });
		document.addEventListener('readystatechange', look);
	});
}

async function piece(kind, id) {
	let packed;

	if (trace.head.serve) {
		const answer = await fetch(`${kind}/${id}`);

		if (!answer.ok)
			throw new Error(`the server has no ${kind}/${id}: ${await answer.text()}`);
		packed = await answer.arrayBuffer();
	} else {
		const element = await element_there(`kt-${kind}${id}`);

		if (!element)
			throw new Error(`this page is not whole: data ${kind}${id} is missing`);
		packed = from_base64(element.textContent);
	}
	try {
		return new Bytes(await inflate(packed));
	} catch (error) {
		const failure = new Error(`data ${kind}${id} is damaged: ${error.message}`);
		trace.failed(failure);
		throw failure;
	}
}

async function load_head() {
	const element = await element_there('kt-head');

	if (!element)
		throw new Error('this page has no trace in it');
	const head = JSON.parse(element.textContent);
	if (head.version !== 1)
		throw new Error(`data of version ${head.version}; this page knows version 1`);
	take_head(head);
}

// Names are any bytes. Replaces what makes lines, and what turns round the text that follows.
function shown(text) {
	return text?.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '?');
}

function take_head(head) {
	head.title = shown(head.title);
	head.notes = head.notes?.map(shown);
	for (const thing of [head.rows, head.states, head.files].flatMap(list => list || [])) {
		thing.name = shown(thing.name);
		thing.host = shown(thing.host);
	}
	trace.head = head;
	trace.span = Math.max(head.span, 1);
	trace.is_long = head.span > Number.MAX_SAFE_INTEGER;
	trace.is_whole = head.known === undefined;
	trace.known = trace.is_whole ? trace.span : head.known;
	trace.total = head.blocks.reduce((sum, b) => sum + b[3], 0);
	trace.children = head.nodes.map(() => []);
	head.nodes.forEach((n, i) => n[4] >= 0 && i && trace.children[n[4]].push(i));
}

// Where a block ends: what is behind the last one is not known yet while a server reads
function block_end(id) {
	const { blocks } = trace.head;

	if (id + 1 < blocks.length)
		return blocks[id + 1][0];
	return trace.is_whole ? trace.span : blocks[id][1];
}

// ---- a node

// Runs of (value, length), up to 1024 bins: values, and where each ends
function read_runs(bytes, runs) {
	const nr = bytes.number();
	let end = 0;

	for (let i = 0; i < nr; i++) {
		const value = bytes.number();

		end += bytes.number();
		runs.push(value, end);
	}
}

function read_node(bytes, [begin, end]) {
	const node = {
		begin, end,
		events: Array.from({ length: BINS }, () => bytes.number()),
		lost: Array.from({ length: BINS }, () => bytes.number()),
		rows: new Map(),
	};
	const runs = [];
	let row = 0;

	for (let nr = bytes.number(); nr > 0; nr--) {
		row += bytes.number();
		const states = runs.length;
		read_runs(bytes, runs);
		const density = runs.length;
		read_runs(bytes, runs);
		node.rows.set(row, [states, density, runs.length]);
	}
	node.runs = Uint32Array.from(runs);
	return node;
}

// ---- a block

function column(bytes, count, array, offset) {
	for (let i = 0; i < count; i++)
		array[i] = bytes.number() + offset;
	return array;
}

// Times that follow from the distance to the one before. In a long trace a number is not exact
// enough to be added to.
class Clock {
	constructor(base) {
		this.time = trace.is_long ? BigInt(base) : base;
	}

	step(distance) {
		this.time += trace.is_long ? BigInt(distance) : distance;
		return Number(this.time);
	}
}

// Times of all events; of a long trace also to the ns
function read_times(bytes, block, base) {
	const clock = new Clock(base);

	block.times = new Float64Array(block.count);
	block.exact = trace.is_long ? new BigInt64Array(block.count) : null;
	for (let i = 0; i < block.count; i++) {
		block.times[i] = clock.step(bytes.signed());
		if (block.exact)
			block.exact[i] = clock.time;
	}
}

function read_block(bytes, id) {
	const [, , first] = trace.head.blocks[id];
	const count = bytes.number();
	const base = bytes.number();
	const block = { id, first, count, base: Number(base), end: block_end(id), bytes: bytes.bytes };

	block.strings = Array.from({ length: bytes.number() }, () => bytes.text());
	read_times(bytes, block, base);
	block.types = column(bytes, count, new Uint16Array(count), 0);
	block.rows = column(bytes, count, new Int32Array(count), -1);
	block.streams = column(bytes, count, new Uint32Array(count), 0);
	block.flags = column(bytes, count, new Uint8Array(count), 0);
	const length = bytes.number();
	block.fields_at = bytes.at;
	bytes.skip(length);
	read_changes(bytes, block, new Clock(base));
	read_arrows(bytes, block, base);
	return block;
}

// changes: for each row, times and states in order; the first is the state at the beginning
function read_changes(bytes, block, clock) {
	const changes = block.changes = new Map();
	const add = (row, time, state) => {
		let list = changes.get(row);

		if (!list)
			changes.set(row, list = { times: [], states: [] });
		// What is searched must ascend; a stamp may go back a little.
		list.times.push(Math.max(time, list.times.at(-1) ?? 0));
		list.states.push(state);
	};
	let row = 0;

	for (let nr = bytes.number(); nr > 0; nr--) {
		row += bytes.number();
		add(row, block.base, bytes.number() - 1);
	}
	for (let nr = bytes.number(); nr > 0; nr--) {
		const time = clock.step(bytes.signed());
		const at = bytes.number();

		add(at, time, bytes.number() - 1);
	}
}

function read_arrows(bytes, block, base) {
	const clock = new Clock(base);

	block.arrows = [];
	for (let nr = bytes.number(); nr > 0; nr--) {
		const kind = bytes.number();
		const from = new Clock(base).step(bytes.signed());
		const from_row = bytes.number();
		const to = clock.step(bytes.signed());

		block.arrows.push({ kind, from, from_row, to, to_row: bytes.number() });
	}
}

// ---- events

const readers = {
	u: bytes => bytes.number(), x: bytes => bytes.number(), i: bytes => bytes.signed(),
	f: bytes => bytes.float(8), g: bytes => bytes.float(4),
	j: (bytes, strings) => JSON.parse(strings[bytes.number()]),
};
const FLAGS = [[1, 'truncated'], [2, 'incomplete'], [4, 'no start'], [8, 'irq'], [16, 'critical'],
	[32, 'backwards']];

// Where the fields of each event begin: worked out once, when somebody wants fields
function field_places(block) {
	if (block.places)
		return block.places;
	const bytes = new Bytes(block.bytes);
	const kinds = trace.head.types.map(t => t.fields.map(f => f.kind));
	const places = new Uint32Array(block.count);
	const all = block.bytes;

	bytes.at = block.fields_at;
	for (let i = 0; i < block.count; i++) {
		places[i] = bytes.at;
		for (const kind of kinds[block.types[i]]) {
			if (kind === 'f' || kind === 'g')
				bytes.at += kind === 'f' ? 8 : 4;
			else
				while (all[bytes.at++] & 0x80)
					;
		}
	}
	return block.places = places;
}

// Values of the fields of event I of a block, in the order of its type
function field_values(block, i) {
	const bytes = new Bytes(block.bytes);

	bytes.at = field_places(block)[i];
	return trace.head.types[block.types[i]].fields
		.map(f => readers[f.kind](bytes, block.strings));
}

// CPU of event I of a block; -1 = recorded in a thread's ring
function cpu_of(block, i) {
	return trace.head.streams[block.streams[i]]?.cpu ?? -1;
}

// How much earlier and later the true time may be at TIME in a file: null = not known, undefined = there
// is one host only
function error_at(file, time) {
	const errors = trace.head.files[file]?.errors;

	if (!errors)
		return undefined;
	const at = errors[last_upto(errors.length, i => errors[i][0], time)];
	return at?.length > 1 ? [at[1], at[2]] : null;
}

// Last place in sorted ARRAY of NR whose key(place) <= value, -1 = none
function last_upto(nr, key, value) {
	let low = 0, high = nr;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (key(middle) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

// Number of the block with event INDEX; of the last block that begins at TIME or before
function block_of_event(index) {
	return last_upto(trace.head.blocks.length, i => trace.head.blocks[i][2], index);
}

function block_of_time(time) {
	return Math.max(last_upto(trace.head.blocks.length, i => trace.head.blocks[i][0], time), 0);
}

// The event at INDEX, as an object of its own; null = there is none
async function event_at(index) {
	if (!(index >= 0 && index < trace.total))
		return null;
	const block = await trace.blocks.get(block_of_event(index));
	return event_of(block, index - block.first);
}

function event_of(block, i) {
	const type = trace.head.types[block.types[i]];
	const values = field_values(block, i);

	return {
		index: block.first + i, time: block.times[i],
		exact: block.exact ? block.exact[i] : block.times[i], type: block.types[i], name: type.name,
		row: block.rows[i], cpu: cpu_of(block, i),
		file: trace.head.streams[block.streams[i]]?.file,
		flags: FLAGS.filter(([bit]) => block.flags[i] & bit).map(([, name]) => name),
		fields: type.fields.map((f, n) => ({ ...f, value: values[n] })),
	};
}

// Index of the first event at TIME or later; the last one if there is none
async function index_at(time) {
	if (!trace.total)
		return -1;
	// Blocks may begin at the same time: the first of these has the first event.
	let id = block_of_time(time);
	while (id > 0 && trace.head.blocks[id][0] >= time)
		id--;
	const block = await trace.blocks.get(id);
	const place = last_upto(block.count, i => block.times[i], time - 0.5) + 1;
	return Math.min(block.first + place, trace.total - 1);
}

// The state of a row at TIME: {state, from, to}; state -1 = nothing known
async function state_at(row, time) {
	const { blocks } = trace.head;

	if (!blocks.length || (!trace.is_whole && time > blocks.at(-1)[1]))
		return { state: -1, from: 0, to: trace.span };
	const id = block_of_time(time);
	const here = await state_within(id, row, time);
	let { state, from, to } = here;

	// It may have begun in a block before, and last into the next ones; some way is enough.
	for (let b = id - 1; b >= 0 && here.is_first && from === trace.head.blocks[b + 1][0] &&
	     b > id - 40; b--) {
		const before = await state_within(b, row, Infinity);

		if (before.state !== state)
			break;
		from = before.from;
		here.is_first = before.is_first;
	}
	for (let b = id + 1, is_last = here.is_last; is_last && b < trace.head.blocks.length &&
	     b < id + 40; b++) {
		const next = await state_within(b, row, trace.head.blocks[b][0]);

		if (next.state !== state)
			break;
		({ to, is_last } = next);
	}
	return { state, from, to };
}

async function state_within(id, row, time) {
	const block = await trace.blocks.get(id);
	const list = block.changes.get(row);
	const at = list ? last_upto(list.times.length, i => list.times[i], time) : -1;
	const state = at < 0 ? -1 : list.states[at];
	let begin = at, end = at + 1;

	while (begin > 0 && list.states[begin - 1] === state)
		begin--;
	while (list && end < list.times.length && list.states[end] === state)
		end++;
	return {
		state, is_first: begin <= 0, is_last: !list || end >= list.times.length,
		from: begin < 0 ? block.base : list.times[begin],
		to: !list || end >= list.times.length ? block.end : list.times[end],
	};
}
