/*
 * What a call of gh, or a shell command, would do: one text for all spellings
 * (github/safe/gh_action.h, github/safe/gh_shell.h).
 */
#include "unit.h"

#include "github/safe/gh_action.h"
#include "github/safe/gh_here.h"
#include "github/safe/gh_shell.h"

/* Joined with "; ". Caller frees. */
static char *texts_of(const Judgement *judgement)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; judgement->actions && i < judgement->actions->len; i++) {
        g_autofree char *text = judged_action_text(judgement->actions->pdata[i]);
        g_string_append_printf(out, "%s%s", i > 0 ? "; " : "", text);
    }
    return g_string_free(out, FALSE);
}

static void test_shell(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *want;
    } cases[] = {
        // the spellings of one push (L03)
        { "git push origin main", "push main" },
        { "sh -c 'git push origin main'", "push main" },
        { "bash -lc \"git push origin 'main'\"", "push main" },
        { "git -C /tmp/x -c a.b=c push --force origin HEAD:refs/heads/main", "push main" },
        { "cd x && GIT_TRACE=1 env A=b /usr/bin/git push -u origin +main:main 2>&1 | tail",
          "push main" },
        { "eval 'git pu''sh' origin main", "push main" },
        { "g\\it push origin main", "push main" },
        { "(timeout -k 1 5 git push origin main)", "push main" },
        { "echo $(git push origin main)", "push main" },
        { "if true; then git push origin main; fi", "push main" },
        { "git push https://github.com/o/r.git main", "push main in o/r" },
        { "gh api -X PATCH repos/o/r/git/refs/heads/main -f sha=1", "push main in o/r" },
        { "gh api --method POST repos/o/r/git/refs -f ref=refs/heads/main -f sha=1",
          "push main in o/r" },
        { "git push origin a b:c", "push a; push c" },
        { "git push", "push" },
        { "git push -o x=y origin HEAD", "push" },
        { "git push origin $BRANCH", "push" },
        { "git push origin :gone", "branch delete gone" },
        { "git push --delete origin gone", "branch delete gone" },
        { "gh api -X DELETE /repos/o/r/git/refs/heads/feature/gone",
          "branch delete feature/gone in o/r" },
        // a here-document: what a file gets is text, what a shell gets is a script
        { "cat > deploy.sh <<'EOF'\ngit push origin main\nEOF", "" },
        { "cat <<EOF >a 2>&1; git push origin a\ngit push origin main\nEOF\ngit push origin b",
          "push a; push b" },
        { "cat <<-\"E F\" # it's\n\tgit push origin main\nE F x\n\tE F\ngit push origin b",
          "push b" },
        { "cat <<A <<B\ngit push origin a\nA\ngit push origin b\nB\ngit push origin c", "push c" },
        { "cat <<A; bash <<B\ngit push origin a\nA\ngit push origin b\nB\n", "push a; push b" },
        { "bash <<EOF\ngit push origin main\nEOF", "push main" },
        { "env A=b bash -eu -o pipefail -s x <<'EOF'\ngit push origin main\nEOF", "push main" },
        { "cat <<EOF | sudo sh\ngit push origin main\nEOF", "push main" },
        { "bash deploy.sh <<EOF\ngit push origin main\nEOF", "" },
        { "echo $((1<<2))\ngit push origin main", "push main" },
        { "cat <<<EOF\ngit push origin main\nEOF", "push main" },
        { "cat <<EOF\ngit push origin main", "push main" }, // it has no end: nobody knows
        { "# it's late\ngit push origin main # to 'main", "push main" },
        // what does nothing there
        { "git push --dry-run origin main", "" },
        { "git status; git fetch && make push", "" },
        { "echo git push origin main", "" },
        { "# git push origin main", "" },
        { "echo 'x; git push origin main'", "" },
        { "echo x > git push", "" },
        { "gh pr view 5; gh api repos/o/r/pulls/5", "" },
        { "gh", "" },
        { "", "" },
        // gh
        { "gh pr merge 5 --squash", "pr merge 5" },
        { "gh pr merge '#5' -R o/r", "pr merge 5 in o/r" },
        { "gh pr merge https://github.com/o/r/pull/5 --repo github.com/o/r", "pr merge 5 in o/r" },
        { "gh api -X PUT repos/o/r/pulls/5/merge", "pr merge 5 in o/r" },
        { "gh issue close 7", "close 7" },
        { "gh pr close 7", "close 7" },
        { "gh api -X PATCH repos/o/r/issues/7 -f state=closed", "close 7 in o/r" },
        { "gh api -X PATCH repos/o/r/issues/7 -f title=x", "edit 7 in o/r" },
        { "gh issue comment 7 -b hi", "comment 7" },
        { "gh api repos/o/r/issues/7/comments -f body=hi", "comment 7 in o/r" },
        { "gh api repos/o/r/pulls/7/reviews -f event=APPROVE", "pr review 7 in o/r" },
        { "gh api repos/o/r/pulls/7/comments -f body=hi", "pr review comment 7 in o/r" },
        { "gh issue create --title 'A b' --body c", "issue create A b" },
        { "gh api repos/o/r/issues -f title='A b'", "issue create A b in o/r" },
        { "gh repo delete o/r --yes", "repo delete in o/r" },
        { "gh api -X DELETE repos/o/r", "repo delete in o/r" },
        { "gh api -X PUT repos/o/r/Topics", "api PUT repos/o/r/topics in o/r" },
        { "GH_REPO=o/r gh pr merge 5", "pr merge 5 in o/r" },
        { "export GH_REPO=o/r; gh pr merge 5", "pr merge 5 in o/r" },
        { "GH_REPO=o/r gh pr view 1; gh pr merge 5", "pr merge 5" },
        // kedge itself, where no one is asked
        { "kedge github pr_create --yes --repo o/r --title x", "kedge in o/r" },
        { "kedge --allow-writes -p 'do it'", "kedge" },
        { "kedge agent-tools github-pr reply-comment --owner o --repo r", "kedge in o/r" },
        { "echo '{}' | kedge agent-tools github-pr submit-review", "kedge" },
        { "kedge gh exec --yes -- pr merge 5 -R o/r", "pr merge 5 in o/r" },
        { "kedge agent-tools rp1-root-dir", "" },
        { "kedge github pr_create --repo o/r --title x", "" }, // it is refused there
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Judgement) judgement = { 0 };
        gh_shell_read(NULL, NULL, cases[i].command, &judgement);
        g_autofree char *text = texts_of(&judgement);
        if (strcmp(text, cases[i].want) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", cases[i].command, text, cases[i].want);
    }
}

