// SPDX-License-Identifier: GPL-2.0
// 30-text.js - times, durations, values and names, as people read them

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

// "1.250 ms": three digits behind the point at most
function duration_text(ns) {
	const negative = ns < 0 ? '-' : '';
	const size = Math.abs(ns);
	const [unit, name] = UNITS.find(([u]) => size >= u) || UNITS[3];

	return `${negative}${+(size / unit).toFixed(3)} ${name}`;
}

// A time as an integer of any size
function exact_ns(ns) {
	return typeof ns === 'bigint' ? ns : BigInt(Math.floor(ns));
}

// Seconds since the beginning with nine digits, as `ktrace list` has them
function time_text(time) {
	const ns = exact_ns(time);

	return `${ns / 1000000000n}.${String(ns % 1000000000n).padStart(9, '0')}`;
}

// Text for the axis: as many digits as the distance of two marks needs
function axis_text(ns, step) {
	const [unit, name] = UNITS.find(([u]) => Math.max(ns, step) >= u) || UNITS[3];
	const digits = Math.max(Math.ceil(Math.log10(unit / step) - 1e-9), 0);

	return ns ? `${(ns / unit).toFixed(digits)} ${name}` : '0';
}

// Date and time of day with all digits, in the zone of the reader; '' = not known
function wall_text(ns) {
	if (trace.head.wall === null || trace.head.wall === undefined)
		return '';
	const wall = BigInt(trace.head.wall) + exact_ns(ns);
	const date = new Date(Number(wall / 1000000n));
	const two = n => String(n).padStart(2, '0');

	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
		`${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.` +
		String(wall % 1000000000n).padStart(9, '0');
}

// The event's time in ns since its clock's beginning
function clock_text(ns) {
	return String(BigInt(trace.head.begin) + exact_ns(ns));
}

// How exact a time is
function error_text(error) {
	if (error === undefined)
		return '';
	return error === null ? ' ±?' : Math.max(...error) ? ` ± ${duration_text(Math.max(...error))}` : '';
}

// The name a number has, if it has one
function enum_name(value, enums) {
	return enums?.find(([number]) => String(number) === String(value))?.[1];
}

function value_text(value, { kind, enums }) {
	const name = enum_name(value, enums);

	if (name !== undefined)
		return shown(name);
	if (kind === 'x')
		return `0x${value.toString(16)}`;
	return shown(value !== null && typeof value === 'object' ? JSON.stringify(value) :
		String(value));
}

// A line of an event; its stacks are among the details only
function fields_text(event) {
	return event.fields.filter(f => !is_stacks(f))
		.map(f => `${f.name}=${value_text(f.value, f)}`).join(' ');
}

function is_stacks({ name, extra }) {
	return name === 'stacks' && extra;
}

// Number of a row's thread or process; '' = it has none, or at the end of its name
function number_of(row) {
	const { kind, name, tid, pid } = trace.head.rows[row];
	const number = { thread: tid, process: pid }[kind];

	return !number || ` ${name}`.endsWith(` ${number}`) ? '' : `${number}`;
}

// "name 123" of a row; '' = none
function row_text(row) {
	return row >= 0 ? `${trace.head.rows[row].name} ${number_of(row)}`.trim() : '';
}

// The same, with the thread or process of what is below one
function place_text(row) {
	const { kind, parent } = trace.head.rows[row];
	const is_below = ['wait', 'span', 'lock'].includes(kind) && parent >= 0;

	return is_below ? `${row_text(parent)}, ${row_text(row)}` : row_text(row);
}

function count_text(number) {
	return number.toLocaleString('en');
}

// Of a CPU that runs a thread: the thread's name then, and its number
function state_name(state) {
	if (state < 0)
		return 'nothing known';
	const { name, row } = trace.head.states[state];
	const number = trace.head.rows[row]?.tid;

	return number === undefined || ` ${name}`.endsWith(` ${number}`) ? name : `${name} ${number}`;
}

// A new element with a text, at the end of PARENT
function make(tag, text, parent, attributes = {}) {
	const element = document.createElement(tag);

	element.textContent = text;
	for (const [name, value] of Object.entries(attributes))
		element.setAttribute(name, value);
	parent.append(element);
	return element;
}
