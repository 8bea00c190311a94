/* The eval tool with real kernels: cells, state, tools, ends, and what is left when it is over.
   Python is needed; what needs Node is skipped where there is none. */
#include "base/str.h"
#include "eval_fixture.h"
#include "long_text.h"
#include "proc_fixture.h"

#include "base/worker.h"
#include "tools/eval/eval_kernels.h"

typedef struct Step {
    const char *code, *want; // `want`: NULL: anything
    bool is_error;
} Step;

static void run_steps(const char *language, const Step *steps, size_t count)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.txt", "hello\n");
    for (size_t i = 0; i < count; i++) {
        g_autofree char *text = run_code(fixture, language, steps[i].code, steps[i].is_error);
        if (steps[i].want && strcmp(text, steps[i].want) != 0)
            fail_msg("%s:\n--- got\n%s\n--- want\n%s", steps[i].code, text, steps[i].want);
    }
}

static void test_python(void **state G_GNUC_UNUSED)
{
    static const Step steps[] = {
        { "x = 41", "(no output)", false },
        { "x + 1", "42", false },
        { "x;", "(no output)", false },
        { "None", "(no output)", false },
        { "print('a', 1); {'a': 1}", "a 1\n{'a': 1}", false },
        { "import sys\nprint('e', file=sys.stderr)\nprint('o')", "e\no", false },
        { "display({'a': 1}, [2])", "display[1]:\n{\n  \"a\": 1\n}\n\ndisplay[2]:\n[\n  2\n]",
          false },
        { "1/0",
          "Traceback (most recent call last):\n  File \"<cell 8>\", line 1, in <module>\n    1/0\n",
          true },
        { "def f(:\n  pass",
          "  File \"<cell 9>\", line 1\n    def f(:\n          ^\nSyntaxError: invalid "
          "syntax\n\nCommand exited with code 1",
          true },
        { "import asyncio\nawait asyncio.sleep(0)\n7", "7", false },
        { "!echo hi", "hi", false },
        { "y = !printf 'a\\nb\\n'\ny", "['a', 'b']", false },
        { "s = '''\n!echo no\n'''\ns.strip()", "'!echo no'", false },
        { "%nope", NULL, true },
        { "%%bash\necho $((1+2))", "3", false },
        { "%pwd\n", NULL, false },
        // tools-T73
        { "input('? ')", NULL, true },
        { "try:\n  input('? ')\nexcept Exception as problem:\n  print(type(problem).__name__, "
          "problem)",
          "StdinNotImplementedError input() cannot be answered here: put the value into the code",
          false },
        { "sys.stdin.read()", "''", false },
        { "read('a.txt')", "'hello\\n'", false },
        { "write('d/b.txt', 'B\\n'); read('d/b.txt')", "'B\\n'", false },
        { "sort('b\\na\\nb', unique=True), uniq('a\\na\\nb', count=True), counter('a\\nb\\na')",
          "('a\\nb', [(2, 'a'), (1, 'b')], [(2, 'a'), (1, 'b')])", false },
        { "print(tree())", "./\n├── d/\n│   └── b.txt\n└── a.txt", false },
        { "class T:\n  def _repr_html_(self):\n    return '<table><tr><th>a<th>b</tr><tr><td>1"
          "</td><td>2</td></tr></table>'\nT()",
          NULL, false },
        { "sys.exit(3)", "SystemExit: 3\n\nCommand exited with code 1", true },
        { "x", "41", false },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.txt", "hello\n");
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        g_autofree char *text = run_code(fixture, "python", steps[i].code, steps[i].is_error);
        if (steps[i].want && !str_has_prefix(text, steps[i].want))
            fail_msg("%s:\n--- got\n%s\n--- want\n%s", steps[i].code, text, steps[i].want);
    }
}

