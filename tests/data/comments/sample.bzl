# yes
a = "no # no" # yes
b = """no " # no
no""" # yes
