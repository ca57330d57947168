// SPDX-License-Identifier: GPL-2.0
// 50-picture.js - from nodes and blocks to one line of pixels a row
//
// plan() says which nodes and blocks show a range at the width of the screen: bins of a node while
// they are at most two pixels wide, then those of its children, then the events of blocks. What is
// not loaded yet is shown by what is above it, and drawn again when it has come.

const COARSEST = 2;	// pixels a bin may have
const LINE_ROOM = 3;	// pixels of a span that can spare one

// Parts of [from, to): { node or block, from, to }, in order of time
function plan(from, to, width) {
	const parts = [];

	if (trace.head.nodes.length)
		plan_node(parts, 0, Math.max(from, 0), Math.min(to, trace.span), (to - from) / width);
	return parts;
}

function plan_node(parts, id, from, to, pixel) {
	const [begin, end, first, last] = trace.head.nodes[id];
	const node = trace.nodes.peek(id);

	if (from >= to || !node)
		return;
	if ((end - begin) / BINS <= COARSEST * pixel) {
		parts.push({ node, from, to });
		return;
	}
	if (!trace.children[id].length) {
		plan_blocks(parts, node, first, last, from, to);
		return;
	}
	let at = from;
	for (const child of trace.children[id]) {
		const [child_begin, child_end] = trace.head.nodes[child];

		if (child_end <= at || child_begin >= to)
			continue;
		if (child_begin > at)
			parts.push({ node, from: at, to: child_begin });
		at = Math.max(at, child_begin);
		const until = Math.min(child_end, to);
		if (trace.nodes.peek(child))
			plan_node(parts, child, at, until, pixel);
		else
			parts.push({ node, from: at, to: until });
		at = until;
	}
	if (at < to)
		parts.push({ node, from: at, to });
}

function plan_blocks(parts, node, first, last, from, to) {
	const blocks = trace.head.blocks;
	let at = from;

	// A server that still reads may not have all of them yet.
	last = Math.min(last, blocks.length);
	// The one before may have what is still going on at the beginning.
	for (let id = Math.max(first - 1, 0); id < last && at < to; id++) {
		const end = block_end(id);
		// Behind the last block of all, a server that still reads knows of levels only.
		const is_last = id + 1 === last && (trace.is_whole || last < blocks.length);

		if (end <= at && !(is_last && at < to))
			continue;
		const until = is_last ? to : Math.min(end, to);
		const block = trace.blocks.peek(id);
		parts.push(block ? { block, around: node, from: at, to: until } :
			{ node, from: at, to: until });
		at = until;
	}
	if (at < to)
		parts.push({ node, from: at, to });
}

// Codes of a row's states, state + 1, one for each pixel of [view.from, view.to); 0 = nothing
function paint_states(codes, parts, row, view) {
	const scale = codes.length / (view.to - view.from);

	for (const part of parts) {
		const left = Math.round((part.from - view.from) * scale);
		const right = Math.round((part.to - view.from) * scale);

		if (part.node)
			paint_bins(codes, part.node, row, 0, left, right, view.from, scale);
		else
			paint_changes(codes, part.block, row, left, right, view.from, scale);
	}
}

// One kind of runs of a node's row (0 states, 1 densities) between pixels LEFT and RIGHT
function paint_bins(codes, node, row, kind, left, right, from, scale) {
	const places = node.rows.get(row);

	if (!places)
		return;
	const bin = (node.end - node.begin) / BINS * scale;
	const origin = (node.begin - from) * scale;
	let x = left;
	for (let i = places[kind]; i < places[kind + 1] && x < right; i += 2) {
		const end = Math.min(Math.round(origin + node.runs[i + 1] * bin), right);

		if (end > x) {
			if (node.runs[i])
				codes.fill(node.runs[i], x, end);
			x = end;
		}
	}
}

// A span that follows another of its name is told from it by a line, if there is room.
function paint_changes(codes, block, row, left, right, from, scale) {
	const list = block.changes.get(row);
	let last = 0;

	if (!list)
		return;
	const { times, states } = list;
	let at = Math.max(last_upto(times.length, i => times[i], from + left / scale), 0);
	let x = Math.max(left, Math.round((times[at] - from) * scale));
	for (; at < times.length && x < right; at++) {
		const end = at + 1 < times.length ?
			Math.min(Math.round((times[at + 1] - from) * scale), right) : right;

		if (end > x) {
			const code = states[at] + 1;
			const has_line = code && code === last && end - x > LINE_ROOM &&
				looks.list[code - 1].group === 'span';

			codes.fill(code, has_line ? x + 1 : x, end);
			last = code;
			x = end;
		}
	}
}

