/*
 * model/model_roles.c and model_scope.c: from a role to a model, as somebody chose it or as it
 * fits; and the models to choose among.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "model/model_roles.h"
#include "model/model_scope.h"

static Model *add(ModelRegistry *registry, const char *provider, const char *id)
{
    Model *model = model_new(provider, id, MODEL_API_OPENAI_COMPLETIONS, "http://127.0.0.1:1");
    model->is_keyless = true;
    registry_put_model(registry, model);
    return model;
}

/* `roles` as for json_of(), or NULL. */
static ModelRegistry *registry_with(const char *roles)
{
    clean_environment();
    static const char *const names[] = { "KEDGE_SMOL_MODEL", "KEDGE_SLOW_MODEL", "KEDGE_PLAN_MODEL",
                                         "PI_SMOL_MODEL", NULL };
    for (size_t i = 0; names[i]; i++)
        g_unsetenv(names[i]);
    g_autofree char *warning = NULL;
    ModelRegistry *registry = model_registry_new(NULL, &warning);
    g_ptr_array_set_size(registry->sources, 0);
    add(registry, "acme", "acme-5");
    add(registry, "acme", "acme-haiku-4-5");
    add(registry, "acme", "acme-haiku-4-5-20251001");
    add(registry, "acme", "acme-haiku-3");
    add(registry, "acme", "acme-haiku-9")->is_deprecated = true;
    add(registry, "acme", "acme-opus-5");
    add(registry, "acme", "acme-opus-5-5");
    add(registry, "acme", "gemini-7");
    add(registry, "hub", "one/big-2");
    add(registry, "hub", "one/big-2-mini");
    add(registry, "hub", "other/big-3-mini");
    add(registry, "lone", "only")->accepts_images = false;
    add(registry, "lone", "eyes")->accepts_images = true;
    add(registry, "locked", "closed")->is_keyless = false;
    g_autoptr(json_t) json = roles ? json_of(roles) : NULL;
    model_roles_set(registry, json);
    return registry;
}

static void assert_choice(const char *name, const ModelChoice *choice, const char *want,
                          const char *level)
{
    g_autofree char *got =
        choice->model ? g_strconcat(choice->model->provider, "/", choice->model->id, NULL) : NULL;
    const char *got_level = choice->has_level ? thinking_level_name(choice->level) : NULL;
    if (g_strcmp0(got, want) != 0 || g_strcmp0(got_level, level) != 0)
        fail_msg("%s: got %s at level %s, want %s at %s", name, got, got_level, want, level);
}

static void test_configured(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *roles, *role, *want, *level, *warning;
    } cases[] = {
        { NULL, "smol", NULL, NULL, NULL },
        { "{'smol':'acme/acme-haiku-3:low'}", "smol", "acme/acme-haiku-3", "low", NULL },
        { "{'smol':'acme/acme-haiku-3'}", "slow", NULL, NULL, NULL },
        { "{'plan':'opus 5.5'}", "plan", "acme/acme-opus-5-5", NULL, NULL },
        { "{'smol':''}", "smol", NULL, NULL, NULL },
        { "{'smol':7}", "smol", NULL, NULL, NULL },
        // the first that can be used
        { "{'smol':['locked/closed','nobody-has','lone/only']}", "smol", "lone/only", NULL, NULL },
        { "{'smol':'locked/closed, lone/only:off'}", "smol", "lone/only", "off", NULL },
        { "{'smol':'locked/closed'}", "smol", NULL, NULL, "modelRoles.smol: no key for locked" },
        // several: a warning, and the role counts as unset
        { "{'commit':'opus'}", "commit", NULL, NULL,
          "modelRoles.commit: Model \"opus\" could be: acme/acme-opus-5, acme/acme-opus-5-5. Name "
          "one of them." },
        { "{'smol':'nobody-has'}", "smol", NULL, NULL,
          "modelRoles.smol: Model \"nobody-has\" not found. Use --list-models to see available "
          "models." },
        // a role that is another one
        { "{'plan':'kedge/slow:high','slow':'lone/only:low'}", "plan", "lone/only", "high", NULL },
        { "{'plan':'pi/slow','slow':'lone/only:low'}", "plan", "lone/only", "low", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ModelRegistry) registry = registry_with(cases[i].roles);
        ModelChoice choice = { 0 };
        g_autofree char *warning = NULL;
        bool is_found = model_role_configured(registry, cases[i].role, &choice, &warning);
        assert_int_equal(is_found, cases[i].want != NULL);
        assert_choice(cases[i].roles, &choice, cases[i].want, cases[i].level);
        if (g_strcmp0(warning, cases[i].warning) != 0)
            fail_msg("%s: warned '%s'", cases[i].roles, warning);
    }
}

