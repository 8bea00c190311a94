/*
 * `kedge` itself: flags, session, model, and one run of the agent, printed (agent-core §1, §6.1).
 */
#include "base/ansi.h"
#include "base/dirs.h"
#include "base/env.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "changes/scratch.h"
#include "cmd/cli/answer_schema.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/input.h"
#include "cmd/cli/interrupt.h"
#include "cmd/launch/launch_options.h"
#include "cmd/launch/launch_output.h"
#include "cmd/launch/message_lines.h"
#include "cmd/sessions/sessions.h"
#include "conversation/agent_session.h"
#include "model/message.h"
#include "model/model_roles.h"
#include "model/provider.h"
#include "rpc/server.h"
#include "session/prompt_history.h"
#include "session/session_index.h"
#include "tui/tui.h"
#include "wm/apply/wm_tools.h"

#include <errno.h>

typedef struct Launch { // one run; everything it owns
    LaunchOptions options;
    char *agent_dir, *cwd;
    Settings *settings;
    ModelRegistry *registry;
    InitialInput input;
    MessageLines *lines; // further messages on standard input; NULL: none
    json_t *schema;      // of the last answer; NULL: none
    LaunchSession session;
    ToolSet *tools, *all_tools; // offered; to choose from
    WmTools *limits;            // of a workflow task; NULL: none
    const CommandEnv *env;
    Cancel *cancel;
    LaunchOutput output;
    bool is_interactive;
    int exit_code;
} Launch;

static void launch_clear(Launch *self)
{
    launch_options_clear(&self->options);
    g_free(self->agent_dir);
    g_free(self->cwd);
    initial_input_clear(&self->input);
    message_lines_free(self->lines);
    json_decref(self->schema);
    launch_session_clear(&self->session);
    tool_set_unref(self->tools);
    tool_set_unref(self->all_tools);
    wm_tools_free(self->limits);
    settings_unref(self->settings);
    model_registry_free(self->registry);
    cancel_unref(self->cancel);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Launch, launch_clear)

static bool enter_directory(Launch *self, GError **error)
{
    if (self->options.cwd && chdir(self->options.cwd) < 0)
        return fail_with_errno(error, errno, "--cwd %s", self->options.cwd);
    if (!self->options.cwd && !self->options.allow_home && !scratch_leave_home(error))
        return false;
    self->cwd = g_get_current_dir();
    self->agent_dir = dirs_agent();
    return true;
}

static void load_registry(Launch *self)
{
    g_autofree char *path = g_build_filename(self->agent_dir, "models.yml", NULL);
    g_autofree char *warning = NULL;
    self->registry = model_registry_new(path, &warning);
    if (warning)
        log_warning("%s", warning);
}

/* The first line is waited for, so that nothing begins without a prompt. */
static bool gather_lines(Launch *self, GError **error)
{
    if (!launch_options_takes_lines(&self->options))
        return true;
    self->lines = message_lines_new(STDIN_FILENO);
    return initial_input_has_prompt(&self->input) ||
           message_lines_next(self->lines, NULL, &self->input.message, error);
}

static bool gather_input(Launch *self, GError **error)
{
    g_autofree char *stdin_text = NULL;
    bool takes_lines = launch_options_takes_lines(&self->options);
    bool is_piped = !isatty(STDIN_FILENO) && !takes_lines;
    if (is_piped && !input_read_stdin(LIMIT_STDIN_BYTES, &stdin_text, error))
        return false;
    bool has_stdin = stdin_text && !utf8_is_blank(stdin_text);
    self->is_interactive =
        !self->options.is_print && !self->options.mode && !has_stdin && !takes_lines;

    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    bool is_built = input_build(self->options.words, stdin_text, self->cwd, self->settings,
                                warnings, &self->input, error);
    cmd_print_warnings(warnings);
    return is_built && gather_lines(self, error);
}

