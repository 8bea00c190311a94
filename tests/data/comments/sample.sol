// yes
/* yes */
string a = "no // no /* no */"; // yes
