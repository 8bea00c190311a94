/*
 * kedge in a program of yours: conversations with a model that can read, write, run commands and
 * use GitHub, from C or C++.
 *
 * Errors: functions return a kedge_code, KEDGE_OK or why not; where there is a `ret_error` (it may
 * be NULL) it then gets what went wrong in words, which you free. All text is UTF-8; where the
 * library returns a `char *` it is yours, for kedge_free(). JSON goes both ways as text.
 *
 * Threads: every function may be called on any thread. A conversation has a thread of its own, on
 * which your event and question functions run, one at a time and in order; a tool of yours runs on
 * a thread of its call. They may call the library again, for their own conversation too; there
 * nothing waits for the conversation: what would is refused with KEDGE_USAGE, or begun with
 * KEDGE_PENDING. Several conversations in one process know nothing of each other.
 *
 * Your process: the library prints nothing, ends nothing, installs no signal handler and changes
 * neither environment, directory nor masks; only kedge_protect_process() does, when you ask for it.
 * Shared by all conversations are what kedge_set_log() and kedge_set_secret() say. The library
 * stays loaded once it was. It starts children: do not ignore SIGCHLD, do not wait for children
 * that are not yours, and do not change the environment while a conversation is open. After fork()
 * the child must not use it before exec. As everywhere in GLib, a program that runs out of memory
 * ends.
 *
 * Limits: see docs/embedding.md. The version of a struct is its `size`; set it, and let the rest be
 * zero but for what you want:
 *
 *   kedge_options options = { .size = sizeof options, .cwd = "/path" };      // C
 *   kedge_options options = {}; options.size = sizeof options;               // C++
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kedge_code {
    KEDGE_OK = 0,
    KEDGE_PENDING = 1,   /* begun; the event command_end will tell how it went */
    KEDGE_CANCELLED = 2, /* stopped on purpose */
    KEDGE_USAGE = 3,     /* the call cannot be meant like this */
    KEDGE_NOT_FOUND = 4,
    KEDGE_DENIED = 5,
    KEDGE_NETWORK = 6,
    KEDGE_TIMEOUT = 7,
    KEDGE_PROTOCOL = 8, /* the other side, or a file, holds something that cannot be used */
    KEDGE_LIMIT = 9,
    KEDGE_IO = 10,
    KEDGE_FAILED = 11 /* it ran, and says no; the message is all there is to know */
} kedge_code;

typedef struct kedge_error kedge_error;
kedge_code kedge_error_code(const kedge_error *error);
const char *kedge_error_message(const kedge_error *error); /* valid until it is freed */
void kedge_error_free(kedge_error *error);                 /* NULL is allowed */

/* A text that the library returned; NULL is allowed. */
void kedge_free(char *text);

const char *kedge_version(void); /* "0.1.0" */

// ---- the process, once: before the first conversation ----

/* What kedge has to say to a person, a line at a time, from any thread, several at once too: what
   is wrong with a file of settings, which model was taken. Without a function (NULL) it is dropped.
 */
typedef void (*kedge_log_func)(const char *line, void *user_data);
void kedge_set_log(kedge_log_func func, void *user_data);

/* A key, as if the environment had the variable: "ANTHROPIC_API_KEY". It is masked in what models,
   sessions and events get, and withheld from children. */
kedge_code kedge_set_secret(const char *variable, const char *value, kedge_error **ret_error);

/* What `kedge` itself does at its start, and what nothing else here does: keys and tokens leave the
   environment of this process, and other processes of the user can look into it no more (no core
   file, no debugger). While there is one thread. */
void kedge_protect_process(void);

// ---- a conversation ----

typedef struct kedge_session kedge_session;

typedef enum kedge_answer {
    KEDGE_NO = 0,
    KEDGE_YES = 1,
    KEDGE_LATER = 2 /* kedge_session_answer() will say */
} kedge_answer;

/* A call that a person must agree to: {"type":"question","id","tool","effect","summary","text",
   "arguments"}; with the tool "loop": whether a model that goes round in circles may go on. */
typedef kedge_answer (*kedge_question_func)(const char *question, void *user_data);

typedef struct kedge_options {
    size_t size;          /* sizeof(kedge_options) */
    const char *cwd;      /* the project; NULL: the process's */
    const char *model;    /* [provider/]id-or-pattern[:thinking level]; NULL: as settings say */
    const char *api_key;  /* for the provider of `model`, which must be given; never stored */
    const char *thinking; /* off, minimal, low, medium, high, xhigh; NULL: as settings say */
    const char *session;  /* goes on with this one, by id or path; NULL: a new one */
    const char *session_dir;
    int no_session;       /* keep it in memory only */
    int continues_recent; /* goes on with the newest one of `cwd`, if there is one */
    const char *settings; /* JSON object over those of the user and the project; NULL: none */
    const char *tools;    /* "read,grep": only these; "": none; NULL: as settings say */
    const char *system_prompt, *append_system_prompt; /* text or file */
    int allow_writes;                                 /* yes where a write would be asked about */
    long long max_turns;                              /* 0: no limit */
    double max_cost;                                  /* US dollars; 0: no limit */
    kedge_question_func on_question; /* NULL: nobody can be asked, and the policy decides */
    void *user_data;                 /* of on_question */
} kedge_options;

/* `options` and what it points to are read during the call only. NULL when it failed. */
kedge_session *kedge_session_open(const kedge_options *options, kedge_error **ret_error);

