/*
 * A program with libkedge in it, for test_lib.py: `lib-probe SCENARIO` does what the scenario says,
 * prints `ok`, and ends with 0. It uses kedge.h only.
 */
#include "heard.h"
#include "kedge.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPTIONS(...)                                                                               \
    (&(kedge_options) { .size = sizeof(kedge_options), .no_session = 1, __VA_ARGS__ })
#define CHECK(claim) check(claim, #claim, __LINE__)

enum { TURNS = 3, ROUNDS = 200, WAIT_MS = 60000 };

static kedge_error *problem; // of the last call in check_ok()

static void check(bool claim, const char *text, int line)
{
    if (claim)
        return;
    fprintf(stderr, "line %d: %s is not so; error: %s\n", line, text,
            problem ? kedge_error_message(problem) : "none");
    exit(1);
}

static void forget_problem(void)
{
    kedge_error_free(problem);
    problem = NULL;
}

static kedge_session *open_with(const kedge_options *options)
{
    kedge_session *session = kedge_session_open(options, &problem);
    CHECK(session != NULL);
    return session;
}

static bool is_problem(kedge_code code, kedge_code wanted, const char *text)
{
    bool is_so = code == wanted && problem && kedge_error_code(problem) == wanted &&
                 strstr(kedge_error_message(problem), text);
    if (is_so)
        forget_problem();
    return is_so;
}

static void run(kedge_session *session, const char *message, const char *wanted)
{
    char *text = NULL;
    CHECK(kedge_session_run(session, message, &text, &problem) == KEDGE_OK);
    CHECK(strcmp(text, wanted) == 0);
    kedge_free(text);
}

static unsigned listen_to(kedge_session *session, Heard *heard)
{
    unsigned id = 0;
    CHECK(kedge_session_subscribe(session, KEDGE_DELTAS, hear, heard, &id, &problem) == KEDGE_OK);
    return id;
}

// ---- scenarios ----

static void check_state(kedge_session *session, const char *wanted)
{
    char *state = NULL;
    CHECK(kedge_session_command(session, "get_state", NULL, &state, &problem) == KEDGE_OK);
    CHECK(strstr(state, wanted) != NULL);
    kedge_free(state);
}

static void one_prompt(void)
{
    kedge_session *session = open_with(OPTIONS(0));
    Heard *heard = heard_new();
    unsigned id = listen_to(session, heard);
    run(session, "hi", "Hello there");
    CHECK(kedge_session_wait(session, WAIT_MS, &problem) == KEDGE_OK);
    CHECK(has_heard(heard, "\"text_delta\"") && has_heard(heard, "\"agent_end\"") &&
          has_heard(heard, "\"command_end\""));
    CHECK(kedge_session_unsubscribe(session, id, &problem) == KEDGE_OK);
    CHECK(is_problem(kedge_session_unsubscribe(session, id, &problem), KEDGE_NOT_FOUND, "1"));
    size_t size = heard->size;
    run(session, "hi", "again");
    CHECK(heard->size == size);
    check_state(session, "\"messageCount\":4");
    CHECK(kedge_session_free(session) == KEDGE_OK);
    heard_free(heard);
}

static void failures_of_the_model(void)
{
    kedge_session *session = open_with(OPTIONS(0));
    kedge_code code = kedge_session_run(session, "hi", NULL, &problem);
    CHECK(is_problem(code, KEDGE_FAILED, "no such luck"));
    kedge_session_free(session);
    session = open_with(OPTIONS(.max_turns = 1, .tools = "read"));
    code = kedge_session_run(session, "hi", NULL, &problem);
    CHECK(is_problem(code, KEDGE_LIMIT, "1"));
    kedge_session_free(session);
}

static void a_session_goes_on(void)
{
    kedge_options options = { .size = sizeof options, .session_dir = "kept" };
    kedge_session *session = open_with(&options);
    run(session, "hi", "ok");
    kedge_session_free(session);
    options.continues_recent = 1;
    session = open_with(&options);
    run(session, "hi", "ok");
    check_state(session, "\"messageCount\":4");
    kedge_session_free(session);
    options.continues_recent = 0;
    session = open_with(&options);
    check_state(session, "\"messageCount\":0");
    kedge_session_free(session);
    options.session = "00000000-nobody";
    CHECK(!kedge_session_open(&options, &problem));
    CHECK(is_problem(KEDGE_NOT_FOUND, KEDGE_NOT_FOUND, "nobody"));
}

