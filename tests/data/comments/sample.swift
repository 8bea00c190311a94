// yes
/* yes: outer /* inner */ still outer */
let a = "no // no /* no */ \(f("no // no") /* yes */) // no"
let b = #"no " // no \(no // no) \#(g("no")) // no"# // yes
let c = """
  no // no " no \(h(x)) /* no */
  """ // yes
let d = ##"no "# // no"## // yes
let e = #/no//no/# // yes
