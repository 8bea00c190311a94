/* See highlight_words.h; the lists of key words are in key_words.tsv. */
#include "tui/text/highlight_words.h"

#include "tui/text/key_words.h"

#define COMMENT FORM_COMMENT
#define BLOCK   (FORM_COMMENT | FORM_LINES)
#define ESCAPES FORM_ESCAPES
#define LINES   FORM_LINES

#define WORDS(name)                                                                                \
    {                                                                                              \
        words_##name, sizeof(words_##name) / sizeof(words_##name[0])                               \
    }
#define NONE                                                                                       \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

// ---- comments and strings that a line is read by, where the row of a language has none ----

static const HighlightForm forms_csharp[] = {
    { "\"\"\"", "\"\"\"", LINES }, { "@\"", "\"", LINES }, { "\"", "\"", ESCAPES }, { 0 }
};
static const HighlightForm forms_rust[] = { { "r#\"", "\"#", LINES },
                                            { "'", "'", ESCAPES | FORM_CHAR },
                                            { 0 } };
static const HighlightForm forms_swift[] = { { "\"\"\"", "\"\"\"", ESCAPES | LINES },
                                             { "\"", "\"", ESCAPES },
                                             { 0 } };
static const HighlightForm forms_zig[] = { { "\\\\", NULL, 0 }, { 0 } };
static const HighlightForm forms_haskell[] = { { "'", "'", ESCAPES | FORM_CHAR }, { 0 } };
static const HighlightForm forms_lua[] = { { "--[[", "]]", BLOCK }, { "[[", "]]", LINES }, { 0 } };
static const HighlightForm forms_ruby[] = { { "=begin", "=end", BLOCK | FORM_START }, { 0 } };
static const HighlightForm forms_perl[] = {
    { "=pod", "=cut", BLOCK | FORM_START }, { "=head", "=cut", BLOCK | FORM_START },
    { "#", NULL, COMMENT | FORM_WORD },     { "\"", "\"", ESCAPES | LINES },
    { "'", "'", ESCAPES | LINES },          { 0 },
};
static const HighlightForm forms_shell[] = {
    { "#", NULL, COMMENT | FORM_WORD },
    { "\"", "\"", ESCAPES | LINES },
    { "'", "'", LINES },
    { 0 },
};
static const HighlightForm forms_hash[] = {
    { "#", NULL, COMMENT | FORM_WORD },
    { "\"", "\"", ESCAPES },
    { "'", "'", 0 },
    { 0 },
};
static const HighlightForm forms_make[] = {
    { "#", NULL, COMMENT },
    { "\"", "\"", ESCAPES },
    { 0 },
};
static const HighlightForm forms_ini[] = {
    { "#", NULL, COMMENT | FORM_WORD },
    { ";", NULL, COMMENT | FORM_WORD },
    { "\"", "\"", ESCAPES },
    { 0 },
};
static const HighlightForm forms_html[] = { { "<!--", "-->", BLOCK }, { 0 } };
static const HighlightForm forms_none[] = { { 0 } };

// ---- languages ----

