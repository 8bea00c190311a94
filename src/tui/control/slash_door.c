/*
 * What slash commands have of the drawn interface (slash_door.h).
 */
#include "tui/control/slash_door.h"

#include "conversation/slash_words.h"
#include "tui/control/opening.h"
#include "tui/control/pick.h"
#include "tui/control/tui_own.h"

static void door_say(const char *text, void *self_)
{
    Tui *self = self_;
    transcript_notice(self->run->transcript, text);
    tui_stale(self);
}

static void door_heading(const char *command, void *self)
{
    transcript_heading(((Tui *)self)->run->transcript, command);
}

static bool open_last(void *self)
{
    return tui_open_last(self);
}

static void door_fail(const char *text, void *self)
{
    tui_error(self, "%s", text);
}

static void door_quit(void *self)
{
    tui_end(self, 0);
}

static void door_replay(bool is_moved, void *self)
{
    opening_replay(self, is_moved);
}

static const char *last_output(void *self)
{
    return transcript_last_output(((Tui *)self)->run->transcript);
}

static bool door_show(SlashList list, void *self)
{
    static void (*const pickers[])(Tui * self) = {
        [SLASH_LIST_MODELS] = pick_model,     [SLASH_LIST_SESSIONS] = pick_session,
        [SLASH_LIST_MESSAGES] = pick_branch,  [SLASH_LIST_TREE] = pick_tree,
        [SLASH_LIST_SETTINGS] = pick_setting, [SLASH_LIST_THEMES] = pick_theme,
        [SLASH_LIST_KEYS] = pick_key_help,    [SLASH_LIST_PROVIDERS] = pick_provider,
        [SLASH_LIST_COMMANDS] = pick_command,
    };
    pickers[list](self);
    return true;
}

static bool door_copy(const char *text, void *self)
{
    return terminal_copy(((Tui *)self)->look->terminal, text);
}

/* It comes when it comes: over an empty editor alone, so that no key goes there that was meant for
   what is written. */
static bool door_choose(const json_t *list, void *self_)
{
    Tui *self = self_;
    if (self->panels->panel || self->panels->viewer || !editor_is_empty(self->input->editor))
        return false;
    if (json_get_text(list, "above"))
        door_say(json_get_text(list, "above"), self);
    pick_found(self, list);
    return true;
}

static void door_edit(const char *text, void *self)
{
    tui_write_before(self, text);
}

/* The completer's table of them is constant until the next change. */
static void take_commands(void *self_)
{
    Tui *self = self_;
    GArray *items = g_array_new(true, true, sizeof(CompleteItem));
    const SlashSet *set = session_slash_set(self->run->session);
    const SessionCommand *command = NULL;
    for (size_t i = 0; slash_set_at(set, i, &command, NULL); i++) {
        const CompleteItem item = { .name = command->slash,
                                    .argument = command->argument,
                                    .help = command->summary,
                                    .is_removal = command->is_removal };
        g_array_append_val(items, item);
    }
    const SlashWord *word = NULL;
    for (size_t i = 0; (word = slash_word_at(i)); i++) {
        command = word->command ? slash_set_find(set, word->word) : NULL;
        if (!command || strcmp(command->slash, word->word) == 0)
            continue;
        const CompleteItem item = { .name = word->word,
                                    .argument = command->argument,
                                    .help = command->summary,
                                    .is_word = true };
        g_array_append_val(items, item);
    }
    CompleteItem *old = self->input->commands;
    input_own(self)->commands = (CompleteItem *)(void *)g_array_free(items, false);
    completer_set_commands(self->input->completer, self->input->commands);
    g_free(old);
    for (;;) {
        g_autofree char *clash = slash_set_take_clash(session_slash_set(self->run->session));
        if (!clash)
            return;
        tui_error(self, "%s", clash);
    }
}

void slash_door_init(Tui *self)
{
    self->slash = (SlashDoor) {
        .session = self->run->session,
        .place = self->slash.place,
        .context_files = self->slash.context_files,
        .say = door_say,
        .heading = door_heading,
        .open_last = open_last,
        .fail = door_fail,
        .quit = door_quit,
        .replay = door_replay,
        .ask_key = pick_ask_key,
        .last_output = last_output,
        .show = door_show,
        .copy = door_copy,
        .choose = door_choose,
        .edit = door_edit,
        .user_data = self,
    };
    slash_door_open(&self->slash);
    slash_set_watch(session_slash_set(self->run->session), take_commands, self);
    take_commands(self);
}

CompleteItem *slash_door_actions(void)
{
    GArray *items = g_array_new(true, true, sizeof(CompleteItem));
    for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        if (action_group(action) != KEYS_APP)
            continue;
        const CompleteItem item = { .name = action_id(action), .help = action_help(action) };
        g_array_append_val(items, item);
    }
    return (CompleteItem *)(void *)g_array_free(items, false);
}
