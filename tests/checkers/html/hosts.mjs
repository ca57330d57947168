// SPDX-License-Identifier: GPL-2.0
// hosts.mjs - several hosts on a page: rows below their hosts, errors of times, messages
//
// usage: node hosts.mjs ADDRESS EVENTS FLOW: what ktrace list --json and flow --json print of the files
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { run, settled, until } from './browser.mjs';

const [, , url, events_file, flow_file] = process.argv;
const lines = file => readFileSync(file, 'utf8').trim().split('\n').map(line => JSON.parse(line));
const events = lines(events_file);
const messages = lines(flow_file).filter(m => m.message === 'tcp' && !m.is_retransmitted);

// A message to a host whose clock is not the reference
const message = messages.find(m => m.to.machine === 1);
const index = events.findIndex(e => e.trace === 1 && e.event === 'net:receive' && e.ns === message.to.ns);

async function details(page) {
	const [names, values] = await Promise.all(['dt', 'dd'].map(what =>
		page.$$eval(`#details dl ${what}`, all => all.map(e => e.textContent))));

	return name => values[names.lastIndexOf(name)];
}

async function show(page) {
	const from = Math.max(message.from.ns - 1000, 0);

	await page.goto(`${url}#t=${from},${message.to.ns + 500000}&e=${index}`);
	await page.reload();
	await page.waitForSelector('#details .message');
	await settled(page);
}

await run(url, {
	async 'rows are below those of their hosts'(page) {
		await page.waitForSelector('[role=treeitem]');
		const rows = await page.evaluate(() => window.ktrace.head().rows);
		const hosts = rows.filter(r => r.kind === 'host');

		assert.deepEqual(hosts.map(r => r.name).sort(), ['client', 'server1', 'server2']);
		for (const row of rows.filter(r => r.kind === 'cpu' || r.kind === 'process')) {
			assert.equal(rows[row.parent].kind, 'host');
			assert.equal(rows[row.parent].machine, row.machine);
		}
	},
	async 'the details of an event have its error and its message with both ends'(page) {
		await show(page);
		const value = await details(page);

		assert.match(value('time'), / s ± [0-9.]+ [mµn]?s$/);
		assert.match(value('from'), /^client, /);
		assert.match(value('to'), /^server1, cpu .* ± /);
		assert.match(value('took'), /^[0-9.]+ [mµn]?s \(0 ns to [0-9.]+ [mµn]?s\)$/);
	},
	async 'the interval of the selected event is drawn where it is wider than a pixel'(page) {
		await show(page);
		const [left, right, wanted] = await page.evaluate(at => {
			const { xOf, errorAt, interval } = window.ktrace;
			const [early, late] = errorAt(1, at);
			return [...interval(), xOf(at + late) - xOf(at - early)];
		}, message.to.ns);

		assert.ok(right - left > 1.5 && right - left <= wanted + 1, `${left} ${right} ${wanted}`);
		await page.keyboard.press('0');
		await until(page, () => window.ktrace.view().to - window.ktrace.view().from > 5e8);
		await settled(page);
		assert.equal(await page.evaluate(() => window.ktrace.interval()), null);
	},
	async 'rows of hosts are hatched where their error is wider than a pixel'(page) {
		const inexact = () => page.evaluate(() => [0, 1].map(m => window.ktrace.inexact(m)));

		await show(page);
		const [reference, other] = await inexact();
		assert.deepEqual(reference, []);
		assert.ok(other.length);
		for (const [left, right, text] of other) {
			assert.ok(left >= 0 && right > left);
			assert.match(text, /^± [0-9.]+ [mµn]?s$/);
		}
		await page.keyboard.press('0');
		await until(page, () => window.ktrace.view().to - window.ktrace.view().from > 5e8);
		await settled(page);
		assert.deepEqual(await inexact(), [[], []]);
	},
	async 'the distance to an event of another host has its error'(page) {
		// The client's last event before one of a server, which is the next one of any
		const at = events.findIndex((e, i) => e.trace === 0 && events[i + 1]?.trace === 1);
		const next = events[at + 1];

		await page.goto(`${url}#e=${at}`);
		await page.reload();
		await page.waitForSelector('#details .next');
		await settled(page);
		const texts = await page.$$eval('#details .next tr:first-child button', all => all.map(b =>
			[Number(b.dataset.index), b.textContent]));
		const text = texts.find(([index]) => index === at + 1)[1];
		assert.match(text, / ± [0-9.]+ [mµn]?s$/, `${text} ${JSON.stringify(next)}`);
		// Of the same thread or CPU it has none.
		for (const button of await page.$$eval('#details .next tr:nth-child(2) button', all =>
			all.map(b => b.textContent)))
			assert.doesNotMatch(button, /±/);
	},
	async 'errors hold for each event, and are no more than twice as large'(page) {
		const errors = await page.evaluate(all => all.map(([file, ns]) => window.ktrace.errorAt(file, ns)),
			events.map(e => [e.trace, e.ns]));

		events.forEach((e, i) => {
			const [early, late] = errors[i];
			assert.ok(Math.max(early, late) >= e.error_ns, JSON.stringify([e, errors[i]]));
			assert.ok(Math.max(early, late) <= 2.2 * e.error_ns, JSON.stringify([e, errors[i]]));
		});
	},
	async 'there is an arrow for each message'(page) {
		const arrows = await page.evaluate(async () => {
			const found = [], head = window.ktrace.head();
			for (let id = 0; id < head.blocks.length; id++)
				found.push(...await window.ktrace.arrowsOf(id));
			return found.filter(a => a.kind >= head.arrows.indexOf('message')).map(a => [head.rows[a.from_row].machine, a.from,
				head.rows[a.to_row].machine, a.to].join());
		});
		const wanted = lines(flow_file).filter(m => m.message)
			.map(m => [m.from.machine, m.from.ns, m.to.machine, m.to.ns].join());

		assert.deepEqual(arrows.sort(), wanted.sort());
	},
});
