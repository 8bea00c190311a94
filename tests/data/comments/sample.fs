// yes
(* yes: outer (* inner *) still outer *)
let a = "no // no (* no *)" // yes
let b = """no " // no""" // yes
let c = @"no "" \" // yes
let d = $"no {f "no // no"} // no" // yes
let e = '"' // yes
let g = (*) 2 // yes
