// Opens a page of one file in Chromium, from disk:
//
//	node report.mjs TOOLS FILE
//
// It must ask for nothing else, log nothing, be as wide as the screen of a phone, have all headings and tables that it has with scripts
// without them, too, let the keyboard reach its links, and be what axe-core finds no fault with, in light and dark.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [tools, file] = process.argv.slice(2);
const need = createRequire(join(resolve(tools), "/"));
const { chromium } = need("playwright-core");
const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(resolve(file)).href;
const patience = 600_000; // for steps of a second: a busy machine is no fault
const faults = [];

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
  timeout: patience });
const seen = new Set();
for (const [name, options] of Object.entries({
  wide: { colorScheme: "light", viewport: { width: 1200, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1200, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 360, height: 640 } },
  "without scripts": { javaScriptEnabled: false, viewport: { width: 1200, height: 800 } },
})) {
  const context = await browser.newContext({ bypassCSP: name !== "without scripts", ...options });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  page.on("console", (message) => faults.push(`${name}: the console says ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`${name}: ${error}`));
  page.on("request", (request) => request.url() === address || faults.push(`${name}: asks for ${request.url()}`));
  await page.goto(address);
  const text = await page.locator("body").innerText();
  seen.add(`${await page.locator("h1, h2, h3, table, svg").count()} ${text.length > 500}`);
  if (name !== "without scripts") {
    const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (width > 0) faults.push(`${name}: ${width} pixels are beside the screen`);
    await page.keyboard.press("Tab");
    if (!(await page.evaluate(() => document.activeElement.matches("a[href], summary"))))
      faults.push(`${name}: the first Tab reaches no link`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    for (const v of violations) faults.push(`${name}: ${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 200)}`);
  }
  await context.close();
}
await browser.close();
if (seen.size !== 1) faults.push(`it differs: ${[...seen].join(" | ")}`);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
