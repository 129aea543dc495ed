"""Measures crawls of awarc, blind and knowing, beside wget's and beside the least that a crawler in Go does (rung), in turns, on a site
of 6,000 pages on one host and on twenty:

    python peersbench.py AWARC SITE [ROUNDS]

AWARC is the program, SITE the folder of the site's source. Prints a table of medians: pages a second by
the clock, processor time of all threads for 1,000 pages, peak memory, and both as ratios to wget's in the same rounds.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

awarc, site = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
here = pathlib.Path(__file__).parent
work = pathlib.Path(tempfile.mkdtemp())
PAGES, PORT, FIRST = 6000, 8800, 2


def commands(hosts):
    """Returns the command of each crawler for a folder."""
    names = [f"127.0.0.{FIRST + n}" for n in range(hosts)]
    seeds = [f"http://{name}:{PORT}/" for name in names]
    crawl = [awarc, "crawl", "--no-traps", "--delay", "0", "--min-space", "0", "--allow-private", "127.0.0.0/8", "-w", str(max(16, hosts))]
    return {
        "wget": lambda d: ["wget", "-q", "-r", "-l", "inf", "-e", "robots=off", "--delete-after", f"--warc-file={d}/w", "-P", d, *seeds],
        "fetch, html.Parse, gzip 1": lambda d: [work / "rung", str(PAGES), d, *(f"{name}:{PORT}" for name in names)],
        "awarc": lambda d: [*crawl, "--blind", "--out", f"{d}/crawl", *seeds],
        "awarc, knowing": lambda d: [*crawl, "--kb", here / "benchkb", "--out", f"{d}/crawl", *seeds],
    }


def run(command, hosts):
    """Returns pages a second, processor time for 1,000 pages in seconds and peak memory in MB."""
    folder = tempfile.mkdtemp(dir=work)
    urllib.request.urlopen(f"http://127.0.0.{FIRST}:{PORT}/_reset").read()
    began = time.monotonic()
    p = subprocess.Popen([str(c) for c in command(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    _, _, used = os.wait4(p.pid, 0)
    took = time.monotonic() - began
    stats = urllib.request.urlopen(f"http://127.0.0.{FIRST}:{PORT}/_stats").read().decode()
    pages = int(stats.split('"unique":')[1].split(",")[0])
    shutil.rmtree(folder)
    return pages, pages / took, (used.ru_utime + used.ru_stime) / pages * 1000, used.ru_maxrss / 1024


subprocess.run(["go", "build", "-o", work / "site", "."], cwd=site, check=True)
subprocess.run(["go", "build", "-o", work / "rung", "./rung"], cwd=here, check=True)
print("| hosts | crawler | pages | pages/s | of wget's | processor time for 1,000 pages | of wget's | memory |")
print("|---|---|---|---|---|---|---|---|")
for hosts in 1, 20:
    server = subprocess.Popen([work / "site", "-addr", f":{PORT}", "-pages", str(PAGES), *(["-hosts", "20"] if hosts > 1 else [])],
                              stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                urllib.request.urlopen(f"http://127.0.0.{FIRST}:{PORT}/_reset").read()
                break
            except OSError:
                time.sleep(0.3)
        measured = {}
        for _ in range(rounds):
            for name, command in commands(hosts).items():
                measured.setdefault(name, []).append(run(command, hosts))
        for name, rows in measured.items():
            def ratio(column):
                return statistics.median(a[column] / b[column] for a, b in zip(rows, measured["wget"]))
            pages, speed, processor, memory = (statistics.median(r[i] for r in rows) for i in range(4))
            print(f"| {hosts} | {name} | {pages:.0f} | {speed:.0f} | {ratio(1):.2f} | {processor:.2f} s | {ratio(2):.2f} | {memory:.0f} MB |",
                  flush=True)
    finally:
        server.kill()
        server.wait()
shutil.rmtree(work)
