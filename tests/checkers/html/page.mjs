// SPDX-License-Identifier: GPL-2.0
// page.mjs - mouse, wheel, keyboard, boxes and buttons of the page, on the second writer's trace
//
// usage: node page.mjs PAGE ANSWERS
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { open, run, settled, until } from './browser.mjs';

const [, , file, answers_file] = process.argv;
const answers = JSON.parse(readFileSync(answers_file));
const url = `file://${file}`;
const middle = answers.events[answers.events.length / 2];

const view = page => page.evaluate(() => window.ktrace.view());
const selected = page => page.evaluate(() => window.ktrace.selected());
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= Math.max(Math.abs(b) * 0.01, 2),
	`${what}: ${a}, not ${b}`);

async function look_at(page, from, to) {
	await page.evaluate(([a, b]) => window.ktrace.setView(a, b), [from, to]);
	await settled(page);
}

async function key(page, name) {
	await page.focus('#picture');
	await page.keyboard.press(name);
	await settled(page);
}

const browser_of = page => page.context().browser();

// Where an event is on the screen
async function place_of(page, [time, , row]) {
	const [x, y] = await page.evaluate(([t, r]) => [window.ktrace.xOf(t), window.ktrace.yOf(r)],
		[time, row]);
	const box = await (await page.$('#chart')).boundingBox();

	return [box.x + x, box.y + y];
}

