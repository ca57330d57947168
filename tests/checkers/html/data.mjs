// SPDX-License-Identifier: GPL-2.0
// data.mjs - the page shows what the second writer (make_page.py) has written
//
// usage: node data.mjs PAGE ANSWERS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { run, settled } from './browser.mjs';

const [, , file, answers_file] = process.argv;
const answers = JSON.parse(readFileSync(answers_file));
const url = `file://${file}`;

// State of a row at a time, by the list of changes; '' = none yet
function state_by_list(row, time) {
	const before = answers.changes.filter(([t, r]) => r === row && t <= time).at(-1);

	return before ? answers.states[before[2]] : '';
}

await run(url, {
	async 'every event has its time, type, row, CPU and values'(page) {
		const shown = await page.evaluate(async nr => {
			const all = [];
			for (let i = 0; i < nr; i++) {
				const e = await window.ktrace.eventAt(i);
				all.push([e.time, e.name, e.row, e.cpu, e.fields.map(f => String(f.value))]);
			}
			return all;
		}, answers.events.length);

		assert.equal(shown.length, answers.events.length);
		shown.forEach(([time, name, row, cpu, values], i) => {
			const wanted = answers.events[i];
			assert.deepEqual([time, name, row, cpu], wanted.slice(0, 4));
			values.forEach((v, n) => assert.equal(
				isNaN(v) || BigInt(Math.trunc(v)) > 2n ** 53n ? v : Number(v),
				isNaN(v) || BigInt(Math.trunc(v)) > 2n ** 53n ? wanted[4][n] :
					Number(wanted[4][n]), `event ${i}`));
		});
	},

	async 'there is no event outside of the trace'(page) {
		assert.deepEqual(await page.evaluate(async nr => [await window.ktrace.eventAt(-1),
			await window.ktrace.eventAt(nr)], answers.events.length), [null, null]);
	},

	async 'states at any time are those of the list'(page) {
		const rows = [...new Set(answers.changes.map(c => c[1]))];
		const wanted = [];
		for (let i = 0; i < 300; i++) {
			const row = rows[i % rows.length];
			const time = Math.floor(answers.span * ((i * 7919) % 1000) / 1000);
			wanted.push([row, time, state_by_list(row, time)]);
		}
		// At the very moment of a change, and the moment before
		for (const [time, row] of answers.changes.filter((_, i) => i % 97 === 0))
			for (const t of [time, time - 1])
				wanted.push([row, t, state_by_list(row, t)]);
		const shown = await page.evaluate(async list => {
			const { states } = window.ktrace.head();
			const all = [];
			for (const [row, time] of list) {
				const { state } = await window.ktrace.stateAt(row, time);
				all.push(state < 0 ? '' : states[state].name);
			}
			return all;
		}, wanted);
		wanted.forEach(([row, time, state], i) =>
			assert.equal(shown[i], state, `row ${row} at ${time}`));
	},

	async 'a CPU shows the thread that runs, by name and colour'(page) {
		const cpu = 0, colors = await page.evaluate(() => window.ktrace.colors());
		const moves = answers.changes.filter(([, row]) => row === cpu);
		const i = moves.findIndex(([t], n) => n > 5 && moves[n + 1][0] - t > 1000);
		const [from, , state] = moves[i], to = moves[i + 1][0];
		await page.evaluate(([a, b]) => window.ktrace.setView(a, b), [from - 500, to + 500]);
		await settled(page);
		const painted = await page.evaluate(([r, t]) => window.ktrace.painted(r)[
			Math.floor(window.ktrace.xOf(t) * devicePixelRatio)], [cpu, (from + to) / 2]);
		assert.equal(answers.groups[state], 'run');
		assert.equal(painted, answers.states[state]);
		assert.ok(new Set(colors.filter((_, n) => answers.groups[n] === 'run')
			.map(c => c.color)).size > 1);
		assert.match(await page.textContent('#legend'), /thread on a CPU, by name/);
	},

	async 'totals of a range are the sums of its states'(page) {
		for (const [a, b] of [[0, 1], [0.2, 0.21], [0.3001, 0.7003]]) {
			const from = Math.floor(answers.span * a), to = Math.floor(answers.span * b);
			const sums = { cpus: {}, states: {}, spans: {} }, times = {}, longest = {};
			const latest = new Map();
			const end_at = (row, time) => {
				const [begun, state] = latest.get(row) ?? [0, -1];
				const ns = Math.min(time, to) - Math.max(begun, from);
				const group = answers.groups[state], name = answers.states[state];
				const [part, key] = { thread: ['states', name], cpu: ['cpus', name],
					run: ['cpus', 'a thread'], span: ['spans', name] }[group] ?? [];
				if (state < 0 || ns <= 0 || !part)
					return;
				sums[part][key] = (sums[part][key] ?? 0) + ns;
				if (part === 'spans') {
					times[key] = (times[key] ?? 0) + 1;
					longest[key] = Math.max(longest[key] ?? 0, ns);
				}
			};
			for (const [time, row, state] of answers.changes) {
				// What was so already is no change, but a span that follows one of its name.
				if (latest.get(row)?.[1] === state && answers.groups[state] !== 'span')
					continue;
				end_at(row, time);
				latest.set(row, [time, state]);
			}
			for (const row of latest.keys())
				end_at(row, answers.span);
			const totals = await page.evaluate(([f, t]) => window.ktrace.totals(f, t), [from, to]);
			for (const part of Object.keys(sums))
				assert.deepEqual(Object.fromEntries(totals[part].map(s => [s.name, s.ns])),
					sums[part], `${part} from ${from} to ${to}`);
			for (const { name, nr, longest: most } of totals.spans)
				assert.deepEqual([nr, most], [times[name], longest[name]], `${name}, ${a}`);
			const all = totals.threads.reduce((sum, t) => sum + t.runs + t.ready + t.waits, 0);
			assert.equal(all, Object.values(sums.states).reduce((x, y) => x + y, 0));
		}
	},

	async 'a state begins and ends with its changes'(page) {
		const row = 3;
		const moves = answers.changes.filter(c => c[1] === row);
		const at = 20;
		const next = moves.findIndex((c, i) => i > at && c[2] !== moves[at][2]);
		const span = await page.evaluate(([r, t]) => window.ktrace.stateAt(r, t),
			[row, moves[at][0]]);

		assert.ok(span.from <= moves[at][0]);
		assert.equal(span.to, moves[next][0]);
	},

	async 'pixels have the states of their time, zoomed in by any factor'(page) {
		const rows = [...new Set(answers.changes.map(c => c[1]))];
		for (const factor of [200, 2000, 20000]) {
			const size = answers.span / factor;
			// Around an event, since much of this trace is empty
			const from = answers.events[answers.events.length / 2][0] - size / 2;
			await page.evaluate(([a, b]) => window.ktrace.setView(a, b), [from, from + size]);
			await settled(page);
			const view = await page.evaluate(() => window.ktrace.view());
			for (const row of rows) {
				const codes = await page.evaluate(r => window.ktrace.painted(r), row);
				const pixel = (view.to - view.from) / codes.length;
				for (let x = 5; x < codes.length; x += 61) {
					const middle = view.from + (x + 0.5) * pixel;
					// At an edge either side will do.
					const near = [-1, 0, 1].map(n => state_by_list(row, middle + n * pixel));
					assert.ok(near.includes(codes[x]) ||
						answers.changes.some(c => c[1] === row &&
							Math.abs(c[0] - middle) <= 1.5 * pixel),
					`row ${row}, pixel ${x}, 1/${factor}: ${codes[x]}, not ${near}`);
				}
			}
		}
	},

	async 'a line is between spans of one name that follow each other'(page) {
		const rows = await page.evaluate(() => window.ktrace.head().rows.flatMap((r, i) =>
			r.kind === 'span' ? [i] : []));
		const follows = moves => moves.findIndex((c, i) => i && i + 1 < moves.length &&
			c[2] === moves[i - 1][2]);
		const of = row => answers.changes.filter(c => c[1] === row);
		const row = rows.find(r => follows(of(r)) > 0);
		assert.notEqual(row, undefined);
		const moves = of(row), at = follows(moves);
		const half = Math.min(moves[at][0] - moves[at - 1][0], moves[at + 1][0] - moves[at][0]) / 2;
		await page.evaluate(([a, b]) => window.ktrace.setView(a, b),
			[moves[at][0] - half, moves[at][0] + half]);
		await settled(page);
		const codes = await page.evaluate(r => window.ktrace.painted(r), row);
		const name = answers.states[moves[at][2]];
		assert.equal(codes.filter(c => c === name).length, codes.length - 1);
		assert.ok(Math.abs(codes.indexOf('') - codes.length / 2) <= 2);
	},

	async 'each event is in the histogram once, at all levels'(page) {
		const sums = [];
		for (const factor of [1, 3, 17, 100, 1000]) {
			const middle = answers.events[answers.events.length / 2][0];
			const from = factor === 1 ? 0 : middle - answers.span / factor / 2;
			const to = factor === 1 ? answers.span : middle + answers.span / factor / 2;
			await page.evaluate(([a, b]) => window.ktrace.setView(a, b), [from, to]);
			await settled(page);
			const view = await page.evaluate(() => window.ktrace.view());
			const { events, lost } = await page.evaluate(() => {
				const c = window.ktrace.counts();
				const sum = list => list.reduce((a, b) => a + b, 0);
				return { events: sum(c.events), lost: sum(c.lost) };
			});
			const wanted = answers.events.filter(e => e[0] >= view.from && e[0] < view.to).length;
			// Bins at both edges are cut.
			const unsure = factor === 1 ? 2 : wanted * 0.02 + 60;
			assert.ok(Math.abs(events - wanted) <= unsure, `1/${factor}: ${events}, not ${wanted}`);
			if (factor === 1)
				assert.ok(Math.abs(lost - 12) < 0.1, `${lost} lost`);
			sums.push(events);
		}
		assert.ok(answers.nodes > 16, 'the trace is too small for levels');
	},

	async 'what is missing or damaged is said'(page, browser) {
		const text = readFileSync(file, 'utf8');
		const { writeFileSync } = await import('node:fs');
		const expectations = [
			[text.replace(/<script[^>]*id="kt-b0"[^]*?<\/script>/, ''), /not whole.*b0/],
			[text.replace(/(id="kt-b0">).{40}/, '$1AAAA'), /b0 is damaged/],
			[text.replace('"version": 1', '"version": 9'), /version 9/],
			[text.replace(/<script[^>]*id="kt-head"[^]*/, ''), /no trace/],
		];
		for (const [broken, message] of expectations) {
			writeFileSync(`${file}.broken.html`, broken);
			const other = await browser.newPage();
			await other.goto(`${url}.broken.html`);
			await other.waitForSelector('#failure:not([hidden])');
			assert.match(await other.textContent('#failure'), message);
			await other.close();
		}
	},
});