static void *three_turns(void *unused)
{
    kedge_session *session = open_with(OPTIONS(0));
    for (int i = 0; i < TURNS; i++)
        run(session, "hi", "ok");
    CHECK(kedge_session_free(session) == KEDGE_OK);
    return unused;
}

static void two_sessions_in_two_threads(void)
{
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, three_turns, NULL);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

typedef struct Aborter {
    kedge_session *session;
    Heard *heard;
} Aborter;

static void *abort_when_it_speaks(void *self_)
{
    Aborter *self = self_;
    wait_for(self->heard, "\"text_delta\"");
    CHECK(kedge_session_abort(self->session, NULL) == KEDGE_OK);
    return NULL;
}

static void abort_from_another_thread(void)
{
    Aborter aborter = { open_with(OPTIONS(0)), heard_new() };
    listen_to(aborter.session, aborter.heard);
    pthread_t thread;
    pthread_create(&thread, NULL, abort_when_it_speaks, &aborter);
    kedge_code code = kedge_session_run(aborter.session, "hi", NULL, &problem);
    CHECK(is_problem(code, KEDGE_CANCELLED, "aborted"));
    pthread_join(thread, NULL);
    run(aborter.session, "hi", "alive");
    kedge_session_free(aborter.session);
    heard_free(aborter.heard);
}

static void *run_until_it_is_closed(void *session)
{
    kedge_error *error = NULL;
    kedge_code code = kedge_session_run(session, "hi", NULL, &error);
    bool is_so = code == KEDGE_CANCELLED && kedge_error_code(error) == KEDGE_CANCELLED;
    kedge_error_free(error);
    return is_so ? session : NULL;
}

static void freed_in_the_middle(void)
{
    kedge_session *session = open_with(OPTIONS(0));
    Heard *heard = heard_new();
    listen_to(session, heard);
    pthread_t thread;
    void *answer = NULL;
    pthread_create(&thread, NULL, run_until_it_is_closed, session);
    wait_for(heard, "\"text_delta\"");
    CHECK(kedge_session_free(session) == KEDGE_OK);
    pthread_join(thread, &answer);
    CHECK(answer == session);
    session = open_with(OPTIONS(0)); // nobody waits for it
    CHECK(kedge_session_prompt(session, "hi", &problem) == KEDGE_OK);
    CHECK(kedge_session_free(session) == KEDGE_OK);
    heard_free(heard);
}

typedef struct Caller {
    kedge_session *session;
    atomic_int calls;
    int expected_tool_answer; // of the tool's function
} Caller;

static void call_back(const char *event, void *self_)
{
    Caller *self = self_;
    if (!strstr(event, "\"type\":\"agent_start\""))
        return;
    self->calls++;
    check_state(self->session, "\"isStreaming\":");
    CHECK(is_problem(kedge_session_wait(self->session, -1, &problem), KEDGE_USAGE, "cannot wait"));
    CHECK(is_problem(kedge_session_run(self->session, "x", NULL, &problem), KEDGE_USAGE,
                     "cannot wait"));
    CHECK(kedge_session_free(self->session) == KEDGE_USAGE);
    CHECK(kedge_session_follow_up(self->session, "more", &problem) == KEDGE_OK);
    CHECK(kedge_session_command(self->session, "compact", NULL, NULL, NULL) != KEDGE_OK);
}

static int call_back_from_tool(kedge_call *call, const char *arguments, void *self_)
{
    Caller *self = self_;
    self->calls++;
    CHECK(strcmp(kedge_call_tool(call), "weather") == 0 && *kedge_call_id(call));
    CHECK(strcmp(arguments, "{\"town\":\"Bergen\"}") == 0);
    check_state(self->session, "\"isStreaming\":true");
    CHECK(kedge_session_free(self->session) == KEDGE_USAGE);
    CHECK(is_problem(kedge_session_wait(self->session, -1, &problem), KEDGE_USAGE, "cannot wait"));
    kedge_call_update(call, "looking");
    CHECK(!kedge_call_is_cancelled(call) && kedge_call_sleep(call, 1) == 1);
    if (self->expected_tool_answer == 0)
        kedge_call_add_text(call, "It rains in Bergen");
    else if (self->expected_tool_answer == 1)
        kedge_call_add_text(call, "no weather \xff today");
    return self->expected_tool_answer;
}

