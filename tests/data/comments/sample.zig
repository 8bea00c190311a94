// yes
const a = "no // no";
const b =
    \\no // no " no
    \\no
; // yes
const c = '"'; // yes
