// SPDX-License-Identifier: GPL-2.0
// browser.mjs - a page in headless Chromium, and a list of cases that are tried on it
//
// PLAYWRIGHT is the folder that tests/checkers/html/library prints.
import { createRequire } from 'node:module';

const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');

// Root cannot have the browser's sandbox; the pages are ours.
const options = {
	executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
	args: process.getuid() === 0 ? ['--no-sandbox'] : [],
};

// Starts the browser, or takes the one that is there for several programs, see shared.mjs
export function start() {
	return process.env.BROWSER ? chromium.connect(process.env.BROWSER) : chromium.launch(options);
}

// One that others can take
export const start_shared = () => chromium.launchServer(options);

// Opens an address and waits until all is drawn. What goes wrong in the page is kept in
// page.errors, what it asks of others than its own server in page.foreign.
export async function open(browser, url, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1400, height: 860 },
		timezoneId: 'UTC', ...options });
	const page = await context.newPage();

	page.errors = [];
	page.foreign = [];
	page.on('pageerror', e => page.errors.push(e.stack));
	page.on('console', m => m.type() === 'error' && page.errors.push(m.text()));
	page.on('request', r => {
		const is_own = r.url().startsWith('data:') || r.url().startsWith('blob:') ||
			(url.startsWith('file:') ? r.url() === url.replace(/#.*/, '') :
				new URL(r.url()).origin === new URL(url).origin);
		if (!is_own)
			page.foreign.push(r.url());
	});
	await load(page, url);
	return page;
}

// Loads an address again, as if for the first time
async function load(page, url) {
	// Else an address that differs behind # would not load anything.
	await page.goto('about:blank');
	await page.goto(url, { waitUntil: 'commit' });
	await page.waitForFunction(() => window.ktrace);
	await page.evaluate(async () => { await window.ktrace.whole(); await window.ktrace.settled(); });
}

export const settled = page => page.evaluate(() => window.ktrace.settled());

// Waits until FUNCTION of the page is true
export const until = (page, test, argument) =>
	page.waitForFunction(test, argument);

// Runs cases { name: async function(page, browser) } on an address; says which failed, and fails if
// any did, or if there are none. All have the same page, loaded again: that takes a third of the
// time of a new one.
export async function run(url, cases) {
	const browser = await start();
	let failed = 0;

	try {
		const page = await open(browser, url);
		for (const [name, test] of Object.entries(cases)) {
			try {
				await load(page, url);
				await test(page, browser);
				const wrong = [...page.errors.splice(0), ...page.foreign.splice(0)];
				if (wrong.length)
					throw new Error(wrong.join('\n'));
				console.log(`ok - ${name}`);
			} catch (error) {
				failed++;
				console.log(`not ok - ${name}\n${error.stack}`);
			}
		}
	} finally {
		await browser.close();
	}
	process.exitCode = failed || !Object.keys(cases).length ? 1 : 0;
}
