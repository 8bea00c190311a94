/*
 * Reading the table of gh's commands (gh-policy §2.2). The data are generated:
 * tools/gen-command-table.
 */
#include "github/classify/command_table.h"

#include "github/classify/command_table_data.h"

static const char *text_at(uint16_t at)
{
    return command_texts + at;
}

const CommandNode *command_root(void)
{
    return &command_nodes[0];
}

size_t command_count(void)
{
    return command_nodes_count;
}

const CommandNode *command_by_path(const char *path)
{
    for (size_t i = 0; i < command_nodes_count; i++) {
        if (strcmp(command_path(&command_nodes[i]), path) == 0)
            return &command_nodes[i];
    }
    return NULL;
}

/* The index-th alias of the last word, NULL after the last one. */
static const char *command_alias(const CommandNode *self, size_t index)
{
    const char *alias = text_at(self->aliases);
    for (; index > 0 && *alias != '\0'; index--)
        alias += strlen(alias) + 1;
    return *alias != '\0' ? alias : NULL;
}

static bool has_name(const CommandNode *self, const char *word)
{
    if (strcmp(text_at(self->word), word) == 0)
        return true;
    const char *alias;
    for (size_t i = 0; (alias = command_alias(self, i)); i++) {
        if (strcmp(alias, word) == 0)
            return true;
    }
    return false;
}

const CommandNode *command_child(const CommandNode *self, const char *word)
{
    for (size_t i = 0; i < self->child_count; i++) {
        const CommandNode *child = &command_nodes[self->first_child + i];
        if (has_name(child, word))
            return child;
    }
    return NULL;
}

const CommandNode *command_parent(const CommandNode *self)
{
    return &command_nodes[self->parent];
}

bool command_is(const CommandNode *self, const char *path)
{
    return self != NULL && strcmp(command_path(self), path) == 0;
}

bool command_is_below(const CommandNode *self, const char *parent_path)
{
    return self != NULL && self != command_root() && command_is(command_parent(self), parent_path);
}

const char *command_path(const CommandNode *self)
{
    return text_at(self->path);
}

const char *command_reason(const CommandNode *self)
{
    return text_at(self->reason);
}

uint16_t command_newest_version(void)
{
    uint16_t newest = 0;
    for (size_t i = 0; i < command_nodes_count; i++)
        newest = MAX(newest, command_nodes[i].since);
    return newest;
}

const CommandFlag *command_help_flag(void)
{
    return &command_flags[0];
}

const CommandFlag *command_flags_of(const CommandNode *self)
{
    return command_flags + self->first_flag;
}

const CommandFlag *command_flag_by_name(const CommandNode *self, const char *name, size_t length)
{
    const CommandFlag *flags = command_flags_of(self);
    for (size_t i = 0; i < self->flag_count; i++) {
        const char *known = command_flag_name(&flags[i]);
        if (strncmp(known, name, length) == 0 && known[length] == '\0')
            return &flags[i];
    }
    const char *help = command_flag_name(command_help_flag());
    return strlen(help) == length && strncmp(help, name, length) == 0 ? command_help_flag() : NULL;
}

const CommandFlag *command_flag_by_letter(const CommandNode *self, char letter)
{
    const CommandFlag *flags = command_flags_of(self);
    for (size_t i = 0; i < self->flag_count; i++) {
        if (letter != '\0' && flags[i].letter == letter)
            return &flags[i];
    }
    return NULL;
}

const char *command_flag_name(const CommandFlag *flag)
{
    return text_at(flag->name);
}

const CommandRule *command_rules_of(const CommandNode *self)
{
    return command_rules + self->first_rule;
}

const char *command_rule_prefix(const CommandRule *rule)
{
    return text_at(rule->prefix);
}

const char *command_rule_reason(const CommandRule *rule)
{
    return text_at(rule->reason);
}

const CommandRef *command_refs_of(const CommandNode *self)
{
    return command_refs + self->first_ref;
}
