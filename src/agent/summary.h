/*
 * Asking a model for one text, a summary above all: one request without tools, with the models and
 * retries of agent-core §3.8. Blocks the calling worker.
 */
#pragma once

#include "agent/budget.h"
#include "agent/setup.h"
#include "agent/usage_notes.h"
#include "base/http.h"
#include "model/registry.h"
#include "tool/settings.h"

typedef struct SummaryMeans { // of a conversation; all borrowed
    HttpClient *http;
    const ModelRegistry *registry;
    Budget *budget;     // pays for it; may be NULL
    UsageNotes *usages; // keeps what it took for the session; may be NULL
} SummaryMeans;

typedef struct SummaryContext { // all borrowed
    HttpClient *http;
    const ModelRegistry *registry;
    const Settings *settings;
    const Model *model; // of the conversation: the first that is asked
    bool is_model_named;
    const char *role;       // that `model` was chosen for, whose chain comes after it; NULL: as
                            // its own says (fallback_chain.h)
    Budget *budget;         // may be NULL
    UsageNotes *usages;     // may be NULL
    const char *session_id; // may be NULL
    size_t max_bytes;       // of a request, as a server has said; 0: not known
} SummaryContext;

/* For a text that a model is to write of a conversation as it is set up. */
SummaryContext summary_context(const SummaryMeans *means, const Settings *settings,
                               const TurnSetup *setup, const char *session_id);

typedef struct SummaryRequest {
    const char *purpose;     // as its usage is noted: "title"; NULL: "summary"
    const Model *model;      // NULL, or the only one that is asked
    const char *role;        // whose model is asked first; NULL: that of the conversation
    bool is_single;          // one request to one model, without retries
    const char *system;      // what the model is to be; NULL: a writer of summaries
    const char *tag;         // that encloses the transcript; NULL: "conversation"
    const char *transcript;  // what is to be summarised; its oldest part goes when it is too long.
                             // NULL: there is only the instruction
    json_t *image;           // NULL, or a block that goes along
    const char *instruction; // after it
    int64_t max_tokens;      // of the answer
    int64_t reserve_tokens;  // of the model's window (at most half), kept free of the transcript
} SummaryRequest;

/* `instruction`, and what a person wants of the summary (NULL: nothing). Caller frees. */
char *summary_instruction(const char *instruction, const char *focus);
/* The text, which is not blank; caller frees. CANCELLED; otherwise the last model's problem,
   NOT_FOUND when it had none and its answer was empty. */
bool summary_ask(const SummaryContext *context, const SummaryRequest *request, Cancel *cancel,
                 char **ret_text, GError **error);
