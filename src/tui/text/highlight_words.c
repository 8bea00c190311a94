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
/* Languages and other names, the forms that are theirs, key words, types, flags. */
#define COLOURS(languages_, tags_, form_list, words_, types_, flags_)                              \
    {                                                                                              \
        languages_, tags_, forms_##form_list, words_, types_, flags_                               \
    }
#define NONE                                                                                       \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

// ---- comments and strings that a line is read by, where the row of a language has none ----

#define FORMS(name, ...) static const HighlightForm forms_##name[] = { __VA_ARGS__, { 0 } }

FORMS(csharp, { "\"\"\"", "\"\"\"", LINES }, { "@\"", "\"", LINES }, { "\"", "\"", ESCAPES });
FORMS(rust, { "r#\"", "\"#", LINES }, { "'", "'", ESCAPES | FORM_CHAR });
FORMS(swift, { "\"\"\"", "\"\"\"", ESCAPES | LINES }, { "\"", "\"", ESCAPES });
FORMS(zig, { "\\\\", NULL, 0 });
FORMS(haskell, { "'", "'", ESCAPES | FORM_CHAR });
FORMS(lua, { "--[[", "]]", BLOCK }, { "[[", "]]", LINES });
FORMS(ruby, { "=begin", "=end", BLOCK | FORM_START });
FORMS(perl, { "=pod", "=cut", BLOCK | FORM_START }, { "=head", "=cut", BLOCK | FORM_START },
      { "#", NULL, COMMENT | FORM_WORD }, { "\"", "\"", ESCAPES | LINES },
      { "'", "'", ESCAPES | LINES });
FORMS(shell, { "#", NULL, COMMENT | FORM_WORD }, { "\"", "\"", ESCAPES | LINES },
      { "'", "'", LINES });
FORMS(hash, { "#", NULL, COMMENT | FORM_WORD }, { "\"", "\"", ESCAPES }, { "'", "'", 0 });
FORMS(make, { "#", NULL, COMMENT }, { "\"", "\"", ESCAPES });
FORMS(ini, { "#", NULL, COMMENT | FORM_WORD }, { ";", NULL, COMMENT | FORM_WORD },
      { "\"", "\"", ESCAPES });
FORMS(html, { "<!--", "-->", BLOCK });
static const HighlightForm forms_none[] = { { 0 } };

// ---- languages ----

const HighlightLanguage highlight_languages[] = {
    COLOURS("c", NULL, none, WORDS(c), WORDS(c_types), LANGUAGE_HASH),
    COLOURS("cpp objective-c", "c++ cuda objc", none, WORDS(cpp), WORDS(c_types), LANGUAGE_HASH),
    COLOURS("rust", NULL, rust, WORDS(rust), WORDS(rust_types), LANGUAGE_TYPES),
    COLOURS("go", "golang", none, WORDS(go), WORDS(go_types), 0),
    COLOURS("python starlark", "py3 python3 gyp", none, WORDS(python), WORDS(python_types),
            LANGUAGE_AT),
    COLOURS("javascript jsx typescript tsx", "node", none, WORDS(js), WORDS(js_types),
            LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("java groovy", NULL, none, WORDS(java), WORDS(java_types),
            LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("kotlin", NULL, none, WORDS(kotlin), NONE, LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("swift", NULL, swift, WORDS(swift), NONE, LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("csharp", "c#", csharp, WORDS(csharp), WORDS(csharp_types),
            LANGUAGE_HASH | LANGUAGE_TYPES),
    COLOURS("scala", NULL, none, WORDS(scala), NONE, LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("dart", NULL, none, WORDS(dart), NONE, LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("zig", NULL, zig, WORDS(zig), WORDS(zig_types), LANGUAGE_AT),
    COLOURS("shell fish", "console shellscript shell-session", shell, WORDS(shell), NONE,
            LANGUAGE_OWN_FORMS | LANGUAGE_DOLLAR),
    COLOURS("powershell", "pwsh", none, WORDS(powershell), NONE,
            LANGUAGE_CASELESS | LANGUAGE_DOLLAR | LANGUAGE_DASHES),
    COLOURS("sql", "postgresql postgres mysql sqlite plsql", none, WORDS(sql), WORDS(sql_types),
            LANGUAGE_CASELESS),
    COLOURS("ruby", "gemfile rakefile", ruby, WORDS(ruby), NONE, LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("php", "php5 php7 php8", none, WORDS(php), NONE, LANGUAGE_DOLLAR | LANGUAGE_TYPES),
    COLOURS("perl", NULL, perl, WORDS(perl), NONE, LANGUAGE_OWN_FORMS | LANGUAGE_DOLLAR),
    COLOURS("lua", NULL, lua, WORDS(lua), NONE, 0),
    COLOURS("haskell", NULL, haskell, WORDS(haskell), NONE, LANGUAGE_TYPES),
    COLOURS("elixir", NULL, none, WORDS(elixir), NONE, LANGUAGE_AT | LANGUAGE_TYPES),
    COLOURS("r", "rscript", none, WORDS(r), NONE, 0),
    COLOURS("nix", NULL, none, WORDS(nix), NONE, LANGUAGE_DASHES | LANGUAGE_SET),
    COLOURS("clojure lisp emacs-lisp scheme", "elisp racket", none, WORDS(clojure), NONE,
            LANGUAGE_DASHES),
    COLOURS("jsonc json5", "json jsonl ndjson geojson webmanifest", none, WORDS(data), NONE,
            LANGUAGE_KEYS),
    COLOURS("yaml", NULL, hash, WORDS(data), NONE, LANGUAGE_KEYS | LANGUAGE_DASHES),
    COLOURS("toml", "lock", none, WORDS(data), NONE, LANGUAGE_SET | LANGUAGE_DASHES),
    COLOURS("ini properties env", "desktop service dotenv", ini, WORDS(data), NONE,
            LANGUAGE_OWN_FORMS | LANGUAGE_SET | LANGUAGE_DASHES),
    COLOURS("html vue svelte", NULL, html, NONE, NONE, LANGUAGE_TAGS),
    COLOURS("xml svg", "rss atom pom", html, NONE, NONE, LANGUAGE_TAGS),
    COLOURS("css scss less", "sass", none, WORDS(css), NONE,
            LANGUAGE_KEYS | LANGUAGE_DASHES | LANGUAGE_AT),
    COLOURS("make", "makefile gnumakefile gmake", make, WORDS(make), NONE,
            LANGUAGE_DOLLAR | LANGUAGE_KEYS | LANGUAGE_DASHES),
    COLOURS("dockerfile", "docker containerfile", hash, WORDS(docker), NONE,
            LANGUAGE_OWN_FORMS | LANGUAGE_CASELESS | LANGUAGE_DOLLAR),
    COLOURS("cmake", NULL, none, WORDS(cmake), NONE, LANGUAGE_CASELESS | LANGUAGE_DOLLAR),
    COLOURS("hcl", "terraform", none, WORDS(tf), NONE, LANGUAGE_SET | LANGUAGE_DASHES),
    COLOURS("protobuf", NULL, none, WORDS(proto), WORDS(go_types), LANGUAGE_TYPES),
    COLOURS(NULL, "diff patch", none, NONE, NONE, LANGUAGE_DIFF),
    COLOURS("markdown", "mdx mkd", none, NONE, NONE, LANGUAGE_MARKDOWN),
    { 0 },
};
