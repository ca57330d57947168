// SPDX-License-Identifier: GPL-2.0
// ask.mjs - the box of the page of ktrace serve for statements of SQL
//
// usage: node ask.mjs ADDRESS CALLS EVENTS, what ktrace sql --csv prints of two statements
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { open, run, settled, until } from './browser.mjs';

const [, , url, calls_file, events_file] = process.argv;
// They have neither quotes nor line ends.
const read = file => readFileSync(file, 'utf8').trimEnd().split('\r\n').map(l => l.split(','));
const calls = read(calls_file), events = read(events_file);

// The table of the answer: a list of lists of texts
const answer = page => page.$$eval('#answer tr', lines =>
	lines.map(l => [...l.cells].map(c => c.textContent)));

const over = page => until(page, () => document.getElementById('stop').disabled &&
	document.getElementById('answer-text').textContent !== 'asking');

// Opens the box and asks
async function ask(page, text) {
	if (!await page.isVisible('#ask')) {
		await page.focus('#picture');
		await page.keyboard.press('q');
	}
	await page.fill('#statement', text);
	await page.keyboard.press('Control+Enter');
	await over(page);
}

const selected = page => page.evaluate(() => window.ktrace.selected());
const view = page => page.evaluate(() => window.ktrace.view());
const begin = page => page.evaluate(() => window.ktrace.head().begin);

await run(url, {
	async 'rows are those of ktrace sql, and lead to their times'(page) {
		const column = name => calls[0].indexOf(name);

		await ask(page, 'SELECT * FROM syscalls ORDER BY duration DESC LIMIT 5');
		assert.deepEqual(await answer(page), calls);
		assert.equal(await page.textContent('#answer-text'), '5 rows');
		for (const k of [3, 1]) {
			const from = Number(BigInt(calls[k][column('time')]) - BigInt(await begin(page)));
			const size = Number(calls[k][column('duration')]);
			const tid = Number(calls[k][column('tid')]);

			await page.click(`#answer tbody tr:nth-child(${k}) td:last-child`);
			await until(page, t => window.ktrace.selected().time === t, from);
			await settled(page);
			const { from: left, to: right } = await view(page);
			assert.ok(left <= from && from + size <= right, `${left} ${from} ${size} ${right}`);
			await until(page, t => window.ktrace.head().rows[window.ktrace.selected().row]?.tid === t,
				tid);
		}
	},

	async 'a time since the first event, with the keyboard'(page) {
		await ask(page, 'SELECT name, ns FROM events LIMIT 3');
		assert.deepEqual(await answer(page), events);
		const start = await page.evaluate(() => {
			const { begin, start } = window.ktrace.head();
			return Number(BigInt(start) - BigInt(begin));
		});
		await page.focus('#answer tbody tr:nth-child(3) button');
		await page.keyboard.press('Enter');
		await until(page, t => window.ktrace.selected().time === t, start + Number(events[3][1]));
		assert.equal((await selected(page)).index, 2);
	},

	async 'values are text, whatever they are, of one line and one direction'(page) {
		await ask(page, `SELECT '<b>x</b>' AS "a""b", 'a,"b' || char(13, 10) || 'c' AS time, NULL AS n, ` +
			`9223372036854775807 AS big, 0.5 AS half, 'x' || char(0x202e, 0x2028) || 'z' AS "u\u202ev"`);
		assert.deepEqual(await answer(page), [['a"b', 'time', 'n', 'big', 'half', 'u?v'],
			['<b>x</b>', 'a,"b??c', '', '9223372036854775807', '0.5', 'x??z']]);
		assert.equal(await page.$('#answer button, #answer b'), null);
		await ask(page, 'CREATE TEMP VIEW v AS SELECT 7 AS x; SELECT * FROM v');
		assert.deepEqual(await answer(page), [['x'], ['7']]);
		await ask(page, 'SELECT 1 AS x WHERE 0');
		assert.deepEqual(await answer(page), [['x']]);
		assert.equal(await page.textContent('#answer-text'), '0 rows');
	},

	async 'the address has the statement, while its box is open'(page, browser) {
		await ask(page, "SELECT 'a&b=#%' AS x");
		await until(page, () => /&s=SELECT%20/.test(location.hash));
		const other = await open(browser, page.url());
		await over(other);
		assert.equal(await other.inputValue('#statement'), "SELECT 'a&b=#%' AS x");
		assert.deepEqual(await answer(other), [['x'], ['a&b=#%']]);
		// Another one in an open page
		await other.evaluate(() => { location.hash = '#s=SELECT%202%20AS%20y'; });
		await until(other, () => document.querySelector('#answer td')?.textContent === '2');
		await other.focus('#picture');
		await other.keyboard.press('q');
		await until(other, () => !/s=/.test(location.hash));
		await other.context().close();
	},

	async 'a long statement is asked whole, or refused'(page) {
		await ask(page, `SELECT length('${'a'.repeat(20000)}') AS n`);
		assert.deepEqual(await answer(page), [['n'], ['20000']]);
		await ask(page, `SELECT length('${'a'.repeat(100000)}') AS n`);
		assert.equal(await page.textContent('#answer-messages'), 'the statement is too long');
		assert.match(page.errors.pop(), /414|431/);
	},

	async 'what is wrong is shown, and gone with the next answer'(page) {
		await ask(page, 'SELECT absent FROM events');
		assert.match(await page.textContent('#answer-messages'), /no such column: absent/);
		assert.deepEqual(await answer(page), []);
		await ask(page, 'SELECT 1 AS x');
		assert.equal(await page.isVisible('#answer-messages'), false);
		assert.deepEqual(await answer(page), [['x'], ['1']]);
	},

	async 'an answer can be stopped, and a long one has a limit'(page) {
		const long = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT';

		await page.focus('#picture');
		await page.keyboard.press('q');
		await page.fill('#statement', `${long} sum(x) FROM c`);
		await page.click('#begin');
		assert.equal(await page.textContent('#answer-text'), 'asking');
		await page.click('#stop');
		await over(page);
		assert.equal(await page.textContent('#answer-text'), 'ended');
		await ask(page, `${long} x FROM c`);
		assert.match(await page.textContent('#answer-text'), /^[\d,]+ or more rows, the first 2,000 are shown$/);
		assert.equal((await answer(page)).length, 2001);
	},

	async 'Escape leaves the box, and its keys are no commands'(page) {
		const before = await view(page);

		await ask(page, 'SELECT 1 AS x');
		await page.focus('#statement');
		await page.keyboard.type('+w0');
		assert.deepEqual(await view(page), before);
		await page.keyboard.press('Escape');
		assert.equal(await page.evaluate(() => document.activeElement.id), 'picture');
		await page.keyboard.press('q');
		assert.equal(await page.isVisible('#ask'), false);
	},
});