// clang-format off
const HighlightLanguage highlight_languages[] = {
    { "c", NULL,
      forms_none, WORDS(c), WORDS(c_types), LANGUAGE_HASH },
    { "cpp objective-c", "c++ cuda objc",
      forms_none, WORDS(cpp), WORDS(c_types), LANGUAGE_HASH },
    { "rust", NULL,
      forms_rust, WORDS(rust), WORDS(rust_types), LANGUAGE_TYPES },
    { "go", "golang",
      forms_none, WORDS(go), WORDS(go_types), 0 },
    { "python starlark", "py3 python3 gyp",
      forms_none, WORDS(python), WORDS(python_types), LANGUAGE_AT },
    { "javascript jsx typescript tsx", "node",
      forms_none, WORDS(js), WORDS(js_types), LANGUAGE_AT | LANGUAGE_TYPES },
    { "java groovy", NULL,
      forms_none, WORDS(java), WORDS(java_types), LANGUAGE_AT | LANGUAGE_TYPES },
    { "kotlin", NULL,
      forms_none, WORDS(kotlin), NONE, LANGUAGE_AT | LANGUAGE_TYPES },
    { "swift", NULL,
      forms_swift, WORDS(swift), NONE, LANGUAGE_AT | LANGUAGE_TYPES },
    { "csharp", "c#",
      forms_csharp, WORDS(csharp), WORDS(csharp_types), LANGUAGE_HASH | LANGUAGE_TYPES },
    { "scala", NULL,
      forms_none, WORDS(scala), NONE, LANGUAGE_AT | LANGUAGE_TYPES },
    { "dart", NULL,
      forms_none, WORDS(dart), NONE, LANGUAGE_AT | LANGUAGE_TYPES },
    { "zig", NULL,
      forms_zig, WORDS(zig), WORDS(zig_types), LANGUAGE_AT },
    { "shell fish", "console shellscript shell-session",
      forms_shell, WORDS(shell), NONE, LANGUAGE_OWN_FORMS | LANGUAGE_DOLLAR },
    { "powershell", "pwsh",
      forms_none, WORDS(powershell), NONE, LANGUAGE_CASELESS | LANGUAGE_DOLLAR | LANGUAGE_DASHES },
    { "sql", "postgresql postgres mysql sqlite plsql",
      forms_none, WORDS(sql), WORDS(sql_types), LANGUAGE_CASELESS },
    { "ruby", "gemfile rakefile",
      forms_ruby, WORDS(ruby), NONE, LANGUAGE_AT | LANGUAGE_TYPES },
    { "php", "php5 php7 php8",
      forms_none, WORDS(php), NONE, LANGUAGE_DOLLAR | LANGUAGE_TYPES },
    { "perl", NULL,
      forms_perl, WORDS(perl), NONE, LANGUAGE_OWN_FORMS | LANGUAGE_DOLLAR },
    { "lua", NULL,
      forms_lua, WORDS(lua), NONE, 0 },
    { "haskell", NULL,
      forms_haskell, WORDS(haskell), NONE, LANGUAGE_TYPES },
    { "elixir", NULL,
      forms_none, WORDS(elixir), NONE, LANGUAGE_AT | LANGUAGE_TYPES },
    { "r", "rscript",
      forms_none, WORDS(r), NONE, 0 },
    { "nix", NULL,
      forms_none, WORDS(nix), NONE, LANGUAGE_DASHES | LANGUAGE_SET },
    { "clojure lisp emacs-lisp scheme", "elisp racket",
      forms_none, WORDS(clojure), NONE, LANGUAGE_DASHES },
    { "jsonc json5", "json jsonl ndjson geojson webmanifest",
      forms_none, WORDS(data), NONE, LANGUAGE_KEYS },
    { "yaml", NULL,
      forms_hash, WORDS(data), NONE, LANGUAGE_KEYS | LANGUAGE_DASHES },
    { "toml", "lock",
      forms_none, WORDS(data), NONE, LANGUAGE_SET | LANGUAGE_DASHES },
    { "ini properties env", "desktop service dotenv",
      forms_ini, WORDS(data), NONE, LANGUAGE_OWN_FORMS | LANGUAGE_SET | LANGUAGE_DASHES },
    { "html vue svelte", NULL,
      forms_html, NONE, NONE, LANGUAGE_TAGS },
    { "xml svg", "rss atom pom",
      forms_html, NONE, NONE, LANGUAGE_TAGS },
    { "css scss less", "sass",
      forms_none, WORDS(css), NONE, LANGUAGE_KEYS | LANGUAGE_DASHES | LANGUAGE_AT },
    { "make", "makefile gnumakefile gmake",
      forms_make, WORDS(make), NONE, LANGUAGE_DOLLAR | LANGUAGE_KEYS | LANGUAGE_DASHES },
    { "dockerfile", "docker containerfile",
      forms_hash, WORDS(docker), NONE, LANGUAGE_OWN_FORMS | LANGUAGE_CASELESS | LANGUAGE_DOLLAR },
    { "cmake", NULL,
      forms_none, WORDS(cmake), NONE, LANGUAGE_CASELESS | LANGUAGE_DOLLAR },
    { "hcl", "terraform",
      forms_none, WORDS(tf), NONE, LANGUAGE_SET | LANGUAGE_DASHES },
    { "protobuf", NULL,
      forms_none, WORDS(proto), WORDS(go_types), LANGUAGE_TYPES },
    { NULL, "diff patch",
      forms_none, NONE, NONE, LANGUAGE_DIFF },
    { "markdown", "mdx mkd",
      forms_none, NONE, NONE, LANGUAGE_MARKDOWN },
    { 0 },
};
// clang-format on