static kedge_tool weather_tool(kedge_tool_func func, void *user_data)
{
    return (kedge_tool) {
        .size = sizeof(kedge_tool),
        .name = "weather",
        .description = "The weather",
        .parameters = "{\"type\":\"object\",\"properties\":{\"town\":{\"type\":\"string\"}}}",
        .func = func,
        .user_data = user_data,
    };
}

static void tools_and_calls_back(void)
{
    Caller caller = { .session = open_with(OPTIONS(0)) };
    const kedge_tool tool = weather_tool(call_back_from_tool, &caller);
    CHECK(kedge_session_set_tools(caller.session, &tool, 1, &problem) == KEDGE_OK);
    run(caller.session, "weather?", "wet");
    caller.expected_tool_answer = 1;
    run(caller.session, "weather?", "sorry");
    caller.expected_tool_answer = 2;
    run(caller.session, "weather?", "oh");
    CHECK(caller.calls == 3);
    CHECK(kedge_session_set_tools(caller.session, NULL, 0, &problem) == KEDGE_OK);
    kedge_session_free(caller.session);
}

static void an_event_function_calls_back(void)
{
    Caller caller = { .session = open_with(OPTIONS(0)) };
    CHECK(kedge_session_subscribe(caller.session, KEDGE_MESSAGES, call_back, &caller, NULL,
                                  &problem) == KEDGE_OK);
    CHECK(kedge_session_prompt(caller.session, "hi", &problem) == KEDGE_OK);
    CHECK(kedge_session_wait(caller.session, WAIT_MS, &problem) == KEDGE_OK);
    CHECK(caller.calls >= 1);
    kedge_session_free(caller.session);
}

static int wait_for_the_end(kedge_call *call, const char *arguments, void *started)
{
    (void)arguments;
    hear("started", started);
    return kedge_call_sleep(call, WAIT_MS);
}

static void a_tool_is_cancelled(void)
{
    kedge_session *session = open_with(OPTIONS(0));
    Heard *started = heard_new();
    const kedge_tool tool = weather_tool(wait_for_the_end, started);
    CHECK(kedge_session_set_tools(session, &tool, 1, &problem) == KEDGE_OK);
    CHECK(kedge_session_prompt(session, "weather?", &problem) == KEDGE_OK);
    wait_for(started, "started");
    CHECK(is_problem(kedge_session_wait(session, 20, &problem), KEDGE_TIMEOUT, "20 ms"));
    CHECK(is_problem(kedge_session_prompt(session, "x", &problem), KEDGE_USAGE, ""));
    CHECK(kedge_session_free(session) == KEDGE_OK);
    heard_free(started);
}

