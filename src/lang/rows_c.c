/*
 * Languages: the C family, and what writes comments as it does (agent-tools-cli §7.4).
 */
#include "lang/rows.h"

#define SLASHES LINE("//", 0)
#define STARS   BLOCK("/*", "*/", 0)
#define STARS_N BLOCK("/*", "*/", BLOCK_NESTED)

#define TICKS QUOTED("`", 0, STRING_LINES)

STRINGS(c_strings, DOUBLE, SINGLE);
STRINGS(double_strings, DOUBLE);
STRINGS(java_strings, QUOTED("\"\"\"", '\\', STRING_LINES), DOUBLE, SINGLE);
STRINGS(csharp_strings, SINGLE);
STRINGS(kotlin_strings, QUOTED("\"\"\"", 0, STRING_LINES | STRING_GREEDY, { "${" }),
        QUOTED("\"", '\\', 0, { "${" }), SINGLE);
STRINGS(scala_strings, QUOTED("\"\"\"", 0, STRING_LINES | STRING_GREEDY, { "${" }, "*"),
        QUOTED("\"\"\"", 0, STRING_LINES | STRING_GREEDY), QUOTED("\"", '\\', 0, { "${" }, "*"),
        DOUBLE);
STRINGS(groovy_strings, QUOTED("\"\"\"", '\\', STRING_LINES, { "${" }),
        QUOTED("'''", '\\', STRING_LINES), QUOTED("\"", '\\', 0, { "${" }), SINGLE,
        STRING("$/", "/$", '$', STRING_LINES, { "${" }));
STRINGS(go_strings, DOUBLE, SINGLE, TICKS);
STRINGS(lines_strings, QUOTED("\"", '\\', STRING_LINES));
STRINGS(d_strings, QUOTED("\"", 0, STRING_LINES, { NULL }, "r"), QUOTED("\"", '\\', STRING_LINES),
        SINGLE, TICKS);
STRINGS(javascript_strings, DOUBLE, SINGLE, QUOTED("`", '\\', STRING_LINES, { "${" }));
STRINGS(dart_strings, QUOTED("\"\"\"", 0, STRING_LINES, { NULL }, "r"),
        QUOTED("'''", 0, STRING_LINES, { NULL }, "r"),
        QUOTED("\"\"\"", '\\', STRING_LINES, { "${" }), QUOTED("'''", '\\', STRING_LINES, { "${" }),
        QUOTED("\"", 0, 0, { NULL }, "r"), QUOTED("'", 0, 0, { NULL }, "r"),
        QUOTED("\"", '\\', 0, { "${" }), QUOTED("'", '\\', 0, { "${" }));
STRINGS(php_strings, QUOTED("\"", '\\', STRING_LINES, { "{$", "${" }),
        QUOTED("'", '\\', STRING_LINES), QUOTED("`", '\\', STRING_LINES));

#define JAVASCRIPT_WORDS                                                                           \
    "return typeof case in of do else delete void instanceof new throw yield await default "       \
    "extends"
#define JAVASCRIPT(name_, files_, interpreters_, flags_, hook_)                                    \
    LANGUAGE(name_, files_, interpreters_, .lines = { SLASHES }, .blocks = { STARS },              \
             .strings = javascript_strings, .words = JAVASCRIPT_WORDS,                             \
             .flags = LANGUAGE_REGEX | LANGUAGE_CLASSES | LANGUAGE_BRACE_OPERAND | (flags_),       \
             .hook_bytes = "<", .hook = hook_)
#define C_LIKE(name_, files_, strings_)                                                            \
    LANGUAGE(name_, files_, NULL, .lines = { SLASHES }, .blocks = { STARS }, .strings = strings_)