// Places of the events of each row of a block
function events_by_row(block) {
	if (block.by_row)
		return block.by_row;
	const by_row = block.by_row = new Map();

	for (let i = 0; i < block.count; i++) {
		const list = by_row.get(block.rows[i]);

		if (list)
			list.push(i);
		else
			by_row.set(block.rows[i], [i]);
	}
	return by_row;
}

// Marks of a row's events, one for each pixel: 0 none, else about the logarithm of their number + 1
function paint_marks(marks, parts, row, view, terms) {
	const scale = marks.length / (view.to - view.from);

	for (const part of parts) {
		const left = Math.max(Math.round((part.from - view.from) * scale), 0);
		const right = Math.min(Math.round((part.to - view.from) * scale), marks.length);

		if (part.node) {
			paint_bins(marks, part.node, row, 1, left, right, view.from, scale);
			continue;
		}
		const { block } = part;
		const list = events_by_row(block).get(row) || [];
		for (let n = last_upto(list.length, i => block.times[list[i]], part.from - 0.5) + 1;
		     n < list.length && block.times[list[n]] <= part.to; n++) {
			const x = Math.floor((block.times[list[n]] - view.from) * scale);
			if (x >= 0 && x < marks.length && matches(terms, block, list[n]))
				marks[x] = Math.min(marks[x] + 1, 15);
		}
	}
}

// Rows with a state that is not idleness, or with events, in the parts of a view
function busy_rows(parts) {
	const busy = new Set();

	for (const part of parts)
		if (part.node)
			busy_in_node(busy, part);
		else
			busy_in_block(busy, part);
	return busy;
}

function is_busy(state) {
	return rank_of(state) > 4;
}

function busy_in_node(busy, { node, from, to }) {
	const bin = (node.end - node.begin) / BINS;
	const first = (from - node.begin) / bin, last = (to - node.begin) / bin;

	for (const [row, [states, density, end]] of node.rows) {
		let at = 0;
		for (let i = states; i < end && !busy.has(row); i += 2) {
			if (i === density)
				at = 0;
			if (node.runs[i + 1] > first && at < last &&
			    (i < density ? is_busy(node.runs[i] - 1) : node.runs[i]))
				busy.add(row);
			at = node.runs[i + 1];
		}
	}
}

function busy_in_block(busy, { block, from, to }) {
	for (const [row, { times, states }] of block.changes)
		for (let i = Math.max(last_upto(times.length, n => times[n], from), 0);
		     i < times.length && times[i] < to && !busy.has(row); i++)
			if (is_busy(states[i]))
				busy.add(row);
	for (let i = last_upto(block.count, n => block.times[n], from) + 1;
	     i < block.count && block.times[i] < to; i++)
		busy.add(block.rows[i]);
}

// Events (and lost ones) for each pixel of a view, as far as bins can tell
function count_pixels(parts, view, width) {
	const scale = width / (view.to - view.from);
	const events = new Float64Array(width), lost = new Float64Array(width);

	for (const part of parts) {
		if (part.node)
			count_bins(events, part.node, part.node.events, part, view.from, scale);
		else
			count_events(events, part, view.from, scale);
		const node = part.node || part.around;
		count_bins(lost, node, node.lost, part, view.from, scale);
	}
	return { events, lost };
}

// A bin's count is spread over the pixels it has.
function count_bins(sums, node, counts, { from, to }, origin, scale) {
	const bin = (node.end - node.begin) / BINS;
	const first = Math.max(Math.floor((from - node.begin) / bin), 0);
	const last = Math.min(Math.ceil((to - node.begin) / bin), BINS);

	for (let i = first; i < last; i++) {
		if (!counts[i])
			continue;
		const begin = node.begin + i * bin;
		const left = Math.max(begin, from), right = Math.min(begin + bin, to);
		spread(sums, counts[i] / bin, (left - origin) * scale, (right - origin) * scale, scale);
	}
}

// Adds RATE (in 1/ns) for pixels [LEFT, RIGHT)
function spread(counts, rate, left, right, scale) {
	for (let x = Math.max(Math.floor(left), 0); x < right && x < counts.length; x++)
		counts[x] += rate * (Math.min(x + 1, right) - Math.max(x, left)) / scale;
}

function count_events(events, { block, from, to }, origin, scale) {
	for (let i = last_upto(block.count, n => block.times[n], from - 0.5) + 1;
	     i < block.count && block.times[i] < to; i++) {
		const x = Math.floor((block.times[i] - origin) * scale);
		if (x >= 0 && x < events.length)
			events[x]++;
	}
}
