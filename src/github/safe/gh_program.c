/*
 * Finding gh, and refusing one that is too old.
 */
#include "github/safe/gh_program.h"

#include "github/classify/gh_kind.h"
#include "github/gh_env.h"
#include "tool/settings_keys.h"

void gh_program_clear(GhProgram *self)
{
    g_free(self->path);
    g_free(self->version_text);
    *self = (GhProgram) { 0 };
}

char *gh_program_minimum(const Settings *settings)
{
    static const char key[] = "gh.minVersion";
    g_autoptr(json_t) fallback = NULL;
    json_parse_text(setting_key_find(key)->default_json, &fallback, NULL);
    const char *own = json_string_value(settings_user_json(settings, key));
    const char *project = json_string_value(settings_project_json(settings, key));
    GhVersion least, raised;
    if (!own || !gh_version_parse(own, &least)) {
        own = json_string_value(fallback);
        gh_version_parse(own, &least);
    }
    if (!project || !gh_version_parse(project, &raised) || gh_version_compare(raised, least) < 0)
        return g_strdup(own);
    return g_strdup(project);
}

bool gh_program_find(const Settings *settings, const char *cwd, const char *workspace,
                     Cancel *cancel, GhProgram *ret_program, GError **error)
{
    g_auto(GhProgram) program = { .path = gh_env_find_executable(settings, cwd, workspace) };
    if (!program.path) {
        const GhFacts facts = { .executable = settings_get_text(settings, "gh.executable") };
        return fail_with_kind(error, GH_KIND_NO_EXECUTABLE, &facts);
    }

    g_autofree char *minimum = gh_program_minimum(settings);
    GhFacts facts = { .minimum = minimum };
    g_autoptr(GError) failed = NULL;
    if (!gh_version_of(program.path, cancel, &program.version_text, &program.version, &failed)) {
        if (!error_is(failed, KEDGE_ERROR_CANCELLED)) {
            facts.reason = failed->message;
            return fail_with_kind(error, GH_KIND_VERSION, &facts);
        }
        return pass_error(error, &failed);
    }
    GhVersion least;
    if (gh_version_parse(minimum, &least) && gh_version_compare(program.version, least) < 0) {
        facts.version = program.version_text;
        return fail_with_kind(error, GH_KIND_VERSION, &facts);
    }
    *ret_program = program;
    program = (GhProgram) { 0 };
    return true;
}
