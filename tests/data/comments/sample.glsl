// yes
/* yes */
float a = 4.0 / 2.0; // yes
#define S "no // no"
