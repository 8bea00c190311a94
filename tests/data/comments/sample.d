// yes
/* yes: /* not nested */
/+ yes: outer /+ inner +/ still outer +/
auto a = "no // no /* no */ /+ no +/";
auto b = r"no \"; // yes
auto c = `no // no`; // yes
auto d = q"(no (no) // no)"; // yes
auto e = q"END
no " // no
END"; // yes
