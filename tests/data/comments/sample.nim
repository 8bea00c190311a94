# yes
#[ yes: outer #[ inner ]# still outer ]#
let a = "no # no" # yes
let b = r"no \" # yes
let c = """no " # no""" # yes
let d = '#' # yes
let e = 5'i32 # yes