/* Whom somebody meant, usable or not. */
static void test_named(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *roles, *want;
    } cases[] = {
        { NULL, NULL },
        { "{'vision':'lone/eyes'}", "lone/eyes" },
        { "{'vision':'locked/closed'}", "locked/closed" },
        { "{'vision':['nobody-has','locked/closed','lone/eyes']}", "locked/closed" },
        { "{'vision':'nobody-has'}", NULL },
        { "{'vision':', '}", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ModelRegistry) registry = registry_with(cases[i].roles);
        ModelChoice choice = { 0 };
        assert_int_equal(model_role_named(registry, "vision", &choice), cases[i].want != NULL);
        assert_choice(cases[i].roles, &choice, cases[i].want, NULL);
    }
}

static void test_chosen(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *roles, *role, *like, *want;
    } cases[] = {
        // small and large ones of the same provider and maker, the newest
        { NULL, "smol", "acme/acme-5", "acme/acme-haiku-4-5" },
        { NULL, "slow", "acme/acme-5", "acme/acme-opus-5-5" },
        { NULL, "smol", "hub/one/big-2", "hub/one/big-2-mini" },
        { NULL, "slow", "hub/one/big-2", "hub/one/big-2" },
        { NULL, "smol", "lone/only", "lone/only" },
        // what nobody has chosen and nothing fits better
        { NULL, "plan", "acme/acme-5", "acme/acme-5" },
        { NULL, "commit", "lone/only", "lone/only" },
        { NULL, "vision", "lone/only", "lone/eyes" },
        { NULL, "vision", "lone/eyes", "lone/eyes" },
        { "{'smol':'lone/only'}", "smol", "acme/acme-5", "lone/only" },
        { "{'smol':'opus'}", "smol", "acme/acme-5", "acme/acme-haiku-4-5" },
        // without a conversation
        { "{'default':'hub/one/big-2'}", "smol", NULL, "hub/one/big-2-mini" },
        { "{'default':'hub/one/big-2'}", "default", NULL, "hub/one/big-2" },
        // circles end
        { "{'default':'kedge/smol'}", "smol", "acme/acme-5", "acme/acme-haiku-4-5" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ModelRegistry) registry = registry_with(cases[i].roles);
        ModelChoice like = { 0 }, choice = { 0 };
        if (cases[i].like)
            assert_true(model_registry_select(registry, cases[i].like, NULL, &like, NULL));
        assert_true(model_role_choose(registry, cases[i].role, like.model, &choice));
        assert_choice(cases[i].role, &choice, cases[i].want, NULL);
    }
}

static void test_origins(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = registry_with("{'smol':'lone/only','task':'lone/eyes'}");
    ModelChoice choice = { 0 };
    g_setenv("PI_SMOL_MODEL", "acme/acme-haiku-3", TRUE);
    assert_true(model_role_configured(registry, "smol", &choice, NULL));
    assert_choice("PI_SMOL_MODEL", &choice, "acme/acme-haiku-3", NULL);
    g_setenv("KEDGE_SMOL_MODEL", "acme/acme-opus-5:high", TRUE);
    assert_true(model_role_configured(registry, "smol", &choice, NULL));
    assert_choice("KEDGE_SMOL_MODEL", &choice, "acme/acme-opus-5", "high");
    model_roles_override(registry, "smol", "acme/acme-5");
    assert_true(model_role_configured(registry, "smol", &choice, NULL));
    assert_choice("override", &choice, "acme/acme-5", NULL);
    model_roles_override(registry, "smol", "opus");
    g_autofree char *warning = NULL;
    assert_false(model_role_configured(registry, "smol", &choice, &warning));
    assert_true(str_has_prefix(warning, "--smol: Model \"opus\" could be: "));
    g_unsetenv("PI_SMOL_MODEL");
    g_unsetenv("KEDGE_SMOL_MODEL");
    model_roles_set(registry, NULL);
    assert_false(model_role_configured(registry, "task", &choice, NULL));
}

