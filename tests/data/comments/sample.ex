# yes
a = "no # no #{f("no # no")} # no" # yes
b = ~s(no # no) # yes
c = ?# # yes
d = """
no " # no
""" # yes
e = ~S"""
no # no
""" # yes
f = 'no # no' # yes
