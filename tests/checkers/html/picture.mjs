// SPDX-License-Identifier: GPL-2.0
// picture.mjs - a page with an event selected, as a PNG. usage: picture.mjs URL FILE
import { open, settled, start } from './browser.mjs';

const [url, file] = process.argv.slice(2);
const browser = await start();
const page = await open(browser, `${url}#q=${encodeURIComponent('hello:item_end result=DONE')}`,
	{ viewport: { width: 1200, height: 820 } });

await page.focus('#find');
await page.keyboard.press('Enter');
await page.fill('#find', '');
await page.keyboard.press('Escape');
await settled(page);
await page.screenshot({ path: file });
await browser.close();