static void bad_arguments(void)
{
    kedge_options options = { 0 };
    CHECK(!kedge_session_open(NULL, &problem) && is_problem(KEDGE_USAGE, KEDGE_USAGE, "size"));
    CHECK(!kedge_session_open(&options, &problem) && is_problem(KEDGE_USAGE, KEDGE_USAGE, "size"));
    struct {
        kedge_options options;
        void *newer;
    } larger = { { .size = sizeof larger, .no_session = 1 }, NULL };
    kedge_session_free(open_with(&larger.options));
    larger.newer = &larger;
    CHECK(!kedge_session_open(&larger.options, &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "does not know"));
    CHECK(!kedge_session_open(OPTIONS(.cwd = "/nowhere"), NULL));
    CHECK(!kedge_session_open(OPTIONS(.cwd = "/nowhere"), &problem));
    CHECK(is_problem(KEDGE_NOT_FOUND, KEDGE_NOT_FOUND, "/nowhere"));
    CHECK(!kedge_session_open(OPTIONS(.model = "\xff"), &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "UTF-8"));
    CHECK(!kedge_session_open(OPTIONS(.model = "no-such-model-1"), &problem));
    CHECK(is_problem(KEDGE_NOT_FOUND, KEDGE_NOT_FOUND, "no-such-model-1"));
    CHECK(!kedge_session_open(OPTIONS(.thinking = "deep"), &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "deep"));
    CHECK(!kedge_session_open(OPTIONS(.settings = "[1]"), &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "settings"));
    CHECK(!kedge_session_open(OPTIONS(.settings = "{\"steeringMode\":3}"), &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "steeringMode"));
    CHECK(!kedge_session_open(OPTIONS(.settings = "{"), &problem));
    CHECK(is_problem(kedge_error_code(problem), KEDGE_PROTOCOL, "settings"));
    CHECK(!kedge_session_open(OPTIONS(.tools = "read,bogus"), &problem));
    CHECK(is_problem(KEDGE_NOT_FOUND, KEDGE_NOT_FOUND, "bogus"));
    CHECK(!kedge_session_open(OPTIONS(.api_key = "k"), &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "model"));
    CHECK(is_problem(kedge_session_run(NULL, "x", NULL, &problem), KEDGE_USAGE, "NULL"));
    CHECK(is_problem(kedge_set_secret("", "x", &problem), KEDGE_USAGE, "name"));
    CHECK(is_problem(kedge_rpc_serve(OPTIONS(0), -1, 77, &problem), KEDGE_USAGE, "77"));
    signal(SIGCHLD, SIG_IGN);
    CHECK(!kedge_session_open(OPTIONS(0), &problem));
    CHECK(is_problem(KEDGE_USAGE, KEDGE_USAGE, "SIGCHLD"));
    signal(SIGCHLD, SIG_DFL);
    CHECK(kedge_session_free(NULL) == KEDGE_OK);
    kedge_error_free(NULL);
    kedge_free(NULL);
}

static void bad_arguments_to_a_session(void)
{
    kedge_session *session = open_with(OPTIONS(0));
    CHECK(is_problem(kedge_session_run(session, NULL, NULL, &problem), KEDGE_USAGE, "NULL"));
    CHECK(is_problem(kedge_session_prompt(session, "\xff", &problem), KEDGE_USAGE, "UTF-8"));
    CHECK(is_problem(kedge_session_command(session, NULL, NULL, NULL, &problem), KEDGE_USAGE, ""));
    CHECK(is_problem(kedge_session_command(session, "bogus", NULL, NULL, &problem), KEDGE_USAGE,
                     "Unknown command: bogus"));
    CHECK(is_problem(kedge_session_command(session, "prompt", "[]", NULL, &problem), KEDGE_USAGE,
                     "object"));
    CHECK(is_problem(kedge_session_command(session, "prompt", "{", NULL, &problem), KEDGE_PROTOCOL,
                     "prompt"));
    CHECK(is_problem(kedge_session_begin(session, "abort", NULL, "kedge:1", NULL, &problem),
                     KEDGE_USAGE, "id"));
    CHECK(is_problem(kedge_session_subscribe(session, KEDGE_DELTAS, NULL, NULL, NULL, &problem),
                     KEDGE_USAGE, "function"));
    CHECK(is_problem(kedge_session_answer(session, "q9", 1, &problem), KEDGE_NOT_FOUND, "q9"));
    kedge_tool tools[2] = { weather_tool(wait_for_the_end, NULL),
                            weather_tool(wait_for_the_end, NULL) };
    CHECK(is_problem(kedge_session_set_tools(session, tools, 2, &problem), KEDGE_USAGE, "weather"));
    tools[1].name = "rain";
    tools[1].parameters = "{\"type\":\"array\"}";
    CHECK(is_problem(kedge_session_set_tools(session, tools, 2, &problem), KEDGE_USAGE, "rain"));
    tools[1].parameters = "{";
    CHECK(is_problem(kedge_session_set_tools(session, tools, 2, &problem), KEDGE_PROTOCOL, "rain"));
    tools[1].func = NULL;
    CHECK(is_problem(kedge_session_set_tools(session, tools, 2, &problem), KEDGE_USAGE, "func"));
    CHECK(is_problem(kedge_session_set_tools(session, NULL, 2, &problem), KEDGE_USAGE, "NULL"));
    tools[0].name = "read"; // kedge's own
    CHECK(is_problem(kedge_session_set_tools(session, tools, 1, &problem), KEDGE_USAGE, "read"));
    kedge_session_free(session);
}

