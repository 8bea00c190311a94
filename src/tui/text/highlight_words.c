/* See highlight_words.h. */
#include "tui/text/highlight_words.h"

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

// ---- key words ----

// clang-format off

static const char *const words_c[] = {
    "NULL", "_Atomic", "_Generic", "_Noreturn", "_Static_assert", "_Thread_local", "alignas",
    "alignof", "asm", "auto", "break", "case", "const", "constexpr", "continue", "default",
    "define", "defined", "do", "elif", "else", "endif", "enum", "error", "extern", "false",
    "for", "goto", "if", "ifdef", "ifndef", "include", "inline", "line", "nullptr", "pragma",
    "register", "restrict", "return", "sizeof", "static", "static_assert", "struct", "switch",
    "thread_local", "true", "typedef", "typeof", "undef", "union", "volatile", "warning",
    "while",
};
static const char *const words_cpp[] = {
    "NULL", "_Atomic", "_Generic", "_Noreturn", "_Static_assert", "_Thread_local", "alignas",
    "alignof", "and", "asm", "auto", "break", "case", "catch", "class", "co_await", "co_return",
    "co_yield", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "define", "defined", "delete", "do", "dynamic_cast",
    "elif", "else", "endif", "enum", "error", "explicit", "export", "extern", "false", "final",
    "for", "friend", "goto", "if", "ifdef", "ifndef", "import", "include", "inline", "line",
    "module", "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or",
    "override", "pragma", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "restrict", "return", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "typeof", "undef", "union", "using", "virtual", "volatile", "warning",
    "while",
};
static const char *const words_c_types[] = {
    "FILE", "bool", "char", "double", "float", "int", "int16_t", "int32_t", "int64_t", "int8_t",
    "intptr_t", "long", "map", "optional", "ptrdiff_t", "shared_ptr", "short", "signed",
    "size_t", "ssize_t", "string", "string_view", "uint16_t", "uint32_t", "uint64_t", "uint8_t",
    "uintptr_t", "unique_ptr", "unsigned", "va_list", "vector", "void", "wchar_t",
};
static const char *const words_rust[] = {
    "Err", "None", "Ok", "Self", "Some", "as", "async", "await", "box", "break", "const",
    "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn", "for", "if", "impl",
    "in", "let", "loop", "macro_rules", "match", "mod", "move", "mut", "pub", "ref", "return",
    "self", "static", "struct", "super", "trait", "true", "type", "union", "unsafe", "use",
    "where", "while", "yield",
};
static const char *const words_rust_types[] = {
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128",
    "u16", "u32", "u64", "u8", "usize",
};
static const char *const words_go[] = {
    "append", "break", "cap", "case", "chan", "close", "const", "continue", "copy", "default",
    "defer", "delete", "else", "fallthrough", "false", "for", "func", "go", "goto", "if",
    "import", "interface", "iota", "len", "make", "map", "new", "nil", "package", "panic",
    "print", "println", "range", "recover", "return", "select", "struct", "switch", "true",
    "type", "var",
};
static const char *const words_go_types[] = {
    "any", "bool", "byte", "complex128", "complex64", "error", "float32", "float64", "int",
    "int16", "int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32", "uint64",
    "uint8", "uintptr",
};
static const char *const words_python[] = {
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class",
    "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
    "if", "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise",
    "return", "self", "try", "while", "with", "yield",
};
static const char *const words_python_types[] = {
    "bool", "bytes", "dict", "float", "frozenset", "int", "list", "object", "set", "str",
    "tuple", "type",
};
static const char *const words_js[] = {
    "Infinity", "NaN", "abstract", "as", "async", "await", "break", "case", "catch", "class",
    "const", "constructor", "continue", "debugger", "declare", "default", "delete", "do",
    "else", "enum", "export", "extends", "false", "finally", "for", "from", "function", "get",
    "if", "implements", "import", "in", "infer", "instanceof", "interface", "is", "keyof",
    "let", "namespace", "new", "null", "of", "override", "private", "protected", "public",
    "readonly", "return", "satisfies", "set", "static", "super", "switch", "this", "throw",
    "true", "try", "type", "typeof", "undefined", "var", "void", "while", "with", "yield",
};
static const char *const words_js_types[] = {
    "any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "unknown",
};
static const char *const words_java[] = {
    "abstract", "assert", "break", "case", "catch", "class", "const", "continue", "default",
    "do", "else", "enum", "extends", "false", "final", "finally", "for", "goto", "if",
    "implements", "import", "instanceof", "interface", "native", "new", "non-sealed", "null",
    "package", "permits", "private", "protected", "public", "record", "return", "sealed",
    "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws",
    "transient", "true", "try", "var", "volatile", "while", "yield",
};
static const char *const words_java_types[] = {
    "boolean", "byte", "char", "double", "float", "int", "long", "short", "void",
};
static const char *const words_kotlin[] = {
    "abstract", "actual", "annotation", "as", "break", "by", "catch", "class", "companion",
    "const", "constructor", "continue", "crossinline", "data", "delegate", "do", "dynamic",
    "else", "enum", "expect", "external", "false", "final", "finally", "for", "fun", "get",
    "if", "import", "in", "infix", "init", "inline", "inner", "interface", "internal", "is",
    "lateinit", "null", "object", "open", "operator", "out", "override", "package", "private",
    "protected", "public", "reified", "return", "sealed", "set", "super", "suspend", "tailrec",
    "this", "throw", "true", "try", "typealias", "typeof", "val", "var", "vararg", "when",
    "where", "while",
};
static const char *const words_swift[] = {
    "Any", "Self", "actor", "as", "associatedtype", "async", "await", "break", "case", "catch",
    "class", "continue", "convenience", "default", "defer", "deinit", "didSet", "do", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "get",
    "guard", "if", "import", "in", "indirect", "infix", "init", "inout", "internal", "is",
    "lazy", "let", "mutating", "nil", "nonisolated", "nonmutating", "open", "operator",
    "optional", "override", "private", "protocol", "public", "repeat", "required", "rethrows",
    "return", "self", "set", "some", "static", "struct", "subscript", "super", "switch",
    "throw", "throws", "true", "try", "typealias", "unowned", "var", "weak", "where", "while",
    "willSet",
};
static const char *const words_csharp[] = {
    "abstract", "as", "async", "await", "base", "break", "case", "catch", "checked", "class",
    "const", "continue", "default", "delegate", "do", "else", "enum", "event", "explicit",
    "extern", "false", "finally", "fixed", "for", "foreach", "get", "global", "goto", "if",
    "implicit", "in", "init", "interface", "internal", "is", "lock", "nameof", "namespace",
    "new", "not", "null", "operator", "or", "out", "override", "params", "partial", "private",
    "protected", "public", "readonly", "record", "ref", "required", "return", "sealed", "set",
    "sizeof", "stackalloc", "static", "struct", "switch", "this", "throw", "true", "try",
    "typeof", "unchecked", "unsafe", "using", "value", "var", "virtual", "volatile", "when",
    "where", "while", "with", "yield",
};
static const char *const words_csharp_types[] = {
    "bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long", "nint",
    "nuint", "object", "sbyte", "short", "string", "uint", "ulong", "ushort", "void",
};
static const char *const words_shell[] = {
    "alias", "break", "case", "cd", "continue", "coproc", "declare", "do", "done", "echo",
    "elif", "else", "esac", "eval", "exec", "exit", "export", "false", "fi", "for", "function",
    "if", "in", "let", "local", "printf", "pwd", "read", "readonly", "return", "select", "set",
    "shift", "source", "test", "then", "time", "trap", "true", "type", "ulimit", "umask",
    "unalias", "unset", "until", "wait", "while",
};
static const char *const words_sql[] = {
    "add", "all", "alter", "analyze", "and", "any", "as", "asc", "authorization", "begin",
    "between", "by", "cascade", "case", "cast", "check", "collate", "column", "commit",
    "conflict", "constraint", "create", "cross", "current_date", "current_time",
    "current_timestamp", "database", "default", "delete", "desc", "distinct", "do", "drop",
    "else", "end", "escape", "except", "exists", "explain", "false", "fetch", "filter", "for",
    "foreign", "from", "full", "function", "grant", "group", "having", "if", "ilike", "in",
    "index", "inner", "insert", "intersect", "into", "is", "isnull", "join", "key", "lateral",
    "left", "like", "limit", "materialized", "merge", "natural", "not", "notnull", "null",
    "offset", "on", "or", "order", "outer", "over", "partition", "primary", "procedure",
    "recursive", "references", "rename", "replace", "returning", "revoke", "right", "rollback",
    "row", "rows", "schema", "select", "sequence", "set", "some", "table", "temp", "temporary",
    "then", "to", "transaction", "trigger", "true", "truncate", "union", "unique", "update",
    "using", "vacuum", "values", "view", "when", "where", "window", "with",
};
static const char *const words_sql_types[] = {
    "bigint", "blob", "boolean", "bytea", "char", "date", "datetime", "decimal", "double",
    "float", "int", "integer", "interval", "json", "jsonb", "numeric", "real", "serial",
    "smallint", "text", "time", "timestamp", "timestamptz", "uuid", "varchar",
};
static const char *const words_ruby[] = {
    "BEGIN", "END", "alias", "and", "attr_accessor", "attr_reader", "attr_writer", "begin",
    "break", "case", "class", "def", "defined", "do", "else", "elsif", "end", "ensure",
    "extend", "false", "for", "if", "in", "include", "lambda", "loop", "module", "next", "nil",
    "not", "or", "prepend", "private", "proc", "protected", "public", "raise", "redo",
    "require", "require_relative", "rescue", "retry", "return", "self", "super", "then", "true",
    "undef", "unless", "until", "when", "while", "yield",
};
static const char *const words_php[] = {
    "abstract", "and", "array", "as", "break", "callable", "case", "catch", "class", "clone",
    "const", "continue", "declare", "default", "do", "echo", "else", "elseif", "empty", "enum",
    "extends", "false", "final", "finally", "fn", "for", "foreach", "function", "global",
    "goto", "if", "implements", "include", "include_once", "instanceof", "insteadof",
    "interface", "isset", "list", "match", "namespace", "new", "null", "or", "print", "private",
    "protected", "public", "readonly", "require", "require_once", "return", "self", "static",
    "switch", "this", "throw", "trait", "true", "try", "unset", "use", "var", "while", "xor",
    "yield",
};
static const char *const words_lua[] = {
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if",
    "in", "local", "nil", "not", "or", "repeat", "return", "self", "then", "true", "until",
    "while",
};
static const char *const words_haskell[] = {
    "as", "case", "class", "data", "default", "deriving", "do", "else", "family", "forall",
    "foreign", "hiding", "if", "import", "in", "infix", "infixl", "infixr", "instance", "let",
    "module", "newtype", "of", "otherwise", "qualified", "then", "type", "where",
};
static const char *const words_perl[] = {
    "and", "cmp", "die", "do", "each", "else", "elsif", "eq", "eval", "for", "foreach", "ge",
    "given", "gt", "if", "keys", "last", "le", "local", "lt", "map", "my", "ne", "next", "no",
    "not", "or", "our", "package", "print", "push", "redo", "ref", "require", "return", "say",
    "shift", "splice", "sub", "undef", "unless", "until", "use", "values", "wantarray", "when",
    "while", "xor",
};
static const char *const words_r[] = {
    "FALSE", "Inf", "NA", "NULL", "NaN", "TRUE", "break", "else", "for", "function", "if", "in",
    "library", "next", "repeat", "require", "return", "while",
};
static const char *const words_scala[] = {
    "abstract", "case", "catch", "class", "def", "derives", "do", "else", "end", "enum",
    "export", "extends", "extension", "false", "final", "finally", "for", "forSome", "given",
    "if", "implicit", "import", "inline", "lazy", "match", "new", "null", "object", "opaque",
    "open", "override", "package", "private", "protected", "return", "sealed", "super", "then",
    "this", "throw", "trait", "transparent", "true", "try", "type", "using", "val", "var",
    "while", "with", "yield",
};
static const char *const words_zig[] = {
    "addrspace", "align", "allowzero", "and", "anyframe", "anytype", "asm", "async", "await",
    "break", "callconv", "catch", "comptime", "const", "continue", "defer", "else", "enum",
    "errdefer", "error", "export", "extern", "false", "fn", "for", "if", "inline", "noalias",
    "nosuspend", "null", "opaque", "or", "orelse", "packed", "pub", "resume", "return",
    "struct", "suspend", "switch", "test", "threadlocal", "true", "try", "undefined", "union",
    "unreachable", "usingnamespace", "var", "volatile", "while",
};
static const char *const words_zig_types[] = {
    "anyerror", "anyopaque", "bool", "c_int", "f16", "f32", "f64", "i16", "i32", "i64", "i8",
    "isize", "noreturn", "type", "u16", "u32", "u64", "u8", "usize", "void",
};
static const char *const words_nix[] = {
    "abort", "assert", "builtins", "else", "false", "if", "import", "in", "inherit", "let",
    "map", "null", "or", "rec", "then", "throw", "true", "with",
};
static const char *const words_elixir[] = {
    "after", "alias", "and", "case", "catch", "cond", "def", "defdelegate", "defguard",
    "defimpl", "defmacro", "defmodule", "defp", "defprotocol", "defstruct", "do", "else", "end",
    "false", "fn", "for", "if", "import", "in", "nil", "not", "or", "quote", "raise", "receive",
    "require", "rescue", "self", "send", "super", "true", "try", "unless", "unquote", "use",
    "when", "with",
};
static const char *const words_dart[] = {
    "abstract", "as", "assert", "async", "await", "base", "break", "case", "catch", "class",
    "const", "continue", "covariant", "default", "deferred", "do", "dynamic", "else", "enum",
    "export", "extends", "extension", "external", "factory", "false", "final", "finally", "for",
    "get", "hide", "if", "implements", "import", "in", "interface", "is", "late", "library",
    "mixin", "new", "null", "of", "on", "operator", "part", "required", "rethrow", "return",
    "sealed", "set", "show", "static", "super", "switch", "sync", "this", "throw", "true",
    "try", "typedef", "var", "when", "while", "with", "yield",
};
static const char *const words_docker[] = {
    "add", "arg", "as", "cmd", "copy", "entrypoint", "env", "expose", "from", "healthcheck",
    "label", "maintainer", "onbuild", "run", "shell", "stopsignal", "user", "volume", "workdir",
};
static const char *const words_make[] = {
    "define", "else", "endef", "endif", "export", "ifdef", "ifeq", "ifndef", "ifneq", "include",
    "override", "private", "undefine", "unexport", "vpath",
};
static const char *const words_data[] = {
    "false", "no", "null", "off", "on", "true", "yes",
};
static const char *const words_css[] = {
    "and", "auto", "charset", "container", "font-face", "from", "import", "important",
    "inherit", "initial", "keyframes", "layer", "media", "none", "not", "only", "or",
    "property", "supports", "to", "unset",
};
static const char *const words_clojure[] = {
    "case", "catch", "comment", "cond", "def", "defmacro", "defmethod", "defmulti", "defn",
    "defprotocol", "defrecord", "do", "doseq", "dotimes", "false", "finally", "fn", "for", "if",
    "if-let", "if-not", "import", "let", "loop", "nil", "ns", "or", "quote", "recur", "reify",
    "require", "throw", "true", "try", "when", "when-let", "when-not",
};
static const char *const words_powershell[] = {
    "begin", "break", "catch", "class", "continue", "do", "dynamicparam", "else", "elseif",
    "end", "enum", "exit", "filter", "finally", "for", "foreach", "function", "hidden", "if",
    "in", "param", "process", "return", "static", "switch", "throw", "trap", "try", "until",
    "using", "while",
};
static const char *const words_cmake[] = {
    "add_executable", "add_library", "add_subdirectory", "cmake_minimum_required", "else",
    "elseif", "endforeach", "endfunction", "endif", "endmacro", "find_package", "foreach",
    "function", "if", "include", "install", "macro", "message", "option", "project", "set",
    "target_include_directories", "target_link_libraries",
};
static const char *const words_tf[] = {
    "data", "dynamic", "false", "for_each", "locals", "module", "moved", "null", "output",
    "provider", "resource", "terraform", "true", "variable",
};
static const char *const words_proto[] = {
    "enum", "extend", "extensions", "false", "import", "map", "message", "oneof", "option",
    "optional", "package", "repeated", "required", "reserved", "returns", "rpc", "service",
    "stream", "syntax", "to", "true",
};
// clang-format on

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
