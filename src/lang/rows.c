/*
 * The rows of all languages (agent-tools-cli §7.4): the C family, and what writes comments as it
 * does; scripts, configuration and build files, whose comments begin with #; and all others.
 */
#include "lang/lexer_state.h"

// marks of strings, of comments to the line's end, and of others
#define STRING(open, close, ...)                                                                   \
    {                                                                                              \
        open, close, __VA_ARGS__                                                                   \
    }
#define QUOTED(quote, ...) STRING(quote, quote, __VA_ARGS__)
#define DOUBLE             QUOTED("\"", '\\') // of one line, with backslash escapes
#define SINGLE             QUOTED("'", '\\')
/* A list of strings, the longest opener first. */
#define STRINGS(name, ...) static const StringMark name[] = { __VA_ARGS__, { 0 } }
#define LINE(text, flags)                                                                          \
    {                                                                                              \
        text, flags, NULL                                                                          \
    }
#define BLOCK(open, close, flags)                                                                  \
    {                                                                                              \
        open, close, flags                                                                         \
    }

/* A row: its name, files and interpreters (NULL: none), and what else it says. */
#define LANGUAGE(name_, files_, interpreters_, ...)                                                \
    {                                                                                              \
        .name = name_, .files = files_, .interpreters = interpreters_, __VA_ARGS__                 \
    }

// ---- strings and marks of the C family ----

#define SLASHES LINE("//", 0)
#define STARS   BLOCK("/*", "*/", 0)
#define STARS_N BLOCK("/*", "*/", BLOCK_NESTED)

#define TICKS QUOTED("`", 0, STRING_LINES)

STRINGS(plain_strings, DOUBLE, SINGLE);
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

// ---- of languages whose comments begin with # ----

#define HASH      LINE("#", 0)
#define HASH_WORD LINE("#", AT_WORD)
#define HASH_LINE LINE("#", AT_LINE)

STRINGS(r_strings, QUOTED("\"", '\\', STRING_LINES), QUOTED("'", '\\', STRING_LINES),
        QUOTED("`", 0, STRING_LINES));
STRINGS(python_strings, QUOTED("\"\"\"", '\\', STRING_LINES), QUOTED("'''", '\\', STRING_LINES),
        DOUBLE, SINGLE);
STRINGS(toml_strings, QUOTED("\"\"\"", '\\', STRING_LINES | STRING_GREEDY),
        QUOTED("'''", 0, STRING_LINES | STRING_GREEDY), DOUBLE, QUOTED("'", 0));
STRINGS(ruby_strings, QUOTED("\"", '\\', STRING_LINES, { "#{" }), QUOTED("'", '\\', STRING_LINES),
        QUOTED("`", '\\', STRING_LINES, { "#{" }));
STRINGS(crystal_strings, QUOTED("\"", '\\', STRING_LINES, { "#{" }), SINGLE,
        QUOTED("`", '\\', STRING_LINES, { "#{" }));
STRINGS(perl_strings, QUOTED("\"", '\\', STRING_LINES), QUOTED("'", '\\', STRING_LINES),
        QUOTED("`", '\\', STRING_LINES));
STRINGS(fish_strings, QUOTED("\"", '\\', STRING_LINES, { "$(" }), QUOTED("'", '\\', STRING_LINES));
STRINGS(powershell_strings, STRING("@\"", "\n\"@", '`', STRING_LINES | STRING_HEADER, { "$(" }),
        STRING("@'", "\n'@", 0, STRING_LINES | STRING_HEADER),
        QUOTED("\"", '`', STRING_LINES | STRING_DOUBLED, { "$(" }),
        QUOTED("'", 0, STRING_LINES | STRING_DOUBLED));
STRINGS(nix_strings, QUOTED("''", 0, STRING_LINES | STRING_NIX, { "${" }),
        QUOTED("\"", '\\', STRING_LINES, { "${" }));
// raw, as in r"…" and name"…"
STRINGS(nim_strings, QUOTED("\"\"\"", 0, STRING_LINES | STRING_GREEDY),
        QUOTED("\"", 0, STRING_DOUBLED, { NULL }, "*"), DOUBLE);
STRINGS(julia_strings, QUOTED("\"\"\"", '\\', STRING_LINES, { "$(" }),
        QUOTED("\"", '\\', STRING_LINES, { "$(" }), QUOTED("`", '\\', STRING_LINES, { "$(" }));
