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
    {
        .name = "python",
        .files = ".py .pyi .pyw SConstruct SConscript wscript",
        .interpreters = "python pypy uv",
        .lines = { HASH },
        .strings = python_strings,
        .hook_bytes = "\"'\n()[]{}:",
        .hook = hook_python,
    },
    {
        .name = "ruby",
        .files = ".rb .rake .gemspec .ru Rakefile Gemfile Guardfile Podfile Vagrantfile Brewfile "
                 "Fastfile Capfile",
        .interpreters = "ruby rake jruby",
        .lines = { HASH },
        .strings = ruby_strings,
        .flags = LANGUAGE_REGEX | LANGUAGE_LOOSE_REGEX,
        .words = RUBY_WORDS,
        .hook_bytes = "=_%?$<",
        .hook = hook_ruby,
    },
    {
        .name = "perl",
        .files = ".pl .pm .t",
        .interpreters = "perl",
        .lines = { HASH },
        .strings = perl_strings,
        .flags = LANGUAGE_REGEX | LANGUAGE_LOOSE_REGEX,
        .words = PERL_WORDS,
        .hook_bytes = "=_$<qmsty",
        .hook = hook_perl,
    },
    {
        .name = "shell",
        .files = ".sh .bash .zsh .ksh .bats .bashrc .bash_profile .bash_aliases .bash_logout "
                 ".profile .zshrc .zprofile .zshenv .kshrc PKGBUILD APKBUILD .envrc",
        .interpreters = "sh bash zsh ksh mksh dash ash bats",
        .machine = machine_shell,
    },
    {
        .name = "fish",
        .files = ".fish",
        .interpreters = "fish",
        .lines = { HASH_WORD },
        .strings = fish_strings,
    },
    {
        .name = "tcl",
        .files = ".tcl .tm",
        .interpreters = "tclsh wish expect",
        .lines = { { "#", 0, ";" }, { "#", AFTER_BLANK, "{" } },
        .strings = tcl_strings,
    },
    {
        .name = "awk",
        .files = ".awk",
        .interpreters = "awk gawk mawk nawk",
        .lines = { { "#", AT_WORD, NULL }, { "#", 0, "{}" } },
        .strings = plain_strings,
        .flags = LANGUAGE_REGEX | LANGUAGE_CLASSES | LANGUAGE_BRACE_OPERAND,
        .words = "return in print case",
    },
    {
        .name = "sed",
        .files = ".sed",
        .interpreters = "sed",
        .machine = machine_sed,
    },
    {
        .name = "powershell",
        .files = ".ps1 .psm1 .psd1",
        .interpreters = "pwsh powershell",
        .lines = { { "#", NOT_AFTER_WORD, NULL } },
        .blocks = { { "<#", "#>", 0 } },
        .strings = powershell_strings,
    },
    {
        .name = "yaml",
        .files = ".yml .yaml .clang-format .clang-tidy",
        .machine = machine_yaml,
    },
    { .name = "toml", .files = ".toml Pipfile", .lines = { HASH }, .strings = toml_strings },
    {
        .name = "ini",
        .files = ".ini .cfg .conf .editorconfig .gitconfig",
        .lines = { HASH_LINE, { ";", AT_LINE, NULL } },
    },
    {
        .name = "properties",
        .files = ".properties",
        .lines = { { "#", AT_LINE | NOT_CONTINUED, NULL },
                   { "!", AT_LINE | NOT_CONTINUED, NULL },
                   { ";", AT_LINE | NOT_CONTINUED, NULL } },
    },
    {
        .name = "env",
        .files = ".env .env.*",
        .lines = { HASH_LINE, { ";", AT_LINE, NULL } },
    },
    {
        .name = "dockerfile",
        .files = "Dockerfile* Containerfile* .dockerfile",
        .lines = { HASH_LINE },
        .hook_bytes = "<",
        .hook = hook_dockerfile,
    },
    {
        .name = "make",
        .files = "Makefile* makefile GNUmakefile BSDmakefile .mk .mak",
        .interpreters = "make",
        .machine = machine_make,
    },
    {
        .name = "cmake",
        .files = ".cmake CMakeLists.txt",
        .interpreters = "cmake",
        .lines = { HASH },
        .strings = (const StringMark[]) { { "\"", "\"", '\\', STRING_LINES }, { 0 } },
        .hook_bytes = "#[\\",
        .hook = hook_cmake,
    },
    {
        .name = "nix",
        .files = ".nix",
        .lines = { HASH },
        .blocks = { { "/*", "*/", 0 } },
        .strings = nix_strings,
    },
    {
        .name = "starlark",
        .files = ".bzl .bazel .star BUILD WORKSPACE MODULE.bazel Tiltfile",
        .lines = { HASH },
        .strings = python_strings,
    },
    {
        .name = "nim",
        .files = ".nim .nims .nimble",
        .lines = { HASH },
        .blocks = { { "##[", "]##", BLOCK_NESTED }, { "#[", "]#", BLOCK_NESTED } },
        .strings = nim_strings,
        .flags = LANGUAGE_TICK_AFTER_WORD,
        .hook_bytes = "'",
        .hook = hook_tick,
    },
    {
        .name = "crystal",
        .files = ".cr",
        .interpreters = "crystal",
        .lines = { HASH },
        .strings = crystal_strings,
        .flags = LANGUAGE_REGEX | LANGUAGE_LOOSE_REGEX,
        .words = RUBY_WORDS,
        .hook_bytes = "%<",
        .hook = hook_crystal,
    },
    {
        .name = "r",
        .files = ".r .R .Rprofile",
        .interpreters = "Rscript",
        .lines = { HASH },
        .strings = lines_strings,
        .flags = LANGUAGE_ROXYGEN,
        .hook_bytes = "\"'%",
        .hook = hook_r,
    },
    {
        .name = "julia",
        .files = ".jl",
        .interpreters = "julia",
        .lines = { HASH },
        .blocks = { { "#=", "=#", BLOCK_NESTED } },
        .strings = julia_strings,
        .flags = LANGUAGE_TICK_AFTER_WORD | LANGUAGE_TICK_AFTER_CLOSE,
        .hook_bytes = "'",
        .hook = hook_tick,
    },
    {
        .name = "elixir",
        .files = ".ex .exs",
        .interpreters = "elixir",
        .lines = { HASH },
        .strings = elixir_strings,
        .words = "when in and or not do else",
        .hook_bytes = "~?",
        .hook = hook_elixir,
    },
    {
        .name = "graphql",
        .files = ".graphql .gql .graphqls",
        .lines = { HASH },
        .strings = graphql_strings,
    },
    {
        .name = "batch",
        .files = ".bat .cmd",
        .lines = { { "REM", NO_CASE | BEFORE_BLANK, "@&(|)" }, { "::", AT_LINE, NULL } },
        .strings = (const StringMark[]) { { "\"", "\"", 0 }, { 0 } },
    },
    {
        .name = "vim",
        .files = ".vim .vimrc .gvimrc _vimrc",
        .lines = { { "\"", AT_LINE, NULL } },
    },
    { 0 },
};
