// yes
/* yes */
var a = "no // no /* no */";
var b = @"no "" // no \"; // yes
var c = $"no {x["no // no"]} {{ // no }} // no"; // yes
var d = $@"no {y} "" // no
no"; // yes
var e = """
  no " // no "" /* no */
  """; // yes
var f = """"
  no """ // no
  """"; // yes
/// yes: documentation
char g = '"'; // yes
