/* Anchors: what is one, and where they are after the text changed (agent-tools-cli §5.1). */
#include "tool_fixture.h"

#include "agenttools/answer.h"
#include "agenttools/feedback/anchor.h"

static void test_check(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *anchor, *want; // want NULL: good
    } cases[] = {
        { "selection",
          "{'type':'text-selection','startOffset':0,'endOffset':3,'selectedText':'abc',"
          "'contextBefore':'','contextAfter':' def'}",
          NULL },
        { "selection without contexts",
          "{'type':'text-selection','startOffset':5,'endOffset':6,'selectedText':'a'}", NULL },
        { "line", "{'type':'line','lineNumber':12,'lineContent':'| Need | Use |'}", NULL },
        { "an empty line", "{'type':'line','lineNumber':1,'lineContent':''}", NULL },
        { "hidden", "{'type':'hidden-anchor','anchorId':'a1','anchorText':'x'}", NULL },
        { "not an object", "[]", "anchor is required and must be an object" },
        { "no type", "{'lineNumber':1}",
          "anchor.type must be one of: text-selection, line, hidden-anchor" },
        { "unknown type", "{'type':'page'}",
          "anchor.type must be one of: text-selection, line, hidden-anchor" },
        { "no line number", "{'type':'line','lineContent':'x'}",
          "anchor.lineNumber is required and must be an integer from 1 to 1073741824" },
        { "no text", "{'type':'text-selection','startOffset':0,'endOffset':3}",
          "anchor.selectedText is required and must be a string" },
        { "backwards", "{'type':'text-selection','startOffset':3,'endOffset':3,'selectedText':'a'}",
          "anchor.endOffset must be greater than anchor.startOffset" },
        { "negative", "{'type':'text-selection','startOffset':-1,'endOffset':3,'selectedText':'a'}",
          "anchor.startOffset is required and must be an integer from 0 to 1073741824" },
        { "context too long",
          "{'type':'text-selection','startOffset':0,'endOffset':1,'selectedText':'a','contextAfter'"
          ":"
          "'1234567890123456789012345678901234567890123456789012345678901234x'}",
          "anchor.contextAfter is too long: 65 characters (limit 64)" },
        { "blank id", "{'type':'hidden-anchor','anchorId':' '}",
          "anchor.anchorId is required and must be a non-empty string" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) anchor = json_of(cases[i].anchor);
        g_autoptr(GError) error = NULL;
        bool is_good = anchor_check(anchor, &error);
        if (is_good != (cases[i].want == NULL))
            fail_msg("%s: %s", cases[i].name, error ? error->message : "is taken");
        if (!is_good) {
            assert_true(answer_error_is(error, ANSWER_VALIDATION));
            g_autofree char *want = g_strconcat("Validation failed: ", cases[i].want, NULL);
            assert_text(cases[i].name, error->message, want);
        }
    }
}

#define SELECTION(start, end, text, before, after)                                                 \
    "{'type':'text-selection','startOffset':" #start ",'endOffset':" #end ",'selectedText':'" text \
    "','contextBefore':'" before "','contextAfter':'" after "'}"

