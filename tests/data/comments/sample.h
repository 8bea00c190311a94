#pragma once // yes
namespace a { // yes
class B; /* yes */
const auto raw = R"(no // no)";
}