static kedge_answer answer_yes(const char *question, void *count)
{
    CHECK(strstr(question, "\"type\":\"question\"") && strstr(question, "\"gh\""));
    ++*(int *)count;
    return KEDGE_YES;
}

static kedge_answer answer_no(const char *question, void *count)
{
    (void)question;
    ++*(int *)count;
    return KEDGE_NO;
}

static void questions(void)
{
    int count = 0;
    kedge_session *session = open_with(OPTIONS(0)); // nobody can be asked
    run(session, "comment", "a");
    CHECK(access("made", F_OK) != 0);
    kedge_session_free(session);
    session = open_with(OPTIONS(.on_question = answer_no, .user_data = &count));
    run(session, "comment", "b");
    CHECK(count == 1 && access("made", F_OK) != 0);
    kedge_session_free(session);
    session = open_with(OPTIONS(.on_question = answer_yes, .user_data = &count));
    run(session, "comment", "c");
    CHECK(count == 2 && access("made", F_OK) == 0);
    kedge_session_free(session);
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void opened_often(void)
{
    kedge_session *session = open_with(OPTIONS(0));
    run(session, "hi", "ok");
    kedge_session_free(session);
    int before = count_descriptors();
    for (int i = 0; i < ROUNDS; i++) {
        session = open_with(OPTIONS(0));
        if (i % 20 == 0)
            run(session, "hi", "ok");
        kedge_session_free(session);
    }
    CHECK(count_descriptors() == before);
}

static void no_descriptors_left(void)
{
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &none);
    kedge_session *session = kedge_session_open(OPTIONS(0), &problem);
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK(!session && is_problem(KEDGE_IO, KEDGE_IO, "cannot open"));
}

static void *serve(void *fd)
{
    return kedge_rpc_serve(OPTIONS(0), *(int *)fd, *(int *)fd, NULL) == KEDGE_OK ? fd : NULL;
}

static void rpc_over_a_socket(void)
{
    int ends[2];
    char line[4096];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    pid_t child = 0; // of the program's own: it is left alone
    char name[] = "sleep", time[] = "1000", *const sleep_argv[] = { name, time, NULL };
    CHECK(posix_spawnp(&child, "sleep", NULL, NULL, sleep_argv, environ) == 0);
    pthread_t server;
    void *answer = NULL;
    pthread_create(&server, NULL, serve, &ends[1]);
    FILE *in = fdopen(ends[0], "r+");
    CHECK(fgets(line, sizeof line, in) && strstr(line, "\"type\":\"ready\""));
    fputs("{\"id\":\"1\",\"type\":\"bash\",\"command\":\"sleep 100\"}\n", in);
    fflush(in);
    fputs("{\"id\":\"2\",\"type\":\"get_state\"}\n", in);
    fflush(in);
    while (fgets(line, sizeof line, in) && !strstr(line, "\"id\":\"2\""))
        continue;
    fclose(in); // in the middle of a command; what the server still says meets a broken socket
    pthread_join(server, &answer);
    CHECK(answer == &ends[1]);
    CHECK(fcntl(ends[1], F_GETFD) < 0);
    CHECK(kill(child, 0) == 0);
    kill(child, SIGKILL);
}

static void hold_secrets(void)
{
    CHECK(kedge_set_secret("OPENAI_API_KEY", "sk-of-the-program-1234", &problem) == KEDGE_OK);
    CHECK(kedge_set_secret("ANTHROPIC_API_KEY", "sk-of-the-account-5678", &problem) == KEDGE_OK);
    kedge_session_free(open_with(OPTIONS(0))); // each opening looks at the environment
    kedge_session *session = open_with(OPTIONS(.tools = "bash", .allow_writes = 1));
    Heard *heard = heard_new();
    listen_to(session, heard);
    run(session, "show it", "done");
    CHECK(has_heard(heard, "[REDACTED]") && !has_heard(heard, "test-key-of-the-environment") &&
          !has_heard(heard, "sk-of-the-program-1234"));
    CHECK(getenv("ANTHROPIC_API_KEY") != NULL); // it is not ours to take
    kedge_session_free(session);
    heard_free(heard);
}

