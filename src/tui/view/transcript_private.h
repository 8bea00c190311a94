/*
 * What the files of transcript.h share: the conversation's open end. An answer arrives in parts
 * (text, thinking), of which one is open at a time; its calls wait in their order for those before
 * them; reads that followed each other wait for something else.
 */
#pragma once

#include "tui/text/clean.h"
#include "tui/view/block_private.h"
#include "tui/view/transcript.h"

#include "base/mask.h"

enum {
    LIVE_CELLS = 60,       // of a live row (tui §1 rule 3)
    LIVE_TAIL_ROWS = 100,  // at their own width
    LIVE_OUTPUT = 5,       // lines of a running call's output
    LIMIT_READ_GROUP = 20, // reads that fold into one
    LIMIT_LAST_OUTPUT_BYTES = 1024 * 1024,
    LIMIT_REPLAY_ROWS = 20000, // also when the last user message is further up
};

typedef enum {
    KIND_NONE, // nothing is there yet
    KIND_USER,
    KIND_OTHER, // a command, a summary, a rule
    KIND_TEXT,
    KIND_THINKING,
    KIND_TOOL,
    KIND_NOTICE,
    KIND_COMMAND, // what a person asked of kedge itself: the heading of the notices below it
} BlockKind;

typedef struct Part {
    size_t index; // of the message's content
    bool is_thinking;
    bool is_ended;
    bool has_gap;   // something of it was missed: the rest comes with the whole message
    size_t bytes;   // of its text so far
    GString *later; // what came while a part before it was open
} Part;

typedef struct Answer {
    GPtrArray *parts; // by index
    unsigned current; // the open one; those before are laid out
    MdStream *stream; // of it; NULL: none, or it is not shown
    Cleaner *cleaner;
    MaskFilter *mask;
    bool is_open;   // the current part has begun
    bool has_begun; // with rows
    bool is_arriving;
} Answer;

typedef struct Call {
    char *id, *tool;
    json_t *arguments; // all NULL when not known
    json_t *partial;   // the newest
    json_t *result;
    gint64 begun_at, duration_ms;
    char *line, *intent; // of the live title; made when they are first needed
    bool has_started, is_done, is_error;
} Call;

struct Transcript {
    TranscriptSpec spec;
    BlockSpec block;
    GPtrArray *rows;   // for good, not taken yet
    BlockKind last;    // what the last of all rows belongs to
    unsigned user_row; // in `rows`, where the last prompt begins; for a replay
    Answer answer;
    GQueue calls;     // of Call; those that are not committed, in their order
    GPtrArray *reads; // names of those that are to fold
    int shells; // commands of the person that were told by their end and not yet by their message;
                // -1: one by its message and not yet by its end
    char *last_output;
    Call *last_call;  // of those that are committed; NULL: none, or a person's command came since
    char *command;    // what a person asked of kedge last; NULL: nothing
    bool is_asked;    // what is said next belongs to it
    char *heading;    // the word of the newest KIND_COMMAND; NULL: more than notices came since
    char *error;      // of the last answer; NULL: it had none
    bool is_retrying; // and that request is made again
};

/* An empty row between blocks, but for those that belong together. */
bool transcript_needs_gap(const Transcript *self, BlockKind kind);
/* Rows of a block for good; `is_new`: its first ones. Takes nothing; what folds comes before. */
void transcript_commit(Transcript *self, BlockKind kind, bool is_new, const GPtrArray *rows);

/* A read that is to fold with its neighbours; takes the name, which is clean. */
void reads_add(Transcript *self, char *name);
void reads_flush(Transcript *self);
void reads_live_rows(const Transcript *self, int cells, GPtrArray *out);

/* The message that begins, grows, and is whole. */
void answer_begin(Transcript *self);
bool answer_update(Transcript *self, const json_t *event);
void answer_end(Transcript *self, const json_t *message);
void answer_set_width(Transcript *self);
void answer_set_theme(Transcript *self);
void answer_clear(Answer *self);
/* Its unfinished end. */
void answer_open_rows(Transcript *self, GPtrArray *out);
BlockKind answer_kind(const Transcript *self);

/* The calls of an answer, in their order. */
void calls_expect(Transcript *self, const json_t *message);
void calls_start(Transcript *self, const json_t *event);
bool calls_update(Transcript *self, const json_t *event);
void calls_end(Transcript *self, const json_t *event);
/* A message of role toolResult: nothing when its call has ended. */
void calls_take_result(Transcript *self, const json_t *message);
/* Those that are open will not end any more. */
void calls_give_up(Transcript *self);
/* The texts of `content`, for transcript_last_output(). */
void calls_keep_output(Transcript *self, const json_t *content);
void calls_clear(Transcript *self);
void call_free(gpointer self); // a Call; NULL allowed
bool calls_are_running(const Transcript *self);
/* At most `max_rows`, each of at most `cells`. */
void calls_live_rows(Transcript *self, int cells, int max_rows, int step, GPtrArray *out);

void transcript_message(Transcript *self, const json_t *message);