/* Stops what runs, writes the session out, and returns when nothing of it runs any more: tools of
   yours are waited for, and what other threads wait for ends with KEDGE_CANCELLED. Nobody may begin
   a call meanwhile. Not from a function that the conversation calls: KEDGE_USAGE, and it stays
   open. NULL is allowed. */
kedge_code kedge_session_free(kedge_session *session);

// ---- events ----

typedef enum kedge_detail {
    KEDGE_MESSAGES = 0, /* messages come whole, with message_end */
    KEDGE_DELTAS = 1,   /* message_update with what is new, at most every 16 ms */
    KEDGE_WHOLE = 2     /* message_update with the message so far, at most every 100 ms */
} kedge_detail;

/* `event` is one JSON object, valid during the call: those that docs/rpc.md names, and command_end,
   question, question_closed. */
typedef void (*kedge_event_func)(const char *event, void *user_data);

/* *ret_id (may be NULL) is for unsubscribing. */
kedge_code kedge_session_subscribe(kedge_session *session, kedge_detail detail,
                                   kedge_event_func func, void *user_data, unsigned *ret_id,
                                   kedge_error **ret_error);
/* When it returns the function runs no more, but for the call that asked. */
kedge_code kedge_session_unsubscribe(kedge_session *session, unsigned id, kedge_error **ret_error);

// ---- talking ----

/* Sends a message, waits for the end of its run, and gives the text of the last answer (`ret_text`
   may be NULL). KEDGE_FAILED with what the model's server said; KEDGE_CANCELLED after an abort;
   KEDGE_LIMIT when a budget is used up. */
kedge_code kedge_session_run(kedge_session *session, const char *message, char **ret_text,
                             kedge_error **ret_error);

/* Sends a message and returns: the events tell the rest. KEDGE_USAGE while a run is on. */
kedge_code kedge_session_prompt(kedge_session *session, const char *message,
                                kedge_error **ret_error);
/* To the run that is on, before its next turn; after it. */
kedge_code kedge_session_steer(kedge_session *session, const char *message,
                               kedge_error **ret_error);
kedge_code kedge_session_follow_up(kedge_session *session, const char *message,
                                   kedge_error **ret_error);
/* Stops the run, and does not wait for its end. */
kedge_code kedge_session_abort(kedge_session *session, kedge_error **ret_error);
/* Until nothing runs and everything was told; below 0: however long. KEDGE_TIMEOUT. */
kedge_code kedge_session_wait(kedge_session *session, long long timeout_ms,
                              kedge_error **ret_error);
/* The answer to a question; KEDGE_NOT_FOUND when it is not open any more. */
kedge_code kedge_session_answer(kedge_session *session, const char *question_id, int is_approved,
                                kedge_error **ret_error);

/* Any command of docs/rpc.md that is the conversation's, by name: models, sessions, branches,
   compaction, state. `arguments` is a JSON object (NULL: none). Waits for its end; *ret_data (may
   be NULL) is then its JSON, or NULL when it has none. */
kedge_code kedge_session_command(kedge_session *session, const char *name, const char *arguments,
                                 char **ret_data, kedge_error **ret_error);
/* The same without waiting: KEDGE_PENDING when command_end, with this `id`, will tell. An id must
   not begin with "kedge:". */
kedge_code kedge_session_begin(kedge_session *session, const char *name, const char *arguments,
                               const char *id, char **ret_data, kedge_error **ret_error);

// ---- tools of yours, which the model may call ----

typedef struct kedge_call kedge_call; /* valid during the function's call, on its thread */

/* `arguments` is a JSON object that fits the schema. 0: done, with what kedge_call_add_text() was
   given; else it failed, and that text is the error's. */
typedef int (*kedge_tool_func)(kedge_call *call, const char *arguments, void *user_data);

enum {
    KEDGE_TOOL_READS = 1 << 0,    /* it changes nothing */
    KEDGE_TOOL_EXCLUSIVE = 1 << 1 /* never beside another call; without it several threads may be in
                                     the function at once */
};

typedef struct kedge_tool {
    size_t size;             /* sizeof(kedge_tool) */
    const char *name;        /* [A-Za-z0-9_-]{1,64} */
    const char *description; /* for the model */
    const char *parameters;  /* JSON Schema of an object */
    unsigned flags;
    kedge_tool_func func;
    void *user_data;
} kedge_tool;

/* Replaces those that were set before; they count from the next turn on. What the tools point to is
   copied, but for func and user_data, which must stay until kedge_session_free(). */
kedge_code kedge_session_set_tools(kedge_session *session, const kedge_tool *tools, size_t count,
                                   kedge_error **ret_error);

const char *kedge_call_id(const kedge_call *call);
const char *kedge_call_tool(const kedge_call *call);
int kedge_call_is_cancelled(const kedge_call *call); /* nobody wants the result any more */
/* Sleeps; 0 at once when the call is cancelled meanwhile, else 1. */
int kedge_call_sleep(kedge_call *call, long long duration_ms);
void kedge_call_add_text(kedge_call *call, const char *text);
void kedge_call_add_image(kedge_call *call, const char *base64, const char *mime_type);
/* Progress, for those who listen; the model does not see it. */
void kedge_call_update(kedge_call *call, const char *text);

// ---- the protocol of `kedge --mode rpc` (docs/rpc.md) ----

/* Serves one conversation over descriptors, which may be one and the same (a socket), and returns
   when the other side has closed its end. Both are closed in any case. `on_question` is not used:
   the other side is asked. */
kedge_code kedge_rpc_serve(const kedge_options *options, int input_fd, int output_fd,
                           kedge_error **ret_error);

#ifdef __cplusplus
}
#endif