static void log_line(const char *line, void *heard)
{
    hear(line, heard);
}

typedef void (*Handler)(int signal_number);

static void note_handlers(Handler handlers[NSIG])
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action = { 0 };
        handlers[number] = sigaction(number, NULL, &action) == 0 ? action.sa_handler : SIG_ERR;
    }
}

/* Prints nothing, changes nothing: compared before and after. */
static void a_good_guest(void)
{
    Heard *heard = heard_new();
    Handler handlers_before[NSIG] = { 0 }, handlers_after[NSIG] = { 0 };
    note_handlers(handlers_before);
    mode_t mask = umask(022);
    umask(mask);
    char before[4096], after[4096];
    sigset_t signals_before = { 0 }, signals_after = { 0 };
    CHECK(getcwd(before, sizeof before) != NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &signals_before);
    kedge_set_log(log_line, heard);
    kedge_session *session = open_with(OPTIONS(.settings = "{\"steeringMode\":\"all\"}"));
    run(session, "hi", "ok");
    check_state(session, "\"steeringMode\":\"all\"");
    kedge_session_free(session);
    CHECK(has_heard(heard, "config.yml"));
    kedge_set_log(NULL, NULL);
    note_handlers(handlers_after);
    CHECK(memcmp(handlers_before, handlers_after, sizeof handlers_before) == 0);
    pthread_sigmask(SIG_BLOCK, NULL, &signals_after);
    CHECK(memcmp(&signals_before, &signals_after, sizeof signals_before) == 0);
    CHECK(getcwd(after, sizeof after) && strcmp(before, after) == 0);
    CHECK(umask(mask) == mask);
    heard_free(heard);
}

static void models_to_choose_among(void)
{
    const char *settings = "{\"enabledModels\":[\"claude-opus-4-8\",\"claude-haiku-4-5\"]}";
    kedge_session *session = open_with(OPTIONS(.settings = settings));
    for (int i = 0; i < 3; i++) {
        check_state(session, i % 2 ? "\"id\":\"claude-haiku-4-5" : "\"id\":\"claude-opus-4-8");
        CHECK(kedge_session_command(session, "cycle_model", NULL, NULL, &problem) == KEDGE_OK);
    }
    kedge_session_free(session);
}

static void protected(void)
{
    kedge_protect_process();
    CHECK(getenv("ANTHROPIC_API_KEY") == NULL);
    kedge_session *session = open_with(OPTIONS(0));
    run(session, "hi", "ok");
    kedge_session_free(session);
}

static const struct {
    const char *name;
    void (*func)(void);
} scenarios[] = {
    { "one_prompt", one_prompt },
    { "failures_of_the_model", failures_of_the_model },
    { "a_session_goes_on", a_session_goes_on },
    { "two_sessions_in_two_threads", two_sessions_in_two_threads },
    { "abort_from_another_thread", abort_from_another_thread },
    { "freed_in_the_middle", freed_in_the_middle },
    { "tools_and_calls_back", tools_and_calls_back },
    { "an_event_function_calls_back", an_event_function_calls_back },
    { "a_tool_is_cancelled", a_tool_is_cancelled },
    { "bad_arguments", bad_arguments },
    { "bad_arguments_to_a_session", bad_arguments_to_a_session },
    { "questions", questions },
    { "opened_often", opened_often },
    { "no_descriptors_left", no_descriptors_left },
    { "rpc_over_a_socket", rpc_over_a_socket },
    { "hold_secrets", hold_secrets },
    { "a_good_guest", a_good_guest },
    { "models_to_choose_among", models_to_choose_among },
    { "protected", protected },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof scenarios / sizeof scenarios[0]; i++) {
        if (strcmp(scenarios[i].name, argv[1]) == 0) {
            scenarios[i].func();
            puts("ok");
            return 0;
        }
    }
    fputs("usage: lib-probe SCENARIO\n", stderr);
    return 2;
}
