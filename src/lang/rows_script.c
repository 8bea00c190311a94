/*
 * Languages whose comments begin with # (agent-tools-cli §7.4): scripts, configuration, build
 * files.
 */
#include "lang/rows.h"

#define HASH      LINE("#", 0)
#define HASH_WORD LINE("#", AT_WORD)
#define HASH_LINE LINE("#", AT_LINE)

STRINGS(plain_strings, DOUBLE, SINGLE);
STRINGS(lines_strings, QUOTED("\"", '\\', STRING_LINES), QUOTED("'", '\\', STRING_LINES),
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
STRINGS(tcl_strings, QUOTED("\"", '\\', STRING_LINES));
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

const Language language_rows_script[] = {
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
             .lines = { { "#", 0, ";" }, { "#", AFTER_BLANK, "{" } }, .strings = tcl_strings),
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
    LANGUAGE("r", ".r .R .Rprofile", "Rscript", .lines = { HASH }, .strings = lines_strings,
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
    { 0 },
};