const Language language_rows_c[] = {
    LANGUAGE("c", ".c .h", NULL, .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS },
             .strings = c_strings, .hook_bytes = "'", .hook = hook_c),
    LANGUAGE("objective-c", ".m", NULL, .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS },
             .strings = c_strings, .hook_bytes = "'", .hook = hook_c),
    LANGUAGE("cpp", ".cc .cpp .cxx .c++ .hpp .hh .hxx .h++ .ipp .tpp .mm .cu .cuh .ino .C .H", NULL,
             .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS }, .strings = c_strings,
             .hook_bytes = "'\"", .hook = hook_c),
    LANGUAGE("csharp", ".cs .csx", NULL, .lines = { SLASHES }, .blocks = { STARS },
             .strings = csharp_strings, .hook_bytes = "\"", .hook = hook_csharp),
    C_LIKE("java", ".java", java_strings),
    LANGUAGE("kotlin", ".kt .kts", "kotlin kscript", .lines = { SLASHES }, .blocks = { STARS_N },
             .strings = kotlin_strings),
    LANGUAGE("swift", ".swift", "swift", .lines = { SLASHES }, .blocks = { STARS_N },
             .hook_bytes = "\"#", .hook = hook_swift),
    LANGUAGE("scala", ".scala .sc .sbt", "scala scala-cli amm", .lines = { SLASHES },
             .blocks = { STARS_N }, .strings = scala_strings, .hook_bytes = "'", .hook = hook_tick),
    LANGUAGE("groovy", ".groovy .gradle Jenkinsfile", "groovy", .lines = { SLASHES },
             .blocks = { STARS }, .strings = groovy_strings,
             .flags = LANGUAGE_REGEX | LANGUAGE_BRACE_OPERAND,
             .words = "return case in instanceof throw else assert"),
    C_LIKE("go", ".go", go_strings),
    LANGUAGE("rust", ".rs", "rust-script", .lines = { SLASHES }, .blocks = { STARS_N },
             .strings = lines_strings, .flags = LANGUAGE_NO_SHEBANG, .hook_bytes = "'\"",
             .hook = hook_rust),
    LANGUAGE("zig", ".zig .zon", NULL, .lines = { SLASHES }, .strings = c_strings,
             .hook_bytes = "\\", .hook = hook_zig),
    LANGUAGE("d", ".d .di", "rdmd", .lines = { SLASHES },
             .blocks = { STARS, { "/+", "+/", BLOCK_NESTED } }, .strings = d_strings,
             .hook_bytes = "\"", .hook = hook_d),
    JAVASCRIPT("javascript", ".js .mjs .cjs", "node nodejs bun qjs", LANGUAGE_JSX, hook_javascript),
    JAVASCRIPT("jsx", ".jsx", NULL, LANGUAGE_JSX, hook_javascript),
    JAVASCRIPT("typescript", ".ts .mts .cts", "deno ts-node tsx", 0, NULL),
    JAVASCRIPT("tsx", ".tsx", NULL, LANGUAGE_JSX, hook_javascript),
    LANGUAGE("dart", ".dart", "dart", .lines = { SLASHES }, .blocks = { STARS_N },
             .strings = dart_strings),
    LANGUAGE("css", ".css", NULL, .blocks = { STARS }, .strings = c_strings, .hook_bytes = "(",
             .hook = hook_css),
    LANGUAGE("scss", ".scss", NULL, .lines = { SLASHES }, .blocks = { STARS }, .strings = c_strings,
             .hook_bytes = "(", .hook = hook_css),
    LANGUAGE("less", ".less", NULL, .lines = { SLASHES }, .blocks = { STARS }, .strings = c_strings,
             .hook_bytes = "(", .hook = hook_css),
    LANGUAGE("php", ".php .phtml", "php",
             .lines = { { "//", ENDS_AT_TAG, NULL }, { "#", ENDS_AT_TAG, NULL } },
             .blocks = { STARS }, .strings = php_strings, .hook_bytes = "#?<", .hook = hook_php,
             .machine = machine_php),
    C_LIKE("verilog", ".v .vh .sv .svh", double_strings),
    C_LIKE("glsl", ".glsl .vert .frag .geom .comp .tesc .tese", double_strings),
    C_LIKE("hlsl", ".hlsl .hlsli .fx", double_strings),
    C_LIKE("protobuf", ".proto", c_strings),
    LANGUAGE("thrift", ".thrift", NULL, .lines = { SLASHES, { "#", 0, NULL } }, .blocks = { STARS },
             .strings = c_strings),
    C_LIKE("solidity", ".sol", c_strings),
    C_LIKE("jsonc", ".jsonc .code-workspace", double_strings),
    C_LIKE("json5", ".json5", c_strings),
    // WGSL has no strings; in what is no code they may be
    LANGUAGE("wgsl", ".wgsl", NULL, .lines = { SLASHES }, .blocks = { STARS_N },
             .strings = double_strings),
    LANGUAGE("hcl", ".tf .tfvars .hcl .tofu", NULL, .lines = { { "#", 0, NULL }, SLASHES },
             .blocks = { STARS },
             .strings = (const StringMark[]) { QUOTED("\"", '\\', 0, { "${", "%{" }), { 0 } },
             .hook_bytes = "<", .hook = hook_hcl),
    LANGUAGE("assembly", ".S", NULL, .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS },
             .strings = double_strings, .flags = LANGUAGE_TICK_LINE, .hook_bytes = "'",
             .hook = hook_tick),
    LANGUAGE("assembly", ".s .asm .nasm", NULL,
             .lines = { { ";", AFTER_BLANK, NULL },
                        { "//", 0, NULL },
                        { "#", AT_LINE, NULL },
                        { "#", AFTER_BLANK | BEFORE_BLANK, NULL },
                        { "@", AFTER_BLANK | BEFORE_BLANK, NULL } },
             .blocks = { STARS }, .strings = double_strings, .flags = LANGUAGE_TICK_LINE,
             .hook_bytes = "'", .hook = hook_tick),
    { 0 },
};
