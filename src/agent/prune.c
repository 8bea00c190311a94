/* See prune.h. */
#include "agent/prune.h"

#include "agent/transcript.h"
#include "base/timefmt.h"
#include "model/message.h"
#include "session/github_mark.h"
#include "session/session_tree.h"

#include <inttypes.h>

#define PROTECTED_TOKENS 40000 // of the newest results
#define LEAST_TOKENS     20000 // that are worth a new session file and a cold cache

/* The entry's message, if its output may go; borrowed. */
static json_t *prunable_result(const json_t *entry)
{
    static const char *const kept[] = { "read", "skill", NULL };
    json_t *message = json_get_object(entry, "message");
    const char *tool = json_get_text(message, "toolName");
    if (g_strcmp0(json_get_text(entry, "type"), "message") != 0 || !message ||
        !g_str_equal(message_role(message), "toolResult") || (tool && g_strv_contains(kept, tool)))
        return NULL;
    return message;
}

static json_t *pruned(const json_t *message)
{
    json_t *details = json_get_object(message, "details");
    json_t *mark = json_object_get(details, "github");
    g_autofree char *line = github_mark_line(details);
    g_autofree char *text =
        g_strdup_printf("[Output truncated - %" PRId64 " tokens]%s%s", transcript_estimate(message),
                        line ? "\n" : "", line ? line : "");
    json_t *copy = json_copy((json_t *)message);
    json_t *content = json_array();
    json_append_take(content, message_text_block(text));
    json_set_take(copy, "content", content);
    if (line)
        json_set_take(copy, "details", json_pack("{s:O}", "github", mark));
    else
        json_object_del(copy, "details");
    json_set_int(copy, "prunedAt", time_now_ms());
    return copy;
}

/* Ids of the entries that can go, and what that saves. */
static GPtrArray *find_prunable(const Session *session, int64_t *ret_tokens)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) path = session_context_path(session);
    int64_t seen = 0, saved = 0;
    for (guint i = path->len; i > 0; i--) {
        const json_t *entry = path->pdata[i - 1];
        if (g_strcmp0(json_get_text(entry, "type"), "compaction") == 0)
            break;
        json_t *message = prunable_result(entry);
        if (!message)
            continue;
        int64_t tokens = transcript_estimate(message);
        seen += tokens;
        if (seen <= PROTECTED_TOKENS || json_object_get(message, "prunedAt"))
            continue;
        saved += tokens;
        g_ptr_array_add(found, g_strdup(json_get_text(entry, "id")));
    }
    *ret_tokens = saved;
    return found;
}

int64_t prune_tool_output(Conversation *conversation)
{
    int64_t tokens = 0;
    g_autoptr(GPtrArray) ids = find_prunable(conversation->session, &tokens);
    if (tokens < LEAST_TOKENS)
        return 0;
    for (guint i = 0; i < ids->len; i++) {
        g_autoptr(json_t) entry = session_entry(conversation->session, ids->pdata[i]);
        g_autoptr(json_t) message = pruned(json_get_object(entry, "message"));
        session_replace_message(conversation->session, ids->pdata[i], message);
    }
    session_flush(conversation->session, NULL); // what goes wrong is told at the end of the turn
    conversation_reload(conversation);
    return tokens;
}
