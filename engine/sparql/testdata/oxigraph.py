# Asks oxigraph what the test asks: python3 oxigraph.py QUESTIONS PREFIXES ROUNDS FILE...
# Its store is in the folder AWARC_STORE, or in memory. Prints the version, the time of loading, and for each question a line of its best
# time in seconds and its results.
import gzip, json, os, sys, time
import pyoxigraph as ox

questions, prefixes, rounds, files = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), int(sys.argv[3]), sys.argv[4:]
head = "".join(f"PREFIX {p}: <{n}>\n" for p, n in prefixes.items())
store = ox.Store(os.environ.get("AWARC_STORE"))
began = time.perf_counter()
for name in files:
    data = (gzip.open if name.endswith(".gz") else open)(name, "rb").read()
    store.bulk_load(input=data, format=ox.RdfFormat.N_QUADS)
loaded = time.perf_counter() - began
count = len(store)
quads = store if "AWARC_STORE" in os.environ else list(store)  # of memory one cannot read while writing to it
store.bulk_extend(ox.Quad(q.subject, q.predicate, q.object) for q in quads)  # the union, each statement once
print(json.dumps({"version": ox.__version__, "load": loaded, "quads": count}), flush=True)
for question in questions:
    best = None
    for _ in range(rounds):
        began = time.perf_counter()
        found = store.query(head + question)
        triples = isinstance(found, ox.QueryTriples)
        text = found.serialize(format=ox.RdfFormat.N_TRIPLES if triples else ox.QueryResultsFormat.JSON)
        took = time.perf_counter() - began
        best = took if best is None else min(best, took)
    print(json.dumps({"time": best, "results": text.decode()}), flush=True)
