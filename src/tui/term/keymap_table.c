/*
 * The table of actions: their ids, default keys and what they do (agent-core §7.4).
 */
#include "tui/term/keymap_private.h"

static const ActionRow rows[ACTION_COUNT] = {
    [ACTION_SUBMIT] = { "tui.input.submit", "enter", KEYS_EDITOR, NULL, "Send the message" },
    [ACTION_NEW_LINE] = { "tui.input.newLine", "shift+enter alt+enter ctrl+j", KEYS_EDITOR, NULL,
                          "Begin a new line; so does \\ before Enter" },
    [ACTION_CURSOR_UP] = { "tui.editor.cursorUp", "up", KEYS_EDITOR, NULL,
                           "Up one row; in the first one, the message before" },
    [ACTION_CURSOR_DOWN] = { "tui.editor.cursorDown", "down", KEYS_EDITOR, NULL,
                             "Down one row; in the last one, the next message" },
    [ACTION_CURSOR_LEFT] = { "tui.editor.cursorLeft", "left ctrl+b", KEYS_EDITOR, NULL,
                             "One character to the left" },
    [ACTION_CURSOR_RIGHT] = { "tui.editor.cursorRight", "right ctrl+f", KEYS_EDITOR, NULL,
                              "One character to the right" },
    [ACTION_WORD_LEFT] = { "tui.editor.cursorWordLeft", "alt+left ctrl+left alt+b", KEYS_EDITOR,
                           NULL, "One word to the left" },
    [ACTION_WORD_RIGHT] = { "tui.editor.cursorWordRight", "alt+right ctrl+right alt+f", KEYS_EDITOR,
                            NULL, "One word to the right" },
    [ACTION_LINE_START] = { "tui.editor.cursorLineStart", "home ctrl+a", KEYS_EDITOR, NULL,
                            "To the start of the line" },
    [ACTION_LINE_END] = { "tui.editor.cursorLineEnd", "end ctrl+e", KEYS_EDITOR, NULL,
                          "To the end of the line" },
    [ACTION_DELETE_BACKWARD] = { "tui.editor.deleteCharBackward", "backspace", KEYS_EDITOR, NULL,
                                 "Delete the character before the cursor" },
    [ACTION_DELETE_FORWARD] = { "tui.editor.deleteCharForward", "delete ctrl+d", KEYS_EDITOR, NULL,
                                "Delete the character at the cursor" },
    [ACTION_DELETE_WORD_BACKWARD] = { "tui.editor.deleteWordBackward", "ctrl+w alt+backspace",
                                      KEYS_EDITOR, NULL, "Delete the word before the cursor" },
    [ACTION_DELETE_WORD_FORWARD] = { "tui.editor.deleteWordForward", "alt+d alt+delete",
                                     KEYS_EDITOR, NULL, "Delete the word after the cursor" },
    [ACTION_DELETE_TO_LINE_START] = { "tui.editor.deleteToLineStart", "ctrl+u", KEYS_EDITOR, NULL,
                                      "Delete to the start of the line" },
    [ACTION_DELETE_TO_LINE_END] = { "tui.editor.deleteToLineEnd", "ctrl+k", KEYS_EDITOR, NULL,
                                    "Delete to the end of the line" },
    [ACTION_YANK] = { "tui.editor.yank", "ctrl+y", KEYS_EDITOR, NULL,
                      "Insert what was deleted last" },
    [ACTION_YANK_POP] = { "tui.editor.yankPop", "alt+y", KEYS_EDITOR, NULL,
                          "After that: what was deleted before it" },
    [ACTION_UNDO] = { "tui.editor.undo", "ctrl+-", KEYS_EDITOR, NULL, "Undo the last change" },
    [ACTION_PAGE_UP] = { "tui.editor.pageUp", "pageUp", KEYS_EDITOR, "pageUp", "Up one page" },
    [ACTION_PAGE_DOWN] = { "tui.editor.pageDown", "pageDown", KEYS_EDITOR, "pageDown",
                           "Down one page" },
    [ACTION_JUMP_FORWARD] = { "tui.editor.jumpForward", "ctrl+]", KEYS_EDITOR, NULL,
                              "To the next place of the character that is typed then" },
    [ACTION_JUMP_BACKWARD] = { "tui.editor.jumpBackward", "ctrl+alt+]", KEYS_EDITOR, NULL,
                               "To the one before" },
    [ACTION_TAB] = { "tui.input.tab", "tab", KEYS_EDITOR, "tab",
                     "Complete a command, a path or a name" },

    [ACTION_INTERRUPT] = { "app.interrupt", "escape", KEYS_APP, NULL,
                           "Stop what runs; close what is open" },
    [ACTION_CLEAR] = { "app.clear", "ctrl+c", KEYS_APP, NULL,
                       "Clear the input; when it is empty, stop what runs; twice: leave" },
    [ACTION_EXIT] = { "app.exit", "ctrl+d", KEYS_APP, NULL, "Leave, when the input is empty" },
    [ACTION_SUSPEND] = { "app.suspend", "ctrl+z", KEYS_APP, NULL,
                         "Back to the shell; `fg` goes on" },
    [ACTION_THINKING_CYCLE] = { "app.thinking.cycle", "shift+tab", KEYS_APP, "cycleThinkingLevel",
                                "The next thinking level" },
    [ACTION_THINKING_TOGGLE] = { "app.thinking.toggle", "ctrl+t", KEYS_APP, "toggleThinking",
                                 "Show or hide thinking" },
    [ACTION_MODEL_CYCLE_FORWARD] = { "app.model.cycleForward", "ctrl+p", KEYS_APP,
                                     "cycleModelForward", "The next model" },
    [ACTION_MODEL_CYCLE_BACKWARD] = { "app.model.cycleBackward", "ctrl+shift+p", KEYS_APP,
                                      "cycleModelBackward", "The model before" },
    [ACTION_MODEL_SELECT] = { "app.model.select", "ctrl+l", KEYS_APP, "selectModel",
                              "Choose a model" },
    [ACTION_MODEL_SELECT_TEMPORARY] = { "app.model.selectTemporary", "alt+p", KEYS_APP,
                                        "selectModelTemporary",
                                        "Choose a model for this session only" },
    [ACTION_TOOLS_EXPAND] = { "app.tools.expand", "ctrl+o", KEYS_APP, "expandTools",
                              "The whole transcript, with all output" },
    [ACTION_TOOLS_OPEN_LAST] = { "app.tools.openLast", "alt+o", KEYS_APP, NULL,
                                 "The last tool call once more, whole" },
    [ACTION_EDITOR_EXTERNAL] = { "app.editor.external", "ctrl+g", KEYS_APP, "externalEditor",
                                 "Edit the message in $VISUAL or $EDITOR" },
    [ACTION_FOLLOW_UP] = { "app.message.followUp", "ctrl+enter ctrl+q", KEYS_APP, NULL,
                           "Queue the message for after the run" },
    [ACTION_DEQUEUE] = { "app.message.dequeue", "alt+up", KEYS_APP, NULL,
                         "Take back what is queued" },
    [ACTION_PASTE_IMAGE] = { "app.clipboard.pasteImage", "ctrl+v", KEYS_APP, NULL,
                             "Attach the image of the clipboard" },
    [ACTION_COPY_LINE] = { "app.clipboard.copyLine", "alt+shift+l", KEYS_APP, NULL,
                           "Copy the line of the input" },
    [ACTION_COPY_PROMPT] = { "app.clipboard.copyPrompt", "alt+shift+c", KEYS_APP, NULL,
                             "Copy the whole input" },
    [ACTION_HISTORY_SEARCH] = { "app.history.search", "ctrl+r", KEYS_APP, "historySearch",
                                "Search earlier messages" },
    [ACTION_PLAN_TOGGLE] = { "app.plan.toggle", "alt+shift+p", KEYS_APP, "togglePlanMode",
                             "Plan mode on or off" },
    [ACTION_SESSION_NEW] = { "app.session.new", "", KEYS_APP, "newSession", "A new session" },
    [ACTION_SESSION_TREE] = { "app.session.tree", "", KEYS_APP, NULL, "The tree of the session" },
    [ACTION_SESSION_FORK] = { "app.session.fork", "", KEYS_APP, NULL, "A copy of the session" },
    [ACTION_SESSION_RESUME] = { "app.session.resume", "", KEYS_APP, NULL, "An earlier session" },

    [ACTION_LIST_UP] = { "tui.select.up", "up", KEYS_LIST, "selectUp", "Up one row" },
    [ACTION_LIST_DOWN] = { "tui.select.down", "down", KEYS_LIST, "selectDown", "Down one row" },
    [ACTION_LIST_PAGE_UP] = { "tui.select.pageUp", "pageUp", KEYS_LIST, "selectPageUp",
                              "Up one page" },
    [ACTION_LIST_PAGE_DOWN] = { "tui.select.pageDown", "pageDown", KEYS_LIST, "selectPageDown",
                                "Down one page" },
    [ACTION_LIST_FIRST] = { "tui.select.first", "home", KEYS_LIST, "selectFirst",
                            "To the first row" },
    [ACTION_LIST_LAST] = { "tui.select.last", "end", KEYS_LIST, "selectLast", "To the last row" },
    [ACTION_LIST_ACCEPT] = { "tui.select.confirm", "enter", KEYS_LIST, "selectConfirm",
                             "Take the row" },
    [ACTION_LIST_CANCEL] = { "tui.select.cancel", "escape ctrl+c", KEYS_LIST, "selectCancel",
                             "Clear the search, then close" },
    [ACTION_LIST_TAB] = { "tui.select.tab", "tab", KEYS_LIST, "selectTab",
                          "The next tab; into a question" },
    [ACTION_LIST_RENAME] = { "app.session.rename", "ctrl+r", KEYS_LIST, "renameSession",
                             "Rename the session" },
    [ACTION_LIST_DELETE] = { "app.session.delete", "ctrl+d", KEYS_LIST, "deleteSession",
                             "Delete the session" },
    [ACTION_TREE_FILTER_NEXT] = { "app.tree.filter.cycleForward", "ctrl+o", KEYS_LIST, NULL,
                                  "The next filter of the tree" },
    [ACTION_TREE_FILTER_PREVIOUS] = { "app.tree.filter.cycleBackward", "ctrl+shift+o", KEYS_LIST,
                                      NULL, "The filter before" },
    [ACTION_TREE_LABEL] = { "app.tree.editLabel", "shift+l", KEYS_LIST, NULL,
                            "Label the row of the tree" },
};

const ActionRow *action_row(Action action)
{
    g_assert(action > ACTION_NONE && action < ACTION_COUNT);
    return &rows[action];
}

const char *action_id(Action action)
{
    return action_row(action)->id;
}

const char *action_help(Action action)
{
    return action_row(action)->help;
}

KeyGroup action_group(Action action)
{
    return action_row(action)->group;
}

static bool is_same(KeyPress a, KeyPress b)
{
    return a.code == b.code && a.mods == b.mods;
}

bool action_keys_have(const ActionKeys *self, KeyPress key)
{
    for (unsigned i = 0; i < self->count; i++)
        if (is_same(self->keys[i], key))
            return true;
    return false;
}

void action_keys_remove(ActionKeys *self, KeyPress key)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < self->count; i++)
        if (!is_same(self->keys[i], key))
            self->keys[kept++] = self->keys[i];
    self->count = kept;
}
