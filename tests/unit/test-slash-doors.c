/*
 * Each door lists the same commands of a conversation, and hears of those that come and go while it
 * is open: the terminal's list, and what an editor is offered.
 */
#include "base/str.h"
#include "unit.h"

#include "acp/acp_conversation.h"
#include "conversation/slash_words.h"
#include "session_fixture.h"
#include "tui/slash/slash_private.h"

#include <fcntl.h>
#include <unistd.h>

static bool run_nothing(AgentSession *session G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                        const char *id G_GNUC_UNUSED, CommandReply *reply G_GNUC_UNUSED,
                        GError **error G_GNUC_UNUSED)
{
    return true;
}

static const FieldDef no_fields[] = { { 0 } };
static const SessionCommand extension[] = {
    { .slash = "deploy",
      .summary = "put it there",
      .name = "deploy",
      .fields = no_fields,
      .run = run_nothing },
    { .slash = "settings", .summary = "of another", .name = "settings", .run = run_nothing },
    { 0 },
};

/* "|compact|retry|": of those that have `run` and stay in the session. */
static char *list_of_terminal(const SlashDoor *door)
{
    GString *list = g_string_new("|");
    const SessionCommand *command = NULL;
    for (size_t i = 0;; i++) {
        g_autofree char *usage = slash_usage_line(door, i, &command);
        if (!usage)
            break;
        assert_true(str_has_prefix(usage + 1, command->slash));
        assert_non_null(command->summary);
        if (command->run && !command->is_move)
            g_string_append_printf(list, "%s|", command->slash);
    }
    return g_string_free(list, false);
}

/* The same, of the last update that was sent. */
static char *list_of_editor(int fd)
{
    char bytes[16384] = { 0 };
    ssize_t size = read(fd, bytes, sizeof(bytes) - 1);
    assert_true(size > 0);
    char *last = strstr(bytes, "\"available_commands_update\""), *next = last;
    assert_non_null(last);
    for (; next; next = strstr(next + 1, "\"available_commands_update\""))
        last = next;
    while (last > bytes && last[-1] != '\n')
        last--;
    g_autoptr(json_t) message = NULL;
    assert_true(json_parse(last, strcspn(last, "\n"), &message, NULL));
    const json_t *update = json_get_object(json_get_object(message, "params"), "update");
    GString *list = g_string_new("|");
    size_t i = 0;
    json_t *command = NULL;
    json_array_foreach (json_get_array(update, "availableCommands"), i, command)
        g_string_append_printf(list, "%s|", json_get_text(command, "name"));
    return g_string_free(list, false);
}

static void on_line(const char *line G_GNUC_UNUSED, size_t size G_GNUC_UNUSED,
                    void *data G_GNUC_UNUSED)
{
}

static void on_end(LineEnd end G_GNUC_UNUSED, size_t bytes G_GNUC_UNUSED, void *data G_GNUC_UNUSED)
{
}

static void assert_same(const SlashDoor *door, int fd, const char *has, const char *has_not)
{
    g_autofree char *typed = list_of_terminal(door), *offered = list_of_editor(fd);
    assert_string_equal(typed, offered);
    assert_non_null(strstr(offered, has));
    assert_null(strstr(offered, has_not));
}

static void test_doors(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    int input[2], output[2];
    assert_int_equal(pipe2(input, O_CLOEXEC | O_NONBLOCK), 0);
    assert_int_equal(pipe2(output, O_CLOEXEC | O_NONBLOCK), 0);
    const LineChannelSpec spec = { .input = input[0],
                                   .output = output[1],
                                   .max_line_bytes = 1000,
                                   .on_line = on_line,
                                   .on_long_line = NULL,
                                   .on_end = on_end };
    LineServer link = { .loop = self->loop, .channel = line_channel_new(self->loop, &spec) };
    SlashDoor door = { .session = self->session };
    slash_door_open(&door);
    SlashSet *set = session_slash_set(self->session);
    AcpConversation *editor = acp_conversation_new(&link, self->session, "s1");

    acp_conversation_offer_commands(editor);
    assert_same(&door, output[0], "|compact|", "|deploy|");
    slash_set_add(set, "an extension", extension);
    assert_same(&door, output[0], "|deploy|", "|settings|"); // the terminal has that already
    assert_true(slash_is_command(&door, "/deploy now"));
    slash_set_remove(set, "an extension", NULL);
    assert_same(&door, output[0], "|compact|", "|deploy|");
    assert_false(slash_is_command(&door, "/deploy now"));

    self->session = NULL; // the editor's conversation owns it
    acp_conversation_free(editor);
    line_channel_free(link.channel);
    close(input[1]);
    close(output[0]);
    session_fixture_free(self);
}

/* Doors without a terminal know its commands by name; what another program's word means is there.
 */
static void test_words(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    SlashDoor door = { .session = self->session };
    slash_door_open(&door);
    SlashSet *set = session_slash_set(self->session);
    const SessionCommand *command = NULL;
    for (size_t i = 0; slash_set_at(set, i, &command, NULL); i++) {
        if (!command->run && !slash_word_find(command->slash))
            fail_msg("slash_words.c does not know the terminal's /%s", command->slash);
    }
    const SlashWord *word = NULL;
    for (size_t i = 0; (word = slash_word_at(i)); i++) {
        const SessionCommand *found = slash_set_find(set, word->word);
        if (g_strcmp0(found ? found->slash : NULL, word->command) != 0)
            fail_msg("/%s is /%s, not /%s", word->word, found ? found->slash : "nothing",
                     word->command);
        if ((word->command != NULL) == (word->answer != NULL))
            fail_msg("/%s has to have one of the two", word->word);
    }
    session_fixture_free(self);
}

static void test_for_people(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *problem, *said;
    } rows[] = {
        { "no such thing", "no such thing" },
        { "Cannot continue from message role: assistant",
          "the last answer is complete: there is nothing to ask for again" },
        { "[gh github.com read error gh-exit]\nError: HTTP 404: Not Found", "HTTP 404: Not Found" },
        { "pr:// listing failed: pr:// could not resolve a default repo from the current checkout: "
          "no remote\nUse pr://<owner>/<repo> instead.",
          "no remote" },
        { "issue:// listing failed: HTTP 502", "HTTP 502" },
        { "pr://7 could not resolve a default repo from the current checkout: no git\nUse "
          "pr://<owner>/<repo>/7.",
          "no git" },
        { "first\n listing failed: of a second line", "first\n listing failed: of a second line" },
        { "failed\nUse https://example.org", "failed\nUse https://example.org" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *said = slash_for_people(rows[i].problem);
        assert_string_equal(said, rows[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_doors), cmocka_unit_test(test_words),
                                        cmocka_unit_test(test_for_people) };
    return cmocka_run_group_tests_name("slash-doors", tests, NULL, NULL);
}
