/* See launch_options.h. */
#include "cmd/launch/launch_options.h"

#include "base/env.h"

static const char *const modes[] = { "text", "json", "rpc", NULL };
static const char *const input_formats[] = { "text", "json", NULL };

const FieldDef launch_fields[] = {
    { "print", FIELD_BOOLEAN, offsetof(LaunchOptions, is_print), .short_flag = 'p',
      .help = "Run the prompts, print the answer, exit" },
    { "mode", FIELD_ENUM, offsetof(LaunchOptions, mode), .values = modes,
      .help = "text: print the answer; json: every event as a line of JSON; rpc: take "
              "commands as lines of JSON on standard input, too" },
    { "inputFormat", FIELD_ENUM, offsetof(LaunchOptions, input_format), .values = input_formats,
      .help = "Standard input is text: a part of the first message; json: messages, one a line, "
              "each sent when the one before is answered" },
    { "model", FIELD_STRING, offsetof(LaunchOptions, model), .value_name = "SELECTOR",
      .help = "Model: [provider/]id-or-pattern[:thinking level]" },
    { "provider", FIELD_STRING, offsetof(LaunchOptions, provider), .value_name = "NAME",
      .help = "Look for --model among this provider's models" },
    { "fallbackModel", FIELD_STRING, offsetof(LaunchOptions, fallback_model), .value_name = "A,B,…",
      .help = "Models that stand in, in this order, while the chosen one is overloaded" },
    { "models", FIELD_STRING, offsetof(LaunchOptions, models), .value_name = "A,B,…",
      .help = "Models to choose among, or patterns such as anthropic/*; the first is used" },
    { "smol", FIELD_STRING, offsetof(LaunchOptions, smol), .value_name = "SELECTOR",
      .help = "Small model of this run: kedge/smol, for short tasks" },
    { "slow", FIELD_STRING, offsetof(LaunchOptions, slow), .value_name = "SELECTOR",
      .help = "Large model of this run: kedge/slow" },
    { "plan", FIELD_STRING, offsetof(LaunchOptions, plan), .value_name = "SELECTOR",
      .help = "Planning model of this run: kedge/plan" },
    { "thinking", FIELD_STRING, offsetof(LaunchOptions, thinking), .value_name = "LEVEL",
      .has_offset = offsetof(LaunchOptions, has_thinking),
      .help = "off, minimal, low, medium, high or xhigh" },
    { "apiKey", FIELD_STRING, offsetof(LaunchOptions, api_key), .value_name = "KEY",
      .help = "Key for the chosen model's provider; never stored" },
    { "continue", FIELD_BOOLEAN, offsetof(LaunchOptions, is_continue), .short_flag = 'c',
      .help = "Continue the most recent session of this directory" },
    { "resume", FIELD_STRING, offsetof(LaunchOptions, resume), .short_flag = 'r',
      .value_name = "ID|PATH", .is_value_optional = true,
      .has_offset = offsetof(LaunchOptions, has_resume),
      .help = "Continue a session; without a value: one from a list" },
    { "session", FIELD_STRING, offsetof(LaunchOptions, session), .is_value_optional = true,
      .has_offset = offsetof(LaunchOptions, has_session), .is_hidden = true },
    { "fork", FIELD_STRING, offsetof(LaunchOptions, fork), .value_name = "ID|PATH",
      .help = "Start a new session with a copy of that one's history" },
    { "fromPr", FIELD_STRING, offsetof(LaunchOptions, from_pr), .value_name = "N|OWNER/REPO#N|URL",
      .help = "Continue the session that opened that pull request" },
    { "noSession", FIELD_BOOLEAN, offsetof(LaunchOptions, no_session),
      .help = "Keep the session in memory only" },
    { "plain", FIELD_BOOLEAN, offsetof(LaunchOptions, is_plain),
      .help = "A conversation line by line, with nothing drawn: for screen readers, slow lines and "
              "simple terminals" },
    { "noTitle", FIELD_BOOLEAN, offsetof(LaunchOptions, no_title),
      .help = "Ask no model for a name of the session (KEDGE_NO_TITLE does the same)" },
    { "sessionDir", FIELD_STRING, offsetof(LaunchOptions, session_dir), .value_name = "DIR",
      .help = "Directory of the session files" },
    { "tools", FIELD_STRING, offsetof(LaunchOptions, tools), .value_name = "A,B,…",
      .help = "Offer only these tools" },
    { "noTools", FIELD_BOOLEAN, offsetof(LaunchOptions, no_tools), .help = "Offer no tools" },
    { "allowWrites", FIELD_BOOLEAN, offsetof(LaunchOptions, allow_writes),
      .help = "Say yes where a write would be asked about and no one can be asked" },
    { "maxTurns", FIELD_INTEGER, offsetof(LaunchOptions, max_turns), .value_name = "N",
      .help = "Stop before the model request number N+1 (exit code 5)" },
    { "maxCost", FIELD_NUMBER, offsetof(LaunchOptions, max_cost), .value_name = "USD",
      .help = "Stop before a model request once this much is spent (exit code 5)" },
    { "systemPrompt", FIELD_STRING, offsetof(LaunchOptions, system_prompt),
      .value_name = "TEXT|FILE", .help = "Replace the base prompt" },
    { "appendSystemPrompt", FIELD_STRING, offsetof(LaunchOptions, append_system_prompt),
      .value_name = "TEXT|FILE", .help = "Add to the prompt" },
    { "listModels", FIELD_STRING, offsetof(LaunchOptions, list_models), .value_name = "PATTERN",
      .is_value_optional = true, .has_offset = offsetof(LaunchOptions, has_list_models),
      .help = "Print the models that can be used now" },
    { "all", FIELD_BOOLEAN, offsetof(LaunchOptions, lists_all),
      .help = "With --list-models: deprecated ones too, with what replaces them" },
    { "json", FIELD_BOOLEAN, offsetof(LaunchOptions, lists_json),
      .help = "With --list-models: a list of objects" },
    { "export", FIELD_STRING, offsetof(LaunchOptions, export_from), .value_name = "ID|PATH",
      .help = "Write that session as an HTML page, to the file named after it; runs nothing" },
    { "failOnError", FIELD_BOOLEAN, offsetof(LaunchOptions, fail_on_error),
      .help = "With --mode json: exit 1 when the model failed" },
    { "fullUpdates", FIELD_BOOLEAN, offsetof(LaunchOptions, full_updates),
      .help = "With --mode json: each update of a message carries the whole message so far" },
    { "jsonSchema", FIELD_STRING, offsetof(LaunchOptions, json_schema), .value_name = "FILE",
      .help = "The last answer is JSON that fits this schema, and all that is printed" },
    { "waitOnEof", FIELD_BOOLEAN, offsetof(LaunchOptions, waits_on_eof),
      .help = "With --mode rpc: what runs when the input ends may come to its end first" },
    { "verbose", FIELD_BOOLEAN, offsetof(LaunchOptions, verbose),
      .help = "Show tool calls on standard error even when it is no terminal" },
    { "cwd", FIELD_STRING, offsetof(LaunchOptions, cwd), .value_name = "DIR",
      .help = "Change to this directory first" },
    { "allowHome", FIELD_BOOLEAN, offsetof(LaunchOptions, allow_home),
      .help = "Stay in the home directory instead of moving to ~/.kedge/scratch" },
    { 0 },
};

