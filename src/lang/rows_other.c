/*
 * All other languages (agent-tools-cli §7.4): functional and older ones, markup, templates.
 */
#include "lang/rows.h"

STRINGS(plain_strings, DOUBLE, SINGLE);
STRINGS(lines_strings, QUOTED("\"", '\\', STRING_LINES));
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

const Language language_rows_other[] = {
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
