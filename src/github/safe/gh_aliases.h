/*
 * gh's own configuration, for the closer look at a command that the table does not know (gh-policy
 * §5.3): aliases of config.yml and installed extensions. Reads files, starts nothing. Thread safe.
 */
#pragma once

#include "base/json.h"

#define GH_ALIAS_LEVELS 5 // of aliases that lead to aliases

/* gh's configuration directory. Caller frees. */
char *gh_config_dir(void);

/* Name → expansion, an object; empty when there are none or the file is of no use to us. New
 * reference. */
json_t *gh_aliases_load(void);

/* The expansion of the word `word` under the command words `parent` ("" for the first word).
   Borrowed from `aliases`; NULL: no alias. */
const char *gh_alias_find(const json_t *aliases, const char *parent, const char *word);

bool gh_alias_is_shell(const char *expansion);

/* As gh does it: `$1`… are replaced as text, then the text is split like a shell does, and what was
   not used is appended. USAGE for a `$` with a digit that is left over, for an open quote, and for
   too much. */
bool gh_alias_expand(const char *expansion, const char *const *args, char ***ret_argv,
                     GError **error);

/* Would gh start an extension for this first word? */
bool gh_extension_exists(const char *word);
/* Their names, without "gh-", sorted. Caller frees with g_strfreev(). */
char **gh_extensions_list(void);
