/*
 * One request to a model: wire format, streaming, and the assistant message that comes out
 * (agent-core §2.3–2.5, agent-core §2.8).
 *
 * Blocks the calling thread; thread safe. Never fails after it started: whatever goes wrong becomes
 * an assistant message with stopReason "error" or "aborted", errorMessage, and the content so far.
 */
#pragma once

#include "base/http.h"
#include "model/body.h"
#include "model/call_ids.h"
#include "model/model.h"

typedef struct ProviderRequest {
    const Model *model;
    const char *api_key;              // NULL: keyless
    const char *key_source;           // where it comes from, for who must fix it; may be NULL
    const char *const *system_blocks; // NULL-terminated; may be NULL
    const json_t *messages;           // agent messages; converted and repaired for the model here
    const json_t *tools;              // [{"name","description","parameters"}]; may be NULL
    const char *forced_tool;          // of `tools`: the answer is a call of it; NULL: as it likes
    ThinkingLevel thinking;           // already clamped
    const json_t *thinking_budgets;   // {"low":4096,…}; NULL: the defaults
    int64_t max_tokens;               // 0: the model's default
    const char *session_id;           // may be NULL
    int64_t max_retry_wait_ms;        // errors name the time when a server asks for more; 0: never
    int64_t
        max_silence_ms; // nothing of an answer for so long ends it; 0: 10 minutes; < 0: for ever
    bool blocks_images; // whatever the model takes, none is sent
    const char *service_tier; // of OpenAI: "flex", …; NULL: the server's choice
    CallIds *call_ids; // of the conversation: names the answer's calls; NULL: unique in it only
    BodyCache *bodies; // of the conversation: what was serialised before; NULL: all is, again
} ProviderRequest;

/* The answer while it grows. */
typedef struct ModelStream ModelStream;

/* The assistant message so far, brought up to date only when asked for: a long answer costs nothing
   to listeners that look at deltas alone. Borrowed and valid during the callback: copy
   (json_deep_copy) what is kept. */
const json_t *model_stream_message(ModelStream *self);

/* Called on the requesting thread. `event` is {"type":"text_delta","contentIndex":0,"delta":"…"}
   and its kin (agent-core §2.3); borrowed and valid during the call only. */
typedef void (*ProviderEventFunc)(const json_t *event, ModelStream *stream, void *user_data);

/* New reference to the finished assistant message. `on_event` may be NULL. */
json_t *provider_stream(HttpClient *http, const ProviderRequest *request, Cancel *cancel,
                        ProviderEventFunc on_event, void *user_data);

/* Classes of errorMessage texts (agent-core §2.8, §3.7). */
bool provider_error_is_overflow(const char *error_message);
/* An overflow of bytes, not of tokens, and the limit that it names; 0: it names none. */
bool provider_error_is_too_large(const char *error_message);
size_t provider_error_byte_limit(const char *error_message);
/* The server wants user and assistant to take turns. */
bool provider_error_is_of_roles(const char *error_message);
bool provider_error_is_retryable(const char *error_message);
/* A limit of the account: another key may have more. */
bool provider_error_is_limit(const char *error_message);
/* The key is not, or no longer, valid: nothing helps but another. */
bool provider_error_is_refused_key(const char *error_message);
/* The answer came to its end, but to one that the wire does not know: there is no more of it. */
bool provider_error_is_odd_end(const char *error_message);
/* The `retry-after-ms=N` hint in the text, or 0. */
int64_t provider_error_retry_after_ms(const char *error_message);
