#include <no.h>
// yes
/* yes */
.string "no // no /* no */" // yes