static bool choose_tools(Launch *self, const CommandEnv *env)
{
    self->env = env;
    self->limits = wm_tools_new(env->tables);
    self->all_tools = wm_tools_of_run(self->limits, env->tools, self->settings);
    g_auto(GStrv) names = self->options.tools ? g_strsplit(self->options.tools, ",", -1) : NULL;
    if (self->options.no_tools && !names) {
        self->tools = tool_set_new(NULL);
    } else {
        g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(g_free);
        self->tools =
            tool_set_select(self->all_tools, self->settings, (const char *const *)names, unknown);
        for (unsigned i = 0; i < unknown->len; i++)
            log_warning("unknown tool in --tools: %s", (char *)unknown->pdata[i]);
    }
    return true;
}

static int outcome_exit_code(const Launch *self, const AgentOutcome *outcome, const json_t *last)
{
    switch (outcome->end) {
    case AGENT_DONE:
        return EXIT_OK;
    case AGENT_BUDGET:
        log_text("%s", outcome->budget_text);
        return EXIT_BUDGET;
    case AGENT_LOOP:
        log_text("%s", outcome->budget_text);
        return EXIT_LOOP;
    case AGENT_ERROR:
    case AGENT_ABORTED:
        break;
    }
    if (self->output.is_json)
        return self->options.fail_on_error ? EXIT_FAILED : EXIT_OK;
    const char *fallback = outcome->end == AGENT_ABORTED ? "Request aborted" : "Request error";
    const char *message = last ? message_error(last) : NULL;
    g_autofree char *text = ansi_strip(message ? message : fallback); // a server wrote it
    if (provider_error_is_odd_end(message))
        log_warning("%s: an end that is not known, so the answer may not be whole", text);
    else
        log_text("%s", text);
    return EXIT_FAILED;
}

static void say_secret(void)
{
    log_warning("the prompt holds a secret that kedge knows: the model gets it as it is, "
                "session and events have " MASK_TEXT);
}

/* A prompt goes out as the person wrote it (common §10 rule 5). */
static void warn_of_secrets(const InitialInput *input)
{
    bool has_any = input->message && mask_finds_in_json(input->message);
    for (unsigned i = 0; i < input->prompts->len && !has_any; i++) {
        const char *prompt = input->prompts->pdata[i];
        has_any = mask_finds(prompt, strlen(prompt));
    }
    if (has_any)
        say_secret();
}

/* One prompt. False: the run ends here, with self->exit_code set. */
static bool send_prompt(Launch *self, AgentSession *session, json_t *message)
{
    g_autoptr(GError) error = NULL;
    g_auto(AgentOutcome) outcome = { 0 };
    bool is_pending = false;
    if (!agent_session_prompt(session, message, NULL, NULL, &is_pending, &error) ||
        !agent_session_wait(session, &outcome, &error)) {
        log_error("%s", error->message);
        self->exit_code = EXIT_FAILED;
        return false;
    }
    self->exit_code = outcome_exit_code(self, &outcome, agent_session_last_answer(session));
    return outcome.end == AGENT_DONE;
}

/* What comes on standard input, until its end. */
static void run_lines(Launch *self, AgentSession *session)
{
    while (true) {
        g_autoptr(GError) error = NULL;
        g_autoptr(json_t) message = NULL;
        if (!message_lines_next(self->lines, self->cancel, &message, &error)) {
            if (!error_is(error, KEDGE_ERROR_CANCELLED))
                log_error("%s", error->message);
            self->exit_code = EXIT_FAILED;
            return;
        }
        if (message && mask_finds_in_json(message))
            say_secret();
        if (!message || !send_prompt(self, session, message))
            return;
    }
}

static void run_prompts(Launch *self, AgentSession *session)
{
    if (self->input.message && !send_prompt(self, session, self->input.message))
        return;
    for (unsigned i = 0; i < self->input.prompts->len; i++) {
        g_autoptr(json_t) message = message_user(self->input.prompts->pdata[i]);
        if (!send_prompt(self, session, message))
            return;
    }
    if (self->lines)
        run_lines(self, session);
}

