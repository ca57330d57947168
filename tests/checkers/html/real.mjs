// SPDX-License-Identifier: GPL-2.0
// real.mjs - the page of ktrace html or ktrace serve shows what ktrace prints of the same trace
//
// usage: node real.mjs ADDRESS FOLDER, where FOLDER has what ktrace has printed: list and flow (a JSON
// object a line), state and its time (at), info
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { run, settled, until } from './browser.mjs';

const [, , url, folder] = process.argv;
const read = name => readFileSync(`${folder}/${name}`, 'utf8');
const lines = name => read(name).trim().split('\n').filter(Boolean).map(l => JSON.parse(l));
// The last line of flow is about the whole.
const list = lines('list'), flow = lines('flow').filter(s => s.tid !== undefined);
const state = JSON.parse(read('state')), at = Number(read('at')), info = JSON.parse(read('info'));

// What the page calls a status and mode of ktrace state and ktrace flow
function name_of({ status, wait, mode, modes }) {
	const top = mode || modes.at(-1).mode;

	switch (status) {
	case 'run': return top === 'unknown' ? 'run' : top;
	case 'wait': return wait === 'disk' ? 'wait-disk' : 'wait';
	case 'unnamed': case 'dead': return '';
	default: return status;
	}
}

// Names of the states of threads at times: [[tid, ns]...]
const states_at = (page, list) => page.evaluate(async wanted => {
	const { rows, states } = window.ktrace.head();
	const names = [];
	for (const [tid, time] of wanted) {
		// A number may be used again by another thread, with a row of its own.
		const all = [];
		for (const [row, { kind, tid: of }] of rows.entries()) {
			if (kind !== 'thread' || of !== tid)
				continue;
			const { state } = await window.ktrace.stateAt(row, time);
			all.push(state < 0 ? '' : states[state].name);
		}
		names.push(all);
	}
	return names;
}, list);

const as_text = value => typeof value === 'string' ? value :
	value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
// The page has ? for what makes lines, and what turns text round.
const as_shown = value => typeof value !== 'string' ? value :
	value.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '?');

