/*
 * gh's find phase: flags before a command word are skipped with or without the next element, by
 * what the node reached so far knows of them.
 */
#include "github/classify/command_find.h"

#include "base/str.h"

/* A flag with an optional value needs none either. */
static bool is_known_boolean(const CommandFlag *flag)
{
    return flag != NULL && flag->kind != COMMAND_FLAG_VALUE;
}

/* Does this element take the next one with it? */
static bool swallows_next(const CommandNode *node, const char *element)
{
    if (strchr(element, '='))
        return false;
    if (str_has_prefix(element, "--")) {
        const char *name = element + 2;
        return !is_known_boolean(command_flag_by_name(node, name, strlen(name)));
    }
    return strlen(element) == 2 && !is_known_boolean(command_flag_by_letter(node, element[1]));
}

/* The position in rest of the first command word as seen from `node`; rest_count when there is
 * none. */
static size_t first_word(const char *const *argv, const CommandFound *found)
{
    for (size_t i = 0; i < found->rest_count; i++) {
        const char *element = argv[found->rest[i]];
        if (strcmp(element, "--") == 0)
            return found->rest_count;
        if (*element == '-')
            i += swallows_next(found->node, element) ? 1 : 0;
        else if (*element != '\0')
            return i;
    }
    return found->rest_count;
}

static void remove_rest(CommandFound *found, size_t position)
{
    found->rest_count--;
    memmove(found->rest + position, found->rest + position + 1,
            (found->rest_count - position) * sizeof(found->rest[0]));
}

void command_find(const char *const *argv, size_t start, size_t count, CommandFound *ret_found)
{
    g_assert(start <= count && count <= COMMAND_MAX_ARGS);
    CommandFound *found = ret_found;
    *found = (CommandFound) { .node = command_root(), .words_end = start };
    for (size_t i = start; i < count; i++)
        found->rest[found->rest_count++] = i;

    for (;;) {
        size_t position = first_word(argv, found);
        if (position == found->rest_count)
            return;
        size_t index = found->rest[position];
        const CommandNode *child = command_child(found->node, argv[index]);
        if (!child) {
            found->has_unknown_word = found->node->child_count > 0;
            found->unknown_word = index;
            return;
        }
        // words can only come later and later: what comes before one was skipped as flags
        found->words_end = index + 1;
        found->node = child;
        remove_rest(found, position);
    }
}