static const struct PlaceCase {
    const char *name, *anchor, *text;
    int64_t line, end_line; // 0: an orphan
    const char *want;       // the anchor; NULL: as it was
} place_cases[] = {
    { "where it was", SELECTION(4, 7, "two", "one ", " three"), "one two three\n", 1, 1, NULL },
    { "over lines", SELECTION(4, 11, "two\\nthr", "one\\n", "ee"), "one\ntwo\nthree\n", 2, 3,
      NULL },
    { "with the newline at its end", SELECTION(4, 8, "two\\n", "", ""), "one\ntwo\nthree\n", 2, 2,
      NULL },
    { "CRLF counts as one", SELECTION(4, 11, "two\\nthr", "", ""), "one\r\ntwo\r\nthree\r\n", 2, 3,
      NULL },
    { "CRLF in the anchor", SELECTION(4, 12, "two\\r\\nthr", "one\\r\\n", ""), "one\ntwo\nthree\n",
      2, 3, SELECTION(4, 11, "two\\r\\nthr", "one\\r\\n", "") },
    { "a byte-order mark does not count", SELECTION(4, 7, "two", "", ""),
      "\xef\xbb\xbfone two three", 1, 1, NULL },
    { "code points, not bytes", SELECTION(4, 7, "zwö", "", ""), "äöü zwö", 1, 1, NULL },
    { "beyond the Basic Multilingual Plane", SELECTION(2, 3, "x", "", ""), "😀😀x", 1, 1, NULL },
    { "cli-E-02 moved ten lines down", SELECTION(4, 7, "two", "one ", " three"),
      "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\none two three\n", 11, 11,
      SELECTION(25, 28, "two", "one ", " three") },
    { "moved although the contexts are gone", SELECTION(4, 7, "two", "one ", " three"), "A two B",
      1, 1, SELECTION(2, 5, "two", "one ", " three") },
    { "cli-E-02 the text is deleted", SELECTION(4, 7, "two", "one ", " three"), "one three", 0, 0,
      NULL },
    { "cli-E-02 twice with different contexts", SELECTION(0, 3, "run", "must ", " init"),
      "may run after\nmust run init\n", 2, 2, SELECTION(19, 22, "run", "must ", " init") },
    { "twice with the same contexts", SELECTION(0, 3, "run", "must ", " init"),
      "x must run init\nmust run init\n", 0, 0, NULL },
    { "twice, the better one in less than half", SELECTION(0, 3, "run", "0123456789", "abcdefghij"),
      "x9runabcx\nxrunx\n", 0, 0, NULL },
    { "twice, one in more than half", SELECTION(0, 3, "run", "0123456789", "abcdefghij"),
      "x789runabcdefghijx\nxrunx\n", 1, 1, SELECTION(4, 7, "run", "0123456789", "abcdefghij") },
    { "twice without contexts", SELECTION(9, 12, "run", "", ""), "run\nrun\n", 0, 0, NULL },
    { "the same place wins over a better context", SELECTION(0, 3, "run", "must ", ""),
      "run\nmust run\n", 1, 1, NULL },
    { "contexts with characters half alike", SELECTION(0, 1, "x", "aä", "ö"), "aöxä\naäxö\n", 2, 2,
      SELECTION(7, 8, "x", "aä", "ö") },
    { "behind the end", SELECTION(100, 103, "two", "", ""), "one two", 1, 1,
      SELECTION(4, 7, "two", "", "") },
    { "in an empty text", SELECTION(0, 3, "two", "", ""), "", 0, 0, NULL },
    { "line where it was", "{'type':'line','lineNumber':2,'lineContent':'b'}", "a\nb\nc\n", 2, 2,
      NULL },
    { "line with other blanks", "{'type':'line','lineNumber':2,'lineContent':'  b'}",
      "a\nb \t\nc\n", 2, 2, NULL },
    { "line moved to the nearest", "{'type':'line','lineNumber':3,'lineContent':'b'}",
      "b\nx\nx\nx\nb\nb\n", 5, 5, "{'type':'line','lineNumber':5,'lineContent':'b'}" },
    { "line moved up", "{'type':'line','lineNumber':9,'lineContent':'b'}", "b\nx\nb\nx\n", 3, 3,
      "{'type':'line','lineNumber':3,'lineContent':'b'}" },
    { "last line without a newline", "{'type':'line','lineNumber':1,'lineContent':'b'}", "a\nb", 2,
      2, "{'type':'line','lineNumber':2,'lineContent':'b'}" },
    { "line gone", "{'type':'line','lineNumber':2,'lineContent':'b'}", "a\nc\n", 0, 0, NULL },
    { "line in an empty text", "{'type':'line','lineNumber':1,'lineContent':'b'}", "", 0, 0, NULL },
    { "hidden anchor", "{'type':'hidden-anchor','anchorId':'k1','anchorText':'x'}",
      "a\nb <a id=\"k1\"></a> c\n", 2, 2,
      "{'type':'line','lineNumber':2,'lineContent':'b <a id=\\'k1\\'></a> c'}" },
    { "hidden anchor gone", "{'type':'hidden-anchor','anchorId':'k1'}", "a\n", 0, 0, NULL },
    { "unknown", "{'type':'page','page':3}", "a\n", 0, 0, NULL },
};

static void locate_anchor(const json_t *anchor, const char *text, AnchorPlace *ret_place)
{
    g_autoptr(AnchorText) prepared = anchor_text_new(text);
    anchor_text_locate(prepared, anchor, ret_place);
}

static void test_places(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(place_cases); i++) {
        const struct PlaceCase *c = &place_cases[i];
        g_autoptr(json_t) anchor = json_of(c->anchor);
        g_autoptr(json_t) want = json_of(c->want ? c->want : c->anchor);
        g_auto(AnchorPlace) place = { 0 };
        locate_anchor(anchor, c->text, &place);
        if (!json_equal(place.anchor, want) || place.line != c->line ||
            place.end_line != c->end_line || place.is_orphaned != (c->line == 0)) {
            g_autofree char *got = json_to_text(place.anchor);
            fail_msg("%s: lines %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "%s, %s", c->name,
                     place.line, place.end_line, place.is_orphaned ? ", orphaned" : "", got);
        }
    }
}

