// SPDX-License-Identifier: GPL-2.0
// shared.mjs - a browser for all tests of a file: prints what they need as BROWSER, and waits for SIGTERM
import { start_shared } from './browser.mjs';

const browser = await start_shared();

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
	process.on(signal, async () => { await browser.close(); process.exit(); });
console.log(browser.wsEndpoint());
