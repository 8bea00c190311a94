/*
 * Inside of the lexer: the state of one run, and the functions that the machines share. A machine
 * is either a hook, which is asked at certain bytes before the table is and may use up text, or
 * replaces the engine altogether.
 *
 * Every function moves `at` forward, or fails without having looked further than some byte that no
 * second call looks at again: so the time stays linear.
 */
#pragma once

#include "lang/language_row.h"
#include "lang/lexer.h"

#include <stddef.h>
#include <stdint.h>

#define LEXER_DEPTH_MAX 4096 // nested interpolations; deeper ones are text
#define LEXER_PARTS_MAX 4    // parts of a text in parts
#define LITERAL_TAG_MAX 255  // bytes of a closing delimiter taken from the opening one

/* A literal that is being read. The closing delimiter is head, tag and tail. */
typedef struct Literal {
    const char *head;
    const char *tag; // in the text
    size_t tag_size;
    const char *tail;
    char escape;
    char nest_open; // ( of %q( ), which nests; 0: none
    unsigned nest;
    unsigned flags; // StringFlags
    const char *interpolation[2];
} Literal;

typedef enum { FRAME_LITERAL, FRAME_JSX_TAG, FRAME_JSX_TEXT } FrameKind;

/* Code inside of something else: `${ … }`. */
typedef struct Frame {
    FrameKind kind;
    char open, close;  // the bracket
    unsigned depth;    // brackets opened inside
    unsigned elements; // JSX: elements open around
    Literal literal;
} Frame;

typedef struct Heredoc {
    char *terminator;
    bool strips_tabs, strips_blanks; // before the terminator
    bool is_php;                     // code goes on behind the terminator
} Heredoc;

typedef struct DocstringState {
    size_t depth;       // brackets
    size_t expected;    // just behind the colon of a class or function; 0: none
    bool is_definition; // the logical line begins with class or def
    bool has_started;
} DocstringState;

enum { // what can begin at a byte
    CLASS_LINE_END = 1 << 0,
    CLASS_HOOK = 1 << 1,
    CLASS_BLOCK = 1 << 2,
    CLASS_LINE = 1 << 3,
    CLASS_STRING = 1 << 4,
    CLASS_REGEX = 1 << 5,
    CLASS_BRACKET = 1 << 6,
};

struct Lexer {
    const char *text;
    size_t start, end; // the part that is read; nothing outside is looked at
    size_t at;
    const Language *language;
    const Language *(*find_language)(const char *name); // of parts in other languages
    unsigned flags;                                     // LexFlags
    unsigned depth;                                     // parts around this one
    GArray *comments;                                   // Comment; borrowed
    GArray *frames;                                     // Frame
    GPtrArray *heredocs;     // Heredoc *, those whose bodies begin on the next line
    size_t comment_end;      // of the last comment
    size_t before_comment;   // behind the last code byte before it
    size_t dead_end;         // no regex literal starts before this
    GHashTable *jsx_closers; // name → last place of its closing tag; made when first needed
    DocstringState docstring;
    uint8_t classes[256];
};

/* Reads what text, start, end, language, find_language, flags, depth and comments say. */
void lexer_run(Lexer *self);
/* Reads [start, end) as `language`, comments go to the same list. Parts that are nested deeper than
   LEXER_PARTS_MAX are passed over, so that nothing is read more often than that. */
void lexer_run_inner(Lexer *self, const Language *language, size_t start, size_t end);
/* The engine itself, for machines that only prepare something. */
void lexer_run_table(Lexer *self);

// ---- looking ----

static inline bool lexer_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool lexer_is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The byte at `at` + `offset`, or before the part and behind it a line's end. */
static inline char lexer_peek(const Lexer *self, size_t offset)
{
    return offset < self->end - self->at ? self->text[self->at + offset] : '\n';
}

static inline char lexer_before(const Lexer *self, size_t place)
{
    return place > self->start ? self->text[place - 1] : '\n';
}

bool lexer_has(const Lexer *self, size_t place, const char *text);
bool lexer_has_nocase(const Lexer *self, size_t place, const char *text);
bool lexer_is_first(const Lexer *self, size_t place); // only blanks before it on its line
/* `mark` at `place` is alone on its line. */
bool lexer_is_alone(const Lexer *self, size_t place, const char *mark);
size_t lexer_line_end(const Lexer *self, size_t place); // its LF, or the end
size_t lexer_skip_blanks(const Lexer *self, size_t place);
/* Of `needle` at or behind `place`; the end when there is none. */
size_t lexer_find(const Lexer *self, size_t place, const char *needle);
size_t lexer_word_end(const Lexer *self, size_t place);
/* The start of the word that ends at `end`, but `max` bytes before it at most. */
size_t lexer_word_start(const Lexer *self, size_t end, size_t max);
/* Behind the last byte of code before `place`, comments and white space passed over; the start when
   there is none. */
