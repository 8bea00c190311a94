// yes
/* yes */
var a = "no // no /* no */"
var b = `no \` // yes
var c = `no // no
/* no */` // yes
var d = '"' // yes
var e = '\'' // yes
//go:generate yes
