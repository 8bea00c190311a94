/*
 * The rules of one ignore file (.gitignore, .ignore, …), as git reads them: the last rule that fits
 * decides, `!` takes one back, a trailing slash means directories only, a slash elsewhere ties the
 * rule to the file's own directory. Names are bytes. A rule over
 * LIMIT_IGNORE_RULE_BYTES says nothing. A match takes time linear in the length of a
 * name for each * of the rule. Immutable; thread safe.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct IgnoreRules IgnoreRules;

typedef enum { IGNORE_SAYS_NOTHING, IGNORE_OUT, IGNORE_KEPT } IgnoreVerdict;

IgnoreRules *ignore_rules_parse(const char *text, size_t size);
/* NULL when there is no such regular file, or none that can be read, or no rule in it. Of a file
   over LIMIT_IGNORE_FILE_BYTES only the beginning counts. */
IgnoreRules *ignore_rules_read(const char *path);
void ignore_rules_free(IgnoreRules *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(IgnoreRules, ignore_rules_free)

/* Who looks at the clock while entries are held against rules: few entries and rules may be long
   work. */
typedef struct IgnoreWatch {
    size_t work;                   // since the last look
    bool (*look)(void *user_data); // false: stop
    void *user_data;
    bool is_stopped;
} IgnoreWatch;

/* `bytes` of rules are looked at next. False, then and from then on: stop. */
bool ignore_watch_goes_on(IgnoreWatch *self, size_t bytes);

/* `path` below the directory that the rules are of: "src/main.c". NULL says nothing; rules do when
   the watch (NULL: none) stops them. */
IgnoreVerdict ignore_rules_judge(const IgnoreRules *self, const char *path, bool is_directory,
                                 IgnoreWatch *watch);

/* Does the glob of one name, or with slashes and ** of a path, fit? For tests. */
bool ignore_glob_fits(const char *glob, const char *path);
