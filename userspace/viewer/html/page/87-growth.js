// SPDX-License-Identifier: GPL-2.0
// 87-growth.js - the page while a server still reads the trace: more is known from time to time
//
// Each head that comes has all that the one before had. Rows keep their numbers, but for those of
// processes, which are known by their pid, and of hosts.

const GROWTH_MS = 500;
const growth = { wanted: -1, over: null };	// event in the address that was not there yet

// What a row is called in each head
function lasting_name(row) {
	const about = trace.head.rows[row];

	if (about?.kind === 'host')
		return `host ${about.machine}`;
	return about?.kind === 'process' ? `${about.machine}:${about.pid}` : row;
}

// Rows of the head that there is now, by what they are called in each
function rows_by_name() {
	return new Map(trace.head.rows.map((_, row) => [lasting_name(row), row]));
}

// A new head, and what follows from it; what is looked at stays
function renew(head) {
	const folded = new Map(rows.all.flatMap((row, i) =>
		row.is_chosen ? [[lasting_name(i), row.is_folded]] : []));
	const selected = lasting_name(rows.selected);
	const clicked = chart.state && lasting_name(chart.state.row);
	const known = trace.known;
	const blocks = trace.head.blocks.length;

	take_head(head);
	trace.nodes.renew(id => head.nodes[id][1] > known);
	trace.blocks.renew(id => id + 1 >= blocks);
	const by_name = rows_by_name();
	rows.selected = by_name.get(selected) ?? -1;
	if (chart.state)
		chart.state.row = by_name.get(clicked) ?? -1;
	rows.of_stream = null;
	init_rows(row => folded.get(lasting_name(row)));
	init_looks();
	size_table();
	histogram.whole = null;
	show_head();
	show_growth();
	layout();
}

function show_growth() {
	const bar = document.getElementById('growth');

	bar.hidden = trace.is_whole;
	bar.value = trace.known / trace.span;
}

// The list may have room for more, and the event of the address may be there by now.
async function look_again() {
	const { wanted } = growth;

	show_legend(trace.head.nodes.length ? await trace.nodes.get(0) : null);
	if (wanted >= 0 && wanted < trace.total) {
		growth.wanted = -1;
		await select_event(wanted);
	}
	if (table.events.length < lines_nr())
		await fill_table();
}

// Asks the server until it has read all
async function grow() {
	while (!trace.is_whole) {
		await new Promise(done => setTimeout(done, GROWTH_MS));
		try {
			const answer = await fetch('head');

			if (!answer.ok)
				throw new Error(await answer.text());
			renew(await answer.json());
			await look_again();
		} catch (error) {
			trace.failed(new Error(`the server does not go on: ${error.message}`));
			return;
		}
	}
}