static void test_selectors(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry = registry_with("{'default':'acme/acme-5:low',"
                                                      "'smol':'kedge/slow','slow':'kedge/smol'}");
    static const struct {
        const char *selector, *want, *level;
    } cases[] = {
        { "kedge/default", "acme/acme-5", "low" },
        { "kedge/default:high", "acme/acme-5", "high" },
        { "pi/plan", "acme/acme-5", NULL },
        { "kedge/designer:off", "acme/acme-5", "off" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ModelChoice choice = { 0 };
        assert_true(model_registry_select(registry, cases[i].selector, NULL, &choice, NULL));
        assert_choice(cases[i].selector, &choice, cases[i].want, cases[i].level);
    }
    ModelChoice choice = { 0 };
    assert_true(model_registry_select(registry, "kedge/smol", NULL, &choice, NULL)); // a circle
    assert_non_null(choice.model);
    g_autoptr(GError) error = NULL;
    assert_false(model_registry_select(registry, "kedge/nothing", NULL, &choice, &error));
    assert_true(str_has_prefix(error->message, "Model \"kedge/nothing\" not found"));

    // a provider that has the name keeps it
    add(registry, "kedge", "smol");
    assert_true(model_registry_select(registry, "kedge/smol", NULL, &choice, NULL));
    assert_choice("provider kedge", &choice, "kedge/smol", NULL);

    g_autofree char *warning = NULL;
    g_autoptr(ModelRegistry) empty = model_registry_new(NULL, &warning);
    g_clear_error(&error);
    assert_false(model_registry_select(empty, "kedge/slow", NULL, &choice, &error));
    assert_string_equal(error->message, "No model can be used for role \"slow\"");
    assert_false(model_role_choose(empty, "commit", NULL, &choice));
}

/* The built-in choices among the models of the catalogue are what their makers call small and
   large. */
static void test_catalogue(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *key, *smol, *slow;
    } cases[] = {
        { "ANTHROPIC_API_KEY", "anthropic/claude-haiku-4-5", "anthropic/claude-opus-5-5" },
        { "OPENAI_API_KEY", "openai/gpt-6-luna", "openai/gpt-6-sol" },
        { "GEMINI_API_KEY", "google/gemini-3.5-flash-lite", "google/gemini-3.1-pro-preview" },
        { "DEEPSEEK_API_KEY", "deepseek/deepseek-v4-flash", "deepseek/deepseek-v4-pro" },
        { "OPENROUTER_API_KEY", "openrouter/anthropic/claude-haiku-4.5", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        clean_environment();
        g_setenv(cases[i].key, "k", TRUE);
        g_autofree char *warning = NULL;
        g_autoptr(ModelRegistry) registry = model_registry_new(NULL, &warning);
        ModelChoice choice = { 0 };
        assert_true(model_registry_select(registry, "kedge/smol", NULL, &choice, NULL));
        assert_choice(cases[i].key, &choice, cases[i].smol, NULL);
        assert_true(model_registry_select(registry, "kedge/slow", NULL, &choice, NULL));
        if (cases[i].slow)
            assert_choice(cases[i].key, &choice, cases[i].slow, NULL);
    }
    clean_environment();
}

static char *scope_text(GArray *scope)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; scope && i < scope->len; i++) {
        const ModelChoice *choice = &g_array_index(scope, ModelChoice, i);
        g_string_append_printf(text, "%s%s/%s%s%s", i > 0 ? " " : "", choice->model->provider,
                               choice->model->id, choice->has_level ? ":" : "",
                               choice->has_level ? thinking_level_name(choice->level) : "");
    }
    return g_string_free(text, FALSE);
}

