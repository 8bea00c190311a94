// yes
/* yes */
auto a = R"(no // no " /* no */)";
auto b = u8R"x(no )" // no
/* no */)x"; // yes
auto n = 0x1'0000'000, m = 1'0; // yes
auto s = u8'"', t = L'\''; // yes
const char *u = "no /* no */ // no";
