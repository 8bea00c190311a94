/*
 * `kedge login` and `kedge logout`: a provider's keys in the agent directory (agent-core §2.11).
 * A key comes from the terminal, unseen, from standard input, or from the provider's page in a
 * browser; never from the argument vector.
 */
#include "base/callback_server.h"
#include "base/dirs.h"
#include "base/env.h"
#include "base/limits.h"
#include "base/log.h"
#include "cmd/cli/ask_hidden.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/outline.h"
#include "model/browser_login.h"
#include "model/catalogue.h"
#include "model/credential_store.h"
#include "model/registry.h"

#include <unistd.h>

#define LOGIN_TIMEOUT_MS (10 * 60 * 1000) // that a browser is waited for

typedef struct Store {
    ModelRegistry *registry;
    char *path; // of the database
} Store;

static void store_clear(Store *self)
{
    model_registry_free(self->registry);
    g_free(self->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Store, store_clear)

static void store_open(Store *self)
{
    g_autofree char *dir = dirs_agent();
    g_autofree char *models = g_build_filename(dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    self->path = g_build_filename(dir, CREDENTIAL_STORE_FILE, NULL);
    self->registry = model_registry_new(models, &warning);
    if (warning)
        log_warning("%s", warning);
}

static bool check_provider(const Store *store, const char *name, GError **error)
{
    if (model_registry_knows_provider(store->registry, name))
        return true;
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "unknown provider \"%s\"; `kedge login` lists those there are", name);
}

/* Of the provider's models; they are of one server. */
static const char *base_url_of(const Store *store, const char *provider)
{
    size_t count = 0;
    const Model *const *models = model_registry_all(store->registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(models[i]->provider, provider) == 0)
            return models[i]->base_url;
    }
    return NULL;
}

typedef struct BrowserWait {
    CallbackServer *server;
    char *query; // the browser was there
} BrowserWait;

static void browser_wait_clear(BrowserWait *self)
{
    callback_server_free(self->server);
    g_free(self->query);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BrowserWait, browser_wait_clear)

static bool is_browser_back(void *wait)
{
    BrowserWait *self = wait;
    self->query = callback_server_step(self->server);
    return self->query != NULL;
}

/* From the page of the provider in a browser. A person may also paste what the browser got, where
   it runs on another machine, or a key. `line` is the caller's, to be wiped. */
static bool read_from_browser(const char *provider, const char *base_url, GString *line,
                              GError **error)
{
    g_autoptr(BrowserLogin) login = browser_login_new(provider, base_url);
    g_auto(BrowserWait) wait = { 0 };
    if (!callback_server_new(browser_login_path(login), &wait.server, error))
        return false;
    g_autofree char *url = browser_login_url(login, callback_server_port(wait.server));
    log_text("Log in to %s in a browser:\n\n  %s\n", provider, url);
    const HiddenQuestion question = {
        .text = "Waiting for the browser. Or paste a key, or the address at which the browser ends "
                "up (not shown): ",
        .timeout_ms = env_int("LOGIN_TIMEOUT_MS", LOGIN_TIMEOUT_MS),
        .fd = callback_server_fd(wait.server),
        .is_answered = is_browser_back,
        .data = &wait,
    };
    if (!ask_hidden(&question, line, error))
        return false;
    g_strstrip(line->str);
    if (!wait.query && browser_login_is_key(line->str))
        return true;
    g_autofree char *code = NULL;
    char *key = NULL;
    g_autoptr(HttpClient) http = http_client_new();
    if (!browser_login_read_code(login, wait.query ? wait.query : line->str, &code, error) ||
        !browser_login_finish(login, http, code, NULL, &key, error))
        return false;
    g_string_assign(line, key);
    explicit_bzero(key, strlen(key));
    g_free(key);
    return true;
}

static bool read_line(const char *provider, const char *base_url, GString *line, GError **error)
{
    if (!isatty(STDIN_FILENO))
        return ask_read_line(STDIN_FILENO, "key", line, error);
    if (base_url && browser_login_exists(provider))
        return read_from_browser(provider, base_url, line, error);
    g_autofree char *text = g_strdup_printf("Key for %s (it is not shown): ", provider);
    const HiddenQuestion question = { .text = text, .fd = -1 };
    return ask_hidden(&question, line, error);
}