static void test_javascript(void **state G_GNUC_UNUSED)
{
    static const Step steps[] = {
        { "const a = 1", "(no output)", false },
        { "a + 1", "2", false }, // tools-T69
        { "const a = 41; let b = 1", "(no output)", false },
        { "a + b", "42", false },
        { "'text'", "text", false },
        { "null", "null", false },
        { "({a: 1})", "display[1]:\n{\n  \"a\": 1\n}", false },
        { "console.log('n %d', 3, {a: 1}); print(1, 2)", "n 3 { a: 1 }\n1 2", false },
        { "throw new Error('bad')",
          "Error: bad\n    at cell-9.js:1:7\n\nCommand exited with code 1", true },
        { "await Promise.reject(7)", "Uncaught 7\n\nCommand exited with code 1", true },
        { "Promise.resolve(5)", "5", false },
        { "import {EOL as eol} from 'node:os'\nimport path from 'node:path'\n"
          "[eol.length, path.basename('/a/b')]",
          "display[1]:\n[\n  1,\n  \"b\"\n]", false },
        { "(await import('./m.mjs')).default", "mine", false },
        { "const text = 'import(x)'; text", "import(x)", false },
        { "await write('d/b.txt', 'B\\n'); await read('d/b.txt')", "B", false },
        { "sort('b\\na\\nb', {unique: true}) + uniq('a\\na')", "a\nba", false },
        { "await tree()", "./\n├── d/\n│   └── b.txt\n├── a.txt\n└── m.mjs", false },
        { "require('node:fs').closeSync(1); print('still here')", "still here", false },
    };
    if (!has_node())
        skip();
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    tool_fixture_put(fixture, "a.txt", "hello\n");
    tool_fixture_put(fixture, "m.mjs", "export default 'mine'\n");
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        g_autofree char *text = run_code(fixture, "js", steps[i].code, steps[i].is_error);
        if (steps[i].want && strcmp(text, steps[i].want) != 0)
            fail_msg("%s:\n--- got\n%s\n--- want\n%s", steps[i].code, text, steps[i].want);
    }
}

/* What a call with several cells, or in its text form, says. */
static void test_calls(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
        bool is_error;
    } cases[] = {
        { "tools-T70",
          "{\"cells\":[{\"code\":\"x=41\"},{\"code\":\"x+1\",\"title\":\"add\"},"
          "{\"code\":\"1/0\"},{\"code\":\"print(9)\"}]}",
          "[1/4] (ok)\n\n[2/4] add\n42\n\n[3/4]\nTraceback (most recent call last):\n  File "
          "\"<cell 3>\", line 1, in <module>\n    1/0\n",
          true },
        { "one time limit", "{\"cells\":[{\"code\":\"import time; time.sleep(9)\"}],\"timeout\":1}",
          "[Command timed out after 1 seconds]\nKeyboardInterrupt: Execution interrupted", true },
        { "text form", "{\"input\":\"*** Cell py:\\\"a\\\"\\n1\\n*** Cell py\\n*** Abort\"}",
          "1\n\nTool stream truncated mid-call", false },
        { "blank lines around", "{\"input\":\"print('\\\\n\\\\n  a \\\\n\\\\n')\"}", "  a", false },
        { "nothing to run", "{}", "eval: give `cells`", true },
        { "both", "{\"cells\":[{\"code\":\"1\"}],\"input\":\"1\"}", "eval: give `cells`", true },
        { "no directory", "{\"cells\":[{\"code\":\"1\"}],\"cwd\":\"none\"}",
          "Working directory does not exist: ", true },
        { "a bad header", "{\"input\":\"*** Cell py t:x\\n1\"}", "Eval line 1: invalid duration",
          true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_auto(ToolResult) result = call_eval(fixture, cases[i].arguments, NULL);
        g_autofree char *text = tool_result_text(&result);
        if (result.is_error != cases[i].is_error || !str_has_prefix(text, cases[i].want))
            fail_msg("%s:\n--- got\n%s\n--- want\n%s", cases[i].name, text, cases[i].want);
    }
}

