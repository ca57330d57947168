// SPDX-License-Identifier: GPL-2.0
// grow.mjs - the page of ktrace serve while the server still reads the trace
//
// usage: node grow.mjs ADDRESS FOLDER TURN..., of a server that has read all; what it had before is in
// FOLDER/TURN, see turns.c
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { run, settled, until } from './browser.mjs';

const [, , url, folder, ...turns] = process.argv;
const heads = turns.map(turn => JSON.parse(readFileSync(`${folder}/${turn}/head`)));
const at = { turn: turns.length - 1 };

const last = turns.length - 1;

// Answers of the server at the present turn, instead of those of now
async function answer(route) {
	const path = route.request().url().replace(/#.*/, '').slice(url.length);
	const from = `${folder}/${turns[at.turn]}`;

	if (path === 'head' || /^[nb]\/\d+$/.test(path)) {
		await route.fulfill({ body: readFileSync(`${from}/${path.replace('/', '')}`) });
		return;
	}
	const page = await (await route.fetch()).text();
	const head = readFileSync(`${from}/head`, 'utf8');
	await route.fulfill({ contentType: 'text/html',
		body: page.replace(/(id="kt-head">).*/, (_, begin) => `${begin}${head}</script>`) });
}

async function open_at(page, turn, hash = '') {
	at.turn = turn;
	await page.goto('about:blank');
	await page.goto(url + hash, { waitUntil: 'commit' });
	await page.waitForFunction(() => window.ktrace);
	await page.evaluate(async () => window.ktrace.ready);
}

async function go_to(page, turn) {
	at.turn = turn;
	await until(page, known => window.ktrace.head().known === known, heads[turn].known);
	await settled(page);
}

const total = head => head.blocks.reduce((sum, b) => sum + b[3], 0);
const size = page => page.textContent('#size');

// A case; whatever becomes of it, the next one finds a server that has read all
const in_turns = test => async page => {
	await page.route('**', answer);
	try {
		await test(page);
	} finally {
		at.turn = last;
	}
};

await run(url, {
	'there is more from turn to turn, and then all': in_turns(async page => {
		await open_at(page, 0);
		// The root is a little longer than the trace: its last bin may be cut.
		for (let turn = 0; turn < turns.length; turn++) {
			await go_to(page, turn);
			const is_whole = heads[turn].known === undefined;
			assert.match(await size(page), new RegExp(
				`^${total(heads[turn]).toLocaleString('en')} events${is_whole ? '' : ' so far'} in`));
			assert.equal(await page.isVisible('#growth'), !is_whole);
			assert.equal(await page.evaluate(async n => (await window.ktrace.eventAt(n - 1))?.index,
				total(heads[turn])), total(heads[turn]) ? total(heads[turn]) - 1 : undefined);
			const { events } = await page.evaluate(() => window.ktrace.counts());
			const seen = events.reduce((a, b) => a + b, 0);
			assert.ok(Math.abs(seen - (heads[turn].nodes[0]?.[5] ?? 0)) < 20, `turn ${turn}: ${seen}`);
		}
		await page.evaluate(async () => window.ktrace.whole());
	}),

	'what is looked at and folded stays': in_turns(async page => {
		await open_at(page, last - 1);
		const { rows } = heads[last - 1];
		const process = rows.findIndex((r, i) => r.kind === 'process' &&
			rows.filter(other => other.parent === i).length > 1);
		const shown = () => page.evaluate(pid => {
			const k = window.ktrace, { rows } = k.head();
			const row = rows.findIndex(r => r.kind === 'process' && r.pid === pid);
			return { row, threads: k.shownRows().filter(r => rows[r].parent === row).length,
				is_selected: k.selected().row === row };
		}, rows[process].pid);
		const half = heads[last].span / 2;

		assert.ok((await shown()).threads > 1);
		await page.click(`#names [data-row="${process}"]`);
		await page.focus('#picture');
		await page.keyboard.press('Enter');
		await page.evaluate(([a, b]) => window.ktrace.setView(a, b), [half, half + 100000]);
		await settled(page);
		const before = await shown();
		assert.deepEqual([before.threads, before.is_selected], [0, true]);
		await go_to(page, last);
		assert.deepEqual({ ...await shown(), row: 0 }, { ...before, row: 0 });
		assert.deepEqual(await page.evaluate(() => window.ktrace.view()),
			{ from: half, to: half + 100000 });
	}),

	'the event of the address is selected when it is there': in_turns(async page => {
		const wanted = total(heads[last]) - 1;
		await open_at(page, 0, `#e=${wanted}`);
		assert.equal((await page.evaluate(() => window.ktrace.selected())).index, -1);
		await go_to(page, last);
		await until(page, n => window.ktrace.selected().index === n, wanted);
	}),
});
