/*
 * Messages, calls and notices as rows: what is shown of them, at widths of 40 and 80, and of what
 * others may put into them.
 */
#include "tui_quoted.h"

#include "base/secrets.h"
#include "tui/view/block_private.h"

static const BlockSpec narrow = { .width = 40, .tab_width = 4, .cwd = "/home/me/app" };
static const BlockSpec wide = { .width = 80, .tab_width = 4, .cwd = "/home/me/app" };

static char *message_as_text(const char *json, const BlockSpec *spec)
{
    g_autoptr(json_t) message = parse_quoted(json);
    g_autoptr(GPtrArray) rows = rows_new();
    block_message_rows(message, spec, rows);
    return clean_rows_text(rows, spec->width);
}

// ---- messages ----

#define PNG "iVBORw0KGgoAAAANSUhEUgAAAyAAAAJYCAIAAAAVFBUn"

static void test_messages(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *json;
        const BlockSpec *spec;
        const char *want;
    } cases[] = {
        { "prompt", "{'role':'user','content':'run the tests'}", &narrow, "❯ run the tests" },
        { "long prompt",
          "{'role':'user','content':'one two three four five six seven eight nine ten "
          "eleven\\n\\n    indented'}",
          &narrow,
          "❯ one two three four five six seven\n  eight nine ten eleven\n\n      indented" },
        { "prompt with pictures",
          "{'role':'user','content':[{'type':'text','text':'look'},"
          "{'type':'image','mimeType':'image/png','data':'" PNG "'},"
          "{'type':'image','mimeType':'image/webp','data':'AAAA'}]}",
          &narrow, "❯ look\n  [image png 800x600]\n  [image webp]" },
        { "pictures alone", "{'role':'user','content':[{'type':'image','data':''}]}", &narrow,
          "  [image]" },
        { "escapes in a prompt",
          "{'role':'user','content':'a\\u001b]0;evil\\u0007b\\u001b[2Jc\\u202ed'}", &narrow,
          "❯ abcd" },
        { "answer", "{'role':'assistant','content':[{'type':'text','text':'Done.'}]}", &wide,
          "Done." },
        { "thinking is hidden",
          "{'role':'assistant','content':[{'type':'thinking','thinking':'hm'},"
          "{'type':'text','text':'Done.'}]}",
          &wide, "Done." },
        { "aborted", "{'role':'assistant','content':[],'stopReason':'aborted'}", &wide,
          "✗ Operation aborted" },
        { "aborted later",
          "{'role':'assistant','content':[{'type':'text','text':'Half'}],"
          "'stopReason':'aborted','errorMessage':'Request was aborted'}",
          &wide, "Half\n\n✗ Operation aborted" },
        { "failed",
          "{'role':'assistant','content':[],'stopReason':'error',"
          "'errorMessage':'529 overloaded_error'}",
          &wide, "✗ 529 overloaded_error" },
        { "failed without a word", "{'role':'assistant','content':[],'stopReason':'error'}", &wide,
          "✗ the request failed" },
        { "cut",
          "{'role':'assistant','content':[{'type':'text','text':'Half'}],"
          "'stopReason':'length'}",
          &narrow, "Half\n\n! The answer was cut at its output\n  limit." },
        { "calls are left out",
          "{'role':'assistant','content':[{'type':'toolCall','id':'1','name':"
          "'read','arguments':{}}]}",
          &wide, "" },
        { "command",
          "{'role':'bashExecution','command':'make test','output':'ok\\n',"
          "'exitCode':0}",
          &wide, "✓ ! make test\n  ok" },
        { "command that failed",
          "{'role':'bashExecution','command':'false','output':'','exitCode':3,"
          "'excludeFromContext':true}",
          &wide, "✗ !! false\n  Exit 3." },
        { "command that was stopped",
          "{'role':'bashExecution','command':'sleep 9','output':'a','cancelled':true}", &wide,
          "✗ ! sleep 9\n  a\n  Stopped." },
        { "Python", "{'role':'pythonExecution','code':'1\\n+ 1','output':'2'}", &wide,
          "✓ $ 1 + 1\n  2" },
        { "background job",
          "{'role':'custom','customType':'async-result','display':true,'content':"
          "'long','details':{'jobs':[{'jobId':'j1','status':'completed','label':"
          "'make'},{'jobId':'j2','status':'failed','label':'lint\\u001b[2J'}]}}",
          &wide, "✓ Background job j1 completed: make\n! Background job j2 failed: lint" },
        { "custom message",
          "{'role':'custom','customType':'handoff','content':'a\\nb\\nc\\nd\\ne'}", &wide,
          "• handoff\n  a\n  b\n  c\n  … 2 more lines (Ctrl+O)" },
        { "hidden custom message",
          "{'role':'custom','customType':'x','content':'a','display':false}", &wide, "" },
        { "instructions", "{'role':'developer','content':'be brief'}", &wide, "" },
        { "summary", "{'role':'compactionSummary','summary':'all of it','shortSummary':'brief'}",
          &wide, "• Summary of what came before\n  brief" },
        { "branch summary", "{'role':'branchSummary','summary':'tried x'}", &wide,
          "• Summary of the branch that was left\n  tried x" },
        { "files",
          "{'role':'fileMention','files':[{'path':'a.c','lineCount':1200},"
          "{'path':'b','skippedReason':'binary'},{'path':'c'}]}",
          &wide, "• @a.c (1,200 lines)\n• @b (binary)\n• @c" },
        { "nothing", "{}", &wide, "" },
        { "not what it should be", "{'role':'assistant','content':{'a':1}}", &wide, "" },
        { "odd parts",
          "{'role':'assistant','content':[1,null,{'type':'text'},{'type':'text',"
          "'text':7}]}",
          &wide, "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = message_as_text(cases[i].json, cases[i].spec);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

static void test_thinking_shown(void **state G_GNUC_UNUSED)
{
    BlockSpec spec = wide;
    spec.shows_thinking = true;
    g_autoptr(json_t) message =
        parse_quoted("{'role':'assistant','content':[{'type':'thinking','thinking':'hm'},"
                     "{'type':'text','text':'Done.'}]}");
    g_autoptr(GPtrArray) rows = rows_new();
    block_message_rows(message, &spec, rows);
    g_autofree char *got = clean_rows_text(rows, spec.width);
    assert_string_equal(got, "hm\n\nDone.");
    const Row *row = rows->pdata[0];
    assert_int_equal(row->runs[0].style.fg, TOKEN_THINKING_TEXT);
    assert_true(row->runs[0].style.attributes & STYLE_ITALIC);
}

/* The background is behind the text alone. */
static void test_prompt_background(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) message = parse_quoted("{'role':'user','content':'hi'}");
    g_autoptr(GPtrArray) rows = rows_new();
    block_message_rows(message, &wide, rows);
    const Row *row = rows->pdata[0];
    assert_int_equal(row->cells, 4);
    assert_int_equal(row->runs[row->run_count - 1].style.bg, TOKEN_USER_MESSAGE_BG);
    assert_int_equal(row->runs[0].style.bg, TOKEN_DEFAULT);
}

// ---- calls ----

typedef struct CallCase {
    const char *name, *tool, *arguments, *result;
    bool is_error;
    gint64 duration_ms;
    const BlockSpec *spec;
    const char *want;
} CallCase;

static void check_call(const CallCase *self)
{
    g_autoptr(json_t) arguments = self->arguments ? parse_quoted(self->arguments) : NULL;
    g_autoptr(json_t) result = self->result ? parse_quoted(self->result) : NULL;
    g_autoptr(GPtrArray) rows = rows_new();
    block_tool_rows(self->tool, arguments, result, self->is_error, self->duration_ms, self->spec,
                    rows);
    g_autofree char *got = clean_rows_text(rows, self->spec->width);
    assert_text(self->name, got, self->want);
}

#define TEXT(text) "{'content':[{'type':'text','text':'" text "'}]}"

static void test_calls(void **state G_GNUC_UNUSED)
{
    static const CallCase cases[] = {
        { "read", "read", "{'path':'/home/me/app/src/a.c'}", TEXT("1\\n2"), false, 0, &wide,
          "✓ read src/a.c" },
        { "read that failed", "read", "{'path':'a.c'}", TEXT("no such file"), true, 0, &wide,
          "✗ read a.c\n  no such file" },
        { "read of a picture", "read", "{'path':'a.png'}",
          "{'content':[{'type':'text','text':'an image'},{'type':'image',"
          "'mimeType':'image/png','data':'" PNG "'}]}",
          false, 0, &wide, "✓ read a.png\n  [image png 800x600]" },
        { "beside the directory", "read", "{'path':'/home/me/apple/x'}", TEXT("x"), false, 0, &wide,
          "✓ read /home/me/apple/x" },
        { "grep", "grep", "{'pattern':'x','path':'src'}", TEXT("1\\n2\\n3\\n4\\n5\\n\\n"), false, 0,
          &wide, "✓ grep x src\n  1\n  2\n  3\n  … 2 more lines (Ctrl+O)" },
        { "one more line", "ls", "{}", TEXT("1\\n2\\n3\\n4"), false, 0, &wide,
          "✓ ls\n  1\n  2\n  3\n  … 1 more line (Ctrl+O)" },
        { "command", "bash", "{'command':'make','_i':'build it'}", TEXT("1\\n2\\n3\\n4\\n5\\n6"),
          false, 4200, &wide, "✓ bash make  build it  4.2 s\n  1\n  2\n  3\n  4\n  5\n  6" },
        { "short time", "calc", "{'x':'1'}", NULL, false, 999, &wide, "✓ calc 1" },
        { "time", "calc", "{'x':'1'}", NULL, false, 42 * 1000, &wide, "✓ calc 1  42 s" },
        { "long time", "calc", "{'x':'1'}", NULL, false, 65 * 1000, &wide, "✓ calc 1  1 min 05 s" },
        { "the end of a command's output", "bash", "{'command':'seq 23'}",
          TEXT("1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12\\n13\\n14\\n15\\n16\\n17\\n18\\n"
               "19\\n20\\n21\\n22\\n23"),
          false, 0, &wide,
          "✓ bash seq 23\n  … 3 more lines (Ctrl+O)\n  4\n  5\n  6\n  7\n  8\n  9\n  10\n  11\n  "
          "12\n  13\n  14\n  15\n  16\n  17\n  18\n  19\n  20\n  21\n  22\n  23" },
        { "long lines", "ls", "{}",
          TEXT("0123456789012345678901234567890123456789012345678901234567890123456789012345678901"
               "2345678901234567890123456789012345678901234567890123456789\\nb"),
          false, 0, &narrow,
          "✓ ls\n  01234567890123456789012345678901234567\n  "
          "89012345678901234567890123456789012345\n"
          "  6789012345678901234567890123456789012…\n  b" },
        { "aborted", "bash", "{'command':'sleep 9'}", TEXT("Operation aborted"), true, 0, &wide,
          "✗ bash sleep 9\n  Operation aborted" },
        { "unknown tool", "deploy",
          "{'target':'prod','options':{'deep':true,'names':['a','b'],'text':"
          "'0123456789012345678901234567890123456789'},'note':'a\\nb','n':3,'x':4,'y':5}",
          TEXT("ok"), false, 0, &wide,
          "✓ deploy\n  target: \"prod\"\n  options:\n    deep: true\n    names: [\"a\",\"b\"]\n    "
          "text: \"0123456789012345678901234567890123456789\"\n  note:\n    a\n    b\n  n: 3\n  x: "
          "4\n  … 1 "
          "more line (Ctrl+O)\n  ok" },
        { "unknown tool without arguments", "x\x1b[31my", "{}", NULL, false, 0, &wide, "✓ xy" },
        { "an argv", "gh", "{'args':['pr','view','7','--json','a b']}", TEXT("ok"), false, 0, &wide,
          "✓ gh pr view 7 --json 'a b'\n  ok" },
        { "what is done to a list", "todo_write",
          "{'ops':[{'op':'done','task':'Read it'},{'op':'drop','phase':'Check'},{'op':'init'}]}",
          TEXT("Remaining items (1):"), false, 0, &wide,
          "✓ todo_write done Read it, drop Check, init" },
        { "what a person is asked", "ask",
          "{'questions':[{'id':'q','question':'Which one?','options':[]},{'question':'How?'}]}",
          TEXT("User selected: A"), false, 0, &wide, "✓ ask Which one? How?\n  User selected: A" },
        { "by another of its names", "todo", "{'ops':[{'op':'rm'}]}", TEXT("no such task"), true, 0,
          &wide, "✗ todo rm\n  no such task" },
        { "no argv", "gh", "{'args':['a',1]}", TEXT("ok"), false, 0, &wide,
          "✓ gh [\"a\",1]\n  ok" },
        { "no arguments", "bash", NULL, NULL, true, 0, &wide, "✗ bash" },
        { "no name", "", NULL, NULL, false, 0, &wide, "✓ ?" },
        { "agent-core-99", "bash", "{'command':'x\\u001b]0;evil\\u0007\\ny'}",
          TEXT("a\\u001b]0;evil\\u0007b\\r\\nab\\rc\\n\\ttab"), false, 0, &wide,
          "✓ bash x y\n  ab\n  c\n      tab" },
        { "long title", "bash",
          "{'command':'gcc -O2 -Wall -Wextra -Isrc -o a.out a.c b.c c.c d.c'}", NULL, false, 0,
          &narrow, "✓ bash gcc -O2 -Wall -Wextra -Isrc -o\n    a.out a.c b.c c.c d.c" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_call(&cases[i]);
}

static void test_expanded(void **state G_GNUC_UNUSED)
{
    BlockSpec spec = wide;
    spec.is_expanded = true;
    const CallCase cases[] = {
        { "read", "read", "{'path':'a.c'}", TEXT("1\\n2\\n3\\n4\\n5"), false, 0, &spec,
          "✓ read a.c\n  path: \"a.c\"\n  1\n  2\n  3\n  4\n  5" },
        { "command of several lines", "bash", "{'command':'a\\nb'}", TEXT("1"), false, 0, &spec,
          "✓ bash a b\n  command:\n    a\n    b\n  1" },
        { "several texts", "grep", "{}",
          "{'content':[{'type':'text','text':'1'},{'type':'text','text':'2'}]}", false, 0, &spec,
          "✓ grep\n  1\n  2" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_call(&cases[i]);
}

#define DIFF "-12|int a;\\n+12|int b;\\n 13|int c;"

#define CREATED "{'content':[{'type':'text','text':'Wrote a.c'}],'details':{'op':'create'}}"

static void test_edits(void **state G_GNUC_UNUSED)
{
    static const CallCase cases[] = {
        { "diff", "edit", "{'path':'a.c'}",
          "{'content':[{'type':'text','text':'Updated a.c'}],'details':{'diff':"
          "'" DIFF "'}}",
          false, 0, &wide, "✓ edit a.c\n  -12 int a;\n  +12 int b;\n   13 int c;" },
        { "too large for one", "write", "{'path':'a.c','content':'x\\ny'}",
          "{'content':[{'type':'text','text':'Wrote a.c'}],'details':{'op':"
          "'update'}}",
          false, 0, &wide, "✓ write a.c\n  Wrote a.c" },
        { "a new file", "write", "{'path':'a.c','content':'x\\r\\n\\ny\\u001b[2J\\n'}", CREATED,
          false, 0, &wide, "✓ write a.c\n  +1 x\n  +2 \n  +3 y" },
        { "its head", "write",
          "{'path':'a.c','content':'1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n'}", CREATED,
          false, 0, &wide,
          "✓ write a.c\n  + 1 1\n  + 2 2\n  + 3 3\n  + 4 4\n  + 5 5\n  + 6 6\n  + 7 7\n  + 8 8\n"
          "  + 9 9\n  … 2 more lines (Ctrl+O)" },
        { "an empty one", "write", "{'path':'a.c','content':''}", CREATED, false, 0, &wide,
          "✓ write a.c\n  Wrote a.c" },
        { "made by an edit", "edit", "{'input':'…'}", CREATED, false, 0, &wide,
          "✓ edit …\n  Wrote a.c" },
        { "failed", "edit", "{'path':'a.c'}",
          "{'content':[{'type':'text','text':'no such text'}],'details':{'diff':"
          "'" DIFF "'}}",
          true, 0, &wide, "✗ edit a.c\n  no such text" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_call(&cases[i]);
}

static void test_long_diff(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) diff = g_string_new(NULL);
    for (int i = 1; i <= 60; i++)
        g_string_append_printf(diff, "+%d|line\n", i);
    g_autoptr(json_t) result = json_pack("{s:{s:s}}", "details", "diff", diff->str);
    g_autoptr(GPtrArray) rows = rows_new();
    block_tool_rows("edit", NULL, result, false, 0, &narrow, rows);
    assert_int_equal(rows->len, 1 + BLOCK_DIFF_LINES);
    const Row *last = rows->pdata[BLOCK_DIFF_LINES];
    assert_string_equal(last->text, "  … 21 more lines (Ctrl+O)");
    assert_int_equal(row_style_of(rows->pdata[1], "line").fg, TOKEN_DIFF_ADDED);

    g_ptr_array_set_size(rows, 0);
    BlockSpec spec = narrow;
    spec.is_expanded = true;
    block_tool_rows("edit", NULL, result, false, 0, &spec, rows);
    assert_int_equal(rows->len, 1 + 60);
}

/* A result of megabytes: what is shown, and that all is counted. */
static void test_much_output(void **state G_GNUC_UNUSED)
{
    enum { LINES = 400000 };
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 1; i <= LINES; i++)
        g_string_append_printf(text, "line %d\n", i);
    g_autoptr(json_t) block = json_object();
    json_set_text(block, "type", "text");
    json_set_text(block, "text", text->str);
    g_autoptr(json_t) result = json_pack("{s:[O]}", "content", block);
    g_autoptr(GPtrArray) rows = rows_new();
    block_tool_rows("bash", NULL, result, false, 0, &narrow, rows);
    assert_int_equal(rows->len, 1 + 1 + BLOCK_COMMAND_LINES);
    assert_string_equal(((Row *)rows->pdata[1])->text, "  … 399,980 more lines (Ctrl+O)");
    assert_string_equal(((Row *)rows->pdata[rows->len - 1])->text, "  line 400000");

    g_ptr_array_set_size(rows, 0);
    BlockSpec spec = wide;
    spec.is_expanded = true;
    block_tool_rows("bash", NULL, result, false, 0, &spec, rows);
    assert_int_equal(rows->len, 1 + LIMIT_BLOCK_LINES + 1);
    assert_string_equal(((Row *)rows->pdata[rows->len - 1])->text, "  … 390,000 more lines");
}

/* One line of megabytes. */
static void test_long_line(void **state G_GNUC_UNUSED)
{
    g_autofree char *line = g_strnfill(4 * 1024 * 1024, 'x');
    g_autoptr(json_t) result = json_pack("{s:[{s:s}]}", "content", "text", line);
    g_autoptr(GPtrArray) rows = rows_new();
    block_tool_rows("grep", NULL, result, false, 0, &narrow, rows);
    assert_int_equal(rows->len, 1 + BLOCK_LINE_ROWS);
    g_ptr_array_set_size(rows, 0);
    block_last_lines(line, strlen(line), 5, 60, &wide, rows);
    assert_int_equal(rows->len, 1);
    assert_int_equal(((Row *)rows->pdata[0])->cells, 60);
}

static void test_last_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        int count;
        const char *want;
    } cases[] = {
        { "", 5, "" },
        { "\n\n", 5, "" },
        { "a", 5, "  a" },
        { "a\nb\nc\n", 2, "  b\n  c" },
        { "a\nb\nc", 0, "" },
        { "a\n\nb", 3, "  a\n  \n  b" },
        { "10%\r20%\r30%", 5, "  30%" },
        { "0123456789012345", 5, "  01234567…" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) rows = rows_new();
        block_last_lines(cases[i].text, strlen(cases[i].text), cases[i].count, 11, &wide, rows);
        g_autofree char *got = clean_rows_text(rows, 11);
        assert_text(cases[i].text, got, cases[i].want);
    }
}

// ---- events ----

static void test_events(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json;
        Tone tone;
        const char *want; // NULL: it says nothing
    } cases[] = {
        { "{'type':'notice','level':'info','message':'waiting'}", TONE_NOTE, "waiting" },
        { "{'type':'notice','level':'warning','message':'w'}", TONE_WARNING, "w" },
        { "{'type':'notice','level':'error','message':'e'}", TONE_ERROR, "e" },
        { "{'type':'auto_retry_start','attempt':1,'maxAttempts':3,'delayMs':2000}", TONE_NOTE,
          "Trying again, 1 of 3, in 2 s." },
        { "{'type':'auto_retry_end','success':true,'attempt':1}", TONE_NOTE, NULL },
        { "{'type':'auto_retry_end','success':false,'attempt':3,'finalError':'529'}", TONE_ERROR,
          "Retry failed after 3 attempts: 529" },
        { "{'type':'auto_retry_end','success':false,'attempt':1,'finalError':'529'}", TONE_ERROR,
          "Retry failed after 1 attempt: 529" },
        { "{'type':'auto_retry_end','success':false,'attempt':1,'finalError':'Retry "
          "cancelled'}",
          TONE_NOTE, "Retry cancelled." },
        { "{'type':'compaction_start','reason':'manual'}", TONE_NOTE, NULL },
        { "{'type':'compaction_end','result':{'tokensBefore':171000},'aborted':false}", TONE_NOTE,
          "A summary is in place of what is old (171,000 tokens before)." },
        { "{'type':'compaction_end','result':null,'errorMessage':'Nothing to compact'}", TONE_ERROR,
          "Nothing to compact" },
        { "{'type':'compaction_end','aborted':true}", TONE_NOTE, "Compaction cancelled." },
        { "{'type':'auto_compaction_end','action':'context-full','errorMessage':'x'}", TONE_NOTE,
          NULL },
        { "{'type':'auto_compaction_start','action':'handoff'}", TONE_NOTE,
          "Going on in a new session, with what a model writes of this one." },
        { "{'type':'auto_compaction_end','action':'handoff','errorMessage':'no'}", TONE_ERROR,
          "no" },
        { "{'type':'auto_compaction_end','action':'handoff'}", TONE_NOTE, NULL },
        { "{'type':'retry_fallback_applied','from':'a/b','to':'c/d'}", TONE_WARNING,
          "a/b cannot answer now: going on with c/d." },
        { "{'type':'retry_fallback_succeeded','model':'c/d'}", TONE_NOTE, NULL },
        { "{'type':'session_repair','rules':{},'entries':['1','2'],'strong':null}", TONE_NOTE,
          "Repaired 2 entries of this session for the request." },
        { "{'type':'session_repair','entries':['1'],'strong':'plain'}", TONE_NOTE,
          "Repaired 1 entry of this session for the request: plain." },
        { "{'type':'ttsr_triggered','rules':[{'name':'no-goto'},{'name':'b'}]}", TONE_WARNING,
          "The model was reminded of rules: no-goto, b." },
        { "{'type':'todo_reminder','todos':[{},{}],'attempt':1,'maxAttempts':3}", TONE_NOTE,
          "2 todo items are left: the model is reminded, 1 of 3." },
        { "{'type':'events_missed','count':1234}", TONE_NOTE,
          "1,234 events came too fast to be shown: Ctrl+O shows all." },
        { "{'type':'turn_start'}", TONE_NOTE, NULL },
        { "{}", TONE_NOTE, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) event = parse_quoted(cases[i].json);
        Tone tone = TONE_NOTE;
        g_autofree char *got = block_event_text(event, &tone);
        if (g_strcmp0(got, cases[i].want) != 0 || tone != cases[i].tone)
            fail_msg("%s: got %s", cases[i].json, got);
    }
}

/* Any width has rows, and none is wider. */
static void test_widths(void **state G_GNUC_UNUSED)
{
    static const char *const messages[] = {
        "{'role':'user','content':'a 漢字 prompt\\n\\tx'}",
        "{'role':'assistant','content':[{'type':'text','text':'An 漢字'}],'stopReason':'error'}",
        "{'role':'bashExecution','command':'make','output':'漢字\\nb','exitCode':2}",
        "{'role':'custom','content':'a\\nb\\nc\\nd'}",
    };
    for (BlockSpec spec = wide; spec.width > 0; spec.width--) {
        for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
            g_autofree char *got = message_as_text(messages[i], &spec);
            assert_true(*got);
        }
        g_autoptr(json_t) arguments = parse_quoted("{'path':'漢字/a.c','n':[1,2]}");
        g_autoptr(json_t) result = parse_quoted(TEXT("a\\n漢字\\nc\\nd\\ne"));
        g_autoptr(GPtrArray) rows = rows_new();
        block_tool_rows("other", arguments, result, false, 2000, &spec, rows);
        g_autofree char *got = clean_rows_text(rows, spec.width);
        assert_true(*got);
    }
}

/* A value that is known to be secret, also one that an escape or an invisible character hides. */
static void test_secrets(void **state G_GNUC_UNUSED)
{
    secrets_register("hunter2-hunter2-hunter2");
    static const CallCase cases[] = {
        { "output", "ls", "{}", TEXT("key hunter2-hunter2-hunter2"), false, 0, &wide,
          "✓ ls\n  key [REDACTED]" },
        { "hidden in escapes", "ls", "{}", TEXT("key hunter2-\\u001b[1mhunter2-\\u200bhunter2"),
          false, 0, &wide, "✓ ls\n  key [REDACTED]" },
        { "title", "bash", "{'command':'echo hunter2-hunter2-hunter2'}", NULL, false, 0, &wide,
          "✓ bash echo [REDACTED]" },
        { "tree", "other", "{'key':'hunter2-hunter2-hunter2'}", NULL, false, 0, &wide,
          "✓ other\n  key: \"[REDACTED]\"" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_call(&cases[i]);
    g_autofree char *prompt =
        message_as_text("{'role':'user','content':'hunter2-hunter2-hunter2'}", &wide);
    assert_string_equal(prompt, "❯ [REDACTED]");
    g_autofree char *answer =
        message_as_text("{'role':'assistant','content':[{'type':'text','text':"
                        "'hunter2-hunter2-hunter2'}]}",
                        &wide);
    assert_string_equal(answer, "[REDACTED]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_thinking_shown),
        cmocka_unit_test(test_prompt_background),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_expanded),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_long_diff),
        cmocka_unit_test(test_much_output),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_last_lines),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
