// Opens a WACZ file in ReplayWeb.page, in Chromium, and holds pages to what the same browser shows of the living site:
//
//	node replayweb.mjs TOOLS WACZ SHOTS WORD PAGE...
//
// TOOLS is what tools.sh installed, SHOTS a folder for screenshots. ReplayWeb.page must find the first page by WORD, which stands in its
// text. A page must have the same title, text, images and styles as the living one, must have loaded the same addresses with success and
// no other, and look as it does, which the sizes of both screenshots tell.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";

const [tools, wacz, shots, word, ...pages] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(tools), "/"))("playwright-core");
const viewer = join(tools, "node_modules/replaywebpage");
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wacz": "application/wacz" };
const patience = 600_000; // for steps of a second: a busy machine is no fault

// The viewer and the file, which it reads in parts.
const server = createServer((request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  const file = path === "/x.wacz" ? wacz : join(viewer, path === "/" ? "index.html" : path);
  if (!existsSync(file)) return response.writeHead(404).end();
  const size = statSync(file).size;
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
  const start = range ? (range[1] ? Number(range[1]) : size - Number(range[2])) : 0;
  const end = range && range[1] && range[2] ? Math.min(Number(range[2]), size - 1) : size - 1;
  const header = { "Content-Type": types[extname(file)] ?? "image/svg+xml", "Content-Length": end - start + 1, "Accept-Ranges": "bytes" };
  if (range) header["Content-Range"] = `bytes ${start}-${end}/${size}`;
  response.writeHead(range ? 206 : 200, header);
  if (request.method === "HEAD") return response.end();
  createReadStream(file, { start, end }).pipe(response);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://localhost:${server.address().port}`; // service workers want localhost

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync"],
  timeout: patience,
});

// What a document shows: runs in the browser.
const shown = async () => {
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
  const style = (element) => {
    const s = getComputedStyle(element);
    return [element.localName, s.color, s.backgroundColor, s.backgroundImage.replace(/url\("[^"]*\/([^/"]*)"\)/g, "$1"), s.font, s.width];
  };
  return {
    title: document.title,
    text: document.body.innerText,
    images: [...document.images].map((image) => `${image.naturalWidth}x${image.naturalHeight}`),
    styles: [...document.body.querySelectorAll("*")].filter((e) => !e.localName.includes("-") && e.localName !== "script").slice(0, 200).map(style),
  };
};

// Collects the addresses that a page loads with success, those of the archive without what the viewer puts before them.
const loads = (page) => {
  const urls = new Set();
  page.on("response", (response) => {
    const replayed = /\/w\/[^/]+\/(?::[0-9a-f]+\/)?\d*([a-z]{2})_\/(.*)$/.exec(response.url());
    const url = (replayed ? replayed[2] : response.url()).replace(/\d{10,}/, "TIME"); // of a picture that is no picture
    if (response.status() === 200 && !url.startsWith(base) && !url.startsWith("data:") && !url.startsWith("blob:")) urls.add(url);
  });
  return urls;
};

const wrong = [];
const counts = { pages: 0, resources: 0, images: 0, bytes: 0 };
const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
context.setDefaultTimeout(patience);
try {
  const page = await context.newPage();
  for (const [n, url] of pages.entries()) {
    const replayed = loads(page);
    await page.goto("about:blank");
    const navigated = page.waitForEvent("framenavigated", {
      predicate: (frame) => frame.url().endsWith("mp_/" + url) && !frame.url().includes("/mp_/"), timeout: patience,
    }); // before the page is opened, which may be slower than its frame
    await page.goto(`${base}/?source=${base}/x.wacz#view=replay&url=${encodeURIComponent(url)}`);
    const frame = await navigated;
    await frame.waitForLoadState("networkidle", { timeout: patience });
    const element = await frame.frameElement();
    const box = await element.boundingBox();
    const have = await frame.evaluate(shown);
    const haveShot = await page.screenshot({ path: join(shots, `${n}-replayed.png`), clip: box });

    const living = await browser.newPage({ viewport: { width: Math.round(box.width), height: Math.round(box.height) } });
    living.setDefaultTimeout(patience);
    const loaded = loads(living);
    await living.goto(url, { waitUntil: "networkidle", timeout: patience });
    const want = await living.evaluate(shown);
    const wantShot = await living.screenshot({ path: join(shots, `${n}-living.png`) });
    await living.close();

    for (const what of Object.keys(want)) {
      const [a, b] = [JSON.stringify(have[what]), JSON.stringify(want[what])];
      if (a !== b) {
        const at = [...a].findIndex((c, i) => c !== b[i]);
        wrong.push(`${url}: replayed, its ${what} differ: ${a.slice(Math.max(at - 40, 0), at + 80)}, not ${b.slice(Math.max(at - 40, 0), at + 80)}`);
      }
    }
    for (const u of loaded) if (!replayed.has(u)) wrong.push(`${url} loads ${u}, and replayed it does not`);
    for (const u of replayed) if (!loaded.has(u)) wrong.push(`${url} replayed loads ${u}, and the living one does not`);
    if (Math.abs(haveShot.length / wantShot.length - 1) > 0.1)
      wrong.push(`${url}: its screenshot has ${haveShot.length} bytes, that of the living one ${wantShot.length}`);
    if (![...loaded].some((u) => /css/.test(u)) || want.images.length === 0) wrong.push(`${url} proves nothing: it has no style or no image`);
    counts.pages++;
    counts.resources += replayed.size;
    counts.images += have.images.length;
    counts.bytes += haveShot.length;
  }

  await page.goto("about:blank");
  await page.goto(`${base}/?source=${base}/x.wacz#view=pages&query=${encodeURIComponent(word)}`);
  await page.locator(`keyword-mark[title="${pages[0]}"]`).filter({ visible: true }).first().waitFor({ timeout: patience })
    .catch(() => wrong.push(`${pages[0]} is not found by ${word}`));
  await page.screenshot({ path: join(shots, "search.png") });
} finally {
  await browser.close();
  server.close();
}
console.log(`ReplayWeb.page: ${JSON.stringify(counts)}`);
for (const reason of wrong) console.error(reason);
process.exit(wrong.length > 0 ? 1 : 0);
