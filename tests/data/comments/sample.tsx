// yes
const a = <T,>(x: T) => x; // yes
const b = <T extends object>(x: T) => x; // yes
type F = <T>(x: T) => void; // yes
const c = <Foo<string> a={1}>no // no</Foo>; // yes
const d = f<Bar>(x); /* yes */
const e = "no /* no */";
const g = <T extends { a: 1 }>(x: T) => x; // yes