/* The cells behind one that failed are not run, and the details say so. */
static void test_details(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_auto(ToolResult) made =
        call_eval(fixture,
                  "{\"cells\":[{\"code\":\"write('f','1'); display([1])\"},{\"code\":\"1/0\"},"
                  "{\"code\":\"2\"}]}",
                  NULL);
    assert_true(made.is_error);
    g_autofree char *details = json_to_text(made.details);
    static const char *const parts[] = {
        "\"isError\":true",       "\"language\":\"python\"", "\"jsonOutputs\":[[1]]",
        "\"op\":\"write\"",       "\"status\":\"complete\"", "\"status\":\"error\"",
        "\"status\":\"pending\"", "\"exitCode\":1",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        assert_contains("details", details, parts[i]);
}

/* tools-T71 */
static void test_state_after_timeout(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_free(run_code(fixture, "python", "kept = 5", false));
    g_autofree char *sleeps = arguments_of("python", "import time; time.sleep(9)", 1);
    g_auto(ToolResult) result = call_eval(fixture, sleeps, NULL);
    g_autofree char *text = tool_result_text(&result);
    assert_contains("timed out", text, "[Command timed out after 1 seconds]");
    g_autofree char *kept = run_code(fixture, "python", "kept", false);
    assert_text("kept", kept, "5");
}

/* A loop that catches the interruption, and JavaScript: the kernel is ended, and that is said. */
static void test_state_is_lost(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *language, *code, *title;
    } cases[] = {
        { "python",
          "import time\nwhile True:\n  try:\n    while True: time.sleep(1)\n"
          "  except BaseException: pass",
          "Python" },
        { "js", "while (true) {}", "JavaScript" },
    };
    for (size_t i = 0; i < (has_node() ? 2 : 1); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autofree char *arguments = arguments_of(cases[i].language, cases[i].code, 1);
        g_auto(ToolResult) result = call_eval(fixture, arguments, NULL);
        g_autofree char *text = tool_result_text(&result);
        g_autofree char *note = g_strdup_printf(
            "[The %s kernel has ended: variables of earlier cells are gone.]", cases[i].title);
        assert_contains(cases[i].code, text, note);
        g_autofree char *again = run_code(fixture, cases[i].language, "1 + 1", false);
        assert_text("again", again, "2");
    }
}

/* Kernels that end in the middle of a cell. One end is made good; then a reset is asked for. */
static void test_kernel_dies(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    const char *dies =
        "import os, signal; print('last words'); os.kill(os.getpid(), signal.SIGKILL)";
    for (int i = 0; i < 2; i++) {
        g_autofree char *text = run_code(fixture, "python", dies, true);
        assert_text("dies", text,
                    "last words\n[kernel] Python kernel exited with code 137\n\nCommand aborted\n\n"
                    "[The Python kernel has ended: variables of earlier cells are gone.]");
    }
    g_autofree char *refused = run_code(fixture, "python", "1", true);
    assert_contains("too often", refused, "restarted too many times");
    g_auto(ToolResult) reset =
        call_eval(fixture, "{\"cells\":[{\"code\":\"1\"}],\"reset\":true}", NULL);
    assert_false(reset.is_error);
}

/* Text on the answers' pipe, closed and exchanged descriptors, forks: the next cell works. */
static void test_hostile_cells(void **state G_GNUC_UNUSED)
{
    static const char *const cells[] = {
        "import os\nfor fd in range(3, 256):\n  try: os.write(fd, b'{\"type\":\"done\",\"id\"')\n"
        "  except OSError: pass",
        "import os, sys\nos.close(1)\nsys.stdout = None",
        "import os\nos.dup2(os.open('/dev/null', os.O_WRONLY), 1)\nprint('lost')",
        "import sys\nsys.stdout.close()",
        "import os\nif os.fork() == 0: os.fork()",
        "import threading, time\nthreading.Thread(target=lambda: time.sleep(0.2) or print('late'), "
        "daemon=True).start()",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
        "x = []\nfor i in range(100000): x = [x]\ndisplay(x)",
        "class E(Exception):\n  def __str__(self): raise self\n  __repr__ = __str__\nraise E()",
        "import builtins, json\njson.dumps = None\nbuiltins.print = None",
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
        g_autofree char *arguments = arguments_of("python", cells[i], 60);
        g_auto(ToolResult) result = call_eval(fixture, arguments, NULL);
        g_autofree char *said = tool_result_text(&result);
        g_autofree char *text = run_code(fixture, "python", "6 * 7", false);
        // "late" may come with any cell
        if (!str_has_prefix(text, "42") || (text[2] != '\0' && text[2] != '\n'))
            fail_msg("%s\n%s\nthen: %s", cells[i], said, text);
    }
}