STRINGS(elixir_strings, QUOTED("\"\"\"", '\\', STRING_LINES, { "#{" }),
        QUOTED("'''", '\\', STRING_LINES, { "#{" }), QUOTED("\"", '\\', STRING_LINES, { "#{" }),
        QUOTED("'", '\\', STRING_LINES, { "#{" }));
STRINGS(graphql_strings, QUOTED("\"\"\"", '\\', STRING_LINES), DOUBLE);

#define RUBY_WORDS                                                                                 \
    "return and or not if unless while until when then elsif else do in case puts yield begin"
#define PERL_WORDS                                                                                 \
    "return and or not if unless while until split grep map join push unshift x lt gt le ge eq "   \
    "ne cmp when"

// ---- of others ----

STRINGS(doubled_strings, QUOTED("\"", 0, STRING_DOUBLED));
STRINGS(erlang_strings, QUOTED("\"", '\\', STRING_LINES), QUOTED("'", '\\', STRING_LINES));
STRINGS(sql_strings, QUOTED("'", '\\', STRING_LINES | STRING_DOUBLED, { NULL }, "eE"),
        QUOTED("'", 0, STRING_LINES | STRING_DOUBLED),
        QUOTED("\"", 0, STRING_LINES | STRING_DOUBLED),
        QUOTED("`", 0, STRING_LINES | STRING_DOUBLED));
STRINGS(mysql_strings, QUOTED("'", '\\', STRING_LINES | STRING_DOUBLED),
        QUOTED("\"", '\\', STRING_LINES | STRING_DOUBLED),
        QUOTED("`", 0, STRING_LINES | STRING_DOUBLED));
STRINGS(elm_strings, QUOTED("\"\"\"", '\\', STRING_LINES), QUOTED("\"", '\\', STRING_LINES));
STRINGS(fsharp_strings, QUOTED("\"\"\"", 0, STRING_LINES),
        QUOTED("\"", 0, STRING_LINES | STRING_DOUBLED, { NULL }, "@"),
        QUOTED("\"", '\\', STRING_LINES | STRING_FORMAT, { "{" }, "$"),
        QUOTED("\"", '\\', STRING_LINES));
STRINGS(fortran_strings, QUOTED("\"", 0, STRING_DOUBLED), QUOTED("'", 0, STRING_DOUBLED));
STRINGS(pascal_strings, QUOTED("'", 0, STRING_DOUBLED), QUOTED("\"", 0));
STRINGS(octave_strings, DOUBLE, QUOTED("'", 0, STRING_DOUBLED));

#define HASKELL(name_, files_, interpreters_, strings_)                                            \
    LANGUAGE(name_, files_, interpreters_, .lines = { { "--", NOT_OPERATOR, NULL } },              \
             .blocks = { { "{-", "-}", BLOCK_NESTED } }, .strings = strings_,                      \
             .flags = LANGUAGE_TICK_AFTER_WORD, .hook_bytes = "'", .hook = hook_tick)
#define LISP(name_, files_, interpreters_, bytes_)                                                 \
    LANGUAGE(name_, files_, interpreters_, .lines = { { ";", 0, NULL } },                          \
             .blocks = { { "#|", "|#", BLOCK_NESTED } }, .strings = lines_strings,                 \
             .hook_bytes = bytes_, .hook = hook_lisp)
#define MATLAB(files_, interpreters_, strings_)                                                    \
    LANGUAGE("matlab", files_, interpreters_, .lines = { { "%", 0, NULL }, { "#", 0, NULL } },     \
             .blocks = { { "%{", "%}", BLOCK_ALONE }, { "#{", "#}", BLOCK_ALONE } },               \
             .strings = strings_, .hook_bytes = "'", .hook = hook_tick,                            \
             .flags = LANGUAGE_TICK_AFTER_WORD | LANGUAGE_TICK_AFTER_CLOSE | LANGUAGE_TICK_STRING)
#define ADA(name_, files_)                                                                         \
    LANGUAGE(name_, files_, NULL, .lines = { { "--", 0, NULL } }, .strings = doubled_strings,      \
             .hook_bytes = "'", .hook = hook_tick,                                                 \
             .flags = LANGUAGE_TICK_AFTER_WORD | LANGUAGE_TICK_AFTER_CLOSE | LANGUAGE_TICK_PLAIN)
#define MACHINE(name_, files_, machine_) LANGUAGE(name_, files_, NULL, .machine = machine_)

// ---- the rows ----

