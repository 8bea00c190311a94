// yes
/* yes */
/** yes: documentation */
String a = "no // no /* no */";
char c = '"', d = '\\'; // yes
String t = """
    no // no " /* no */ \""" no // no
    """; // yes