/* tools-T72: through the gate, each by itself. */
static void test_tools(void **state G_GNUC_UNUSED)
{
    static const Step python[] = {
        { "print(tool.read({\"path\":\"a.txt\"}))", "hello", false },
        { "tool.read(path='a.txt').splitlines()", "['hello']", false },
        { "tool['read'](path='a.txt')['text']", "'hello\\n'", false },
        { "tool.bash(command='echo $((2+3))')", "5", false },
        { "tool.read(path='none')", NULL, true },
        { "tool.nope()", NULL, true },
        { "tool.eval(cells=[{'code':'1'}])", NULL, true },
        { "tool.read(colour='red')", NULL, true },
        { "try: tool.read(path='none')\nexcept ToolError as e: print('said:', e)",
          "said: Path 'none' not found", false },
        { "import os\nif os.fork() == 0:\n  try: tool.read(path='a.txt')\n"
          "  except Exception as e: print(e)\n  os._exit(0)\nos.wait()[1]",
          "tools can be called from the kernel's own process only\n0", false },
    };
    static const Step js[] = {
        { "(await tool.read({path: 'a.txt'})).split('\\n').length", "2", false },
        { "(await Promise.all([1, 2, 3].map(() => tool.read({path: 'a.txt'})))).join('')",
          "hello\nhello\nhello", false },
        { "await tool.read({path: 'none'})",
          "ToolError: Path 'none' not found\n\nCommand exited with code 1", true },
        { "await tool.nope()",
          "ToolError: Unknown tool from js runtime: nope\n\nCommand exited with code 1", true },
        { "await tool.read({path: 'none'}).catch(e => e.message)", "Path 'none' not found", false },
    };
    run_steps("python", python, G_N_ELEMENTS(python));
    if (has_node())
        run_steps("js", js, G_N_ELEMENTS(js));
}

static bool refuse(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED, bool *ret_approved,
                   void *user_data, GError **error G_GNUC_UNUSED)
{
    GString *asked = user_data;
    g_string_append_printf(asked, "%s;", question->tool->name);
    *ret_approved = question->tool == &tool_eval;
    return true;
}

/* The code may not do what the person says no to, though it may run. */
static void test_nested_is_judged(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(ToolSet) tools = tool_set_new(eval_table);
    g_autoptr(GString) asked = g_string_new(NULL);
    const ToolDoor door = { .kind = DOOR_DIRECT, .ask = refuse, .user_data = asked };
    g_autofree char *text = arguments_of("python", "tool.write(path='b.txt', content='x')", 0);
    g_autoptr(json_t) arguments = NULL;
    assert_true(json_parse_text(text, &arguments, NULL));
    const ToolCallSpec spec = {
        .tool = &tool_eval,
        .arguments = arguments,
        .context = fixture->context,
        .door = &door,
        .tools = tools,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    g_autofree char *said = tool_result_text(&result);
    assert_text("asked", asked->str, "eval;write;");
    assert_contains("declined", said, "ToolError: declined: write");
    g_autofree char *path = g_build_filename(fixture->cwd, "b.txt", NULL);
    assert_false(file_exists(path));
}

/* tools-T74 */
static void test_four_kernels(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (int i = 0; i < 5; i++) {
        g_autofree char *name = g_strdup_printf("d%d/f", i);
        tool_fixture_put(fixture, name, "");
        g_autofree char *arguments =
            g_strdup_printf("{\"cells\":[{\"code\":\"n=%d\"}],\"cwd\":\"d%d\"}", i, i);
        g_auto(ToolResult) result = call_eval(fixture, arguments, NULL);
        assert_false(result.is_error);
        assert_true(eval_kernels_count(eval_kernels_of(fixture->context)) <= 4);
    }
    g_auto(ToolResult) kept =
        call_eval(fixture, "{\"cells\":[{\"code\":\"n\"}],\"cwd\":\"d4\"}", NULL);
    g_autofree char *kept_text = tool_result_text(&kept);
    assert_text("kept", kept_text, "4");
    g_auto(ToolResult) lost =
        call_eval(fixture, "{\"cells\":[{\"code\":\"n\"}],\"cwd\":\"d0\"}", NULL);
    g_autofree char *lost_text = tool_result_text(&lost);
    assert_contains("lost", lost_text, "NameError");
    assert_contains("lost", lost_text, "was ended in favour of those used more recently");
}

static void test_settings(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings, *arguments, *want;
        bool needs_node;
    } cases[] = {
        { "{'eval':{'py':false}}", "{\"cells\":[{\"code\":\"1\"}],\"language\":\"python\"}",
          "Python backend is disabled (eval.py = false).", true },
        { "{'eval':{'js':false}}", "{\"cells\":[{\"code\":\"1\"}],\"language\":\"js\"}",
          "JavaScript backend is disabled (eval.js = false).", false },
        { "{'eval':{'py':false,'js':false}}", "{\"cells\":[{\"code\":\"1\"}]}",
          "No eval backend is available", false },
        { "{'eval':{'js':false}}", "{\"cells\":[{\"code\":\"const a = 1\"}]}", "  File", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (cases[i].needs_node && !has_node())
            continue;
        g_autoptr(ToolFixture) fixture = tool_fixture_new(cases[i].settings, false);
        g_auto(ToolResult) result = call_eval(fixture, cases[i].arguments, NULL);
        g_autofree char *text = tool_result_text(&result);
        if (!str_has_prefix(text, cases[i].want))
            fail_msg("%s: '%s'", cases[i].settings, text);
    }
    g_autoptr(ToolFixture) fixture =
        tool_fixture_new("{'python':{'kernelMode':'per-call'}}", false);
    g_free(run_code(fixture, "python", "x = 1", false));
    assert_int_equal(eval_kernels_count(eval_kernels_of(fixture->context)), 0);
    g_autofree char *text = run_code(fixture, "python", "x", true);
    assert_contains("per call", text, "NameError");
}

/* The end of long output, and the artifact with all of it. */
static void test_long_output(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, true);
    g_autofree char *text = run_code(fixture, "python", "for i in range(20000): print(i)", false);
    assert_true(str_has_prefix(text, "6\n11467\n"));
    assert_true(g_str_has_suffix(text, "19999\n\n[Showing lines 11467-20000 of 20000 (50.0KB "
                                       "limit). Read artifact://0 for full output]"));
    g_autofree char *path = g_build_filename(fixture->root, "session", "0.eval.log", NULL);
    g_autofree char *whole = NULL;
    gsize size = 0;
    assert_true(g_file_get_contents(path, &whole, &size, NULL));
    assert_int_equal(size, 108890);
    // 100 MiB take their time under a sanitizer on a busy machine; the claim is of the bound
    g_autofree char *prints = g_strdup_printf(
        "b = 'x' * 1023 + '\\n'\nfor i in range(%d): print(b * 1024, end='')", OF_LONG_TEXT(100));
    g_autofree char *arguments = arguments_of("python", prints, 150);
    g_auto(ToolResult) result = call_eval(fixture, arguments, NULL);
    g_autofree char *much = tool_result_text(&result);
    assert_false(result.is_error);
    assert_true(strlen(much) < 60000);
}

