// yes
/* yes: outer /* inner */ still outer */
val a = "no // no /* no */ ${f("no // no") /* yes */ + 1} // no"
val r = """no \""" // yes
val s = """no " // no ${g("no") /* yes */} // no""""  // yes
val c = '"' // yes
