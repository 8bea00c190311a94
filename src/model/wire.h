/*
 * One wire format: how a request is written and how the events of its answer are read. Private to
 * this room; the formats are wire_anthropic (anthropic.c) and wire_openai_chat (openai_chat.c).
 */
#pragma once

#include "base/sse.h"
#include "model/stream.h"

typedef struct WireFormat {
    char *(*make_url)(const Model *model);
    /* Appends "name: value" strings: authentication and what the format itself needs. */
    void (*add_headers)(const ProviderRequest *request, GPtrArray *headers);
    /* `messages` is what convert_history() gave. New reference. */
    json_t *(*make_body)(const ProviderRequest *request, const json_t *messages);

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

const WireFormat *wire_for(ModelApi api);

/* The tokens a thinking level may use (agent-core §2.10); `budgets` overrides, may be NULL. */
int64_t wire_thinking_budget(const json_t *budgets, ThinkingLevel level);

/* request->max_tokens, else model_answer_limit(); never beyond the model's. */
int64_t wire_max_tokens(const ProviderRequest *request);

/* base without trailing slashes, then `path`. Caller frees. */
char *wire_join_url(const char *base, const char *path);

/* `"type": "text"` and so on. */
bool wire_block_is(const json_t *block, const char *type);

/* The text blocks of `blocks` joined with `separator`. Caller frees. */
char *wire_join_text(const json_t *blocks, const char *separator);
