/*
 * Fuzz target: what judges a gh command. The first byte chooses: an argument vector, one element a
 * line; a GraphQL document; a jq expression; a remote URL. Whatever the input, the answer is
 * complete and its indexes are inside the vector.
 */
#include "github/classify/classify.h"
#include "github/classify/jq_scan.h"
#include "github/graphql_scan.h"
#include "github/remote_url.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const char *const known_hosts[] = { "github.com", "ghe.example.com", "acme.ghe.com", NULL };
static const ClassifyOptions options = { .known_hosts = known_hosts, .gh_version = "2.92.0" };

static void check_items(const CommandArgs *args, size_t count)
{
    for (size_t i = 0; i < args->count; i++) {
        const CommandArg *item = &args->items[i];
        g_assert(item->index < count && item->value_index < count);
        if (!item->value)
            continue;
        const char *element = args->argv[item->value_index];
        g_assert(item->value_offset <= strlen(element));
        g_assert(item->value == element + item->value_offset);
    }
}

static void check_argv(char **argv)
{
    size_t count = g_strv_length(argv);
    g_auto(Classified) got = { 0 };
    g_autoptr(GError) error = NULL;
    if (!classify_argv((const char *const *)argv, &options, &got, &error)) {
        g_assert(error_is(error, KEDGE_ERROR_USAGE));
        return;
    }
    g_assert(got.reason != NULL && *got.reason != '\0' && *got.command != '\0');
    g_assert(g_utf8_validate(got.reason, -1, NULL) && g_utf8_validate(got.command, -1, NULL));
    g_assert(got.words_end <= count && (!got.has_unknown_word || got.unknown_word < count));
    check_items(got.args, count);

    // gh takes flags that it does not know yet with the element behind them
    size_t start = got.stripped_gh ? 1 : 0;
    g_autoptr(GPtrArray) longer = g_ptr_array_new();
    for (size_t i = 0; i < start; i++)
        g_ptr_array_add(longer, argv[i]);
    g_ptr_array_add(longer, (char *)"-R");
    g_ptr_array_add(longer, (char *)"list");
    for (size_t i = start; i < count; i++)
        g_ptr_array_add(longer, argv[i]);
    g_ptr_array_add(longer, NULL);
    g_auto(Classified) same = { 0 };
    if (classify_argv((const char *const *)longer->pdata, &options, &same, NULL))
        g_assert(same.node == got.node);
}

static void check_url(const char *text)
{
    g_auto(RemoteUrl) url = { 0 };
    if (!remote_url_parse(text, &url))
        return;
    g_autofree char *host = remote_url_host(text);
    g_assert_cmpstr(host, ==, url.host);
    g_autofree char *plain = g_strdup_printf("https://%s/%s/%s.git", url.host, url.owner, url.repo);
    g_auto(RemoteUrl) again = { 0 };
    g_assert(remote_url_parse(plain, &again));
    g_assert_cmpstr(again.owner, ==, url.owner);
    g_assert_cmpstr(again.repo, ==, url.repo);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size == 0)
        return 0;
    g_autofree char *text = g_strndup((const char *)data + 1, size - 1);
    switch (data[0] % 4) {
    case 0:
        graphql_scan(text);
        break;
    case 1:
        jq_reads_environment(text);
        break;
    case 2:
        check_url(text);
        break;
    default: {
        g_auto(GStrv) argv = g_strsplit(text, "\n", COMMAND_MAX_ARGS + 2);
        check_argv(argv);
    }
    }
    return 0;
}
