/*
 * Commands: a text that begins with /name, and a label that is one (match_private.h).
 */
#include "base/str.h"
#include "wm/trigger/match_private.h"

#include "base/utf8.h"

#include <string.h>

/* An element of slash_command.events: the events it stands for, where the text is, and which
   actions count (NULL: all but deleted). */
typedef struct CommandEvent {
    const char *element, *event, *other_event;
    const char *object; // of the payload, with its `body`
    const char *const *actions;
} CommandEvent;

static const char *const written_actions[] = { "opened", "edited", "reopened", NULL };
static const char *const discussed_actions[] = { "created", "edited", NULL };

static const CommandEvent command_events[] = {
    { "issue_comment", "issue_comment", NULL, "comment", NULL },
    { "pull_request_comment", "issue_comment", NULL, "comment", NULL },
    { "pull_request_review_comment", "pull_request_review_comment", NULL, "comment", NULL },
    { "issues", "issues", NULL, "issue", written_actions },
    { "pull_request", "pull_request", "pull_request_target", "pull_request", written_actions },
    { "discussion", "discussion", NULL, "discussion", discussed_actions },
    { "discussion_comment", "discussion_comment", NULL, "comment", discussed_actions },
};

static bool is_on_pull(const Match *self)
{
    const json_t *issue = json_get_object(self->event->payload, "issue");
    return json_is_object(json_object_get(issue, "pull_request"));
}

// The first element of `events` that stands for this event; NULL: none.
static const CommandEvent *find_event(const Match *self)
{
    const json_t *events = json_get_array(self->options, "events");
    for (size_t i = 0; i < G_N_ELEMENTS(command_events); i++) {
        const CommandEvent *def = &command_events[i];
        bool is_event = wm_match_is_event(self, def->event) ||
                        (def->other_event && wm_match_is_event(self, def->other_event));
        if (is_event && wm_list_has(events, def->element))
            return def;
    }
    return NULL;
}

bool wm_command_concerns(const Match *self)
{
    if (strcmp(self->key, "slash_command") == 0)
        return find_event(self) != NULL;
    const json_t *events = json_get_array(self->options, "events");
    bool is_target = wm_match_is_event(self, "pull_request_target");
    return wm_list_has(events, is_target ? "pull_request" : self->event->name);
}

// The names of the command, the task's own when none are given. New reference.
static json_t *names_of(const Match *self)
{
    json_t *names = json_get_array(self->options, "name");
    return names ? json_incref(names) : json_pack("[s]", self->task->name);
}

/* Does `text` begin with one of the command's names? */
static bool is_command(const Match *self, const char *text)
{
    g_autofree char *trimmed = utf8_trim(text);
    g_autoptr(json_t) names = names_of(self);
    json_each (names, index, item) {
        const char *name = json_string_value(item);
        if (*trimmed != '/' || !str_has_prefix(trimmed + 1, name))
            continue;
        gunichar next = g_utf8_get_char(trimmed + 1 + strlen(name));
        if (next == '\0' || g_unichar_isspace(next))
            return true;
    }
    return false;
}

/* Was the text another one before it was edited, and no command? Else it has started the task
   already: who changes a word of it does not ask again. */
static bool became_command(const Match *self)
{
    const char *before =
        json_string_value(json_get_path(self->event->payload, "changes.body.from"));
    return before && !is_command(self, before);
}

bool wm_slash_command_matches(const Match *self)
{
    const CommandEvent *def = find_event(self);
    const char *action = wm_match_action(self);
    if (strcmp(def->element, "pull_request_comment") == 0 && !is_on_pull(self))
        return wm_match_refuse(self, "the comment is not on a pull request");
    bool counts =
        def->actions ? g_strv_contains(def->actions, action) : strcmp(action, "deleted") != 0;
    if (!counts)
        return wm_match_refuse(self, "action \"%s\" starts no command", action);
    if (!is_command(self, wm_match_text(self, def->object, "body")))
        return wm_match_refuse(self, "the text does not begin with the command");
    if (strcmp(action, "edited") == 0 && !became_command(self))
        return wm_match_refuse(self, "it began with the command before it was edited");
    return true;
}

bool wm_label_command_matches(const Match *self)
{
    const char *action = wm_match_action(self);
    if (strcmp(action, "labeled") != 0)
        return wm_match_refuse(self, "action \"%s\" is not labeled", action);
    g_autofree char *label = wm_match_label(self);
    g_autoptr(json_t) names = names_of(self);
    return wm_list_has(names, label) || wm_match_refuse(self, "label \"%s\" is no command", label);
}