static AgentSessionOptions conversation_options(Launch *self)
{
    return (AgentSessionOptions) {
        .cancel = self->cancel,
        .settings = self->settings,
        .registry = g_steal_pointer(&self->registry),
        .session = g_steal_pointer(&self->session.session),
        .place = { self->agent_dir, self->cwd, self->options.session_dir },
        .all_tools = self->all_tools,
        .tools = self->tools,
        .run_shell = self->env->run_shell,
        .run_python = self->env->run_python,
        .tables = self->limits ? wm_tools_tables(self->limits) : self->env->tables,
        .model = self->session.model,
        .model_scope = self->session.scope,
        .is_model_named = self->options.model != NULL,
        .thinking = self->session.thinking,
        .system_prompt = self->options.system_prompt,
        .append_prompt = self->options.append_system_prompt,
        .can_ask = false,
        .choose = ask_has_person() ? choose_on_terminal : NULL,
        .allow_writes = self->options.allow_writes,
        .allow_hint = "--allow-writes",
        .max_turns = self->options.max_turns,
        .max_cost = self->options.max_cost,
    };
}

static AgentSession *open_conversation(Launch *self)
{
    g_autoptr(GString) context = g_string_new(NULL);
    AgentSessionOptions options = conversation_options(self);
    options.context_note = context;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    AgentSession *session = agent_session_new(&options, warnings);
    cmd_print_warnings(warnings);
    if (self->options.verbose && context->len > 0)
        log_text("%s", context->str);

    EventDetail detail = self->options.full_updates ? DETAIL_WHOLE : DETAIL_DELTAS;
    const SubscriberSpec subscriber = {
        .detail = self->output.is_json ? detail : DETAIL_NONE,
        .func = launch_output_event,
        .user_data = &self->output,
    };
    agent_session_subscribe(session, &subscriber);
    return session;
}

/* What a person typed, for the next time; not what a script runs. */
static void remember_prompts(const Launch *self)
{
    if (self->options.no_session || !isatty(STDERR_FILENO))
        return;
    for (unsigned i = 0; i < self->options.words->len; i++) {
        const char *word = self->options.words->pdata[i];
        if (*word != '@')
            prompt_history_add(self->agent_dir, word, self->cwd);
    }
}

/* The last answer by the schema, asked for again where it does not fit; it alone is printed. */
static void answer_by_schema(Launch *self, AgentSession *session)
{
    for (int retries = 0; self->exit_code == EXIT_OK; retries++) {
        const json_t *answer = agent_session_last_answer(session);
        g_autofree char *text = answer ? message_text(answer) : g_strdup("");
        g_autoptr(json_t) value = NULL;
        g_autofree char *problem = NULL;
        if (answer_schema_check(self->schema, text, &value, &problem)) {
            g_autofree char *line = json_to_text(value);
            launch_output_line(&self->output, line);
            return;
        }
        if (retries == ANSWER_SCHEMA_MAX_RETRIES) {
            log_text("The answer does not fit the schema: %s", problem);
            bool is_quiet = self->output.is_json && !self->options.fail_on_error;
            self->exit_code = is_quiet ? EXIT_OK : EXIT_FAILED;
            return;
        }
        g_autoptr(json_t) message = answer_schema_ask_again(problem);
        send_prompt(self, session, message);
    }
}

/* On a worker, which owns the conversation; the main thread waits for signals. */
static void launch_converse(void *data)
{
    Launch *self = data;
    g_autoptr(AgentSession) session = open_conversation(self);
    warn_of_secrets(&self->input); // the conversation knows the repository's
    launch_output_header(&self->output, agent_session_header(session));
    run_prompts(self, session);
    remember_prompts(self);
    if (self->schema)
        answer_by_schema(self, session);
    const json_t *answer = agent_session_last_answer(session);
    bool is_odd = answer && provider_error_is_odd_end(message_error(answer));
    if (!self->schema && (self->exit_code == EXIT_OK || self->exit_code == EXIT_BUDGET || is_odd))
        launch_output_answer(&self->output, answer);
    if (self->exit_code == EXIT_OK && answer &&
        !launch_output_is_usable(&self->output, answer, self->session.model) &&
        (!self->output.is_json || self->options.fail_on_error))
        self->exit_code = EXIT_FAILED;

    g_autoptr(GError) error = NULL;
    if (!agent_session_flush(session, &error)) {
        log_error("the session could not be saved: %s", error->message);
        self->exit_code = EXIT_FAILED;
    }
    if (self->output.has_failed)
        self->exit_code = EXIT_FAILED;
}

