// SPDX-License-Identifier: GPL-2.0
// forged.mjs - the page shows no character of a name that makes a line or turns text round
//
// usage: node forged.mjs ADDRESS
import assert from 'node:assert/strict';
import { run, settled } from './browser.mjs';

const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

// All texts of the page and of its tooltips; the page's own lines are those of its source and the tip
const texts = page => page.evaluate(() => {
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const all = [document.title];

	while (walker.nextNode())
		if (!walker.currentNode.parentElement.closest('script, style, #tip'))
			all.push(walker.currentNode.data);
	for (const element of document.querySelectorAll('[title], [aria-label]'))
		all.push(element.title, element.getAttribute('aria-label') || '');
	return all.map(text => text.trim().replace(/\n\t+/g, ' '));
});

function check(all, what) {
	for (const text of all)
		assert.doesNotMatch(text, OBEYED, what);
}

await run(process.argv[2], {
	async 'names, list and notes'(page) {
		const all = await texts(page);

		assert.ok(all.some(text => text.includes('p?1 2')), 'the names are there');
		check(all, 'all');
	},
	async 'details of each event'(page) {
		const length = await page.evaluate(() => document.querySelectorAll('#lines tr').length);

		assert.ok(length > 5);
		for (let i = 0; i < length; i++) {
			await page.evaluate(n => document.querySelectorAll('#lines tr')[n].click(), i);
			await settled(page);
			check(await texts(page), `event ${i}`);
		}
	},
	async 'what is under the pointer has two lines'(page) {
		const box = await (await page.$('#chart')).boundingBox();

		for (let y = 2; y < box.height; y += 8) {
			await page.mouse.move(box.x + box.width / 2, box.y + y);
			await settled(page);
			const tip = await page.evaluate(() => {
				const { hidden, textContent } = document.getElementById('tip');

				return hidden ? null : textContent;
			});
			if (tip === null)
				continue;
			assert.equal(tip.split('\n').length, 2, tip);
			check(tip.split('\n'), 'tip');
		}
	},
});
