// SPDX-License-Identifier: GPL-2.0
// measure.mjs - how soon a page is there, and how many frames a second it draws while it is panned
//
// usage: node measure.mjs PAGE SECONDS; prints lines "what x value". PLAYWRIGHT: see tests/checkers/html/library
import { open, start } from '../../tests/checkers/html/browser.mjs';

const [, , file, seconds] = process.argv;
const browser = await start();

// The browser's own beginning is none of the page's.
await (await open(browser, 'data:text/html,<script>window.ktrace={whole(){},settled(){}}</script>')).close();
const before = performance.now();
const page = await open(browser, `file://${file}`);
console.log('open', 0, performance.now() - before);

for (const factor of [1.5, 10, 100, 1000, 10000]) {
	const rate = await page.evaluate(async ([zoom, ms]) => {
		const size = window.ktrace.head().span / zoom;
		let from = window.ktrace.head().span * 0.3, frames = 0;
		const begin = performance.now();

		while (performance.now() - begin < ms) {
			from += size / 100;
			window.ktrace.setView(from, from + size);
			await new Promise(requestAnimationFrame);
			frames++;
		}
		return frames * 1000 / (performance.now() - begin);
	}, [factor, seconds * 1000]);
	console.log('frames', factor, rate);
}
if (page.errors.length) {
	console.error(page.errors.join('\n'));
	process.exitCode = 1;
}
await browser.close();
