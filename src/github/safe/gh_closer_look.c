/*
 * Aliases and extensions behind an unknown word (gh_closer_look.h). gh knows an alias by the words
 * in front of it and hands it everything else in order, flags in front of the word included.
 */
#include "github/safe/gh_closer_look.h"

#include "github/classify/classify_private.h"
#include "github/safe/gh_aliases.h"

typedef struct Unresolved {
    char *parent; // the command words in front, "" for the first word
    size_t word;  // index of the word
    bool is_help; // of `gh help WORD`
} Unresolved;

static void unresolved_clear(Unresolved *self)
{
    g_free(self->parent);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Unresolved, unresolved_clear)

/* Is this element neither a flag, nor a value, nor a positional? */
static bool is_command_word(const Classified *classified, size_t index)
{
    const CommandArgs *args = classified->args;
    for (size_t i = 0; i < args->count; i++) {
        if (args->items[i].index == index ||
            (args->items[i].value && args->items[i].value_index == index))
            return false;
    }
    return index >= classified->stripped_gh && index < classified->words_end;
}

static unsigned depth_of(const CommandNode *node)
{
    unsigned depth = 0;
    for (; node != command_root(); node = command_parent(node))
        depth++;
    return depth;
}

/* The word of a command that the installed gh does not have yet: the first of its words that is too
 * new. */
static bool find_newer_word(const ClassifyOptions *options, const Classified *classified,
                            Unresolved *ret_unresolved)
{
    const CommandNode *first = NULL;
    for (const CommandNode *node = classified->args->node; node != command_root();
         node = command_parent(node)) {
        if (classify_is_newer(options, node))
            first = node;
    }
    if (!first)
        return false;
    unsigned depth = depth_of(first);
    for (size_t i = classified->stripped_gh; i < classified->words_end; i++) {
        if (!is_command_word(classified, i) || --depth > 0)
            continue;
        ret_unresolved->word = i;
        ret_unresolved->parent = g_strdup(command_path(command_parent(first)));
        return true;
    }
    return false;
}

static bool find_unresolved(const ClassifyOptions *options, const Classified *classified,
                            Unresolved *ret_unresolved)
{
    const CommandArgs *args = classified->args;
    if (classified->effect != EFFECT_UNKNOWN)
        return false;
    if (classified->has_unknown_word) {
        ret_unresolved->word = classified->unknown_word;
        ret_unresolved->parent = g_strdup(command_path(args->node));
        return true;
    }
    for (size_t i = 0; command_is(classified->node, "help") && i < args->count; i++) {
        if (args->items[i].kind != ARG_POSITIONAL)
            continue;
        *ret_unresolved =
            (Unresolved) { .parent = g_strdup(""), .word = args->items[i].index, .is_help = true };
        return true;
    }
    return find_newer_word(options, classified, ret_unresolved);
}

/* Everything but the words that lead to the alias. NULL-terminated, elements borrowed. */
static const char **arguments_of(const Classified *classified, size_t word)
{
    GPtrArray *rest = g_ptr_array_new();
    char **argv = classified->args->argv;
    for (size_t i = classified->stripped_gh; argv[i]; i++) {
        if (i != word && (i > word || !is_command_word(classified, i)))
            g_ptr_array_add(rest, argv[i]);
    }
    g_ptr_array_add(rest, NULL);
    return (const char **)g_ptr_array_free(rest, false);
}

/* gh prefers an alias named `help` to its own command. False when there is none, nor an extension.
 */
static bool find_own_help(const json_t *aliases, const Classified *classified,
                          Unresolved *ret_unresolved)
{
    if (!command_is(classified->node, "help") ||
        (!gh_alias_find(aliases, "", "help") && !gh_extension_exists("help")))
        return false;
    size_t word = classified->stripped_gh;
    while (word < classified->words_end && !is_command_word(classified, word))
        word++;
    *ret_unresolved = (Unresolved) { .parent = g_strdup(""), .word = word };
    return true;
}

static void set_blocked(Classified *classified, const char *reason)
{
    classified->effect = EFFECT_BLOCKED;
    g_free(classified->reason);
    classified->reason = g_strdup(reason);
}

/* One level. *ret_expanded is NULL when there is nothing more to find. */
static bool classify_options_look(const ClassifyOptions *options, const json_t *aliases,
                                  Classified *classified, char **ret_name, char ***ret_expanded,
                                  GError **error)
{
    g_auto(Unresolved) unresolved = { 0 };
    if (!find_own_help(aliases, classified, &unresolved) &&
        !find_unresolved(options, classified, &unresolved))
        return true;
    const char *word = classified->args->argv[unresolved.word];
    const char *expansion = gh_alias_find(aliases, unresolved.parent, word);
    if (expansion && gh_alias_is_shell(expansion)) {
        set_blocked(classified, "shell alias");
    } else if (expansion && !unresolved.is_help) {
        g_autofree const char **rest = arguments_of(classified, unresolved.word);
        if (!gh_alias_expand(expansion, rest, ret_expanded, error))
            return false;
        *ret_name = g_strdup(word);
    } else if (*unresolved.parent == '\0' && gh_extension_exists(word)) {
        set_blocked(classified, "extension");
    }
    return true;
}

bool gh_closer_look(const ClassifyOptions *options, char ***argv, Classified *classified,
                    GError **error)
{
    bool is_help = command_is(classified->node, "help") && classified->effect == EFFECT_READ;
    if (classified->effect != EFFECT_UNKNOWN && !is_help)
        return true;
    g_autoptr(json_t) aliases = gh_aliases_load();
    g_autoptr(GString) prefix = g_string_new(NULL);
    for (int level = 0;; level++) {
        g_autofree char *name = NULL;
        g_auto(GStrv) expanded = NULL;
        if (!classify_options_look(options, aliases, classified, &name, &expanded, error))
            return false;
        if (!expanded)
            break;
        if (level == GH_ALIAS_LEVELS) {
            set_blocked(classified, "aliases that lead to more and more aliases");
            break;
        }
        g_string_append_printf(prefix, "alias %s: ", name);
        classified_clear(classified);
        if (!classify_argv((const char *const *)expanded, options, classified, error))
            return false;
        g_strfreev(*argv);
        *argv = g_steal_pointer(&expanded);
    }
    if (prefix->len > 0) {
        char *reason = g_strconcat(prefix->str, classified->reason, NULL);
        g_free(classified->reason);
        classified->reason = reason;
    }
    return true;
}