/* Repositories that a command reads, "[HOST ]OWNER/REPO; …". */
static void test_reads(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *want;
    } cases[] = {
        { "gh issue view 1", "" }, // of the directory
        { "gh issue view 1 -R o/r", "o/r" },
        { "gh issue view 1 -R h.example/o/r", "h.example o/r" },
        { "gh issue view 1 -R https://h.example/o/r", "h.example o/r" },
        { "gh api --hostname h.example repos/o/r/issues/1", "h.example o/r" },
        { "gh run download 5 -R o/r", "o/r" },
        { "GH_REPO=o/r gh issue view 1", "o/r" },
        { "GH_HOST=h.example env GH_REPO=o/r gh issue view 1", "h.example o/r" },
        { "export GH_REPO=o/r\nsh -c 'gh issue view 1'", "o/r" },
        { "GH_REPO=a/b; GH_REPO=o/r; gh issue view 1", "o/r" },
        { "GH_REPO=o/r sh -c 'gh issue view 1'", "o/r" },
        { "GH_REPO=o/r true; gh issue view 1", "" },
        { "kedge gh exec -- issue view 1 -R o/r", "o/r" },
        { "kedge github search_issues --query x --repo o/r", "o/r" },
        { "kedge tool run read '{\"path\":\"issue://o/r/1\"}'", "o/r" },
        { "kedge tool run read '{\"path\":\"pr://h.example/o/r/1\"}'", "h.example o/r" },
        { "kedge agent-tools github-pr fetch-comments --owner o --repo r", "o/r" },
        { "kedge tool run read '{\"path\":\"issue://1\"}'", "" },
        { "kedge --repo", "" },
        { "kedge", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Judgement) judgement = { 0 };
        gh_shell_read(NULL, NULL, cases[i].command, &judgement);
        g_autoptr(GString) text = g_string_new(NULL);
        for (guint k = 0; judgement.others && k < judgement.others->len; k++) {
            const JudgedTarget *target = judgement.others->pdata[k];
            g_string_append_printf(text, "%s%s%s%s", k > 0 ? "; " : "",
                                   target->host ? target->host : "", target->host ? " " : "",
                                   target->repo);
        }
        if (strcmp(text->str, cases[i].want) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", cases[i].command, text->str, cases[i].want);
    }
}

/* Past the gh that the conversation judges (gh-policy §19). */
static void test_around(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command;
        bool want;
    } cases[] = {
        { "gh issue list", false },
        { "ls -l /usr/bin/gh", false },
        { "env A=b gh issue list", false },
        { "PATH=/opt/go/bin:$PATH make", false },
        { "command -v gh", false },
        { "/usr/bin/gh issue list", true },
        { "$HOME/bin/gh issue list", true },
        { "sh -c '/usr/bin/gh issue list'", true },
        { "echo $(../gh api user)", true },
        { "PATH=/usr/bin gh issue list", true },
        { "env PATH=/usr/bin gh issue list", true },
        { "env -i gh issue list", true },
        { "command -p gh issue list", true },
        { "sudo gh issue list", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Judgement) judgement = { 0 };
        gh_shell_read(NULL, NULL, cases[i].command, &judgement);
        if (judgement.is_around != cases[i].want)
            fail_msg("%s: %d", cases[i].command, judgement.is_around);
    }
}

