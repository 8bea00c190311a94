// yes
/* yes */
const a = "no // no /* no */", b = 'no // no';
const c = `no // no ${f(`no ${/* yes */ g("no }")} // no`)} /* no */`; // yes
const d = s.match(/no\/\/[/*]no/g); // yes
const e = x / y / z; // yes
const f = i++ / 2; // yes
const g = <p title="no // no">no // no {/* yes */} it's {h("no")} <b/> // no</p>; // yes
