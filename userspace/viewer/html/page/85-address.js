// SPDX-License-Identifier: GPL-2.0
// 85-address.js - what is looked at, in the address: #t=FROM,TO&e=EVENT&f=FILTER&q=WORDS&r=ROWS,
// m=FROM,TO, a range whose totals are shown, and s=STATEMENT, of SQL
//
// Times are ns since the first event. The address can be kept, sent and put into a document.

function write_address() {
	const parts = [`t=${Math.round(view.from)},${Math.round(view.to)}`];
	const value = id => document.getElementById(id).value.trim();

	if (selection.index >= 0)
		parts.push(`e=${selection.index}`);
	if (chart.range)
		parts.push(`m=${Math.round(chart.range.from)},${Math.round(chart.range.to)}`);
	for (const [key, id] of [['q', 'find'], ['f', 'filter'], ['r', 'row-filter']])
		if (value(id))
			parts.push(`${key}=${encodeURIComponent(value(id))}`);
	if (shown_statement())
		parts.push(`s=${encodeURIComponent(shown_statement())}`);
	const hash = `#${parts.join('&')}`;
	if (hash !== location.hash)
		history.replaceState(null, '', hash);
}

async function read_address() {
	const wanted = new URLSearchParams(location.hash.slice(1));
	const [from, to] = (wanted.get('t') || '').split(',').map(Number);

	for (const [key, id] of [['q', 'find'], ['f', 'filter'], ['r', 'row-filter']])
		if (wanted.has(key))
			document.getElementById(id).value = wanted.get(key);
	if (wanted.has('f'))
		apply_filter();
	if (wanted.has('r'))
		apply_row_filter();
	if (to > from)
		set_view(from, to);
	else if (wanted.has('t'))
		say(`the address has no range of times: t=${wanted.get('t')}`);
	if (wanted.has('e') && !await select_event(Number(wanted.get('e')), !(to > from)))
		growth.wanted = Number(wanted.get('e'));
	if (wanted.has('m'))
		await show_totals(...wanted.get('m').split(',').map(Number));
	if (wanted.has('s'))
		show_statement(wanted.get('s'));
}
