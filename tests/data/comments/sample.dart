// yes
/* yes: outer /* inner */ still outer */
var a = "no // no /* no */ ${f("no // no")}"; // yes
var b = r"no \"; // yes
var c = r'''no ' // no'''; // yes
var d = """no " // no
no"""; // yes
var e = 'no ${g('no')} // no'; // yes
