"""The forge: a small stateful GitHub for kedge's tests and its demo.

Started by `tests/servers/forge.py` (see its first lines); never imported by
anything else. Read in this order: seed.py (what exists), state.py (the objects),
wire.py (a request's way), rest.py and gql_resolve.py (the answers).
"""
