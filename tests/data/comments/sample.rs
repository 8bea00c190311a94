// yes
/* yes: outer /* inner */ still outer */
let a = "no // no /* no */
no // no";
let b = r#"no " // no"#; // yes
let c = br##"no "# // no"##; // yes
fn f<'a>(x: &'a str, c: char) -> &'static str { // yes
    match c { '"' => '\'', '/' => '\u{1F600}', _ => 'é' }; // yes
} /// yes
let r#type = 1; // yes
