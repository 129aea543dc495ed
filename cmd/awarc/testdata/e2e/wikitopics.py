#!/usr/bin/env python3
"""Writes topics, an ontology and lists of targets for the categories of a wiki, and columns for `awarc eval focus`.

usage: wikitopics.py PAGES OUT CRAWL

PAGES is the folder of the wiki's pages, OUT a folder for the files, CRAWL a crawl of the whole wiki. A topic is a category: its
two keywords are its name and the most frequent other word of its page, its targets are the pages that name the category. In the
ontology each category is a concept, which is related to the categories that its page names.
"""
import collections, json, os, re, sys, urllib.parse

TOPICS = ["Gnus", "Completion", "Regexp", "Faces", "Files", "DotEmacs", "Glossary", "Humor", "BufferSwitching", "Internationalization"]
COMMON = set("""the and for with from this that are can you your use using see also how emacs page pages category wiki not have
has list all other some about more when there which buffer mode""".split())


def words(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)


def main(pages, out, crawl):
    texts = {n: open(os.path.join(pages, n), encoding="utf-8", errors="replace").read() for n in os.listdir(pages)}
    members = collections.defaultdict(set)
    for name, text in texts.items():
        for category in set(re.findall(r"\bCategory([A-Z]\w+)", text)):
            members[category].add(name)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "wiki.ttl"), "w") as f:
        f.write("@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n")
        iri = lambda c: f"<http://wiki.example/{c}>"
        for c in sorted(c for c in members if len(members[c]) >= 5 and c.isascii()):
            f.write(f'{iri(c)} a skos:Concept ; skos:prefLabel "{words(c)}"@en ; skos:altLabel "{c}"@en')
            related = set(re.findall(r"\bCategory([A-Z]\w+)", texts.get("Category" + c, ""))) - {c}
            for r in sorted(r for r in related if len(members[r]) >= 5 and r.isascii()):
                f.write(f" ; skos:related {iri(r)}")
            f.write(" .\n")
    columns = []
    for c in TOPICS:
        page = re.findall(r"[a-z]{4,}", texts.get("Category" + c, "").lower())
        name = words(c).lower()
        counts = collections.Counter(w for w in page if w not in COMMON and w not in name)
        other = max(sorted(counts), key=lambda w: counts[w]) if counts else name
        with open(os.path.join(out, c + ".yaml"), "w") as f:
            json.dump({"keywords": [name, other], "ontology": {"file": "wiki.ttl", "concepts": [words(c)]}}, f)
        with open(os.path.join(out, c + ".list"), "w") as f:
            for n in sorted(members[c] - {"Category" + c}):
                f.write("/wiki/" + urllib.parse.quote(n, safe="_-.~:@!$&'()*+,;=") + "\n")
        columns.append({"name": "wiki, " + c, "list": c + ".list",
                        "simulate": os.path.relpath(crawl, out), "topic": c + ".yaml"})
        print(c, name, other, len(members[c]))
    with open(os.path.join(out, "columns.yaml"), "w") as f:
        json.dump(columns, f, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
