// SPDX-License-Identifier: GPL-2.0
// 78-sql.js - statements of SQL that the server answers, and their rows
//
// A row that has a time leads there: times are in columns that are called like those of the tables,
// also of one table, min(time), or with max().

const ANSWER_ROWS = 2000;	// that are shown
const SINCE_1970 = ['time', 'created', 'seen', 'end_time', 'ended'];
const SINCE_START = ['ns', 'end_ns'];

let ask_run = 0;
let asked = '';	// the statement that was asked last

// Rows of CSV, each a list of texts; a row without its end is left out
function parse_csv(text) {
	const rows = [];
	let row = [];

	for (const [, quoted, plain, end] of
	     text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy)) {
		row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		if (end === '\r\n') {
			rows.push(row);
			row = [];
		}
	}
	return rows;
}

// The column of the first of some NAMES that has a number; -1 = none
function find_number(heads, cells, names) {
	for (const name of names) {
		const like = new RegExp(`^(?:\\w+\\.|(?:min|max)\\()?${name}\\)?$`, 'i');
		const i = heads.findIndex((head, k) => like.test(head) && /^-?\d+$/.test(cells[k]));

		if (i >= 0)
			return i;
	}
	return -1;
}

// A time in ns since the page's begin, and its column; null = there is none
function find_time(heads, cells, since_1970, since_start) {
	const { begin, start } = trace.head;
	let column = find_number(heads, cells, since_1970);

	if (column >= 0)
		return { column, at: Number(BigInt(cells[column]) - BigInt(begin)) };
	column = find_number(heads, cells, since_start);
	return column < 0 ? null : { column,
		at: Number(BigInt(cells[column]) + BigInt(start) - BigInt(begin)) };
}

// Where a row leads: { column, from, to }, null = nowhere
function place_of_row(heads, cells) {
	const begin = find_time(heads, cells, SINCE_1970.slice(0, 3), SINCE_START.slice(0, 1));
	const end = find_time(heads, cells, SINCE_1970.slice(3), SINCE_START.slice(1));

	if (!begin)
		return null;
	return { column: begin.column, from: begin.at, to: Math.max(end?.at ?? begin.at, begin.at) };
}

// The row of the picture of a thread that columns name; -1 = none
function thread_of_row(heads, cells) {
	const value = name => cells[heads.indexOf(name)];
	const tid = value('tid');

	return !tid ? -1 : trace.head.rows.findIndex(r => r.kind === 'thread' && r.tid === Number(tid) &&
		(!value('host') || !r.host || r.host === value('host')));
}

async function go_to_answer(heads, cells) {
	const place = place_of_row(heads, cells);
	const row = thread_of_row(heads, cells);

	if (!place)
		return;
	if (place.from > trace.known || place.to < 0) {
		say('the page does not show that time');
		return;
	}
	if (place.to > place.from) {
		const edge = (place.to - place.from) / 10;

		set_view(place.from - edge, place.to + edge, true);
	}
	show_time(place.from);
	await select_time(place.from);
	if (row >= 0) {
		unfold_to(row);
		select_row(row);
	}
}

function put_answer_row(body, heads, cells) {
	const line = body.insertRow();
	const place = place_of_row(heads, cells);

	cells.forEach((text, i) => {
		const cell = line.insertCell();

		cell.className = /^-?\d+(\.\d+)?$/.test(text) ? 'number' : '';
		if (i === place?.column)
			make('button', shown(text), cell, { type: 'button', title: 'Show this time' });
		else
			cell.textContent = shown(text);
	});
	if (place)
		line.addEventListener('click', () => go_to_answer(heads, cells).catch(trace.failed));
}

function put_answer({ status, ended, cut, rows, messages }) {
	const [heads = [], ...list] = parse_csv(rows);
	const table = document.getElementById('answer');
	const words = [];

	table.replaceChildren();
	heads.forEach((h, i, all) => {
		const head = i ? table.tHead.rows[0] : table.createTHead().insertRow();

		make('th', shown(h), head, { scope: 'col' });
		all[i] = h.toLowerCase();
	});
	const body = table.createTBody();
	list.slice(0, ANSWER_ROWS).forEach(cells => put_answer_row(body, heads, cells));
	if (ended)
		words.push('ended');
	else if (!status || list.length)
		words.push(`${count_text(list.length)}${cut ? ' or more' : ''} row${list.length === 1 ? '' : 's'}`);
	if (list.length > ANSWER_ROWS)
		words.push(`the first ${count_text(ANSWER_ROWS)} are shown`);
	document.getElementById('answer-text').textContent = words.join(', ');
	const wrong = document.getElementById('answer-messages');
	wrong.textContent = messages;
	wrong.hidden = !messages;
}

// Ends what is asked; it may be on its way to the server, so until the answer is there
function stop_asking(run) {
	if (run !== ask_run || document.getElementById('stop').disabled)
		return;
	fetch('sql?q=').catch(trace.failed);
	setTimeout(() => stop_asking(run), 300);
}

// Asks the server, which ends what was asked before
async function ask_sql(text) {
	const run = ++ask_run;
	const said = document.getElementById('answer-text');

	asked = text;
	write_address();
	said.textContent = 'asking';
	document.getElementById('stop').disabled = false;
	try {
		const response = await fetch(`sql?q=${encodeURIComponent(text)}`);

		if (!response.ok)
			throw new Error(response.status === 414 || response.status === 431 ?
				'the statement is too long' : (await response.text()).trim());
		const answer = await response.json();
		if (run === ask_run)
			put_answer(answer);
	} catch (error) {
		if (run === ask_run)
			put_answer({ status: 1, rows: '', messages: error.message });
	}
	if (run === ask_run)
		document.getElementById('stop').disabled = true;
}

const asked_text = () => document.getElementById('statement').value.trim();
// The statement of the open box; '' = none
const shown_statement = () => document.getElementById('ask').hidden ? '' : asked;

// Opens the box and asks, for an address
function show_statement(text) {
	const button = document.getElementById('sql');

	if (button.hidden) {
		say('the address has a statement of SQL, which this page cannot ask');
		return;
	}
	if (document.getElementById('ask').hidden)
		button.click();
	document.getElementById('statement').value = text;
	if (text && text !== asked)
		ask_sql(text);
}

function init_sql() {
	const button = document.getElementById('sql');
	const section = document.getElementById('ask');
	const box = document.getElementById('statement');
	const begin = () => asked_text() && ask_sql(asked_text());

	button.hidden = !trace.head.sql;
	document.getElementById('sql-help').hidden = button.hidden;
	if (button.hidden)
		return;
	toggle('sql', is_on => {
		section.hidden = !is_on;
		write_address();
		layout();
		if (is_on)
			box.focus();
	});
	box.addEventListener('keydown', e => e.key === 'Enter' && (e.ctrlKey || e.metaKey) && begin());
	document.getElementById('begin').addEventListener('click', begin);
	document.getElementById('stop').addEventListener('click', () => stop_asking(ask_run));
}
