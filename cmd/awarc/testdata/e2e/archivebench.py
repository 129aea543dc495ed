"""Measures what is done with a finished archive against what others take for it, and against the crawl that made it:

    python archivebench.py AWARC TOOLS [ROUNDS]

AWARC is the program, TOOLS what tools.sh installed. Each site is crawled without waits; then, in turns, awarc warc verify and warcio check
read the same files, awarc pack and wacz create pack them, and awarc extract --crawl reads the pages that the crawl read. The least of the
rounds counts, by the clock and by the processor's time of all threads. The sites are mirrors, where they are, and one that awarc serves.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

awarc, tools = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
root = pathlib.Path(__file__).resolve().parents[4]
mirrors = root.parent / "shared/sites"
work = pathlib.Path(tempfile.mkdtemp())
servers = []


def serve(*command):
    """Starts a server that prints its address first."""
    p = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    servers.append(p)
    for line in p.stdout:
        for word in line.split():
            if word.startswith("http://"):
                return word.rstrip("/") + "/"
    raise SystemExit(f"{command[0]} prints no address")


def run(*command):
    """Returns the seconds that a command took, by the clock and of the processor. For warcio check, chunked answers have wrong digests."""
    began = time.monotonic()
    p = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(p.pid, 0)
    if status != 0 and "check" not in command:
        raise SystemExit(f"{' '.join(map(str, command))}: {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - began, used.ru_utime + used.ru_stime


def pages(crawl):
    return json.loads((crawl / "report.json").read_text())["pages"]


def measure(name, site):
    least = {}

    def take(what, *command):
        clock, processor = run(*command)
        a, b = least.get(what, (clock, processor))
        least[what] = min(a, clock), min(b, processor)

    out = work / "crawl"
    for n in range(rounds):
        shutil.rmtree(out, ignore_errors=True)
        take("crawl", awarc, "crawl", "--delay", "0", "--min-space", "0", "--out", out, site)
        files = sorted(str(f) for f in (out / "archive").glob("*.warc.gz"))
        take("extract", awarc, "extract", "--crawl", out, "--out", work / f"graph-{name}-{n}")
        take("verify", awarc, "warc", "verify", *files)
        take("warcio check", tools / "pywb/bin/warcio", "check", *files)
        take("pack", awarc, "pack", out, "-o", work / "x.wacz")
        take("wacz create", tools / "pywb/bin/wacz", "create", "-o", work / "y.wacz", "--detect-pages", "--text", *files)
    size = sum(os.path.getsize(f) for f in files)
    for ours, theirs in ("verify", "warcio check"), ("extract", "crawl"), ("pack", "wacz create"):
        (a, b), (c, d) = least[ours], least[theirs]
        print(f"| {name} | {pages(out)} | {size / 1e6:.1f} MB | {ours} / {theirs} | {a:.2f} s / {c:.2f} s | {a / c:.2f} | {b:.2f} s / {d:.2f} s "
              f"| {b / d:.2f} | {pages(out) / a:.0f} |", flush=True)


try:
    print("| site | pages | archive | of | clock | ratio | processor | ratio | pages/s |\n|---|---|---|---|---|---|---|---|---|")
    if (mirrors / "replay").is_dir():
        subprocess.run(["go", "build", "-o", work / "replay", "."], cwd=mirrors / "replay", check=True)
        for file, drop in ("phpbb-3.3-prosilver", "sid"), ("wordpress-6.1-twentytwentyone", ""):
            measure(file, serve(work / "replay", "-warc", mirrors / f"{file}.warc.xz", "-listen", "127.0.0.1:0", "-drop", drop))
    measure("testsite", serve(awarc, "testsite", "--cms", "phpbb", "--posts", "20000", "--listen", "127.0.0.1:0"))
finally:
    for p in servers:
        p.terminate()
    shutil.rmtree(work)