static void test_whole_text(void **state G_GNUC_UNUSED)
{
    g_auto(AnchorPlace) none = { 0 };
    locate_anchor(NULL, "text", &none);
    assert_true(json_is_null(none.anchor) && none.line == 0 && !none.is_orphaned);
    g_autoptr(json_t) null = json_null();
    g_auto(AnchorPlace) also_none = { 0 };
    locate_anchor(null, "text", &also_none);
    assert_true(json_is_null(also_none.anchor) && !also_none.is_orphaned);
}

/* The anchor of the word with this number in a text of "word N" lines. */
static json_t *word_anchor(int number, int64_t offset)
{
    g_autofree char *text = g_strdup_printf("word %07d", number);
    json_t *anchor = json_object();
    json_set_text(anchor, "type", "text-selection");
    json_set_int(anchor, "startOffset", offset);
    json_set_int(anchor, "endOffset", offset + 12);
    json_set_text(anchor, "selectedText", text);
    json_set_text(anchor, "contextBefore", "\n");
    json_set_text(anchor, "contextAfter", "\n");
    return anchor;
}

/* Hundreds of anchors in 5 MiB, where they were and all moved, and some that are gone. */
static void test_large(void **state G_GNUC_UNUSED)
{
    enum { LINES = 400000, LINE_CHARS = 13, STEP = 1000 };
    g_autoptr(GString) text = g_string_new("é\n");
    for (int i = 0; i < LINES; i++)
        g_string_append_printf(text, "word %07d\n", i);
    g_autoptr(AnchorText) prepared = anchor_text_new(text->str);
    for (int shift = 0; shift < 2; shift++) {
        for (int i = 0; i < LINES; i += STEP) {
            g_autoptr(json_t) anchor = word_anchor(i, 2 + i * LINE_CHARS + shift * LINE_CHARS);
            g_auto(AnchorPlace) place = { 0 };
            anchor_text_locate(prepared, anchor, &place);
            assert_int_equal(place.line, i + 2);
            assert_int_equal(json_get_int(place.anchor, "startOffset", 0), 2 + i * LINE_CHARS);
        }
    }
    for (int i = 0; i < 20; i++) {
        g_autoptr(json_t) anchor = word_anchor(LINES + i, 2);
        g_auto(AnchorPlace) place = { 0 };
        anchor_text_locate(prepared, anchor, &place);
        assert_true(place.is_orphaned);
    }
}

static AnchorPlace locate_word(AnchorText *text, const char *word, const char *before,
                               int64_t start)
{
    g_autoptr(json_t) anchor = word_anchor(0, start);
    json_set_text(anchor, "selectedText", word);
    json_set_text(anchor, "contextBefore", before);
    AnchorPlace place = { 0 };
    anchor_text_locate(text, anchor, &place);
    return place;
}

/* Contexts that nearly fit at each of many places use up what searching may cost. */
static void test_bound(void **state G_GNUC_UNUSED)
{
    enum { COUNT = 100000 };
    g_autofree char *run = g_strnfill(COUNT, 'a');
    g_autofree char *text = g_strconcat(run, "needle", NULL);
    g_autofree char *almost = g_strnfill(63, 'a');
    g_autofree char *context = g_strconcat("b", almost, NULL);
    g_autoptr(AnchorText) prepared = anchor_text_new(text);
    anchor_text_limit_search(prepared, 1000000);

    g_auto(AnchorPlace) first = locate_word(prepared, "needle", "", 0);
    assert_int_equal(json_get_int(first.anchor, "startOffset", 0), COUNT);
    g_auto(AnchorPlace) costly = locate_word(prepared, "a", context, COUNT + 5);
    assert_true(costly.is_orphaned);
    g_auto(AnchorPlace) late = locate_word(prepared, "needle", "", 0);
    assert_true(late.is_orphaned); // it moved, and is not searched for any more
    g_auto(AnchorPlace) same = locate_word(prepared, "needle", "", COUNT);
    assert_int_equal(same.line, 1); // what did not move is found whatever was spent
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),      cmocka_unit_test(test_places),
        cmocka_unit_test(test_whole_text), cmocka_unit_test(test_large),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