await run(url, {
	async 'a click selects event and state, list and details follow'(page) {
		await look_at(page, middle[0] - 20000, middle[0] + 20000);
		await page.mouse.click(...await place_of(page, middle));
		await until(page, () => window.ktrace.selected().state);
		const { index, row, time } = await selected(page);
		assert.equal(index, answers.events.length / 2);
		assert.equal(time, middle[0]);
		assert.equal(row, middle[2]);
		const line = '#lines tr[aria-selected=true]';
		await page.waitForSelector(line);
		assert.equal(await page.getAttribute(line, 'data-index'), String(index));
		assert.equal(await page.textContent(`${line} td:nth-child(4)`), middle[1]);
		await page.waitForSelector('#details .next');
		const details = await page.textContent('#details');
		for (const value of middle[4])
			assert.ok(details.includes(value), `${value} in ${details}`);
		assert.match(details, /2023-11-14 22:1/);
		// A neighbour is one click away.
		await page.click('#details .next tr:first-child td:nth-child(3) button');
		await until(page, n => window.ktrace.selected().index === n, index + 1);
	},

	async 'a click in the list moves the picture to the event'(page) {
		await look_at(page, answers.span * 0.9, answers.span);
		await page.click('#lines tr:nth-child(3)');
		await until(page, () => window.ktrace.selected().index === 2);
		const { from, to } = await view(page);
		assert.ok(from <= answers.events[2][0] && to > answers.events[2][0]);
		await page.keyboard.press('ArrowDown');
	},

	async 'arrow keys in the list select the events next to it'(page) {
		await page.click('#lines tr:nth-child(3)');
		await until(page, () => window.ktrace.selected().index === 2);
		await page.focus('#table');
		await page.keyboard.press('ArrowDown');
		await until(page, () => window.ktrace.selected().index === 3);
		await page.keyboard.press('ArrowUp');
		await until(page, () => window.ktrace.selected().index === 2);
		await page.keyboard.press('PageDown');
		await until(page, () => window.ktrace.visibleEvents()[0].index > 5);
	},

	async 'the wheel zooms at the pointer, with Shift it pans'(page) {
		const box = await (await page.$('#chart')).boundingBox();
		const before = await view(page);
		await page.mouse.move(box.x + box.width / 4, box.y + 50);
		await page.mouse.wheel(0, -400);
		await settled(page);
		const after = await view(page);
		assert.ok(after.to - after.from < (before.to - before.from) / 2);
		near(after.from + (after.to - after.from) / 4, answers.span / 4, 'time at the pointer');
		await page.keyboard.down('Shift');
		await page.mouse.wheel(0, 200);
		await page.keyboard.up('Shift');
		await settled(page);
		const moved = await view(page);
		assert.ok(moved.from > after.from);
		near(moved.to - moved.from, after.to - after.from, 'size');
	},

	async 'dragging pans; over the histogram it marks a range to zoom to'(page) {
		const start = answers.span * 0.4, size = answers.span * 0.1;
		await look_at(page, start, start + size);
		const box = await (await page.$('#chart')).boundingBox();
		await page.mouse.move(box.x + 600, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(box.x + 300, box.y + 60, { steps: 4 });
		await page.mouse.up();
		await settled(page);
		const now = await view(page);
		near(now.from, start + size * 300 / box.width, 'begin');
		near(now.to - now.from, size, 'size');
		const bars = await (await page.$('#histogram')).boundingBox();
		await page.mouse.move(bars.x + bars.width / 4, bars.y + 20);
		await page.mouse.down();
		await page.mouse.move(bars.x + bars.width / 2, bars.y + 20, { steps: 4 });
		await page.mouse.up();
		await settled(page);
		near((await view(page)).to - (await view(page)).from, size / 4, 'marked');
		await key(page, 'Backspace');
		near((await view(page)).to - (await view(page)).from, size, 'size before');
	},

	async 'keys zoom, pan and select'(page) {
		await key(page, '+');
		const zoomed = await view(page);
		near(zoomed.to - zoomed.from, answers.span * 0.6, 'size');
		await key(page, 'ArrowRight');
		assert.ok((await view(page)).from > zoomed.from);
		await key(page, 'End');
		near((await view(page)).to, answers.span, 'end');
		await key(page, 'Home');
		assert.equal((await view(page)).from, 0);
		await key(page, '0');
		assert.deepEqual(await view(page), { from: 0, to: answers.span });
		await key(page, '.');
		await until(page, () => window.ktrace.selected().index === 0);
		// The next event of that row
		const { row } = await selected(page);
		const next = answers.events.findIndex((e, i) => i > 0 && e[2] === row);
		await key(page, 'n');
		await until(page, n => window.ktrace.selected().index === n, next);
		await key(page, 'p');
		await until(page, () => window.ktrace.selected().index === 0);
		await key(page, 'ArrowDown');
		assert.notEqual((await selected(page)).row, row);
	},

	async 'rows fold, and are filtered by name'(page) {
		const shown = () => page.evaluate(() => window.ktrace.shownRows());
		const all = await shown();
		const process = '#names [aria-label="process server 100"]';
		await page.click(`${process} .fold`);
		const folded = await shown();
		assert.equal(await page.getAttribute(process, 'aria-expanded'), 'false');
		assert.ok(folded.length < all.length);
		// A folded process shows what its threads do.
		const row = Number(await page.getAttribute(process, 'data-row'));
		assert.ok(await page.evaluate(r => window.ktrace.painted(r).includes('user'), row));
		await page.click(process);
		await key(page, 'Enter');
		assert.deepEqual(await shown(), all);
		await page.fill('#row-filter', 'worker 201');
		await settled(page);
		const names = await page.evaluate(() => window.ktrace.shownRows()
			.map(r => window.ktrace.head().rows[r].name));
		assert.deepEqual(names, ['server 200', 'worker 201']);
	},

	async 'idle rows can be hidden'(page) {
		const nothing = answers.events.findIndex(([t], i) => i && t - answers.events[i - 1][0] > 4e7);
		const end = answers.events[nothing][0];
		await look_at(page, end - 3e7, end - 1e7);
		const all = await page.evaluate(() => window.ktrace.shownRows().length);
		await key(page, 'i');
		await until(page, n => window.ktrace.shownRows().length < n, all);
		assert.equal(await page.getAttribute('#idle', 'aria-pressed'), 'true');
		const busy = await page.evaluate(() => window.ktrace.shownRows()
			.map(r => window.ktrace.head().rows[r].kind));
		assert.ok(busy.includes('thread'), String(busy));
		// There is no event either, and nothing says that there are.
		assert.equal(await page.evaluate(() => window.ktrace.rate()), 'no events');
		await key(page, '0');
		assert.match(await page.evaluate(() => window.ktrace.rate()), /^at most [1-9]/);
	},

	async 'finding goes to what is meant, both ways and around'(page) {
		const with_path = answers.events.flatMap((e, i) =>
			e[4][3] === '/data/ö-7' ? [i] : []);
		await key(page, '/');
		await page.keyboard.type('path=/data/ö-7 -named');
		await page.keyboard.press('Enter');
		await until(page, n => window.ktrace.selected().index === n, with_path[0]);
		await page.keyboard.press('Enter');
		await until(page, n => window.ktrace.selected().index === n, with_path[1]);
		await page.keyboard.press('Shift+Enter');
		await until(page, n => window.ktrace.selected().index === n, with_path[0]);
		await page.keyboard.press('Shift+Enter');
		await until(page, n => window.ktrace.selected().index === n, with_path.at(-1));
		assert.match(await page.textContent('#status'), /found from the other end/);
		await page.fill('#find', 'no such thing');
		await page.press('#find', 'Enter');
		await until(page, () => /no event/.test(document.getElementById('status').textContent));
		await page.fill('#find', 'id<few');
		await page.press('#find', 'Enter');
		await until(page, () => /needs a number/.test(document.getElementById('status').textContent));
		assert.equal(await page.getAttribute('#find', 'aria-invalid'), 'true');
	},

	async 'expressions mean what the help says'(page) {
		const value = (e, n) => e[1] === 'app:request' ? e[4][n] : undefined;
		const names = answers.events.map(e => e[1]);
		const cases = {
			'switch': (e, i) => names[i] === 'sched:switch',
			'SWITCH -next=200': (e, i) => names[i] === 'sched:switch' && e[4][0] !== '200',
			'state=disk': (e, i) => names[i] === 'sched:switch' && e[4][1] === '2',
			'id>=4000 id<4100': e => value(e, 0) >= 4000 && value(e, 0) < 4100,
			'address=9223372036854775820': e => value(e, 2) === '9223372036854775820',
			'name=app:* cpu=1 -id=?': (e, i) => /^app/.test(names[i]) && e[3] === 1 &&
				!(value(e, 0)?.length === 1),
			'"worker 103"': e => e[2] === answers.rows.indexOf('worker 103'),
			'name=x': (e, i) => names[i] === 'app:named',
			'name!=x name!=*:named': (e, i) => names[i] !== 'app:named',
			'path!=/data/*': () => false,
			'load>300.5': e => Number(value(e, 4)) > 300.5,
		};
		for (const [text, test] of Object.entries(cases)) {
			const wanted = answers.events.flatMap((e, i) => test(e, i) ? [i] : []);
			const shown = await page.evaluate(async t => {
				const all = [];
				for (let i = await window.ktrace.find(t); i >= 0 && all.length < 40;
				     i = await window.ktrace.find(t, i + 1))
					all.push(i);
				return all;
			}, text);
			assert.deepEqual(shown, wanted.slice(0, 40), text);
		}
	},

	async 'a filter leaves in the list what is meant'(page) {
		await page.fill('#filter', 'name=app:named');
		await page.press('#filter', 'Enter');
		const wanted = answers.events.flatMap((e, i) => e[1] === 'app:named' ? [i] : []);
		await until(page, n => window.ktrace.visibleEvents()[0]?.index === n, wanted[0]);
		const shown = await page.evaluate(() => window.ktrace.visibleEvents().map(e => e.index));
		assert.deepEqual(shown, wanted.slice(0, shown.length));
		await page.mouse.move(300, 750);
		await page.mouse.wheel(0, 90);
		await until(page, n => window.ktrace.visibleEvents()[0].index === n, wanted[3]);
		await page.fill('#filter', '');
		await page.press('#filter', 'Enter');
		await until(page, n => window.ktrace.visibleEvents()[1].index === n + 1, wanted[3]);
	},

	async 'the address leads to the same again'(page, browser) {
		await look_at(page, 1000000, 3000000);
		await page.fill('#filter', 'app & more=1');
		await page.press('#filter', 'Enter');
		await page.fill('#filter', 'app');
		await page.press('#filter', 'Enter');
		await key(page, '.');
		await until(page, () => /t=1000000,3000000.*&e=\d+.*&f=app$/.test(location.hash));
		const address = page.url();
		const other = await open(browser, address);
		assert.deepEqual(await view(other), { from: 1000000, to: 3000000 });
		assert.equal((await selected(other)).index, (await selected(page)).index);
		assert.equal(await other.inputValue('#filter'), 'app');
		// A new address in an open page
		await other.evaluate(() => { location.hash = '#t=5000000,6000000'; });
		await until(other, () => window.ktrace.view().from === 5000000);
		await other.context().close();
	},

	async 'it is dark or light as the system is, or as one wishes'(page, browser) {
		const back = p => p.evaluate(() => getComputedStyle(document.body).backgroundColor);
		assert.equal(await back(page), 'rgb(255, 255, 255)');
		const dark = await open(browser, url, { colorScheme: 'dark' });
		assert.notEqual(await back(dark), await back(page));
		const corner = p => p.evaluate(() => Array.from(document.getElementById('chart')
			.getContext('2d').getImageData(2, 0, 1, 1).data.slice(0, 3)));
		assert.ok((await corner(dark))[0] < 80);
		// The system's wish is followed, and not kept, until there is another.
		await dark.emulateMedia({ colorScheme: 'light' });
		await until(dark, () => document.documentElement.dataset.theme === 'light');
		assert.equal(await dark.evaluate(() => localStorage.getItem('ktrace-theme')), null);
		await dark.emulateMedia({ colorScheme: 'dark' });
		await until(dark, () => document.documentElement.dataset.theme === 'dark');
		await dark.click('#theme');
		await settled(dark);
		assert.equal(await back(dark), await back(page));
		assert.ok((await corner(dark))[0] > 200);
		await dark.context().close();
	},

	async 'legend, loss, notes and help are there'(page) {
		const legend = await page.$$eval('#legend li', items => items.map(i => i.textContent));
		for (const name of ['user', 'syscall', 'wait', 'wait-cpu', 'irq'])
			assert.ok(legend.includes(name), name);
		assert.ok(!legend.includes('parse input'), 'names of spans are not in the legend');
		assert.equal(await page.textContent('#loss'), '12 events lost: 12 full');
		assert.match(await page.textContent('#notes'), /clock: made up/);
		assert.equal(await page.textContent('#title'), 'a <made-up> trace');
		await key(page, '?');
		assert.ok(await page.isVisible('#help-text'));
		assert.match(await page.textContent('#help-text'), /the whole trace/);
		await page.keyboard.press('Escape');
		assert.ok(!await page.isVisible('#help-text'));
	},

	async 'the tip says which thread has a span'(page) {
		const rows = await page.evaluate(() => window.ktrace.head().rows);
		const shown = await page.evaluate(() => window.ktrace.shownRows());
		const row = shown.find(r => rows[r].kind === 'span');
		const box = await (await page.$('#chart')).boundingBox();
		const y = await page.evaluate(r => window.ktrace.yOf(r), row);
		await page.mouse.move(box.x + 300, box.y + y);
		await settled(page);
		assert.match(await page.textContent('#tip'), /^worker 100, phase: /);
	},

	async 'Ctrl+drag marks a range and shows its totals, Escape ends that'(page) {
		await look_at(page, middle[0] - 200000, middle[0] + 200000);
		const before = await view(page);
		const box = await (await page.$('#chart')).boundingBox();
		await page.keyboard.down('Control');
		await page.mouse.move(box.x + 200, box.y + 30);
		await page.mouse.down();
		await page.mouse.move(box.x + 400, box.y + 30, { steps: 3 });
		await page.mouse.up();
		await page.keyboard.up('Control');
		await page.waitForSelector('#details .totals');
		assert.deepEqual(await view(page), before);
		const range = await page.evaluate(() => window.ktrace.range());
		near(range.to - range.from, (before.to - before.from) * 200 / box.width, 'range');
		const totals = await page.evaluate(r => window.ktrace.totals(r.from, r.to), range);
		const text = await page.textContent('#details');
		for (const title of ['Range of ', 'CPUs run', 'Threads', 'States of threads'])
			assert.ok(text.includes(title), `${title} in ${text}`);
		assert.ok(text.includes(totals.threads[0].name), text);
		await until(page, () => location.hash.includes('m='));
		// A click on a thread goes to its row; the address leads back to the range.
		await page.click('#details .totals:nth-of-type(2) tbody tr');
		await until(page, r => window.ktrace.selected().row === r, totals.threads[0].row);
		const hash = await page.evaluate(() => location.hash);
		await key(page, 'Escape');
		assert.equal(await page.evaluate(() => window.ktrace.range()), null);
		const other = await open(browser_of(page), url + hash);
		await other.waitForSelector('#details .totals');
		near((await other.evaluate(() => window.ktrace.range())).from, range.from, 'from');
		await other.context().close();
	},

	async 'a key and a button show the totals of the screen; an event takes their place'(page) {
		await look_at(page, middle[0] - 200000, middle[0] + 200000);
		for (const ask of [() => key(page, 'm'), () => page.click('#totals')]) {
			await ask();
			await page.waitForSelector('#details .totals');
			near((await page.evaluate(() => window.ktrace.range())).from, (await view(page)).from, 'from');
			await page.click('#lines tr:nth-child(2)');
			await page.waitForSelector('#details .next');
			assert.equal(await page.$('#details .totals'), null);
			assert.equal(await page.evaluate(() => window.ktrace.range()), null);
			await look_at(page, middle[0] - 200000, middle[0] + 200000);
		}
	},

	async 'what passes no filter is said'(page) {
		await page.fill('#row-filter', 'no such row');
		await until(page, () => document.getElementById('status').textContent ===
			'no row passes the filter');
		await page.fill('#filter', 'no-such-event');
		await page.press('#filter', 'Enter');
		await page.waitForSelector('#no-events:not([hidden])');
		assert.match(await page.textContent('#no-events'), /passes the filter/);
	},

	async 'on a narrow screen nothing is out of reach'(page) {
		for (const width of [800, 390]) {
			await page.setViewportSize({ width, height: 800 });
			await settled(page);
			for (const what of ['#row-filter', '#help', '#grid th:last-child', '#details p']) {
				const box = await (await page.$(what)).boundingBox();
				assert.ok(box.width > 10 && box.x + box.width <= width, `${what} at ${width}`);
			}
			const list = await (await page.$('#table')).boundingBox();
			const fields = await (await page.$('#grid th:last-child')).boundingBox();
			assert.ok(fields.x + 20 < list.x + list.width, `fields at ${width}`);
		}
		await page.setViewportSize({ width: 1400, height: 400 });
		await settled(page);
		assert.ok((await (await page.$('#rows')).boundingBox()).height > 40, 'rows');
		await page.setViewportSize({ width: 1400, height: 860 });
	},

	async 'colours are told apart with each kind of colour vision'(page) {
		const looks = (await page.evaluate(() => window.ktrace.colors()))
			.filter(l => ['user', 'syscall', 'irq', 'wait', 'wait-disk', 'wait-cpu'].includes(l.name));
		// Viénot, Brettel and Mollon's matrices, on linear light
		const kinds = { none: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
			protan: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
			deutan: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]] };
		for (const [kind, matrix] of Object.entries(kinds)) {
			const seen = looks.map(l => {
				const rgb = [1, 3, 5].map(i => (parseInt(l.color.slice(i, i + 2), 16) / 255) ** 2.2);
				return matrix.map(m => Math.max(m[0] * rgb[0] + m[1] * rgb[1] + m[2] * rgb[2], 0) **
					(1 / 2.2) * 255);
			});
			for (let i = 0; i < looks.length; i++)
				for (let j = 0; j < i; j++) {
					const distance = Math.hypot(...seen[i].map((v, n) => v - seen[j][n]));
					assert.ok(distance > 40 || looks[i].height !== looks[j].height,
						`${looks[i].name} and ${looks[j].name}, ${kind}: ${distance}`);
				}
		}
	},
});
