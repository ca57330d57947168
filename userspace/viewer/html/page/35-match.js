// SPDX-License-Identifier: GPL-2.0
// 35-match.js - which events an expression means: for finding and for filtering
//
// Words with blanks between them; an event is meant if all of them are true of it.
//	word		in the type's name, the thread's name or a field's text
//	"two words"	the same, with blanks
//	field=value	a field, or name, thread, tid, pid, cpu, time; also != < <= > >=
//	-word		not so
// Upper and lower case are the same. = and != of texts know * and ?.

const WORD = /(-?)(?:([\w.]+)(<=|>=|!=|=|<|>))?("[^"]*"|\S+)/g;

// Why an expression is wrong, as an Error; otherwise what matches(block, i) uses. null = all
function parse_expression(text) {
	const terms = [];

	for (const [all, not, field, operator, quoted] of text.matchAll(WORD)) {
		const value = quoted.replace(/^"|"$/g, '').toLowerCase();

		if (quoted.startsWith('"') && !(quoted.length > 1 && quoted.endsWith('"')))
			throw new Error(`${all}: the closing quotation mark is missing`);
		if (!field && /^[\w.]+(<=|>=|!=|=|<|>)$/.test(quoted))
			throw new Error(`${all}: what is it to be compared with?`);
		terms.push(make_term(not === '-', field?.toLowerCase(), operator, value));
	}
	return terms.length ? terms : null;
}

function make_term(not, field, operator, value) {
	const number = value !== '' && !isNaN(Number(value)) ? Number(value) : NaN;

	if (field && '<>'.includes(operator[0]) && isNaN(number))
		throw new Error(`${field}${operator}${value}: needs a number`);
	const pattern = new RegExp('^' + value.replace(/[.+^${}()|[\]\\]/g, '\\$&')
		.replace(/\*/g, '.*').replace(/\?/g, '.') + '$', 'is');
	const big = /^-?(\d+|0x[\da-f]+)$/.test(value) && !/^-0x/.test(value) ? BigInt(value) : null;
	return { not, field, operator, value, number, big, pattern, known: new Map() };
}

function compare(term, value) {
	// A text is never less or more than a number.
	const number = typeof value === 'string' ? NaN : Number(value);

	if (typeof value === 'bigint' && term.big !== null)
		return compare_big(term.operator, value, term.big);
	switch (term.operator) {
	case '<': return number < term.number;
	case '<=': return number <= term.number;
	case '>': return number > term.number;
	case '>=': return number >= term.number;
	}
	const is_same = (!isNaN(number) && number === term.number) ||
		term.pattern.test(String(value));
	return is_same === (term.operator === '=');
}

const ABOUT = {
	name: (block, i) => trace.head.types[block.types[i]].name,
	thread: (block, i) => row_text(block.rows[i]),
	tid: (block, i) => trace.head.rows[block.rows[i]]?.tid,
	pid: (block, i) => trace.head.rows[block.rows[i]]?.pid,
	cpu: cpu_of,
	time: (block, i) => block.times[i] / 1e9,
};

// Numbers above 2^53, to the last digit
function compare_big(operator, value, wanted) {
	const results = { '<': value < wanted, '<=': value <= wanted, '>': value > wanted,
		'>=': value >= wanted, '=': value === wanted, '!=': value !== wanted };

	return results[operator];
}

// All that a name stands for: the event's own field, the name its number has, what is known of any
// event. What is unlike must be unlike all of them.
function has_field(term, block, i) {
	const type = trace.head.types[block.types[i]];
	const n = type.fields.findIndex(f => f.name.toLowerCase() === term.field);
	const own = n < 0 ? undefined : field_values(block, i)[n];
	const values = [own, n < 0 ? undefined : enum_name(own, type.fields[n].enums),
		ABOUT[term.field]?.(block, i)].filter(v => v !== undefined);
	const tests = values.map(v => compare(term, v));

	return term.operator === '!=' ? tests.length > 0 && tests.every(Boolean) : tests.some(Boolean);
}

// Whether a name has the word; remembered, for there are few names and many events
function name_has(term, key, name) {
	let has = term.known.get(key);

	if (has === undefined)
		term.known.set(key, has = name.toLowerCase().includes(term.value));
	return has;
}

function has_word(term, block, i) {
	const type = trace.head.types[block.types[i]];
	const row = block.rows[i];

	if (name_has(term, `t${block.types[i]}`, type.name) ||
	    (row >= 0 && name_has(term, row, row_text(row))))
		return true;
	return field_values(block, i).some((v, n) =>
		value_text(v, type.fields[n]).toLowerCase().includes(term.value));
}

// Whether event I of a block is meant
function matches(terms, block, i) {
	return !terms || terms.every(t =>
		(t.field ? has_field(t, block, i) : has_word(t, block, i)) !== t.not);
}

// Index of the first event that is meant, from INDEX in steps of STEP (1 or -1); -1 = none.
// is_over(done): called between blocks with the number of events looked at; true ends it.
async function find_event(terms, index, step, is_over = () => false) {
	let seen = 0;

	while (index >= 0 && index < trace.total) {
		const block = await trace.blocks.get(block_of_event(index));

		for (let i = index - block.first; i >= 0 && i < block.count; i += step, seen++)
			if (matches(terms, block, i))
				return block.first + i;
		index = step > 0 ? block.first + block.count : block.first - 1;
		if (is_over(seen))
			return -1;
		// Lets the browser draw and answer between two blocks.
		await new Promise(done => setTimeout(done));
	}
	return -1;
}
