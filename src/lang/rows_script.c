/*
 * Languages whose comments begin with # (agent-tools-cli §7.4): scripts, configuration, build
 * files.
 */
#include "lang/rows.h"

#define HASH                                                                                       \
    {                                                                                              \
        "#", 0, NULL                                                                               \
    }
#define HASH_WORD                                                                                  \
    {                                                                                              \
        "#", AT_WORD, NULL                                                                         \
    }
#define HASH_LINE                                                                                  \
    {                                                                                              \
        "#", AT_LINE, NULL                                                                         \
    }

static const StringMark plain_strings[] = { DOUBLE, SINGLE, { 0 } };
static const StringMark lines_strings[] = {
    { "\"", "\"", '\\', STRING_LINES },
    { "'", "'", '\\', STRING_LINES },
    { "`", "`", 0, STRING_LINES },
    { 0 },
};
static const StringMark python_strings[] = {
    { "\"\"\"", "\"\"\"", '\\', STRING_LINES },
    { "'''", "'''", '\\', STRING_LINES },
    DOUBLE,
    SINGLE,
    { 0 },
};
static const StringMark toml_strings[] = {
    { "\"\"\"", "\"\"\"", '\\', STRING_LINES | STRING_GREEDY },
    { "'''", "'''", 0, STRING_LINES | STRING_GREEDY },
    DOUBLE,
    { "'", "'", 0 },
    { 0 },
};
static const StringMark ruby_strings[] = {
    { "\"", "\"", '\\', STRING_LINES, { "#{" } },
    { "'", "'", '\\', STRING_LINES },
    { "`", "`", '\\', STRING_LINES, { "#{" } },
    { 0 },
};
static const StringMark crystal_strings[] = {
    { "\"", "\"", '\\', STRING_LINES, { "#{" } },
    SINGLE,
    { "`", "`", '\\', STRING_LINES, { "#{" } },
    { 0 },
};
static const StringMark perl_strings[] = {
    { "\"", "\"", '\\', STRING_LINES },
    { "'", "'", '\\', STRING_LINES },
    { "`", "`", '\\', STRING_LINES },
    { 0 },
};
static const StringMark fish_strings[] = {
    { "\"", "\"", '\\', STRING_LINES, { "$(" } },
    { "'", "'", '\\', STRING_LINES },
    { 0 },
};
static const StringMark tcl_strings[] = { { "\"", "\"", '\\', STRING_LINES }, { 0 } };
static const StringMark powershell_strings[] = {
    { "@\"", "\n\"@", '`', STRING_LINES | STRING_HEADER, { "$(" } },
    { "@'", "\n'@", 0, STRING_LINES | STRING_HEADER },
    { "\"", "\"", '`', STRING_LINES | STRING_DOUBLED, { "$(" } },
    { "'", "'", 0, STRING_LINES | STRING_DOUBLED },
    { 0 },
};
static const StringMark nix_strings[] = {
    { "''", "''", 0, STRING_LINES | STRING_NIX, { "${" } },
    { "\"", "\"", '\\', STRING_LINES, { "${" } },
    { 0 },
};
static const StringMark nim_strings[] = {
    { "\"\"\"", "\"\"\"", 0, STRING_LINES | STRING_GREEDY },
    { "\"", "\"", 0, STRING_DOUBLED, { NULL }, "*" }, // raw, as in r"…" and name"…"
    DOUBLE,
    { 0 },
};
static const StringMark julia_strings[] = {
    { "\"\"\"", "\"\"\"", '\\', STRING_LINES, { "$(" } },
    { "\"", "\"", '\\', STRING_LINES, { "$(" } },
    { "`", "`", '\\', STRING_LINES, { "$(" } },
    { 0 },
};
static const StringMark elixir_strings[] = {
    { "\"\"\"", "\"\"\"", '\\', STRING_LINES, { "#{" } },
    { "'''", "'''", '\\', STRING_LINES, { "#{" } },
    { "\"", "\"", '\\', STRING_LINES, { "#{" } },
    { "'", "'", '\\', STRING_LINES, { "#{" } },
    { 0 },
};
static const StringMark graphql_strings[] = {
    { "\"\"\"", "\"\"\"", '\\', STRING_LINES },
    DOUBLE,
    { 0 },
};

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
             .strings = (const StringMark[]) { { "\"", "\"", '\\', STRING_LINES }, { 0 } },
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
