/*
 * Puts the system prompt together: base and tools in one block, what belongs to the project in
 * another, what the user appends in a third. The order is fixed, since providers cache by prefix.
 */
#include "agent/prompt.h"

#include "agent/prompt_private.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/str.h"

/* In the order in which they are looked into, in the project and in the user's home. */
static const char *const foreign_dirs[] = { ".claude", ".codex", ".gemini" };

/* The first `name` of the configuration directories. Caller frees; NULL when there is none. */
static char *find_prompt_file(const PromptOptions *options, const char *name)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *home = dirs_home();
    g_ptr_array_add(paths, g_build_filename(options->cwd, ".kedge", name, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(foreign_dirs); i++)
        g_ptr_array_add(paths, g_build_filename(options->cwd, foreign_dirs[i], name, NULL));
    g_ptr_array_add(paths, g_build_filename(options->agent_dir, name, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(foreign_dirs); i++)
        g_ptr_array_add(paths, g_build_filename(home, foreign_dirs[i], name, NULL));

    for (guint i = 0; i < paths->len; i++) {
        char *text = prompt_read_file(paths->pdata[i]);
        if (text)
            return text;
    }
    return NULL;
}

/* Text as it is, or of the file that it names. */
static char *text_or_file(const char *value)
{
    char *text = strchr(value, '\n') ? NULL : prompt_read_file(value);
    return text ? text : g_strdup(value);
}

static char *chosen_text(const PromptOptions *options, const char *value, const char *file_name)
{
    return value ? text_or_file(value) : find_prompt_file(options, file_name);
}

static char *base_block(const PromptOptions *options)
{
    g_autofree char *custom = chosen_text(options, options->system_prompt, "SYSTEM.md");
    g_autofree char *tools = system_prompt_tools(options->tools);
    const char *base = custom ? custom : system_prompt_base();
    return g_strconcat(base, *tools ? "\n\n" : "", tools, NULL);
}

static char *project_block(const PromptOptions *options, GPtrArray *warnings)
{
    g_autofree char *files =
        prompt_context_files(options->agent_dir, options->cwd, warnings, options->context_note);
    g_autofree char *facts = prompt_facts(options->cwd, options->now_ms);
    if (*files == '\0')
        return g_steal_pointer(&facts);
    return g_strconcat(
        "# Instructions for this project\n\nFollow them; the nearest file comes last and "
        "wins over those before it.\n\n",
        files, "\n", facts, NULL);
}

char **prompt_build(const PromptOptions *options, GPtrArray *warnings)
{
    g_autoptr(GStrvBuilder) blocks = g_strv_builder_new();
    if (env_flag("NULL_PROMPT"))
        return g_strv_builder_end(blocks);

    g_autofree char *base = base_block(options);
    g_autofree char *project = project_block(options, warnings);
    g_autofree char *appended = chosen_text(options, options->append_prompt, "APPEND_SYSTEM.md");
    const char *const parts[] = { base, project, appended };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (!str_is_empty(parts[i]))
            g_strv_builder_add(blocks, parts[i]);
    return g_strv_builder_end(blocks);
}
