# Reports whether a reasoner (owlrl) finds graphs consistent with SIOC's axioms and awarc's vocabulary.
#
#   owl.py AXIOMS... TRIPLES
import sys
import owlrl
import rdflib

graph = rdflib.Graph()
for name in sys.argv[1:]:
    graph.parse(name, format="turtle" if name.endswith(".ttl") else "nt")
owl = rdflib.OWL
literals = set(graph.subjects(rdflib.RDF.type, owl.DatatypeProperty))
wrong = [f"{s} {p} \"{o}\": a literal" for p in graph.subjects(rdflib.RDF.type, owl.ObjectProperty)
         for s, o in graph.subject_objects(p) if isinstance(o, rdflib.Literal)]
wrong += [f"{s} {p} {o}: no literal" for p in literals for s, o in graph.subject_objects(p) if not isinstance(o, rdflib.Literal)]
# The rules of OWL 2 RL on the subjects with their classes; texts have no part in them.
small = rdflib.Graph()
for s, p, o in graph:
    if not isinstance(o, rdflib.Literal) or p in literals:
        small.add((s, p, rdflib.Literal(1) if isinstance(o, rdflib.Literal) else o))
owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(small)
error = rdflib.URIRef("http://www.daml.org/2002/03/agents/agent-ont#error")
wrong += sorted({str(o) for o in small.objects(None, error)})
for w in wrong[:20]:
    print(w, file=sys.stderr)
sys.exit(f"{len(wrong)} contradictions" if wrong else 0)
