/*
 * `kedge doctor`: is there a model to talk to, and a terminal to talk in (doctor_check.h).
 */
#include "cmd/doctor/doctor_check.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/path.h"
#include "base/secret_ancestor.h"
#include "model/model_roles.h"
#include "tool/settings_scope.h"
#include "tui/term/caps.h"
#include "tui/term/terminfo.h"

#include <sys/ioctl.h>
#include <unistd.h>

static void check_choice(Health *self, ModelRegistry *registry)
{
    ModelChoice choice = { 0 };
    g_autofree char *warning = NULL;
    const Model *model = model_role_configured(registry, MODEL_ROLE_DEFAULT, &choice, &warning)
                             ? choice.model
                             : model_registry_default(registry);
    if (warning)
        check_list_add(&self->list, "model.default", CHECK_WARNING,
                       "kedge config set modelRoles.default PROVIDER/MODEL", "%s", warning);
    if (!model) {
        g_autofree char *hint = model_registry_no_key_hint();
        check_list_add(&self->list, "model", CHECK_BAD, hint,
                       "no model can be used: no key is known");
    } else if (model->is_keyless) {
        check_list_add(&self->list, "model", CHECK_GOOD, NULL, "%s/%s, needs no key",
                       model->provider, model->id);
    } else {
        g_autofree char *source = model_registry_key_source(registry, model);
        check_list_add(&self->list, "model", CHECK_GOOD, NULL, "%s/%s, key from %s",
                       model->provider, model->id, source);
    }
}

void health_check_model(Health *self)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *path = g_build_filename(agent_dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) registry = model_registry_new(path, &warning);
    if (warning) {
        g_autofree char *shown = path_shorten_home(path);
        g_autofree char *recovery = g_strdup_printf("correct %s", shown);
        check_list_add(&self->list, "models.yml", CHECK_WARNING, recovery, "%s", warning);
    }
    g_autoptr(json_t) disabled =
        settings_list_in(settings_get_json(self->settings, "disabledProviders"), self->cwd);
    model_registry_arrange(registry, disabled,
                           settings_get_json(self->settings, "modelProviderOrder"));
    model_roles_set(registry, settings_get_json(self->settings, "modelRoles"));
    check_choice(self, registry);
}

void health_check_ancestors(Health *self)
{
    g_autofree char *found = secret_ancestor_find();
    if (found)
        check_list_add(&self->list, "environment", CHECK_WARNING,
                       "start kedge with `exec` in scripts, or store the key: kedge login PROVIDER",
                       "%s in its environment, where commands that a model runs can read it",
                       found);
}

/* One of the standard streams, whichever is a terminal; -1: none is. */
static int find_terminal(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (isatty(fd))
            return fd;
    return -1;
}

static const char *colours_text(ColourDepth depth)
{
    static const char *const texts[] = {
        [DEPTH_NONE] = "no colours",
        [DEPTH_16] = "16 colours",
        [DEPTH_256] = "256 colours",
        [DEPTH_TRUE] = "24 bit colours",
    };
    return texts[depth];
}

/* ", tmux, over ssh": what is known of it by the environment. Caller frees. */
static char *known_text(const TermCaps *caps)
{
    GString *out = g_string_new(NULL);
    const struct {
        bool is_so;
        const char *text;
    } facts[] = {
        { caps->is_tmux, "tmux" },
        { caps->is_screen, "GNU screen" },
        { caps->is_zellij, "Zellij" },
        { caps->is_over_ssh, "over ssh" },
        { caps->has_links, "shows links" },
        { caps->has_marks, "knows marks of prompts" },
        { caps->wraps_again, "wraps again" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(facts); i++)
        if (facts[i].is_so)
            g_string_append_printf(out, ", %s", facts[i].text);
    return g_string_free(out, FALSE);
}

void health_check_terminal(Health *self)
{
    int fd = find_terminal();
    if (fd < 0) {
        check_list_add(&self->list, "terminal", CHECK_GOOD, NULL, "none here");
        return;
    }
    const char *term = env_get_raw("TERM");
    const TermCaps caps = caps_of_environment(NULL, terminfo_colours);
    struct winsize size = { 0 };
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        size = (struct winsize) { 0 };
    g_autofree char *known = known_text(&caps);
    if (caps.is_dumb)
        check_list_add(&self->list, "terminal", CHECK_WARNING,
                       "export TERM=xterm-256color, if it is one",
                       "TERM=%s: a conversation is line by line", term ? term : "");
    else if (size.ws_col == 0 || size.ws_row == 0)
        check_list_add(&self->list, "terminal", CHECK_WARNING, "stty columns 80 rows 24",
                       "TERM=%s, does not say how large it is, %s%s", term ? term : "",
                       colours_text(caps.depth), known);
    else
        check_list_add(&self->list, "terminal", CHECK_GOOD, NULL, "TERM=%s, %u×%u, %s%s",
                       term ? term : "", size.ws_col, size.ws_row, colours_text(caps.depth), known);
}
