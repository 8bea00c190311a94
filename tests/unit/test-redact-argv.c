/*
 * Secrets and private text out of arguments (gh-policy §8.2, §8.5, §8.6).
 */
#include "unit.h"

#include "base/json.h"
#include "base/redact.h"
#include "base/secrets.h"
#include "github/safe/redact_argv.h"

#define CANARY  "REDACTED_TEST_SECRET"
#define LONG_20 "aaaaaaaaaaaaaaaaaaaa"
#define LONG_80 LONG_20 LONG_20 LONG_20 LONG_20

/* The vector of a JSON array. */
static char **parse_vector(const char *text)
{
    g_autoptr(json_t) array = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(text, &array, &error))
        fail_msg("%s: %s", text, error->message);
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    size_t i;
    json_t *element;
    json_array_foreach (array, i, element)
        g_strv_builder_add(list, json_string_value(element));
    return g_strv_builder_end(list);
}

static char *vector_text(char **argv)
{
    g_autoptr(json_t) array = json_array();
    for (; *argv; argv++)
        json_append_take(array, json_text(*argv));
    return json_to_text(array);
}

static CommandArgs *parse_args(char **argv)
{
    CommandFound found;
    command_find((const char *const *)argv, 0, g_strv_length(argv), &found);
    return command_args_new((const char *const *)argv, &found);
}

static char *redacted(const char *argv_json, bool is_parsed, RedactMode mode)
{
    g_auto(GStrv) argv = parse_vector(argv_json);
    g_autoptr(CommandArgs) args = is_parsed ? parse_args(argv) : NULL;
    g_auto(GStrv) masked = redact_argv((const char *const *)argv, args, mode);
    return vector_text(masked);
}

