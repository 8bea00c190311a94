/*
 * One wire format: how a request is written and how the events of its answer are read. Private to
 * this room; a format is a file that writes (X_request.c) and one that reads.
 *
 * What the formats have in common is written once: body.c walks the conversation and joins the
 * body, reader.c keeps track of the blocks that come, and wire.c has the small things.
 */
#pragma once

#include "base/sse.h"
#include "model/body.h"
#include "model/stream.h"

/* What a body depends on in the conversation as a whole. */
typedef struct BodyFacts {
    bool has_calls;      // some tool was called
    bool lacks_thinking; // the last turn has tool calls and did not begin with signed thinking
    bool has_stub_tools; // the request has no tools: those that were called are named
} BodyFacts;

typedef struct WireFormat {
    char *(*make_url)(const Model *model);
    /* Appends "name: value" strings: authentication and what the format itself needs. */
    void (*add_headers)(const ProviderRequest *request, GPtrArray *headers);

    /* The body is one object: what write_head() sets, the messages under `messages_key`, what
       write_tail() sets. The head is the same in every request of a conversation; providers find
       their cache by these bytes. */
    const char *messages_key;
    void (*write_head)(const ProviderRequest *request, const BodyFacts *facts, json_t *head);
    void (*write_tail)(const ProviderRequest *request, const BodyFacts *facts, json_t *tail);
    /* System text that is a message; NULL: it is in the head. Appends to `out`. */
    void (*write_system)(const ProviderRequest *request, json_t *out);
    /* A converted message, or a batch of tool results, becomes messages of the format: appends to
       `out`. They depend on nothing else, but that a message of the user may know whether one of a
       tool comes before it. */
    void (*write_user)(const Model *model, const json_t *message, bool is_after_tool, json_t *out);
    void (*write_assistant)(const Model *model, const json_t *message, json_t *out);
    void (*write_results)(const Model *model, const json_t *results, json_t *out);
    /* Something of the assistant's converted message cannot be sent back to who said it. NULL:
       everything can. */
    bool (*has_lost)(const json_t *message);
    /* "Continue." is said before a conversation that begins with the assistant and after one that
       ends with it, messages of one role are merged, and calls need tools by their names. */
    bool is_strict;
    /* How many bytes before the end of the text of a message of the user a cache marker may be put;
       0: nowhere. NULL: the format has none. */
    size_t (*marker_place)(const json_t *wire_message);
    /* The marker, `,"name":…` (caller frees); NULL: none this time. */
    char *(*make_marker)(const Model *model);

    /* A decoder puts what it reads into `stream` (borrowed). It is the user_data of on_event. */
    void *(*decoder_new)(ModelStream *stream);
    void (*decoder_free)(void *decoder);
    SseEventFunc on_event;
    /* For HttpRequest: true once the answer's last event has been read. */
    const bool *(*is_complete)(const void *decoder);
    /* The stream has ended: the stop reason (static text), or what was wrong with the answer. */
    bool (*finish)(void *decoder, const char **ret_reason, GError **error);
    /* The connection broke: may put the format's own words before *error. NULL: nothing to add. */
    void (*explain_cut)(const void *decoder, GError **error);
} WireFormat;

extern const WireFormat wire_anthropic;
extern const WireFormat wire_openai_chat;
extern const WireFormat wire_responses;
extern const WireFormat wire_azure_responses;
extern const WireFormat wire_gemini;
extern const WireFormat wire_vertex;

const WireFormat *wire_for(ModelApi api);

/* The tokens a thinking level may use (agent-core §2.10); `budgets` overrides, may be NULL. */
int64_t wire_thinking_budget(const json_t *budgets, ThinkingLevel level);

/* request->max_tokens, else model_answer_limit(); never beyond the model's. */
int64_t wire_max_tokens(const ProviderRequest *request);

/* base without trailing slashes, then `path`; a query of the base stays last. Caller frees. */
char *wire_join_url(const char *base, const char *path);

/* `"type": "text"` and so on. */
bool wire_block_is(const json_t *block, const char *type);

/* The text blocks of `blocks` joined with `separator`. Caller frees. */
char *wire_join_text(const json_t *blocks, const char *separator);
bool wire_has_images(const json_t *blocks);

/* "data:image/png;base64,…" of an image block. Caller frees. */
char *wire_image_url(const json_t *block);

/* Stands for the text of content that is images only. */
#define WIRE_IMAGE_ONLY "(see attached image)"

/* A message of the format: {"role", "content"}, appended to `out`. Takes the reference `content`;
   empty content is no message. Borrowed; NULL when there is none. */
json_t *wire_append_message(json_t *out, const char *role, json_t *content);
/* A message without a meaning of its own: "Continue." of the user, "(no answer)" of the assistant.
 */
void wire_append_word(const WireFormat *wire, const Model *model, bool is_user, json_t *out);

/* A call's arguments as JSON text. Caller frees. */
char *wire_arguments_text(const json_t *call);

/* "authorization: Bearer KEY", when there is a key. */
void wire_add_bearer(const ProviderRequest *request, GPtrArray *headers);
/* Those of the models file, {"Name": "value"}, in place of what `headers` has of these names. */
void wire_set_headers(const json_t *wanted, GPtrArray *headers);

typedef enum { WIRE_CACHE_NONE, WIRE_CACHE_SHORT, WIRE_CACHE_LONG } WireCache;

/* For how long a provider is asked to keep what it has read (KEDGE_CACHE_RETENTION). */
WireCache wire_cache_retention(void);

/* "Refusal: " and the first of it. Caller frees. */
char *wire_refusal_text(const char *refusal);
