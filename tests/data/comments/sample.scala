// yes
/* yes: outer /* inner */ still outer */
val a = "no // no /* no */"
val b = s"no ${m("no // no")} // no" // yes
val c = """no " // no \""" // yes
val d = '"' // yes
val e = 'symbol // yes
