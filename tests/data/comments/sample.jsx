// yes
function A() { /* yes */
  return (
    <div className="no // no" onClick={() => { f('no'); /* yes */ }} /* yes */>
      no // no /* no */ it's
      {items.map((x) => <li key={x}>no // no {x /* yes */}</li>)} {/* yes */}
      <>no // no</>
    </div>
  ); // yes
}