static const struct {
    const char *name, *in;
    const char *record, *display; // NULL: as it came
} cases[] = {
    { "gh-8.6-1 header",
      "[\"api\",\"user\",\"-H\",\"Authorization: token ghp_0123456789abcdef0123\"]",
      "[\"api\",\"user\",\"-H\",\"Authorization: [REDACTED]\"]",
      "[\"api\",\"user\",\"-H\",\"Authorization: [REDACTED]\"]" },
    { "gh-8.6-2 header, glued", "[\"api\",\"user\",\"-HAuthorization: Bearer abc\"]",
      "[\"api\",\"user\",\"-HAuthorization: [REDACTED]\"]",
      "[\"api\",\"user\",\"-HAuthorization: [REDACTED]\"]" },
    { "gh-8.6-3 fields",
      "[\"api\",\"repos/o/r/issues\",\"-f\",\"title=Hi\",\"-f\",\"body=private\"]",
      "[\"api\",\"repos/o/r/issues\",\"-f\",\"title=Hi\",\"-f\",\"body=[REDACTED]\"]", NULL },
    { "gh-8.6-4 body", "[\"pr\",\"comment\",\"5\",\"-b\",\"private\"]",
      "[\"pr\",\"comment\",\"5\",\"-b\",\"[REDACTED]\"]", NULL },
    { "gh-8.6-5 body, long", "[\"pr\",\"comment\",\"5\",\"--body=private\"]",
      "[\"pr\",\"comment\",\"5\",\"--body=[REDACTED]\"]", NULL },
    { "gh-8.6-6 -b is a branch here", "[\"run\",\"list\",\"-b\",\"main\"]", NULL, NULL },
    { "gh-8.6-7 body, glued", "[\"pr\",\"create\",\"-t\",\"T\",\"-bprivate\"]",
      "[\"pr\",\"create\",\"-t\",\"T\",\"-b[REDACTED]\"]", NULL },
    { "gh-8.6-8 unknown command", "[\"frob\",\"--token\",\"x1\"]",
      "[\"frob\",\"--token\",\"[REDACTED]\"]", "[\"frob\",\"--token\",\"[REDACTED]\"]" },
    { "gh-8.6-9 a secret's value", "[\"secret\",\"set\",\"A\",\"-b\",\"s3cret\"]",
      "[\"secret\",\"set\",\"A\",\"-b\",\"[REDACTED]\"]",
      "[\"secret\",\"set\",\"A\",\"-b\",\"[REDACTED]\"]" },
    { "gh-8.6-10 user information", "[\"repo\",\"view\",\"https://u:p@github.com/o/r\"]",
      "[\"repo\",\"view\",\"https://[REDACTED]@github.com/o/r\"]",
      "[\"repo\",\"view\",\"https://[REDACTED]@github.com/o/r\"]" },
    { "gh-8.6-11 parameter", "[\"api\",\"x?access_token=abc&page=2\"]",
      "[\"api\",\"x?access_token=[REDACTED]&page=2\"]",
      "[\"api\",\"x?access_token=[REDACTED]&page=2\"]" },
    { "gh-8.6-13 a file's name", "[\"api\",\"gists\",\"-F\",\"files[a][content]=@notes.txt\"]",
      "[\"api\",\"gists\",\"-F\",\"files[a][content]=@[REDACTED]\"]", NULL },
    { "gh-8.6-14 query", "[\"api\",\"graphql\",\"-f\",\"query=" LONG_80 "bc\"]",
      "[\"api\",\"graphql\",\"-f\",\"query=" LONG_80 "…[REDACTED]\"]", NULL },

    { "gh-8.2-1 short query", "[\"api\",\"graphql\",\"-f\",\"query=" LONG_80 "\"]", NULL, NULL },
    { "gh-8.2-2 a query's cut is between characters",
      "[\"api\",\"graphql\",\"-f\",\"query=" LONG_20 LONG_20 LONG_20 "ééééééééééééééééééééé\"]",
      "[\"api\",\"graphql\",\"-f\",\"query=" LONG_20 LONG_20 LONG_20
      "éééééééééééééééééééé…[REDACTED]\"]",
      NULL },
    { "gh-8.2-3 upload, any key", "[\"api\",\"x\",\"-Fdata=@/etc/passwd\"]",
      "[\"api\",\"x\",\"-Fdata=@[REDACTED]\"]", NULL },
    { "gh-8.2-4 raw fields have no uploads", "[\"api\",\"x\",\"-f\",\"data=@name\"]", NULL, NULL },
    { "gh-8.2-5 last component", "[\"api\",\"x\",\"-f\",\"commit[message]=private\"]",
      "[\"api\",\"x\",\"-f\",\"commit[message]=[REDACTED]\"]", NULL },
    { "gh-8.2-6 not the last component", "[\"api\",\"x\",\"-f\",\"body[id]=5\"]", NULL, NULL },
    { "gh-8.2-7 files", "[\"pr\",\"create\",\"-F\",\"notes.md\",\"--recover\",\"x.json\"]",
      "[\"pr\",\"create\",\"-F\",\"[REDACTED]\",\"--recover\",\"[REDACTED]\"]", NULL },
    { "gh-8.2-8 a task's text", "[\"agent-task\",\"create\",\"private words\",\"-b\",\"main\"]",
      "[\"agent-task\",\"create\",\"[REDACTED]\",\"-b\",\"main\"]", NULL },
    { "gh-8.2-9 a boolean flag of that name",
      "[\"pr\",\"review\",\"5\",\"--comment\",\"-b\",\"x\"]",
      "[\"pr\",\"review\",\"5\",\"--comment\",\"-b\",\"[REDACTED]\"]", NULL },
    { "gh-8.2-10 a value that looks like a flag",
      "[\"pr\",\"create\",\"--title\",\"--body\",\"-d\"]", NULL, NULL },
    { "gh-8.2-11 unknown flag of a known command", "[\"pr\",\"view\",\"5\",\"--body\",\"private\"]",
      "[\"pr\",\"view\",\"5\",\"--body\",\"[REDACTED]\"]", NULL },
    { "gh-8.2-12 cluster", "[\"pr\",\"create\",\"-dbprivate\"]",
      "[\"pr\",\"create\",\"-db[REDACTED]\"]", NULL },
    { "gh-8.2-13 equals behind the letter", "[\"pr\",\"create\",\"-b=private\"]",
      "[\"pr\",\"create\",\"-b=[REDACTED]\"]", NULL },
    { "gh-8.2-14 behind help", "[\"secret\",\"set\",\"A\",\"-h\",\"-b\",\"s3cret\"]",
      "[\"secret\",\"set\",\"A\",\"-h\",\"-b\",\"[REDACTED]\"]",
      "[\"secret\",\"set\",\"A\",\"-h\",\"-b\",\"[REDACTED]\"]" },
    { "gh-8.2-15 an ordinary header", "[\"api\",\"x\",\"-H\",\"Accept: text/plain\"]", NULL, NULL },
    { "gh-8.2-16 a known value elsewhere",
      "[\"frob\",\"--token\",\"long-secret\",\"a-long-secret-b\"]",
      "[\"frob\",\"--token\",\"[REDACTED]\",\"a-[REDACTED]-b\"]",
      "[\"frob\",\"--token\",\"[REDACTED]\",\"a-[REDACTED]-b\"]" },
    { "gh-8.2-17 before the command words", "[\"--body\",\"private\",\"frob\"]",
      "[\"--body\",\"[REDACTED]\",\"frob\"]", NULL },
    { "gh-8.2-18 a leading gh", "[\"gh\",\"frob\",\"--token\",\"x\"]",
      "[\"gh\",\"frob\",\"--token\",\"[REDACTED]\"]",
      "[\"gh\",\"frob\",\"--token\",\"[REDACTED]\"]" },
    { "gh-8.2-19 nothing behind the flag", "[\"frob\",\"--token\"]", NULL, NULL },
};

