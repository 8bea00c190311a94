// yes
/* yes */
const a: string = "no // no /* no */";
const b = <Foo>bar; // yes
const c = `no ${x as Array<string>} // no`; // yes
const d = value! / 2; // yes
const e = <T,>(x: T) => x; // yes
