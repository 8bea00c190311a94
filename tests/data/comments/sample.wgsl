// yes
/* yes: outer /* inner */ still outer */
let a = 4.0 / 2.0; // yes