/* Which key was chosen is named, never shown (common §3). */
static void say_model(const Launch *self)
{
    const Model *model = self->session.model;
    g_autofree char *source = model_registry_key_source(self->registry, model);
    log_text("model: %s/%s", model->provider, model->id);
    log_text("key for %s: %s", model->provider, source);
}

static int serve_rpc(Launch *self)
{
    g_autoptr(GError) error = NULL;
    AgentSessionOptions conversation = conversation_options(self);
    bool emits_titles = env_flag("RPC_EMIT_TITLE");
    conversation.wants_title = emits_titles && launch_options_wants_title(&self->options);
    const RpcOptions options = {
        .conversation = &conversation,
        .emits_titles = emits_titles,
        .waits_on_eof = self->options.waits_on_eof,
    };
    int exit_code = 0;
    return rpc_serve(&options, &exit_code, &error) ? exit_code : cmd_fail(error);
}

/* --resume or --session without a value, and a person who can choose. */
static bool picks_session(const Launch *self)
{
    const LaunchOptions *options = &self->options;
    const char *value = options->has_resume ? options->resume : options->session;
    return self->is_interactive && (options->has_resume || options->has_session) &&
           str_is_empty(value) && !options->no_session;
}

/* Of this directory; where that cannot be known, the list says why. */
static bool has_sessions(const Launch *self)
{
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) sessions = NULL;
    const char *dir = self->options.session_dir;
    return !session_index_open(self->agent_dir, dir, NULL, NULL, NULL, &index, NULL) ||
           !session_index_list(index, dir ? NULL : self->cwd, 1, &sessions, NULL) ||
           json_array_size(sessions) > 0;
}

static int launch_talk(Launch *self)
{
    if (picks_session(self) && !has_sessions(self)) {
        log_text("No sessions found");
        return EXIT_OK;
    }
    AgentSessionOptions conversation = conversation_options(self);
    conversation.wants_title = launch_options_wants_title(&self->options);
    g_autoptr(GPtrArray) prompts = g_ptr_array_new_with_free_func(json_free);
    if (self->input.message)
        g_ptr_array_add(prompts, json_incref(self->input.message));
    for (unsigned i = 0; i < self->input.prompts->len; i++)
        g_ptr_array_add(prompts, message_user(self->input.prompts->pdata[i]));
    const ConverseOptions options = {
        .conversation = &conversation,
        .prompts = (json_t *const *)prompts->pdata,
        .prompt_count = prompts->len,
        .keeps_history = !self->options.no_session,
        .is_plain = self->options.is_plain,
        .picks_session = picks_session(self),
    };
    remember_prompts(self);
    return tui_converse(&options);
}

static int launch_start(Launch *self, const CommandEnv *env)
{
    g_autoptr(GError) error = NULL;
    const char *fallbacks = self->options.fallback_model;
    LaunchWanted wanted = launch_options_wanted(&self->options);
    if (picks_session(self))
        wanted.session = NULL; // a new one, until another is chosen
    if (!launch_session_set_roles(&wanted, self->settings, self->cwd, self->registry, &error))
        return cmd_fail(error);
    if (fallbacks &&
        !launch_session_add_fallbacks(fallbacks, self->registry, &self->settings, &error))
        return cmd_fail(error);
    choose_tools(self, env);
    const LaunchPlace place = {
        .wanted = &wanted,
        .settings = self->settings,
        .registry = self->registry,
        .agent_dir = self->agent_dir,
        .cwd = self->cwd,
        .may_lack_key = launch_options_is_rpc(&self->options) || self->is_interactive,
    };
    if (!launch_session_open(&place, &self->session, &error)) {
        log_text("%s", error->message);
        return cmd_exit_code((KedgeError)error->code);
    }
    if (self->options.verbose)
        say_model(self);
    if (launch_options_is_rpc(&self->options))
        return serve_rpc(self);
    if (self->is_interactive)
        return launch_talk(self);
    self->cancel = cancel_new(NULL);
    self->output = (LaunchOutput) {
        .is_json = g_strcmp0(self->options.mode, "json") == 0,
        .shows_progress = self->options.verbose || isatty(STDERR_FILENO),
        .cancel = self->cancel,
    };
    int signal_number = interrupt_run(launch_converse, self, self->cancel);
    return signal_number ? interrupt_exit_code(signal_number) : self->exit_code;
}

