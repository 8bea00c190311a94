/*
 * What the files of block.h and transcript.h share: text of others made fit for the screen,
 * lines picked from a long output, and the small rows that say what was left out. Pure.
 */
#pragma once

#include "tui/text/md_stream.h"
#include "tui/view/block.h"

enum {
    BLOCK_INDENT = 2,                // of what stands below a title
    BLOCK_TEXT_LINES = 3,            // of a result that is not expanded
    BLOCK_COMMAND_LINES = 20,        // of what a command printed
    BLOCK_DIFF_LINES = 40,           // of an edit
    BLOCK_HEAD_LINES = 10,           // of a new file
    BLOCK_PROMPT_LINES = 50,         // of what a person wrote
    BLOCK_LINE_ROWS = 3,             // of one line, unless all is expanded
    LIMIT_BLOCK_LINES = 10000,       // of an expanded output
    LIMIT_BLOCK_BYTES = 1024 * 1024, // likewise
    LIMIT_BLOCK_LINE_BYTES = 8 * 1024,
};

/* Clean (clean.h), and known secrets masked. Caller frees. */
char *block_clean(const char *text, size_t size, int tab_width);
/* A name, or anything else that is one line. Caller frees. */
char *block_clean_line(const char *text, int max_cells);

/* "9,812"; caller frees. */
char *block_count(gint64 count);

typedef struct LinesSpec {
    const BlockSpec *block;
    Style style;
    int max_lines;    // when not expanded
    bool keeps_end;   // the last lines of it, not the first
    bool is_prose;    // wrapped by words
    const Row *first; // what the first row begins with, and the others; NULL: BLOCK_INDENT blanks
    const Row *rest;
} LinesSpec;

/* Lines of a text of others. What is left out is neither cleaned nor laid out, but counted:
   "… 120 more lines (Ctrl+O)". Blank lines at the end go. */
void block_lines(const char *text, size_t size, const LinesSpec *spec, GPtrArray *out);
/* The end of a text: at most `count` lines, newest last, each cut to `cells`. The cost is theirs.
 */
void block_last_lines(const char *text, size_t size, int count, int cells, const BlockSpec *spec,
                      GPtrArray *out);

/* A row after a mark, wrapped by words; a text of several lines. */
void block_marked(Symbol mark, Style mark_style, const char *text, Style style,
                  const BlockSpec *spec, GPtrArray *out);

/* "[image png 800x600]" for each image of an array of blocks, and below it the picture's own
   rows where the terminal draws it. */
void block_images(const json_t *blocks, const BlockSpec *spec, GPtrArray *out);
bool block_has_images(const json_t *blocks);

/* Of a text or thinking part of an answer. */
MdSpec block_md_spec(bool is_thinking, const BlockSpec *spec);
/* How an answer ended, when that was not well. */
void block_answer_end(const json_t *message, const BlockSpec *spec, GPtrArray *out);

/* "query: …" lines of arguments that no title can say. */
void block_tree(const json_t *value, const BlockSpec *spec, GPtrArray *out);

/* The diff of an edit's result, or the head of a new file; false: it has none. */
bool block_edit_rows(const json_t *arguments, const json_t *result, const BlockSpec *spec,
                     GPtrArray *out);

/* Messages that are neither a person's words nor an answer: commands, summaries, notices of jobs,
   files. */
void block_notice_message(const json_t *message, const BlockSpec *spec, GPtrArray *out);

typedef enum { TONE_NOTE, TONE_WARNING, TONE_ERROR } Tone;

/* What an event has to say to a person, in one line or a few; NULL: nothing. Caller frees. */
char *block_event_text(const json_t *event, Tone *ret_tone);
void block_tone_rows(Tone tone, const char *text, const BlockSpec *spec, GPtrArray *out);

/* A read whose result says no more than its title: several of them fold into one. */
bool block_is_plain_read(const char *tool, const json_t *result, bool is_error);
/* What it is called in such a row. Caller frees. */
char *block_read_name(const json_t *arguments, const json_t *result, const BlockSpec *spec);
/* "read a.c, b.c"; `names` are clean. Caller unrefs. */
Row *block_reads_title(const GPtrArray *names, const BlockSpec *spec);

/* "src/a.c": what the title of a call says of its arguments, "" for nothing. Caller frees. */
char *block_arguments_line(const json_t *arguments, const BlockSpec *spec);
/* What the model said that it is for; "": nothing. Caller frees. */
char *block_intent(const json_t *arguments);
/* Both clean. Caller unrefs. */
Row *block_title_row(const char *tool, const char *line, const char *intent, Symbol mark,
                     Style style, const BlockSpec *spec);

/* A title, wrapped. */
void block_wrap_title(const Row *title, const BlockSpec *spec, GPtrArray *out);
