#!/usr/bin/env bash
# Prints a port of 127.0.0.1 that is free and that the system gives to no connection: one of those that it gives away could be taken
# before the server listens.
exec python3 - <<'PY'
import random
import socket

for port in random.sample(range(10000, 32768), 1000):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(port)
        break
PY