/* Blocked for this machine's sake alone (gh-policy §19). */
static void test_here(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command;
        bool want;
    } cases[] = {
        { "pr checkout 5", true },
        { "pr checkout 5 -R acme/x", true },
        { "repo clone acme/x", true },
        { "run download 5 -n logs", true },
        { "release download v1", true },
        { "run watch 5", true },
        { "pr checks 5 --watch", true },
        { "api --paginate repos/a/b/issues", true },
        // another host gets a token
        { "pr checkout 5 -R evil.example/a/b", false },
        { "repo clone https://evil.example/a/b", false },
        { "repo clone evil.example/a/b", false },
        { "api --paginate --hostname evil.example user", false },
        // more than that
        { "api --paginate -X POST repos/a/b/issues", false },
        { "api --paginate -f --paginate -X DELETE repos/a/b", false },
        { "api --paginate user --jq env", false },
        { "pr checks 5 --watch --web", false },
        { "auth token", false },
        { "issue create -F x", false },
        { "issue view 5", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) argv = g_strsplit(cases[i].command, " ", -1);
        g_auto(Classified) classified = { 0 };
        const char *const *words = (const char *const *)argv;
        assert_true(classify_argv(words, NULL, &classified, NULL));
        if (gh_here_only(words, &classified, NULL) != cases[i].want)
            fail_msg("%s", cases[i].command);
    }
}

/* However deep and long it is. */
static void test_hostile(void **state G_GNUC_UNUSED)
{
    g_auto(Judgement) judgement = { 0 };
    static const char *const broken[] = { "'",      "\"",          "\\",  "git push '", "$(",
                                          "sh -c",  "eval",        "git", "git -C",     "timeout",
                                          "gh api", "git push -o", ">",   "<<",         "<<-",
                                          "<<\n\n", "<<''\nx" };
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++)
        gh_shell_read(NULL, NULL, broken[i], &judgement);
    g_autofree char *longer = g_strnfill(100000, 'x');
    g_autofree char *many = g_strnfill(60000, ';');
    gh_shell_read(NULL, NULL, longer, &judgement);
    gh_shell_read(NULL, NULL, many, &judgement);
    g_autofree char *deep = g_strdup("git push origin main");
    g_autofree char *before = texts_of(&judgement);
    for (int i = 0; i < 8; i++) {
        g_autofree char *inner = g_steal_pointer(&deep);
        deep = g_strconcat("eval ", inner, NULL);
    }
    gh_shell_read(NULL, NULL, deep, &judgement);
    g_autofree char *text = texts_of(&judgement);
    assert_string_equal(text, before);
}

typedef struct Said {
    const char *verb, *target, *host, *repo;
} Said;

static Likeness compare(const Said *a, const Said *b)
{
    g_auto(Judgement) judgement = { 0 };
    judgement_add_action(&judgement, a->verb, a->target, a->host, a->repo);
    judgement_add_action(&judgement, b->verb, b->target, b->host, b->repo);
    return judged_action_compare(judgement.actions->pdata[0], judgement.actions->pdata[1]);
}

static void test_same(void **state G_GNUC_UNUSED)
{
    static const struct {
        Said a, b;
        Likeness want;
    } cases[] = {
        { { "push", "main", NULL, NULL }, { "push", "main", NULL, "o/r" }, LIKENESS_SAME },
        { { "push", "main", NULL, "O/R" }, { "push", "main", "github.com", "o/r" }, LIKENESS_SAME },
        { { "push", NULL, NULL, NULL }, { "push", "main", NULL, NULL }, LIKENESS_POSSIBLE },
        { { "push", NULL, NULL, NULL }, { "push", NULL, NULL, "o/r" }, LIKENESS_POSSIBLE },
        { { "push", NULL, NULL, "o/r" }, { "push", "main", NULL, "o/s" }, LIKENESS_NONE },
        { { "push", "main", NULL, NULL }, { "push", "other", NULL, NULL }, LIKENESS_NONE },
        { { "push", "main", NULL, "o/r" }, { "push", "main", NULL, "o/s" }, LIKENESS_NONE },
        { { "push", "main", "a.example", "o/r" },
          { "push", "main", "github.com", "o/r" },
          LIKENESS_NONE },
        { { "close", "5", NULL, NULL }, { "edit", "5", NULL, NULL }, LIKENESS_NONE },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (compare(&cases[i].a, &cases[i].b) != cases[i].want ||
            compare(&cases[i].b, &cases[i].a) != cases[i].want)
            fail_msg("row %zu", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shell), cmocka_unit_test(test_reads),   cmocka_unit_test(test_around),
        cmocka_unit_test(test_here),  cmocka_unit_test(test_hostile), cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
