"""Measures how a crawl of awarc scales: with workers over hosts that answer after 50 ms, with hosts of one page, and with pages of one host:

    python scalebench.py AWARC SITE

AWARC is the program, SITE the folder of the source of a site. Prints tables; times are by the server's clock, from the first request to
the last, so that the start of the program is not in them.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

awarc, site = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
work = pathlib.Path(tempfile.mkdtemp())
PORT, LATENCY = 8810, 0.05


def ask(path):
    return urllib.request.urlopen(f"http://127.0.0.2:{PORT}/{path}").read()


def crawl(seeds, workers, *server):
    """Crawls seeds; returns the server's statistics, processor time in seconds, peak memory in MB, and when how many pages were asked for."""
    process = subprocess.Popen([work / "site", "-addr", f":{PORT}", *server], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    process.stderr.readline()  # it is ready
    while True:
        try:
            ask("_reset")
            break
        except OSError:
            time.sleep(0.1)
    listed = work / "seeds"
    listed.write_text("".join(f"http://{s}:{PORT}/\n" for s in seeds))
    asked, done = [], threading.Event()

    def watch():
        while not done.wait(0.05):
            asked.append((time.monotonic(), json.loads(ask("_stats"))["unique"]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    p = subprocess.Popen([awarc, "crawl", "--blind", "--no-traps", "--delay", "0", "--min-space", "0", "--allow-private", "127.0.0.0/8",
                          "-w", str(workers), "--out", work / "crawl", "--seed-file", listed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(p.pid, 0)
    done.set()
    watcher.join()
    stats = json.loads(ask("_stats"))
    process.kill()
    process.wait()
    shutil.rmtree(work / "crawl")
    return stats, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, asked


subprocess.run(["go", "build", "-o", work / "site", "."], cwd=site, check=True)

print("| workers and hosts, 50 ms latency | pages/s | of workers / latency | processors |\n|---|---|---|---|")
for n in 1, 2, 4, 8, 16, 32, 64:
    stats, processor, _, _ = crawl([f"127.0.0.{2 + i}" for i in range(n)], n, "-pages", str(100 * n), "-hosts", str(n), "-latency", "50ms")
    rate = stats["requests"] / (stats["span_s"] + LATENCY)
    print(f"| {n} | {rate:.1f} | {rate * LATENCY / n:.2f} | {processor / stats['span_s']:.2f} |", flush=True)

print("\n| hosts of one page, 64 workers | seconds | requests/s | processors | memory |\n|---|---|---|---|---|")
for n in 100, 1000, 10000:
    seeds = [f"127.{1 + i // 62500}.{i // 250 % 250}.{1 + i % 250}" for i in range(n)]
    stats, processor, memory, _ = crawl(seeds, 64, "-pages", "1")
    requests, span = stats["requests"], stats["span_s"]
    print(f"| {n} | {span:.1f} | {requests / span:.0f} | {processor / span:.2f} | {memory:.0f} MB |", flush=True)

_, _, _, asked = crawl(["127.0.0.2"], 16, "-pages", "20000")
def when(n):
    return next(t for t, pages in asked if pages >= n)
first, last = 5000 / (when(5000) - when(1)), 5000 / (when(20000) - when(15000))
print(f"\nOf 20,000 pages of one host the first 5,000 at {first:.0f} pages/s, the last 5,000 at {last:.0f}: {last / first:.2f}.")


def started():
    """Returns the seconds from the start of a crawl to its first connection, and the processor time until then."""
    with socket.create_server(("127.0.0.2", PORT)) as listening:
        began = time.monotonic()
        p = subprocess.Popen([awarc, "crawl", "--allow-private", "127.0.0.0/8", "--min-space", "0", "--out", work / "crawl",
                              f"http://127.0.0.2:{PORT}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        listening.accept()[0].close()
        took = time.monotonic() - began
        p.kill()
        _, _, used = os.wait4(p.pid, 0)
    shutil.rmtree(work / "crawl")
    return took, used.ru_utime + used.ru_stime


starts = [started() for _ in range(15)]
took, processor = (1000 * min(s[i] for s in starts) for i in range(2))
print(f"\nThe first request of a crawl after {took:.0f} ms, {processor:.0f} ms of a processor; the fastest of 15.")
shutil.rmtree(work)