void launch_options_clear(LaunchOptions *self)
{
    g_clear_pointer(&self->kept, json_decref);
    g_clear_pointer(&self->words, g_ptr_array_unref);
}

bool launch_options_is_rpc(const LaunchOptions *self)
{
    return g_strcmp0(self->mode, "rpc") == 0;
}

bool launch_options_takes_lines(const LaunchOptions *self)
{
    return g_strcmp0(self->input_format, "json") == 0;
}

static bool check_lines(const LaunchOptions *options, GError **error)
{
    if (!launch_options_takes_lines(options))
        return true;
    if (launch_options_is_rpc(options))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "--input-format is not taken in RPC mode, which reads commands");
    if (options->json_schema) // it is said with the last message, and no one knows which that is
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "--json-schema and --input-format json exclude one another");
    return true;
}

static bool check_from_pr(const LaunchOptions *options, GError **error)
{
    if (!options->from_pr)
        return true;
    if (options->no_session)
        return fail_with(error, KEDGE_ERROR_USAGE, "--from-pr requires session persistence");
    if (options->is_continue || options->has_resume || options->has_session || options->fork)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "--from-pr names the session; leave out --continue, --resume and --fork");
    return true;
}

bool launch_options_wants_title(const LaunchOptions *self)
{
    return !self->no_title && !env_flag("NO_TITLE");
}

static bool check_rpc_words(const LaunchOptions *options, GError **error)
{
    for (unsigned i = 0; i < options->words->len; i++) {
        if (*(const char *)options->words->pdata[i] == '@')
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "@file arguments are not supported in RPC mode");
    }
    if (options->words->len > 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "messages are not taken in RPC mode; send them as `prompt` commands");
    return true;
}

static bool launch_options_check(const LaunchOptions *options, GError **error)
{
    if (options->fork && options->no_session)
        return fail_with(error, KEDGE_ERROR_USAGE, "--fork requires session persistence");
    // a key must not go to whichever provider happens to be the default
    if (options->api_key && !options->model && !options->models)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "--api-key requires a model to be specified via --model, "
                         "--provider/--model, or --models");
    if (options->provider && !options->model)
        return fail_with(error, KEDGE_ERROR_USAGE, "--provider needs --model, which it restricts");
    if ((options->lists_all || options->lists_json) && !options->has_list_models)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s needs --list-models",
                         options->lists_all ? "--all" : "--json");
    if (options->max_turns < 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "--max-turns must be a positive number, not %" G_GINT64_FORMAT,
                         options->max_turns);
    if (options->max_cost < 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "--max-cost must be a positive number, not %g",
                         options->max_cost);
    return check_lines(options, error) && check_from_pr(options, error) &&
           (!launch_options_is_rpc(options) || check_rpc_words(options, error));
}

LaunchWanted launch_options_wanted(const LaunchOptions *self)
{
    return (LaunchWanted) {
        .is_continue = self->is_continue,
        .no_session = self->no_session,
        .session = self->has_resume    ? self->resume
                   : self->has_session ? self->session
                                       : NULL,
        .fork = self->fork,
        .from_pr = self->from_pr,
        .session_dir = self->session_dir,
        .model = self->model,
        .provider = self->provider,
        .api_key = self->api_key,
        .thinking = self->has_thinking ? self->thinking : NULL,
        .models = self->models,
        .smol = self->smol,
        .slow = self->slow,
        .plan = self->plan,
    };
}

bool launch_options_parse(int argc, char *const *argv, LaunchOptions *ret_options, GError **error)
{
    g_auto(LaunchOptions) options = { .words = g_ptr_array_new() };
    g_autoptr(json_t) given = NULL;
    if (!field_from_argv(launch_fields, argc, argv, &given, options.words, NULL, error))
        return false;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(launch_fields, given, FIELD_EXACT, &options, &options.kept, problems)) {
        g_autofree char *text = field_problems_joined(problems);
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", text);
    }
    if (!launch_options_check(&options, error))
        return false;
    *ret_options = options;
    options = (LaunchOptions) { 0 };
    return true;
}
