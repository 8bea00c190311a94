/*
 * What a command failed with, in words for a person at a terminal (slash_private.h): the texts come
 * from tools and from the conversation, whose readers are models and programs.
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include <string.h>

#define NO_REPO " could not resolve a default repo from the current checkout: "

static const struct {
    const char *problem, *said;
} texts[] = {
    { "Cannot continue from message role: assistant",
      "the last answer is complete: there is nothing to ask for again" },
    { "Agent is already processing. Wait for completion.", "a run is on; Ctrl+C stops it" },
    { "Session name cannot be empty", "a name has to have something in it" },
    { "Current git repository is unavailable.", "this directory is in no git repository" },
};

/* After the last of "pr:// listing failed: pr:// could not resolve … checkout: "; borrowed. */
static const char *after_prefix(const char *text)
{
    static const char *const ends[] = { " listing failed: ", " resolution failed: ", NO_REPO };
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        size_t line = strcspn(text, "\n");
        const char *found = g_strstr_len(text, (gssize)line, ends[i]);
        if (found)
            text = found + strlen(ends[i]);
    }
    return text;
}

/* Without what gh's tools put before it, "[gh github.com read error gh-exit]\nError: "; borrowed.
 */
static const char *after_head(const char *problem)
{
    static const char word[] = "Error: ";
    const char *end = str_has_prefix(problem, "[gh ") ? strstr(problem, "]\n") : NULL;
    const char *text = end ? end + strlen("]\n") : problem;
    return end && str_has_prefix(text, word) ? text + strlen(word) : text;
}

char *slash_for_people(const char *problem)
{
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (g_str_equal(problem, texts[i].problem))
            return g_strdup(texts[i].said);
    }
    const char *text = after_prefix(after_head(problem));
    const char *use = text > problem ? strstr(text, "\nUse ") : NULL; // of an address: "issue://…"
    return use && strstr(use, "://") ? g_strndup(text, (gsize)(use - text)) : g_strdup(text);
}
