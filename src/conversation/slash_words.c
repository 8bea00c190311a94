/* See slash_words.h. */
#include "conversation/slash_words.h"

#include <string.h>

#define SAME(word)                                                                                 \
    {                                                                                              \
        word, word, NULL                                                                           \
    }

static const SlashWord words[] = {
    { "allowed-tools", "permissions", NULL },
    { "approvals", "permissions", NULL },
    { "bashes", "jobs", NULL },
    { "checkpoint", "tree", NULL },
    { "clear", "new", NULL },
    { "clone", "fork", NULL },
    { "config", "settings", NULL },
    { "connect", "login", NULL },
    { "continue", "resume", NULL },
    { "cost", "usage", NULL },
    { "effort", "thinking", NULL },
    { "history", "resume", NULL },
    { "keybindings", "hotkeys", NULL },
    { "keys", "hotkeys", NULL },
    { "models", "model", NULL },
    { "name", "rename", NULL },
    { "preferences", "settings", NULL },
    { "ps", "jobs", NULL },
    { "q", "exit", NULL },
    { "quit", "exit", NULL },
    { "reasoning", "thinking", NULL },
    { "release-notes", "changelog", NULL },
    { "reset", "new", NULL },
    { "rewind", "tree", NULL },
    { "sessions", "resume", NULL },
    { "shortcuts", "hotkeys", NULL },
    { "side", "btw", NULL },
    { "stats", "usage", NULL },
    { "summarize", "compact", NULL },
    { "tasks", "jobs", NULL },
    { "themes", "theme", NULL },
    { "title", "rename", NULL },
    { "todos", "todo", NULL },

    { "diff", NULL, "!git diff shows what has changed" },
    { "doctor", NULL, "!kedge doctor looks at all that kedge needs, /gh doctor at GitHub" },
    { "editor", NULL, "Ctrl+G writes on in your editor" },
    { "init", NULL, "ask in words for an AGENTS.md, which is read at every start" },
    { "logout", NULL, "kedge logout PROVIDER, in a shell, removes a stored key" },
    { "mcp", NULL,
      "kedge mcp serves kedge's tools to other programs; servers of others are not used" },
    { "memory", NULL, "what the model is always to know is in AGENTS.md" },
    { "redo", NULL, "/tree goes to another place of the conversation, git to other files" },
    { "terminal-setup", NULL, "nothing is to be set up; Ctrl+J always begins a new line" },
    { "transcript", NULL, "Ctrl+O shows all that was said, with what the tools gave" },
    { "undo", NULL, "/tree goes back in the conversation, git has the files of before" },
    { "upgrade", NULL, "kedge update, in a shell, does that" },
    { "verbose", NULL, "Ctrl+O shows all that was said, with what the tools gave" },
    { "vim", NULL, "/settings has editor.mode, which can be vim" },

    SAME("branch"),
    SAME("btw"),
    SAME("changelog"),
    SAME("ci"),
    SAME("copy"),
    SAME("debug"),
    SAME("drop"),
    SAME("dump"),
    SAME("exit"),
    SAME("export"),
    SAME("fast"),
    SAME("force"),
    SAME("gh"),
    SAME("help"),
    SAME("hotkeys"),
    SAME("issues"),
    SAME("jobs"),
    SAME("login"),
    SAME("loop"),
    SAME("model"),
    SAME("move"),
    SAME("output"),
    SAME("permissions"),
    SAME("plan"),
    SAME("pr"),
    SAME("prs"),
    SAME("repair"),
    SAME("resume"),
    SAME("review"),
    SAME("session"),
    SAME("settings"),
    SAME("share"),
    SAME("status"),
    SAME("theme"),
    SAME("thinking"),
    SAME("todo"),
    SAME("tools"),
    SAME("tree"),
    SAME("usage"),
    SAME("context"),
};

const SlashWord *slash_word_at(size_t index)
{
    return index < sizeof(words) / sizeof(words[0]) ? &words[index] : NULL;
}

const SlashWord *slash_word_find(const char *word)
{
    const SlashWord *found = NULL;
    for (size_t i = 0; (found = slash_word_at(i)); i++) {
        if (strcmp(found->word, word) == 0)
            return found;
    }
    return NULL;
}
