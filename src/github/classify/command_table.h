/*
 * The commands of gh, compiled in from gh-commands.tsv (gh-policy §2.2): names, flags, class,
 * rules, and where a repository, URL or host can be named.
 *
 * All of it is constant and without pointers, so it costs nothing at start; texts are reached
 * through the functions below. Every pointer returned here is borrowed from the table and lives for
 * ever. Thread safe.
 */
#pragma once

#include "tool/tool.h"

#include <stdint.h>

#define COMMAND_NONE  255 // no flag, no position
#define COMMAND_EVERY 254 // every positional

#define COMMAND_VERSION(major, minor) ((major)*1000 + (minor))
#define COMMAND_OLDEST_VERSION                                                                     \
    COMMAND_VERSION(2, 50) // of everything older, too: never newer than an installed gh

typedef enum {
    COMMAND_LEAF,
    COMMAND_GROUP, // prints help only
    COMMAND_BOTH,  // runs, and has subcommands
} CommandKind;

typedef enum {
    COMMAND_API = 1 << 0,      // judged by the rules of gh-policy §4
    COMMAND_UNPARSED = 1 << 1, // gh does not read its flags
    COMMAND_HIDDEN = 1 << 2,
} CommandNotes;

typedef enum {
    COMMAND_FLAG_VALUE,
    COMMAND_FLAG_BOOLEAN,
    COMMAND_FLAG_OPTIONAL, // a value only after "=" or glued to the letter
} CommandFlagKind;

typedef struct CommandFlag {
    uint16_t name; // a text: command_flag_name()
    char letter;   // 0: none
    uint8_t kind;  // CommandFlagKind
} CommandFlag;

typedef enum { // what a rule looks for (gh-policy §2.5)
    COMMAND_WHEN_FLAG,
    COMMAND_WHEN_ABSENT,     // the flag has no value, or an empty one
    COMMAND_WHEN_FILE_VALUE, // a value NAME=@FILE
    COMMAND_WHEN_PREFIX,     // a positional that starts with the prefix
    COMMAND_WHEN_AT_LEAST,   // number of positionals
    COMMAND_WHEN_EXACTLY,
} CommandWhen;

typedef struct CommandRule {
    uint8_t when;    // CommandWhen
    uint8_t effect;  // Effect
    bool replaces;   // the base class, whichever is higher; otherwise the rule only raises it
    uint8_t flag;    // index among the node's flags, or COMMAND_NONE
    uint8_t count;   // of positionals
    uint16_t prefix; // a text
    uint16_t reason; // a text: command_rule_reason()
} CommandRule;

typedef enum { COMMAND_REF_REPO, COMMAND_REF_URL, COMMAND_REF_HOST } CommandRefType;

typedef struct CommandRef {
    uint8_t type;     // CommandRefType
    uint8_t flag;     // index among the node's flags, or COMMAND_NONE
    uint8_t position; // of a positional, from 0; COMMAND_EVERY; COMMAND_NONE when it is a flag
} CommandRef;

typedef struct CommandNode {
    uint16_t path, word, reason, aliases; // texts
    uint16_t parent, first_child, child_count;
    uint16_t first_flag, first_rule, first_ref;
    uint8_t flag_count, rule_count, ref_count;
    uint8_t effect; // Effect: the base class
    uint8_t kind;   // CommandKind
    uint8_t notes;  // CommandNotes
    uint16_t since; // COMMAND_VERSION()
} CommandNode;

const CommandNode *command_root(void);
/* By full names: "pr view"; "" is the root. NULL: no such command. */
const CommandNode *command_by_path(const char *path);
/* By name or alias, as gh does: case counts, nothing is abbreviated. */
const CommandNode *command_child(const CommandNode *self, const char *word);
const CommandNode *command_parent(const CommandNode *self);              // the root's is the root
bool command_is(const CommandNode *self, const char *path);              // false for NULL
bool command_is_below(const CommandNode *self, const char *parent_path); // a direct child

const char *command_path(const CommandNode *self);   // "repo deploy-key add", "" for the root
const char *command_reason(const CommandNode *self); // of the base class
uint16_t command_newest_version(void);

/* `--help` is known everywhere and not among a node's own flags. */
const CommandFlag *command_help_flag(void);
const CommandFlag *command_flags_of(const CommandNode *self); // flag_count of them
const CommandFlag *command_flag_by_name(const CommandNode *self, const char *name, size_t length);
const CommandFlag *command_flag_by_letter(const CommandNode *self, char letter);
const char *command_flag_name(const CommandFlag *flag); // "jq"

const CommandRule *command_rules_of(const CommandNode *self); // rule_count of them
const char *command_rule_prefix(const CommandRule *rule);
const char *command_rule_reason(const CommandRule *rule);
const CommandRef *command_refs_of(const CommandNode *self); // ref_count of them

/* For what walks over the whole table. */
size_t command_count(void);