/* Cancelled in the middle: the error says so, the cell's children end, what it knew stays. */
static void test_cancel(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_free(run_code(fixture, "python", "kept = 7", false));
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_autofree char *mark = g_build_filename(fixture->cwd, "begun", NULL);
    EvalStop stop = { cancel, mark };
    Worker *worker = worker_start("stop", eval_stop_when_begun, &stop);
    g_autofree char *arguments =
        arguments_of("python",
                     "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
                     "print('so far', flush=True)\nopen('begun', 'w').close()\nchild.wait()",
                     60);
    g_auto(ToolResult) result = call_eval(fixture, arguments, cancel);
    worker_join(worker);
    assert_true(result.is_error);
    assert_int_equal(result.failure, KEDGE_ERROR_CANCELLED);
    g_autofree char *text = tool_result_text(&result);
    assert_contains("cancelled", text, "[Command cancelled]\nso far");
    g_autofree char *after = run_code(fixture, "python", "child.wait(5)\nkept", false);
    assert_text("kept", after, "7");
}

/* Neither a kernel nor its children outlive the conversation. */
static void test_no_orphans(void **state G_GNUC_UNUSED)
{
    ToolFixture *fixture = tool_fixture_new(NULL, false);
    g_autofree char *pids =
        run_code(fixture, "python",
                 "import os, subprocess\nprint(os.getpid())\n"
                 "print(subprocess.Popen(['sh', '-c', 'trap \"\" TERM INT HUP; sleep 600']).pid)\n"
                 "if os.fork() == 0:\n  if os.fork() == 0:\n    import time\n    time.sleep(600)\n",
                 false);
    g_auto(GStrv) words = g_strsplit(pids, "\n", 3);
    tool_fixture_free(fixture);
    for (int i = 0; i < 2; i++) {
        pid_t pid = (pid_t)g_ascii_strtoll(words[i], NULL, 10);
        assert_true(pid > 1);
        assert_true(is_dead(pid));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_javascript),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_details),
        cmocka_unit_test(test_state_after_timeout),
        cmocka_unit_test(test_state_is_lost),
        cmocka_unit_test(test_kernel_dies),
        cmocka_unit_test(test_hostile_cells),
        cmocka_unit_test(test_tools),
        cmocka_unit_test(test_nested_is_judged),
        cmocka_unit_test(test_four_kernels),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_long_output),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_no_orphans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