static void test_scope(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *patterns, *want, *warnings;
    } cases[] = {
        { "", "", "" },
        { "lone/only, acme/acme-5:low", "lone/only acme/acme-5:low", "" },
        { "acme/*haiku-4*:high", "acme/acme-haiku-4-5:high acme/acme-haiku-4-5-20251001:high", "" },
        { "big-*,only", "lone/only", "no model that can be used matches big-*" },
        { "one/big-?,hub/*", "hub/one/big-2 hub/one/big-2-mini hub/other/big-3-mini", "" },
        { "kedge/slow", "acme/acme-opus-5-5", "" },
        { "locked/*,locked/closed,opus", "",
          "no model that can be used matches locked/*|locked/closed: no key for locked|Model "
          "\"opus\" could be: acme/acme-opus-5, acme/acme-opus-5-5. Name one of them." },
        { "*haiku-9", "", "no model that can be used matches *haiku-9" }, // deprecated
    };
    g_autoptr(ModelRegistry) registry = registry_with("{'default':'acme/acme-5'}");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) patterns = g_strsplit(cases[i].patterns, ",", -1);
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GArray) scope =
            model_scope_resolve(registry, (const char *const *)patterns, warnings);
        g_autofree char *got = scope_text(scope);
        g_ptr_array_add(warnings, NULL);
        g_autofree char *said = g_strjoinv("|", (char **)warnings->pdata);
        if (strcmp(got, cases[i].want) != 0 || strcmp(said, cases[i].warnings) != 0)
            fail_msg("%s: got '%s', said '%s'", cases[i].patterns, got, said);
        assert_int_equal(scope != NULL, *cases[i].want != '\0');
    }
}

/* cycleOrder: the roles' models in order, each once, as soon as somebody has chosen one. */
static void test_scope_of_roles(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *roles, *order, *want; // want NULL: nobody has chosen
    } cases[] = {
        { NULL, "['smol','default','slow']", NULL },
        { "{'vision':'lone/eyes'}", "['smol','default','slow']", NULL },
        { "{'default':'acme/acme-5'}", "['smol','default','slow']",
          "smol=acme-haiku-4-5 default=acme-5 slow=acme-opus-5-5 " },
        { "{'default':'lone/only','own':'lone/eyes:low'}",
          "['own','nobody','plan','default',7,'smol']", "own=eyes default=only " },
        { "{'default':'acme/acme-5','smol':'locked/closed'}", "['smol','default']",
          "smol=acme-haiku-4-5 default=acme-5 " },
        { "{'default':'acme/acme-5'}", "[]", NULL },
        { "{'default':'acme/acme-5'}", "{'smol':1}", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ModelRegistry) registry = registry_with(cases[i].roles);
        g_autoptr(json_t) order = json_of(cases[i].order);
        g_autoptr(GArray) scope = model_scope_of_roles(registry, order);
        g_autoptr(GString) got = g_string_new(NULL);
        for (guint j = 0; scope && j < scope->len; j++) {
            const ModelChoice *choice = &g_array_index(scope, ModelChoice, j);
            g_string_append_printf(got, "%s=%s ", choice->role, choice->model->id);
        }
        if (g_strcmp0(cases[i].want, scope ? got->str : NULL) != 0)
            fail_msg("%s %s: got %s", cases[i].roles, cases[i].order, got->str);
    }
}

static void test_all_chosen(void **state G_GNUC_UNUSED)
{
    g_autoptr(ModelRegistry) registry =
        registry_with("{'slow':'acme/acme-opus-5','own':'lone/eyes','task':'nobody-has'}");
    g_setenv("KEDGE_SMOL_MODEL", "acme/acme-haiku-3", TRUE);
    g_autoptr(json_t) chosen = model_roles_chosen(registry);
    g_unsetenv("KEDGE_SMOL_MODEL");
    assert_json("chosen", chosen,
                "{'smol':'acme/acme-haiku-3','slow':'acme/acme-opus-5','own':'lone/eyes'}");
    ModelChoice choice = { 0 };
    assert_true(model_registry_select(registry, "kedge/own:high", NULL, &choice, NULL));
    assert_choice("a role of one's own", &choice, "lone/eyes", "high");
    assert_false(model_registry_select(registry, "kedge/nobodys", NULL, &choice, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configured), cmocka_unit_test(test_named),
        cmocka_unit_test(test_chosen),     cmocka_unit_test(test_origins),
        cmocka_unit_test(test_selectors),  cmocka_unit_test(test_catalogue),
        cmocka_unit_test(test_scope),      cmocka_unit_test(test_scope_of_roles),
        cmocka_unit_test(test_all_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
