"""Has oxigraph read files of N-Quads: oxigraph.py FILE..."""
import gzip
import sys

import pyoxigraph

for file in sys.argv[1:]:
    opened = gzip.open if file.endswith(".gz") else open
    with opened(file, "rb") as quads:
        for _ in pyoxigraph.parse(quads, format=pyoxigraph.RdfFormat.N_QUADS):
            pass