static int export_session(const LaunchOptions *options)
{
    g_autoptr(GError) error = NULL;
    if (options->words->len > 1)
        fail_with(&error, KEDGE_ERROR_USAGE, "--export takes a session and one file to write");
    const char *out = options->words->len > 0 ? options->words->pdata[0] : NULL;
    bool is_done =
        !error && sessions_export(options->export_from, out, options->session_dir, &error);
    return is_done ? EXIT_OK : cmd_fail(error);
}

static int list_models(const Launch *self)
{
    launch_session_arrange(self->settings, self->cwd, self->registry);
    model_registry_discover(self->registry);
    model_roles_set(self->registry, settings_get_json(self->settings, "modelRoles"));
    g_autoptr(json_t) roles = model_roles_chosen(self->registry);
    const ModelListOptions wanted = {
        .pattern = self->options.list_models,
        .has_deprecated = self->options.lists_all,
        .roles = roles,
        .tags = settings_get_json(self->settings, "modelTags"),
    };
    if (!self->options.lists_json) {
        g_autofree char *text = model_registry_list_text(self->registry, &wanted);
        return cmd_print(text) ? EXIT_OK : EXIT_FAILED;
    }
    g_autoptr(json_t) models = model_registry_list_json(self->registry, &wanted);
    g_autofree char *line = json_to_text(models);
    g_autofree char *text = g_strconcat(line, "\n", NULL);
    return cmd_print(text) ? EXIT_OK : EXIT_FAILED;
}

static int launch_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_auto(Launch) self = { 0 };
    g_autoptr(GError) error = NULL;
    if (!launch_options_parse(argc, argv, &self.options, &error))
        return cmd_fail(error);
    if (self.options.export_from)
        return export_session(&self.options);
    if (!enter_directory(&self, &error))
        return cmd_fail(error);
    load_registry(&self);
    self.settings = cmd_load_settings(self.cwd);
    if (self.options.has_list_models)
        return list_models(&self);
    if (!settings_check_guards(self.settings, &error))
        return cmd_fail(error);
    if (launch_options_is_rpc(&self.options))
        return launch_start(&self, env);
    if (!gather_input(&self, &error)) {
        log_error("%s", error->message);
        return cmd_exit_code((KedgeError)error->code);
    }
    if (self.is_interactive && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
        log_text("%s", picks_session(&self)
                           ? "--resume needs a session id or path where no session can be picked"
                           : "Interactive mode requires a terminal. Use -p for non-interactive "
                             "runs.");
        return EXIT_FAILED;
    }
    if (self.is_interactive)
        return launch_start(&self, env);
    if (!initial_input_has_prompt(&self.input)) {
        log_text("No prompt. Give one as an argument or on standard input.");
        return EXIT_USAGE;
    }
    if (self.options.json_schema) {
        if (!answer_schema_load(self.options.json_schema, &self.schema, &error))
            return cmd_fail(error);
        answer_schema_add(self.schema, &self.input);
    }
    return launch_start(&self, env);
}

const Command command_launch = {
    .name = "launch",
    .summary = "Run the agent",
    .usage = "[options] [messages and @files…]",
    .options = launch_fields,
    .is_hidden = true,
    .run = launch_run,
};
