"""Measures the cockpit of a crawl with a million URLs waiting: how long each page takes, and the crawl's rate with three watchers beside
that with none:

    python cockpitbench.py AWARC

AWARC is the program. Prints two tables; the site is served by this script.
"""

import http.server
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

awarc = pathlib.Path(sys.argv[1]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
SITE, API = "127.0.0.2:8830", "127.0.0.1:8831"
MAPS, EACH = 25, 40_000
TEXT = " ".join(f"word{n % 97}" for n in range(1200))


class Site(http.server.BaseHTTPRequestHandler):
    """Pages of some 9 KB, and sitemaps that name a million of them."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # or the body waits for the head to be acknowledged

    def do_GET(self):
        kind, body = "text/html", f"<!DOCTYPE html><title>Page {self.path}</title><h1>{self.path}</h1><p>{TEXT}</p><a href=/p/1>one</a>"
        if self.path == "/robots.txt":
            kind, body = "text/plain", "".join(f"Sitemap: http://{SITE}/map{n}.xml\n" for n in range(MAPS))
        elif self.path.startswith("/map"):
            first = int(self.path[4:-4]) * EACH
            kind = "application/xml"
            body = ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' +
                    "".join(f"<url><loc>http://{SITE}/p/{n}</loc></url>" for n in range(first, first + EACH)) + "</urlset>")
        data = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def get(path):
    return urllib.request.urlopen(f"http://{API}{path}").read()


def report():
    return json.loads(get(f"/crawls/{crawl.name}/api/v1/report"))


def watch(until):
    """Reads the events of the live page, as a browser that shows it."""
    with urllib.request.urlopen(f"http://{API}/crawls/{crawl.name}/events") as events:
        while not until.is_set():
            events.readline()


def rate(seconds):
    before, began = report()["requests"], time.monotonic()
    time.sleep(seconds)
    return (report()["requests"] - before) / (time.monotonic() - began)


server = http.server.ThreadingHTTPServer(tuple([SITE.split(":")[0], int(SITE.split(":")[1])]), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()
crawl = work / "million"
process = subprocess.Popen([awarc, "crawl", "--blind", "--no-traps", "--delay", "0", "--min-space", "0", "--allow-private", "127.0.0.0/8",
                            "--api", API, "--out", crawl, f"http://{SITE}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    waiting = 0
    while waiting < 0.95 * MAPS * EACH:
        time.sleep(2)
        try:
            waiting = report()["queue"]["pending"]
        except OSError:
            continue
    print(f"{waiting} URLs wait.\n\n| page | median | worst of 20 |\n|---|---|---|")
    seen = urllib.parse.quote(f"http://{SITE}/")
    unseen = urllib.parse.quote(f"http://{SITE}/p/{MAPS * EACH - 7}")
    for page in ["/", "", "why?url=" + seen, "why?url=" + unseen, "why?url=" + unseen + "x", "replay?url=" + seen, "adaptation", "kb/",
                 "plugins", "results"]:
        path = page if page == "/" else f"/crawls/{crawl.name}/{page}"
        took = []
        for _ in range(20):
            began = time.monotonic()
            get(path)
            took.append((time.monotonic() - began) * 1000)
        print(f"| {urllib.parse.unquote(page) or 'live'} | {statistics.median(took):.0f} ms | {max(took):.0f} ms |", flush=True)
    print("\n| round | requests/s | with three watchers | ratio |\n|---|---|---|---|")
    ratios = []
    for n in range(6):
        alone = rate(10)
        until = threading.Event()
        watchers = [threading.Thread(target=watch, args=(until,), daemon=True) for _ in range(3)]
        for w in watchers:
            w.start()
        time.sleep(1)
        watched = rate(10)
        until.set()
        for w in watchers:
            w.join()
        ratios.append(watched / alone)
        print(f"| {n + 1} | {alone:.1f} | {watched:.1f} | {watched / alone:.2f} |", flush=True)
    print(f"\nMedian of the ratios: {statistics.median(ratios):.3f}.")
finally:
    process.kill()
    process.wait()
