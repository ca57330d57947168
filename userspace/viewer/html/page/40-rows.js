// SPDX-License-Identifier: GPL-2.0
// 40-rows.js - which rows there are on the screen: a tree, folded, searched, without idle ones
//
// In rows.order a row stands before those below it. rows.shown has those on the screen. It changes when a
// row is folded, when names are filtered and, if idle rows are hidden, when another range is looked at.

const ROW_HEIGHT = 20;

const rows = {
	order: [],
	all: [],		// { children, depth, is_folded, is_chosen } by number
	shown: [],
	place: new Map(),	// row to place in shown
	filter: '',
	hides_idle: false,
	busy: null,		// rows with something to see in this range; null = not known
	of_stream: null,	// row of each stream's CPU; null = not looked up yet
	selected: -1,
};

// was_folded(row): true, false, or undefined = as it is best at first
function init_rows(was_folded = () => undefined) {
	rows.order = trace.head.order || trace.head.rows.map((_, i) => i);
	rows.all = trace.head.rows.map(() =>
		({ children: [], depth: 0, is_folded: false, is_chosen: false }));
	for (const row of rows.order) {
		const parent = parent_of(row);

		if (parent < 0)
			continue;
		rows.all[parent].children.push(row);
		rows.all[row].depth = rows.all[parent].depth + 1;
	}
	// A process of one thread, of which there is no more to say, takes one row.
	rows.all.forEach((row, i) => {
		const was = was_folded(i);

		row.is_chosen = was !== undefined;
		row.is_folded = was ?? (row.children.length === 1 &&
			trace.head.rows[row.children[0]].kind === 'thread' &&
			!rows.all[row.children[0]].children.length);
	});
	update_rows();
}

function parent_of(row) {
	return trace.head.rows[row].parent;
}

function is_wanted(row) {
	const { name, tid, pid } = trace.head.rows[row];

	return `${name} ${pid ?? ''} ${tid ?? ''}`.toLowerCase().includes(rows.filter.toLowerCase());
}

// Rows of a set and those above them
function with_parents(set) {
	const all = new Set();

	for (const row of set)
		for (let r = row; r >= 0 && !all.has(r); r = parent_of(r))
			all.add(r);
	return all;
}

function update_rows() {
	const named = rows.filter ? named_rows() : null;
	const busy = rows.hides_idle && rows.busy ?
		with_parents([...rows.busy, rows.selected]) : null;

	rows.shown = [];
	rows.place.clear();
	for (const row of rows.order) {
		const parent = parent_of(row);

		rows.all[row].is_hidden = parent >= 0 &&
			(rows.all[parent].is_hidden || rows.all[parent].is_folded);
		if (rows.all[row].is_hidden || (named && !named.has(row)) || (busy && !busy.has(row)))
			continue;
		rows.place.set(row, rows.shown.length);
		rows.shown.push(row);
	}
}

// Rows with the name that is looked for, those below them and those above them
function named_rows() {
	const named = new Set();

	// Parents come before their children.
	for (const row of rows.order)
		if (is_wanted(row) || named.has(parent_of(row)))
			named.add(row);
	return with_parents(named);
}

// The row itself, or what it is folded into; -1 = not on the screen
function shown_for(row) {
	while (row >= 0 && !rows.place.has(row))
		row = parent_of(row);
	return row;
}

// As somebody wants it; it stays so
function choose_fold(row, is_folded) {
	row.is_folded = is_folded;
	row.is_chosen = true;
}

function fold_row(row, is_folded) {
	if (!rows.all[row].children.length)
		return;
	choose_fold(rows.all[row], is_folded ?? !rows.all[row].is_folded);
	rows_changed();
}

function fold_all() {
	const heads = rows.all.filter(r => r.children.length);
	const is_folded = heads.some(r => !r.is_folded);

	heads.forEach(r => choose_fold(r, is_folded));
	rows_changed();
}

// Makes a row visible in the tree: nothing above it is folded
function unfold_to(row) {
	for (let r = parent_of(row); r >= 0; r = parent_of(r))
		choose_fold(rows.all[r], false);
	rows_changed();
}

function rows_changed() {
	update_rows();
	layout();
}

function select_row(row) {
	rows.selected = row;
	if (row >= 0 && rows.place.has(row))
		scroll_to_row(row);
	request_draw();
}