/* Wipes what it read, also where it fails. */
static bool read_key(const Store *store, const char *provider, char **ret_key, GError **error)
{
    GString *line = g_string_sized_new(LIMIT_API_KEY_BYTES + 1); // never moved, so wiped as a whole
    bool is_ok = read_line(provider, base_url_of(store, provider), line, error);
    g_strstrip(line->str);
    is_ok = is_ok && credential_key_check(line->str, error);
    if (is_ok)
        *ret_key = g_strdup(line->str);
    explicit_bzero(line->str, line->allocated_len);
    g_string_free(line, TRUE);
    return is_ok;
}

static bool store_login(const Store *store, const char *provider, GError **error)
{
    char *key = NULL;
    bool is_new = false;
    if (!check_provider(store, provider, error) || !read_key(store, provider, &key, error))
        return false;
    bool is_ok = credential_store_add(store->path, provider, key, &is_new, error);
    explicit_bzero(key, strlen(key));
    g_free(key);
    if (is_ok)
        log_text(is_new ? "Stored a key for %s." : "This key for %s was stored already.", provider);
    return is_ok;
}

/* "anthropic  stored" and so on: where the key of each provider comes from. */
static int print_providers(const Store *store)
{
    g_auto(GStrv) names = model_registry_providers(store->registry);
    GString *text = g_string_new(NULL);
    for (char **name = names; *name; name++) {
        g_autofree char *source = model_registry_provider_source(store->registry, *name);
        g_string_append_printf(text, "%-12s  %s\n", *name, source ? source : "-");
    }
    if (isatty(STDOUT_FILENO)) // a program knows what it has asked for
        log_text(
            "Providers, and where the key of each comes from (-: there is none yet).\n"
            "`kedge login PROVIDER` stores one, `kedge logout PROVIDER` forgets it; a variable "
            "such as\nANTHROPIC_API_KEY does as well.\n");
    bool is_ok = cmd_print(text->str);
    g_string_free(text, TRUE);
    return is_ok ? EXIT_OK : EXIT_FAILED;
}

/* At most one word, the provider; *ret_provider is NULL without. */
static bool read_words(int argc, char *const *argv, const char **ret_provider, GError **error)
{
    static const FieldDef no_options[] = { { 0 } };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    char nothing = 0;
    if (!cmd_decode_options(no_options, argc, argv, &nothing, &kept, words, error))
        return false;
    if (words->len > 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "one provider at most; the key is read from standard input");
    *ret_provider = words->len > 0 ? words->pdata[0] : NULL;
    return true;
}

static int login_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_auto(Store) store = { 0 };
    g_autoptr(GError) error = NULL;
    const char *provider = NULL;
    if (!read_words(argc, argv, &provider, &error))
        return cmd_fail(error);
    store_open(&store);
    if (!provider)
        return print_providers(&store);
    return store_login(&store, provider, &error) ? EXIT_OK : cmd_fail(error);
}

static int logout_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_auto(Store) store = { 0 };
    g_autoptr(GError) error = NULL;
    int64_t count = 0;
    const char *provider = NULL;
    if (!read_words(argc, argv, &provider, &error))
        return cmd_fail(error);
    if (!provider) {
        log_error("usage: kedge logout PROVIDER");
        return EXIT_USAGE;
    }
    store_open(&store);
    if (!credential_store_remove(store.path, provider, &count, &error))
        return cmd_fail(error);
    if (count == 0) {
        log_error("no key is stored for \"%s\"", provider);
        return EXIT_FAILED;
    }
    log_text("Removed %d stored key%s of %s.", (int)count, count == 1 ? "" : "s", provider);
    return EXIT_OK;
}

static void providers_outline(const CommandEnv *env, Outline *self)
{
    for (size_t i = 0; i < catalogue_provider_count; i++)
        g_ptr_array_add(self->words, (void *)catalogue_providers[i].name);
}

const Command command_login = {
    .name = "login",
    .summary = "Store a provider's API key, or list where keys come from",
    .usage = "[PROVIDER]",
    .help =
        "Without PROVIDER, each provider and where its key comes from (- : there is none).\n"
        "With it, a key is asked for on the terminal, or read from standard input, and stored in\n"
        "agent.db of the agent directory, which no one else may read. Of several keys one is used\n"
        "until the provider refuses it, or more for a limit; then the next.\n"
        "openrouter has a page for it: kedge shows its address and waits for the browser.\n"
        "\n"
        "Examples:\n"
        "  kedge login anthropic\n"
        "  kedge login openrouter\n"
        "  pass show openai | kedge login openai",
    .outline = providers_outline,
    .run = login_run,
};

const Command command_logout = {
    .name = "logout",
    .summary = "Remove the stored keys of a provider",
    .usage = "PROVIDER",
    .help = "What the environment or models.yml says stays as it is.",
    .outline = providers_outline,
    .run = logout_run,
};
