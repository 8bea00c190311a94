# yes
#= yes: outer #= inner =# still outer =#
a = "no # no $(f("no # no")) # no" # yes
b = """no " # no""" # yes
c = '#' # yes
d = A' # yes