static void test_cases(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *record = redacted(cases[i].in, true, REDACT_RECORD);
        g_autofree char *display = redacted(cases[i].in, true, REDACT_DISPLAY);
        const char *want_record = cases[i].record != NULL ? cases[i].record : cases[i].in;
        const char *want_display = cases[i].display != NULL ? cases[i].display : cases[i].in;
        if (strcmp(record, want_record) != 0)
            fail_msg("%s, record: got %s", cases[i].name, record);
        if (strcmp(display, want_display) != 0)
            fail_msg("%s, display: got %s", cases[i].name, display);
    }
}

/* Without a parse the long names of flags decide. */
static void test_not_parsed(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
    } lists[] = {
        { "[\"x\",\"--body\",\"private\",\"--notes=private\"]",
          "[\"x\",\"--body\",\"[REDACTED]\",\"--notes=[REDACTED]\"]" },
        { "[\"x\",\"-b\",\"main\"]", "[\"x\",\"-b\",\"main\"]" },
        { "[\"x\",\"--field\",\"token=abc\",\"--header=Cookie: a\"]",
          "[\"x\",\"--field\",\"token=[REDACTED]\",\"--header=Cookie: [REDACTED]\"]" },
        { "[]", "[]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        g_autofree char *got = redacted(lists[i].in, false, REDACT_RECORD);
        assert_string_equal(got, lists[i].want);
    }
}

/* %s is the canary. `is_private`: text that the person who is asked may read. */
static const struct {
    const char *form;
    bool is_private;
} slots[] = {
    { "[\"api\",\"x\",\"--token\",\"%s\"]", false },
    { "[\"api\",\"x\",\"--secret=%s\"]", false },
    { "[\"pr\",\"list\",\"--password\",\"%s\"]", false },
    { "[\"frob\",\"--passphrase=%s\"]", false },
    { "[\"frob\",\"--otp\",\"%s\"]", false },
    { "[\"frob\",\"--api-key\",\"%s\"]", false },
    { "[\"frob\",\"--figma-api-key=%s\"]", false },
    { "[\"frob\",\"--auth\",\"%s\"]", false },
    { "[\"auth\",\"login\",\"--with-token\",\"%s\"]", false },
    { "[\"secret\",\"set\",\"A\",\"--body\",\"%s\"]", false },
    { "[\"secret\",\"set\",\"A\",\"-b%s\"]", false },
    { "[\"api\",\"x\",\"-H\",\"Authorization: Basic %s\"]", false },
    { "[\"api\",\"x\",\"--header\",\"proxy-authorization: %s\"]", false },
    { "[\"api\",\"x\",\"-HCookie: a=%s\"]", false },
    { "[\"api\",\"x\",\"-H\",\"Set-Cookie: %s\"]", false },
    { "[\"api\",\"x\",\"-H\",\"X-Private-Token: %s\"]", false },
    { "[\"api\",\"x\",\"-iH\",\"x-github-otp:%s\"]", false },
    { "[\"api\",\"x\",\"-f\",\"token=%s\"]", false },
    { "[\"api\",\"x\",\"-F\",\"client_secret=%s\"]", false },
    { "[\"api\",\"x\",\"--field\",\"password=%s\"]", false },
    { "[\"api\",\"x\",\"--raw-field=passphrase=%s\"]", false },
    { "[\"api\",\"x\",\"-fprivate_key=%s\"]", false },
    { "[\"api\",\"x\",\"-F\",\"api_key=%s\"]", false },
    { "[\"api\",\"x\",\"-F\",\"encrypted_value=@%s\"]", false },
    { "[\"api\",\"x\",\"-f\",\"key=%s\"]", false },
    { "[\"api\",\"x\",\"-f\",\"config[secret]=%s\"]", false },
    { "[\"workflow\",\"run\",\"ci.yml\",\"-f\",\"password=%s\"]", false },
    { "[\"api\",\"x?token=%s\"]", false },
    { "[\"api\",\"x#access_token=%s\"]", false },
    { "[\"repo\",\"view\",\"https://%s@github.com/o/r\"]", false },
    { "[\"api\",\"x\",\"-f\",\"body=%s\"]", true },
    { "[\"api\",\"x\",\"-F\",\"text=%s\"]", true },
    { "[\"api\",\"x\",\"-f\",\"description=%s\"]", true },
    { "[\"api\",\"x\",\"-f\",\"files[a.txt][content]=%s\"]", true },
    { "[\"api\",\"x\",\"-f\",\"comment=%s\"]", true },
    { "[\"api\",\"x\",\"-f\",\"notes=%s\"]", true },
    { "[\"api\",\"x\",\"-f\",\"readme=%s\"]", true },
    { "[\"api\",\"x\",\"-F\",\"x=@%s\"]", true },
    { "[\"api\",\"graphql\",\"-f\",\"query=" LONG_80 "%s\"]", true },
    { "[\"pr\",\"create\",\"--body\",\"%s\"]", true },
    { "[\"release\",\"create\",\"v1\",\"-n\",\"%s\"]", true },
    { "[\"issue\",\"close\",\"5\",\"-c\",\"%s\"]", true },
    { "[\"label\",\"create\",\"x\",\"-d\",\"%s\"]", true },
    { "[\"gist\",\"create\",\"-d\",\"%s\"]", true },
    { "[\"pr\",\"merge\",\"5\",\"-t\",\"%s\"]", true },
    { "[\"pr\",\"create\",\"-F\",\"%s\"]", true },
    { "[\"release\",\"create\",\"v1\",\"--notes-file=%s\"]", true },
    { "[\"secret\",\"set\",\"-f\",\"%s\"]", true },
    { "[\"agent-task\",\"create\",\"-F\",\"%s\"]", true },
    { "[\"issue\",\"create\",\"--recover\",\"%s\"]", true },
    { "[\"api\",\"x\",\"--input\",\"%s\"]", true },
    { "[\"agent-task\",\"create\",\"%s\"]", true },
};

