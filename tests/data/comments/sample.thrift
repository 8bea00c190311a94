// yes
# yes
/* yes */
const string a = "no // no # no /* no */" # yes