size_t lexer_code_before(const Lexer *self, size_t place);
/* [start, end) is one of the blank-separated words. */
bool lexer_is_one_of(const Lexer *self, size_t start, size_t end, const char *words);

// ---- comments ----

void lexer_add(Lexer *self, size_t start, size_t end, bool is_delimited);
/* The comment that starts at `at` and ends with its line; goes to the line's end. */
void lexer_add_line(Lexer *self, unsigned flags);
/* The comment that starts at `at`; goes behind it. */
void lexer_add_block(Lexer *self, const BlockMark *mark);

// ---- entering code ----

/* A byte of this class is looked at by the engine. */
void lexer_set_class(Lexer *self, char byte, unsigned class);
/* Pushes code that a bracket opens, which brackets end or nest from now on; false at
   LEXER_DEPTH_MAX. */
bool frame_push(Lexer *self, const Frame *frame);

// ---- literals (strings.c) ----

bool lexer_string(Lexer *self);
/* Reads on from `at`: to behind the closer, to code inside, or to where it ends without one. */
void literal_read(Lexer *self, const Literal *literal);
/* Passes over a literal that opens with `open_size` bytes at `at`. */
void literal_open(Lexer *self, size_t open_size, const Literal *literal);
/* From the bracket or other character at `at`, as in %q( ): to behind its closer. */
void literal_delimited(Lexer *self, char escape, const char *interpolation);

// ---- code inside of something else (frames.c) ----

/* A bracket inside of code in a frame; false when it is none that matters. */
bool frame_bracket(Lexer *self, char c);
void frame_line_end(Lexer *self);

// ---- here-documents (heredoc.c) ----

typedef enum { HEREDOC_DASH_TABS = 1, HEREDOC_DASH_BLANKS, HEREDOC_ALWAYS_BLANKS } HeredocDash;

void heredoc_free(Heredoc *self);
/* `<<`, `<<-`, `<<~` at `at` with its word; false when it is none. `is_bare_allowed`: the word
   needs no quotes. */
bool heredoc_open(Lexer *self, HeredocDash dash, bool is_bare_allowed);
bool heredoc_open_shell(Lexer *self);
bool heredoc_open_php(Lexer *self);
/* At a line's LF: passes over the bodies that begin behind it. */
void heredoc_line_end(Lexer *self);

// ---- regex literals and the like (regex.c) ----

bool regex_is_operand_next(const Lexer *self);
bool regex_skip(Lexer *self);
bool jsx_open(Lexer *self);
/* The code of a `{…}` is over: reads on in what was around it. */
void jsx_resume(Lexer *self, const Frame *frame);

// ---- hooks and machines of languages ----

bool hook_c(Lexer *self);
bool hook_csharp(Lexer *self);
bool hook_tick(Lexer *self);
bool hook_rust(Lexer *self);
bool hook_swift(Lexer *self);
bool hook_d(Lexer *self);
bool hook_zig(Lexer *self);
bool hook_javascript(Lexer *self);
bool hook_css(Lexer *self);
bool hook_php(Lexer *self);
bool hook_python(Lexer *self);
bool hook_ruby(Lexer *self);
bool hook_crystal(Lexer *self);
bool hook_perl(Lexer *self);
bool hook_elixir(Lexer *self);
bool hook_erlang(Lexer *self);
bool hook_prolog(Lexer *self);
bool hook_lua(Lexer *self);
bool hook_cmake(Lexer *self);
bool hook_sql(Lexer *self);
bool hook_lisp(Lexer *self);
bool hook_ocaml(Lexer *self);
bool hook_hcl(Lexer *self);
bool hook_dockerfile(Lexer *self);
bool hook_r(Lexer *self);
bool hook_tex(Lexer *self);

void machine_php(Lexer *self);
void machine_sed(Lexer *self);
void machine_shell(Lexer *self);
void machine_make(Lexer *self);
void machine_yaml(Lexer *self);
void machine_html(Lexer *self);
void machine_xml(Lexer *self);
void machine_component(Lexer *self); // Vue, Svelte, Astro
void machine_template(Lexer *self);  // Handlebars, Jinja, Twig, ERB
void machine_markdown(Lexer *self);
