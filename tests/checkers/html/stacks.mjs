// SPDX-License-Identifier: GPL-2.0
// stacks.mjs - stacks are among the details of an event, and not in its line
//
// usage: node stacks.mjs ADDRESS FRAME: FRAME is in the stack of each event
import assert from 'node:assert/strict';
import { run } from './browser.mjs';

const [, , url, frame] = process.argv;

await run(url, {
	async 'stacks are among the details'(page) {
		await page.focus('#picture');
		await page.keyboard.press('/');
		await page.keyboard.type('name=perf:cycles');
		await page.keyboard.press('Enter');
		await page.waitForSelector('#details .next');
		const names = await page.$$eval('#details dl dt', all => all.map(dt => dt.textContent));
		const values = await page.$$eval('#details dl dd', all => all.map(dd => dd.textContent));

		assert.ok(names.includes('ustack'), names.join());
		assert.ok(!names.includes('stacks'), names.join());
		assert.ok(values[names.lastIndexOf('ustack')].includes(frame), values.join());
		assert.ok(!(await page.textContent('#lines')).includes(frame));
	},
});
