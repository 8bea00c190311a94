/*
 * mmd_engine.h. The script and its input lie in a private directory while the child runs.
 */
#include "agenttools/mermaid/mmd_engine.h"

#include "agenttools/mermaid/mmd_clean.h"
#include "agenttools/mermaid/mmd_parser.h"
#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/proc.h"
#include "base/utf8.h"

#include <errno.h>

#define OUTPUT_MAX         (32 * MIB)
#define RUN_MAX_MS         (10 * 60 * 1000) // the call's own time is shorter, and ends it earlier
#define MESSAGE_CHARS_MAX  300
#define EXIT_NOT_INSTALLED 3

/* argv: the folder with node_modules, the input. Answers with an array, one item a text:
   null, or {message}. */
static const char script[] =
    "import dgram from 'node:dgram';\n"
    "import dns from 'node:dns';\n"
    "import fs from 'node:fs';\n"
    "import net from 'node:net';\n"
    "import path from 'node:path';\n"
    "import { createRequire, syncBuiltinESMExports } from 'node:module';\n"
    "import { pathToFileURL } from 'node:url';\n"
    "\n"
    "const off = () => { throw new Error('network is off'); };\n"
    "net.Socket.prototype.connect = off;\n"
    "dgram.createSocket = off;\n"
    "for (const name of Object.keys(dns)) {\n"
    "  if (/^(lookup|resolve|reverse|Resolver)/.test(name)) dns[name] = dns.promises[name] = off;\n"
    "}\n"
    "syncBuiltinESMExports();\n"
    "globalThis.fetch = off;\n"
    "\n"
    "const [dir, input] = process.argv.slice(2);\n"
    "let mermaid;\n"
    "try {\n"
    "  const require = createRequire(path.join(path.resolve(dir), 'package.json'));\n"
    "  const { window } = new (require('jsdom').JSDOM)('<!DOCTYPE html><body></body>',\n"
    "    { pretendToBeVisual: true });\n"
    "  globalThis.window = window;\n"
    "  globalThis.document = window.document;\n"
    "  for (const name of ['Element', 'SVGElement', 'HTMLElement', 'Node', 'DOMParser', 'Option',\n"
    "    'DocumentFragment', 'NodeFilter', 'NamedNodeMap', 'HTMLTemplateElement',\n"
    "    'HTMLFormElement']) {\n"
    "    globalThis[name] = window[name];\n"
    "  }\n"
    "  for (const name of ['log', 'info', 'debug', 'warn', 'error']) console[name] = () => {};\n"
    "  mermaid = (await import(pathToFileURL(require.resolve('mermaid')))).default;\n"
    "} catch (e) {\n"
    "  process.exit(Number(process.versions.node.split('.')[0]) < 20 ||\n"
    "    /NOT_FOUND/.test(e.code) ? 3 : 1);\n"
    "}\n"
    "mermaid.initialize({ startOnLoad: false, suppressErrorRendering: true, logLevel: 'fatal' });\n"
    "const answers = [];\n"
    "for (const text of JSON.parse(fs.readFileSync(input, 'utf8'))) {\n"
    "  let answer = null;\n"
    "  try {\n"
    "    await mermaid.parse(text);\n"
    "  } catch (e) {\n"
    "    answer = { message: String(e?.message ?? e).slice(0, 4000) };\n"
    "  }\n"
    "  answers.push(answer);\n"
    "}\n"
    "fs.writeSync(1, JSON.stringify(answers));\n"
    "process.exit(0);\n";

static const char *engine_dir(void)
{
    return env_get("MERMAID_DIR");
}

bool mmd_engine_is_set_up(void)
{
    return engine_dir() != NULL;
}

static bool fail_missing(GError **error)
{
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, MMD_ENGINE_MISSING);
}

static bool write_input(const char *path, const char *const *texts, size_t count, GError **error)
{
    g_autoptr(json_t) list = json_array();
    for (size_t i = 0; i < count; i++)
        json_append_take(list, json_text(texts[i]));
    g_autofree char *json = json_to_text(list);
    return file_write_atomic(path, json, strlen(json), 0600, error);
}

static bool run_script(const char *dir, const char *script_path, const char *input_path,
                       Cancel *cancel, json_t **ret_answers, GError **error)
{
    const char *path = env_get_raw("PATH");
    g_autofree char *path_setting =
        g_strconcat("PATH=", path != NULL ? path : "/usr/bin:/bin", NULL);
    const ProcSpec spec = {
        .argv = (const char *const[]) { "node", script_path, dir, input_path, NULL },
        .cwd = dir,
        .env = (const char *const[]) { path_setting, NULL },
        .profile = PROC_PROFILE_READER,
        .timeout_ms = RUN_MAX_MS,
        .max_output_bytes = OUTPUT_MAX,
        .has_own_stderr = true,
        .max_error_bytes = 4 * KIB,
        .keep = PROC_KEEP_HEAD,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) failure = NULL;
    if (!proc_run(&spec, cancel, &result, &failure)) {
        if (error_is(failure, KEDGE_ERROR_NOT_FOUND))
            return fail_missing(error);
        return pass_error(error, &failure);
    }
    if (result.exit_status == EXIT_NOT_INSTALLED)
        return fail_missing(error);
    if (result.exit_status != 0 || !json_parse_text(result.output, ret_answers, NULL))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "The mermaid engine failed (exit status %d): %.300s", result.exit_status,
                         g_strstrip(result.error_output));
    return true;
}

