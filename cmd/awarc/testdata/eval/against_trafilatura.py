"""What trafilatura makes of the pages that `awarc eval quality` compares with groundtruth/*.json.

    python3 -m venv V && V/bin/pip install trafilatura lxml_html_clean
    V/bin/python against_trafilatura.py AWARC PAGES

Prints both, on the pages of which awarc extracts an object and on all, counted alike: title and author equal but for
white space and case, the day of the date, and F1 over words of the main text (comments left out where there is
any other text).
"""
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from trafilatura import bare_extraction

awarc, pages = sys.argv[1], Path(sys.argv[2])


def words(text):
    return re.findall(r"[^\W_]+", (text or "").lower())


def f1(got, want):
    got, want = Counter(words(got)), Counter(words(want))
    common = sum((got & want).values())
    return 2 * common / (sum(got.values()) + sum(want.values())) if common else 0.0


def bare(text):
    return re.sub(r"\s", "", text or "").lower()


def of_awarc(file):
    line = subprocess.run([awarc, "extract", "--format", "json", str(file)], capture_output=True, text=True).stdout
    objects = json.loads(line)["objects"] if line else []
    if not objects:
        return None
    main = dict(objects[0]["fields"])
    if "creator" not in main and len(objects) > 1:  # a thread: its first post says who and when
        main |= objects[1]["fields"]
    contents = lambda comments: "\n".join(v for o in objects if (o["class"] == "sioct:Comment") == comments for v in o["fields"].get("content", []))
    text = contents(False) or contents(True)  # of a link that is discussed the comments
    first = lambda name: (main.get(name) or [""])[0]
    return {"title": first("title"), "author": first("creator"), "date": first("created"), "text": text}


def of_trafilatura(file):
    found = bare_extraction(file.read_bytes(), include_comments=False, with_metadata=True)
    if found is None:
        return {}
    return found if isinstance(found, dict) else found.as_dict()


def score(rows, who):
    right, total, texts = Counter(), Counter(), []
    for truth, row in rows:
        got = row[who] or {}
        for name, ok in (("title", bare), ("author", bare)):
            if truth.get(name):
                total[name] += 1
                right[name] += ok(got.get(name)) == ok(truth[name])
        if truth.get("publish_date"):
            total["date"] += 1
            right["date"] += (got.get("date") or "").startswith(truth["publish_date"])
        if truth.get("main_content"):
            texts.append(f1(got.get("text"), truth["main_content"]))
    marks = ", ".join(f"{n} {right[n]} of {total[n]}" for n in ("title", "author", "date"))
    return f"{marks}, F1 {sum(texts) / max(len(texts), 1):.3f} over {len(texts)} pages"


rows = []
for file in sorted(pages.glob("*/*/wcxb-*.html")):
    truth = pages / "groundtruth" / (file.stem.removeprefix("wcxb-") + ".json")
    if truth.exists():
        rows.append((json.loads(truth.read_text())["ground_truth"], {"awarc": of_awarc(file), "trafilatura": of_trafilatura(file)}))
known = [r for r in rows if r[1]["awarc"]]
for name, part in (("known to awarc", known), ("all", rows)):
    for who in ("awarc", "trafilatura"):
        print(f"{name:15} {who:12} {score(part, who)}")
