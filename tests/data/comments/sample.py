#!/usr/bin/env python3
"""no: # no"""
# yes
a = "no # no"  # yes
b = '''no ' # no
# no'''  # yes
c = r"no \" # no"  # yes
d = f"no {x["no # no"]} {{ # no }} {y:#>10} # no"  # yes
e = f"no {z!r:'^{w}} # no"  # yes
f = rb"no # no"  # yes
def g():
    "no # no"  # yes