const Language language_rows[] = {
    LANGUAGE("c", ".c .h", NULL, .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS },
             .strings = plain_strings, .hook_bytes = "'", .hook = hook_c),
    LANGUAGE("objective-c", ".m", NULL, .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS },
             .strings = plain_strings, .hook_bytes = "'", .hook = hook_c),
    LANGUAGE("cpp", ".cc .cpp .cxx .c++ .hpp .hh .hxx .h++ .ipp .tpp .mm .cu .cuh .ino .C .H", NULL,
             .lines = { { "//", RUNS_ON, NULL } }, .blocks = { STARS }, .strings = plain_strings,
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
    LANGUAGE("zig", ".zig .zon", NULL, .lines = { SLASHES }, .strings = plain_strings,
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
    LANGUAGE("css", ".css", NULL, .blocks = { STARS }, .strings = plain_strings, .hook_bytes = "(",
             .hook = hook_css),
    LANGUAGE("scss", ".scss", NULL, .lines = { SLASHES }, .blocks = { STARS },
             .strings = plain_strings, .hook_bytes = "(", .hook = hook_css),
    LANGUAGE("less", ".less", NULL, .lines = { SLASHES }, .blocks = { STARS },
             .strings = plain_strings, .hook_bytes = "(", .hook = hook_css),
    LANGUAGE("php", ".php .phtml", "php",
             .lines = { { "//", ENDS_AT_TAG, NULL }, { "#", ENDS_AT_TAG, NULL } },
             .blocks = { STARS }, .strings = php_strings, .hook_bytes = "#?<", .hook = hook_php,
             .machine = machine_php),
    C_LIKE("verilog", ".v .vh .sv .svh", double_strings),
    C_LIKE("glsl", ".glsl .vert .frag .geom .comp .tesc .tese", double_strings),
    C_LIKE("hlsl", ".hlsl .hlsli .fx", double_strings),
    C_LIKE("protobuf", ".proto", plain_strings),
    LANGUAGE("thrift", ".thrift", NULL, .lines = { SLASHES, { "#", 0, NULL } }, .blocks = { STARS },
             .strings = plain_strings),
    C_LIKE("solidity", ".sol", plain_strings),
    C_LIKE("jsonc", ".jsonc .code-workspace", double_strings),
    C_LIKE("json5", ".json5", plain_strings),
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

    // comments begin with #
    LANGUAGE("python", ".py .pyi .pyw SConstruct SConscript wscript", "python pypy uv",
             .lines = { HASH }, .strings = python_strings,
             .hook_bytes = "\"'\n()[]{}:", .hook = hook_python),
    LANGUAGE("ruby",
             ".rb .rake .gemspec .ru Rakefile Gemfile Guardfile Podfile Vagrantfile Brewfile "
             "Fastfile Capfile",
             "ruby rake jruby", .lines = { HASH }, .strings = ruby_strings,
             .flags = LANGUAGE_REGEX | LANGUAGE_LOOSE_REGEX, .words = RUBY_WORDS,
             .hook_bytes = "=_%?$<", .hook = hook_ruby),
    LANGUAGE("perl", ".pl .pm .t", "perl", .lines = { HASH }, .strings = perl_strings,
             .flags = LANGUAGE_REGEX | LANGUAGE_LOOSE_REGEX, .words = PERL_WORDS,
             .hook_bytes = "=_$<qmsty", .hook = hook_perl),
    LANGUAGE("shell",
             ".sh .bash .zsh .ksh .bats .bashrc .bash_profile .bash_aliases .bash_logout .profile "
             ".zshrc .zprofile .zshenv .kshrc PKGBUILD APKBUILD .envrc",
             "sh bash zsh ksh mksh dash ash bats", .machine = machine_shell),
    LANGUAGE("fish", ".fish", "fish", .lines = { HASH_WORD }, .strings = fish_strings),
    LANGUAGE("tcl", ".tcl .tm", "tclsh wish expect",
             .lines = { { "#", 0, ";" }, { "#", AFTER_BLANK, "{" } }, .strings = lines_strings),
    LANGUAGE("awk", ".awk", "awk gawk mawk nawk",
             .lines = { { "#", AT_WORD, NULL }, { "#", 0, "{}" } }, .strings = plain_strings,
             .flags = LANGUAGE_REGEX | LANGUAGE_CLASSES | LANGUAGE_BRACE_OPERAND,
             .words = "return in print case"),
    LANGUAGE("sed", ".sed", "sed", .machine = machine_sed),
    LANGUAGE("powershell", ".ps1 .psm1 .psd1", "pwsh powershell",
             .lines = { { "#", NOT_AFTER_WORD, NULL } }, .blocks = { { "<#", "#>", 0 } },
             .strings = powershell_strings),
    LANGUAGE("yaml", ".yml .yaml .clang-format .clang-tidy", NULL, .machine = machine_yaml),
    LANGUAGE("toml", ".toml Pipfile", NULL, .lines = { HASH }, .strings = toml_strings),
    LANGUAGE("ini", ".ini .cfg .conf .editorconfig .gitconfig", NULL,
             .lines = { HASH_LINE, { ";", AT_LINE, NULL } }),
    LANGUAGE("properties", ".properties", NULL,
             .lines = { { "#", AT_LINE | NOT_CONTINUED, NULL },
                        { "!", AT_LINE | NOT_CONTINUED, NULL },
                        { ";", AT_LINE | NOT_CONTINUED, NULL } }),
    LANGUAGE("env", ".env .env.*", NULL, .lines = { HASH_LINE, { ";", AT_LINE, NULL } }),
    LANGUAGE("dockerfile", "Dockerfile* Containerfile* .dockerfile", NULL, .lines = { HASH_LINE },
             .hook_bytes = "<", .hook = hook_dockerfile),
    LANGUAGE("make", "Makefile* makefile GNUmakefile BSDmakefile .mk .mak", "make",
             .machine = machine_make),
    LANGUAGE("cmake", ".cmake CMakeLists.txt", "cmake", .lines = { HASH },
             .strings = (const StringMark[]) { QUOTED("\"", '\\', STRING_LINES), { 0 } },
             .hook_bytes = "#[\\", .hook = hook_cmake),
    LANGUAGE("nix", ".nix", NULL, .lines = { HASH }, .blocks = { { "/*", "*/", 0 } },
             .strings = nix_strings),
    LANGUAGE("starlark", ".bzl .bazel .star BUILD WORKSPACE MODULE.bazel Tiltfile", NULL,
             .lines = { HASH }, .strings = python_strings),
    LANGUAGE("nim", ".nim .nims .nimble", NULL, .lines = { HASH },
             .blocks = { { "##[", "]##", BLOCK_NESTED }, { "#[", "]#", BLOCK_NESTED } },
             .strings = nim_strings, .flags = LANGUAGE_TICK_AFTER_WORD, .hook_bytes = "'",
             .hook = hook_tick),
    LANGUAGE("crystal", ".cr", "crystal", .lines = { HASH }, .strings = crystal_strings,
             .flags = LANGUAGE_REGEX | LANGUAGE_LOOSE_REGEX, .words = RUBY_WORDS,
             .hook_bytes = "%<", .hook = hook_crystal),
    LANGUAGE("r", ".r .R .Rprofile", "Rscript", .lines = { HASH }, .strings = r_strings,
             .flags = LANGUAGE_ROXYGEN, .hook_bytes = "\"'%", .hook = hook_r),
    LANGUAGE("julia", ".jl", "julia", .lines = { HASH }, .blocks = { { "#=", "=#", BLOCK_NESTED } },
             .strings = julia_strings,
             .flags = LANGUAGE_TICK_AFTER_WORD | LANGUAGE_TICK_AFTER_CLOSE, .hook_bytes = "'",
             .hook = hook_tick),
    LANGUAGE("elixir", ".ex .exs", "elixir", .lines = { HASH }, .strings = elixir_strings,
             .words = "when in and or not do else", .hook_bytes = "~?", .hook = hook_elixir),
    LANGUAGE("graphql", ".graphql .gql .graphqls", NULL, .lines = { HASH },
             .strings = graphql_strings),
    LANGUAGE("batch", ".bat .cmd", NULL,
             .lines = { { "REM", NO_CASE | BEFORE_BLANK, "@&(|)" }, { "::", AT_LINE, NULL } },
             .strings = (const StringMark[]) { { "\"", "\"", 0 }, { 0 } }),
    LANGUAGE("vim", ".vim .vimrc .gvimrc _vimrc", NULL, .lines = { { "\"", AT_LINE, NULL } }),

    // others
    MACHINE("vue", ".vue", machine_component),
    MACHINE("svelte", ".svelte", machine_component),
    MACHINE("astro", ".astro", machine_component),
    MACHINE("html", ".html .htm .xhtml", machine_html),
    MACHINE("xml", ".xml .xsd .xsl .xslt .plist .csproj .props .targets .wsdl", machine_xml),
    MACHINE("svg", ".svg", machine_xml),
    LANGUAGE("erlang", ".erl .hrl", "escript", .lines = { { "%", 0, NULL } },
             .strings = erlang_strings, .hook_bytes = "$", .hook = hook_erlang),
    LANGUAGE("prolog", ".pro .prolog", "swipl", .lines = { { "%", 0, NULL } },
             .blocks = { { "/*", "*/", 0 } }, .strings = plain_strings, .hook_bytes = "'",
             .hook = hook_prolog),
    LANGUAGE("lua", ".lua .luau .rockspec", "lua luajit", .lines = { { "--", 0, NULL } },
             .strings = plain_strings, .hook_bytes = "-[", .hook = hook_lua),
    LANGUAGE("sql", ".sql .psql .pgsql", NULL, .lines = { { "--", 0, NULL } },
             .blocks = { { "/*", "*/", BLOCK_NESTED } }, .strings = sql_strings, .hook_bytes = "$",
             .hook = hook_sql),
    HASKELL("haskell", ".hs .hs-boot", "runghc runhaskell stack", lines_strings),
    HASKELL("elm", ".elm", NULL, elm_strings),
    HASKELL("purescript", ".purs", NULL, elm_strings),
    LANGUAGE("ocaml", ".ml .mli .mll .mly", "ocaml",
             .blocks = { { "(*", "*)", BLOCK_NESTED | BLOCK_STRINGS | BLOCK_NOT_TAG } },
             .strings = lines_strings, .flags = LANGUAGE_TICK_AFTER_WORD, .hook_bytes = "'{",
             .hook = hook_ocaml),
    LANGUAGE("fsharp", ".fs .fsx .fsi", "fsharpi", .lines = { { "//", 0, NULL } },
             .blocks = { { "(*", "*)", BLOCK_NESTED | BLOCK_STRINGS | BLOCK_NOT_TAG } },
             .strings = fsharp_strings, .flags = LANGUAGE_TICK_AFTER_WORD, .hook_bytes = "'",
             .hook = hook_tick),
    LISP("lisp", ".lisp .lsp .cl .asd", "sbcl clisp", "#\\"),
    LISP("scheme", ".scm .ss .rkt .sld", "guile racket scheme chicken csi", "#\\"),
    LISP("clojure", ".clj .cljs .cljc .edn", "clojure bb lumo", "#\\"),
    LISP("emacs-lisp", ".el .emacs", "emacs", "#\\?"),
    LANGUAGE("fortran", ".f90 .f95 .f03 .f08 .f18", NULL, .lines = { { "!", 0, NULL } },
             .strings = fortran_strings),
    // fixed form
    LANGUAGE("fortran", ".f .for .f77", NULL,
             .lines = { { "C", AT_COLUMN_1 | NO_CASE, NULL },
                        { "*", AT_COLUMN_1, NULL },
                        { "!", 0, NULL } },
             .strings = fortran_strings),
    ADA("ada", ".adb .ads .ada"),
    ADA("vhdl", ".vhd .vhdl"),
    LANGUAGE("pascal", ".pas .pp .dpr .lpr", "instantfpc", .lines = { { "//", 0, NULL } },
             .blocks = { { "{", "}", 0 }, { "(*", "*)", 0 } }, .strings = pascal_strings),
    LANGUAGE("visual-basic", ".vb .bas .vbs .frm", NULL,
             .lines = { { "'", 0, NULL }, { "REM", NO_CASE | BEFORE_BLANK, ":" } },
             .strings = doubled_strings),
    MATLAB(".octave", "octave octave-cli", octave_strings),
    LANGUAGE("tex", ".tex .sty .cls .bib .ltx", NULL, .lines = { { "%", 0, NULL } },
             .hook_bytes = "\\", .hook = hook_tex),
    MACHINE("handlebars", ".hbs .handlebars .mustache", machine_template),
    MACHINE("jinja", ".j2 .jinja .jinja2", machine_template),
    MACHINE("twig", ".twig", machine_template),
    MACHINE("erb", ".erb", machine_template),
    MACHINE("markdown", ".md .markdown", machine_markdown),
    { 0 },
};

const Language language_row_mysql =
    LANGUAGE("sql", "", NULL, .lines = { { "--", 0, NULL }, { "#", AFTER_BLANK, NULL } },
             .blocks = { { "/*", "*/", 0 } }, .strings = mysql_strings);

/* MATLAB proper doubles its double quotes and knows no backslash. */
STRINGS(matlab_strings, QUOTED("\"", 0, STRING_DOUBLED), QUOTED("'", 0, STRING_DOUBLED));
const Language language_row_matlab = MATLAB("", NULL, matlab_strings);