/* gh-17.1-6: the canary in every slot of 8.2 is in no record, and no secret is in what gh says of
 * it. */
static void test_canary(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(slots); i++) {
        g_auto(GStrv) parts = g_strsplit(slots[i].form, "%s", 2);
        g_autofree char *json = g_strjoinv(CANARY, parts);
        g_autofree char *record = redacted(json, true, REDACT_RECORD);
        g_autofree char *display = redacted(json, true, REDACT_DISPLAY);
        if (strstr(record, CANARY))
            fail_msg("in a record: %s", record);
        if ((strstr(display, CANARY) != NULL) != slots[i].is_private)
            fail_msg("asking: %s", display);
    }
}

static void test_known_values(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(slots); i++) {
        // in URLs the value is found by its place, and gh repeats the URL
        bool is_in_url = strstr(slots[i].form, "\"x?") || strstr(slots[i].form, "\"x#") ||
                         strstr(slots[i].form, "://");
        if (slots[i].is_private || is_in_url)
            continue;
        g_auto(GStrv) parts = g_strsplit(slots[i].form, "%s", 2);
        g_autofree char *json = g_strjoinv(CANARY, parts);
        g_auto(GStrv) argv = parse_vector(json);
        g_autoptr(CommandArgs) args = parse_args(argv);
        g_auto(GStrv) secrets = redact_argv_secrets((const char *const *)argv, args);
        static const char said[] = "unknown flag: --x=" CANARY;
        g_autofree char *text = redact_text_with(said, (const char *const *)secrets);
        g_autofree char *output = redact_output(said, (const char *const *)secrets);
        if (strstr(text, CANARY))
            fail_msg("%s: %s", json, text);
        assert_string_equal(output, text);
    }
    g_autofree char *plain = redact_text_with("--body private words", NULL);
    assert_string_equal(plain, "--body private words");
}

/* What a command printed stays readable. */
static void test_output(void **state G_GNUC_UNUSED)
{
    static const char *const secrets[] = { "long-secret", "long-secret-2", "short", NULL };
    secrets_set("GH_TOKEN", "token-of-environment");
    g_autofree char *got =
        redact_output("Authorization: x https://u:p@h/ ?key=v short long-secret-2 "
                      "ghp_0123456789abcdef0123 token-of-environment",
                      secrets);
    assert_string_equal(got, "Authorization: x https://u:p@h/ ?key=v short [REDACTED] [REDACTED] "
                             "[REDACTED]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),  cmocka_unit_test(test_not_parsed),
        cmocka_unit_test(test_canary), cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