await run(url, {
	async 'events are those of ktrace list, with all fields'(page) {
		// All of a small trace, a choice of a large one, its ends in any case
		const step = Math.ceil(list.length / 3000);
		const some = list.flatMap((_, i) =>
			i % step === 0 || i < 50 || i > list.length - 50 ? [i] : []);
		const shown = await page.evaluate(async numbers => {
			const { begin, start, rows } = window.ktrace.head();
			const shift = Number(BigInt(begin) - BigInt(start));
			const all = [];
			for (const i of numbers) {
				const e = await window.ktrace.eventAt(i);
				all.push([e.name, e.time + shift, e.cpu, rows[e.row]?.tid,
					e.fields.map(f => [f.name, window.ktrace.text(f)])]);
			}
			return all;
		}, some);
		assert.equal(await page.evaluate(async n => window.ktrace.eventAt(n), list.length), null);
		some.forEach((n, i) => {
			const wanted = list[n];
			const [name, time, cpu, tid, fields] = shown[i];
			assert.equal(name, wanted.event, `event ${n}`);
			assert.equal(time, wanted.ns, `event ${n}: time`);
			assert.equal(cpu, wanted.cpu ?? -1, `event ${n}: CPU`);
			if (tid !== undefined)
				assert.equal(tid, wanted.tid, `event ${n}: thread`);
			for (const [field, text] of fields) {
				const value = wanted.fields?.[field];
				if (value !== undefined)
					assert.equal(typeof value === 'number' ? Number(text) : text,
						as_shown(as_text(value)), `event ${n}, ${field}`);
			}
			for (const field of Object.keys(wanted.fields || {}))
				assert.ok(fields.some(([f]) => f === field), `event ${n}: no ${field}`);
		});
	},

	async 'times in the list have all digits'(page) {
		// JSON.parse() would round them.
		const ns = read('list').trim().split('\n').filter(Boolean)
			.map(l => BigInt(/"ns":(-?\d+)/.exec(l)[1]));
		const shift = await page.evaluate(() => String(BigInt(window.ktrace.head().begin) -
			BigInt(window.ktrace.head().start)));
		for (const first of [0, list.length - 1]) {
			await page.fill('#place', String(first));
			await until(page, n => window.ktrace.visibleEvents()[0]?.index === n, first);
			const shown = await page.$$eval('#lines tr', lines =>
				lines.map(l => [Number(l.dataset.index), l.cells[0].textContent]));
			assert.ok(shown.length > 0);
			for (const [i, text] of shown)
				assert.equal(BigInt(text.replace('.', '')) + BigInt(shift), ns[i], `event ${i}`);
		}
	},

	async 'states are those of ktrace flow'(page) {
		// Above 2^53 JSON.parse() has rounded times.
		const spans = flow.filter(s => s.duration_ns > (s.from_ns < 2 ** 53 ? 2 : 64));
		const some = spans.filter((_, i) => i % Math.ceil(spans.length / 400) === 0);
		const names = await states_at(page, some.map(s =>
			[s.tid, s.from_ns + Math.floor(s.duration_ns / 2)]));
		assert.ok(some.length > 0);
		some.forEach((s, i) => assert.ok(names[i].includes(name_of(s)) ||
			(name_of(s) === '' && !names[i].length),
		`thread ${s.tid} from ${s.from_ns}: ${names[i]}, not ${name_of(s)}`));
	},

	async 'totals of all are the sums of ktrace flow'(page) {
		const sums = {};
		let is_exact = true;
		for (const span of flow.filter(name_of)) {
			sums[name_of(span)] = (sums[name_of(span)] ?? 0) + span.duration_ns;
			is_exact &&= span.from_ns + span.duration_ns < 2 ** 53;
		}
		const totals = await page.evaluate(() =>
			window.ktrace.totals(0, Math.max(window.ktrace.head().span, 1)));
		const found = Object.fromEntries(totals.states.map(s => [s.name, s.ns]));
		assert.deepEqual(Object.keys(found).sort(), Object.keys(sums).sort());
		for (const name of Object.keys(sums))
			assert.ok(is_exact ? found[name] === sums[name] :
				Math.abs(found[name] - sums[name]) <= 1e-6 * sums[name] + 1000 * flow.length,
			`${name}: ${found[name]}, not ${sums[name]}`);
		// Each CPU runs what threads say that they do, as far as nothing was lost.
		if (Object.keys(info.lost || {}).length)
			return;
		const runs = totals.cpus.find(c => c.name === 'a thread')?.ns ?? 0;
		const said = ['user', 'syscall', 'run'].reduce((sum, n) => sum + (found[n] ?? 0), 0);
		assert.ok(Math.abs(runs - said) <= (is_exact ? 0 : 1e-6 * said), `${runs}, not ${said}`);
	},

	async 'states are those of ktrace state'(page) {
		const threads = state.threads.filter(t => t.tid && t.status !== 'unnamed');
		const names = await states_at(page, threads.map(t => [t.tid, at - 1]));
		threads.forEach((t, i) => assert.ok(names[i].includes(name_of(t)),
			`thread ${t.tid}: ${names[i]}, not ${name_of(t)}`));
	},

	async 'pixels have the colour of the state'(page) {
		// The longest states of threads, in the middle of the screen
		const some = flow.filter(s => name_of(s)).sort((a, b) => b.duration_ns - a.duration_ns)
			.slice(0, 8);
		for (const s of some) {
			const from = s.from_ns - s.duration_ns / 2, to = from + s.duration_ns * 2;
			await page.evaluate(([a, b]) => window.ktrace.setView(a, b), [from, to]);
			await settled(page);
			const painted = await page.evaluate(([tid, time]) => window.ktrace.head().rows
				.flatMap((r, i) => r.kind === 'thread' && r.tid === tid ? [i] : [])
				.map(i => window.ktrace.painted(i)[Math.floor(window.ktrace.xOf(time) *
					devicePixelRatio)]), [s.tid, s.from_ns + s.duration_ns / 2]);
			assert.ok(painted.includes(name_of(s)),
				`thread ${s.tid} from ${s.from_ns}: ${painted}, not ${name_of(s)}`);
		}
	},

	async 'the list shows a clicked event, finding finds as many as there are'(page) {
		await page.click('#lines tr:nth-child(2)');
		await until(page, () => window.ktrace.selected().index === 1);
		assert.equal(await page.textContent('#lines tr:nth-child(2) td:nth-child(4)'), list[1].event);
		const name = list[Math.floor(list.length / 2)].event;
		const found = await page.evaluate(async text => {
			let nr = 0;
			for (let i = await window.ktrace.find(text); i >= 0 && nr < 50;
			     i = await window.ktrace.find(text, i + 1))
				nr++;
			return nr;
		}, `name=${name}`);
		assert.equal(found, Math.min(list.filter(e => e.event === name).length, 50));
	},

	async 'loss and number of events are those of ktrace info'(page) {
		const lost = Object.values(info.lost || {}).reduce((a, b) => a + b, 0);
		const text = await page.textContent('#loss');
		assert.ok(text.startsWith(lost ? `${lost.toLocaleString('en')} events lost` :
			'no event lost'), `${text}; ktrace info: ${lost}`);
		for (const reason of Object.keys(info.lost || {}))
			assert.ok(text.includes(reason), `${reason} in ${text}`);
	},

	async 'wheel, drag, keys, boxes and clicks work'(page) {
		const view = () => page.evaluate(() => window.ktrace.view());
		const box = await (await page.$('#chart')).boundingBox();
		const whole = await view();

		await page.mouse.move(box.x + box.width / 2, box.y + 30);
		await page.mouse.wheel(0, -500);
		await settled(page);
		const zoomed = await view();
		assert.ok(zoomed.to - zoomed.from < (whole.to - whole.from) / 2);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width / 2 - 200, box.y + 30, { steps: 3 });
		await page.mouse.up();
		await settled(page);
		assert.ok((await view()).from > zoomed.from);
		await page.mouse.click(box.x + box.width / 2, box.y + 30);
		await until(page, () => window.ktrace.selected().state &&
			document.querySelector('#details dl'));
		await page.focus('#picture');
		await page.keyboard.press('0');
		assert.deepEqual(await view(), whole);
		await page.keyboard.press('/');
		await page.keyboard.type(`name=${list.at(-1).event}`);
		const before = (await page.evaluate(() => window.ktrace.selected())).index;
		const next = list.findIndex((e, i) => i > before && e.event === list.at(-1).event);
		await page.keyboard.press('Enter');
		await until(page, n => window.ktrace.selected().index === n, next);
		await until(page, n => location.hash.includes(`e=${n}`), next);
	},
});