// ---- its answers in our words ----

/* "Parse error on line 3:\n…\nExpecting 'X', got 'Y'" → "Expecting 'X', got 'Y'"; other messages
   are their first line. Caller frees. */
static char *short_message(const char *message)
{
    const char *expecting = strstr(message, "\nExpecting ");
    const char *start = expecting != NULL ? expecting + 1 : message;
    g_autofree char *line = g_strndup(start, strcspn(start, "\n"));
    return utf8_ellipsize(line, MESSAGE_CHARS_MAX);
}

/* The line that a message names, counted as the parser counts; 0: none. */
static size_t reported_line(const char *message)
{
    static const char *const marks[] = { "on line ", "at line ", "line: ", "Line " };
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *found = strstr(message, marks[i]);
        if (found && g_ascii_isdigit(found[strlen(marks[i])]))
            return (size_t)g_ascii_strtoull(found + strlen(marks[i]), NULL, 10);
    }
    return 0;
}

/* The line of the given text that is line `reported` for the parser, which sees neither comments
   nor front matter and may count past the end. */
static size_t given_line(const char *text, size_t reported)
{
    g_auto(MmdClean) clean = { 0 };
    mmd_clean(text, strlen(text), &clean);
    const char *end = clean.text->str + clean.text->len;
    while (end > clean.text->str && g_ascii_isspace(end[-1]))
        end--;
    const char *at = clean.text->str;
    while (--reported > 0 && mmd_line_end(at, end) < end)
        at = mmd_line_end(at, end) + 1;

    size_t index = (size_t)(at - clean.text->str);
    size_t offset = g_array_index(clean.origin, uint32_t, index), line = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n'))
            line++;
    }
    return line;
}

static void take_answer(const char *text, const char *message, MmdVerdict *verdict)
{
    verdict->is_full = true;
    if (!message) {
        g_ptr_array_set_size(verdict->errors, 0);
        return;
    }
    g_ptr_array_set_size(verdict->errors, MIN(verdict->errors->len, 1));
    size_t reported = reported_line(message);
    if (verdict->errors->len == 0) {
        MmdError *made = g_new0(MmdError, 1);
        made->class = reported > 0 ? MMD_SYNTAX : MMD_SEMANTIC;
        made->line = made->column = 1;
        g_ptr_array_add(verdict->errors, made);
    }
    MmdError *error = g_ptr_array_index(verdict->errors, 0);
    g_free(error->message);
    error->message = short_message(message);
    size_t line = reported > 0 ? given_line(text, reported) : error->line;
    if (line != error->line)
        error->column = 1;
    error->line = line;
}

/* Script and input go to `place`, a directory of our own. */
static bool mmd_engine_ask(const char *place, const char *const *texts, size_t count,
                           Cancel *cancel, json_t **ret_answers, GError **error)
{
    g_autofree char *script_path = g_build_filename(place, "check.mjs", NULL);
    g_autofree char *input_path = g_build_filename(place, "input.json", NULL);
    return file_write_atomic(script_path, script, strlen(script), 0600, error) &&
           write_input(input_path, texts, count, error) &&
           run_script(engine_dir(), script_path, input_path, cancel, ret_answers, error);
}

bool mmd_engine_check(const char *const *texts, MmdVerdict *const *verdicts, size_t count,
                      Cancel *cancel, GError **error)
{
    if (!mmd_engine_is_set_up())
        return fail_missing(error);
    g_autofree char *place = g_build_filename(dirs_temp(), "kedge-mermaid-XXXXXX", NULL);
    if (!g_mkdtemp(place))
        return fail_with_errno(error, errno, "cannot make a directory in %s", dirs_temp());

    g_autoptr(json_t) answers = NULL;
    bool is_answered = mmd_engine_ask(place, texts, count, cancel, &answers, error);
    file_remove_tree(place, NULL);
    if (!is_answered)
        return false;
    if (json_array_size(answers) != count)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "The mermaid engine gave %zu answers for %zu diagrams",
                         json_array_size(answers), count);
    for (size_t i = 0; i < count; i++)
        take_answer(texts[i], json_get_text(json_array_get(answers, i), "message"), verdicts[i]);
    return true;
}
