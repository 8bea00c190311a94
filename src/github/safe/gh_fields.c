/*
 * Field allowlists of the wrappers (gh_fields.h). Left out on purpose: fields that need an extra
 * scope and would fail the whole call, and personal data of people who are not part of the answer.
 */
#include "github/safe/gh_fields.h"

#include "github/safe/gh_program.h"

// "name" or "name@2.60": since that minor release of gh
#define PR_LIGHT                                                                                   \
    "number title state author createdAt updatedAt closedAt closed mergedAt mergedBy mergeCommit " \
    "url id isDraft labels assignees milestone additions deletions changedFiles baseRefName "      \
    "baseRefOid@2.63 headRefName headRefOid headRepository headRepositoryOwner "                   \
    "isCrossRepository maintainerCanModify mergeable mergeStateStatus reviewDecision "             \
    "reviewRequests autoMergeRequest fullDatabaseId@2.54"
#define ISSUE_LIGHT                                                                                \
    "number title state stateReason author createdAt updatedAt closedAt closed url id labels "     \
    "assignees milestone isPinned"
#define RUN_LIGHT                                                                                  \
    "name displayTitle headBranch headSha createdAt updatedAt startedAt attempt status "           \
    "conclusion event number databaseId workflowDatabaseId workflowName url"
#define SEARCH_LIGHT                                                                               \
    "number title state author authorAssociation repository url createdAt updatedAt closedAt "     \
    "commentsCount id isLocked isPullRequest labels assignees"

static const struct {
    const char *light, *heavy;
} sets[] = {
    [GH_FIELDS_REPO] = {
        "id name nameWithOwner owner parent templateRepository description homepageUrl url sshUrl "
        "mirrorUrl createdAt pushedAt updatedAt archivedAt@2.60 hasIssuesEnabled "
        "hasProjectsEnabled hasWikiEnabled hasDiscussionsEnabled mergeCommitAllowed "
        "squashMergeAllowed rebaseMergeAllowed forkCount stargazerCount watchers issues "
        "pullRequests defaultBranchRef deleteBranchOnMerge diskUsage isArchived isEmpty isFork "
        "isInOrganization isMirror isPrivate isTemplate visibility licenseInfo "
        "viewerCanAdminister viewerPermission primaryLanguage latestRelease",
        "languages repositoryTopics",
    },
    [GH_FIELDS_PR] = {
        PR_LIGHT " body",
        "comments reviews latestReviews files commits statusCheckRollup "
        "closingIssuesReferences@2.72 reactionGroups",
    },
    [GH_FIELDS_PR_LIST] = { PR_LIGHT, "" },
    [GH_FIELDS_PR_CHECKS] = {
        "name state bucket startedAt completedAt link workflow event description", "" },
    [GH_FIELDS_ISSUE] = {
        ISSUE_LIGHT " body", "comments reactionGroups closedByPullRequestsReferences@2.73" },
    [GH_FIELDS_ISSUE_LIST] = { ISSUE_LIGHT, "" },
    [GH_FIELDS_RUN] = { RUN_LIGHT, "jobs" },
    [GH_FIELDS_RUN_LIST] = { RUN_LIGHT, "" },
    [GH_FIELDS_SEARCH_PRS] = { SEARCH_LIGHT " isDraft", "body" },
    [GH_FIELDS_SEARCH_ISSUES] = { SEARCH_LIGHT, "body" },
};

/* A gh without a version number is somebody's own build: it has everything. */
static bool has_field(const char *version, const char *since)
{
    GhVersion installed, wanted;
    if (!version || !gh_version_parse(version, &installed) || !gh_version_parse(since, &wanted))
        return true;
    return gh_version_compare(installed, wanted) >= 0;
}

/* The names of one list that the installed gh knows. Caller frees. */
static char **gh_fields_offered(const char *list, const char *version)
{
    g_auto(GStrv) entries = g_strsplit(list, " ", -1);
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    for (char **entry = entries; *entry; entry++) {
        char *since = strchr(*entry, '@');
        if (since)
            *since++ = '\0';
        if (**entry != '\0' && (!since || has_field(version, since)))
            g_strv_builder_add(names, *entry);
    }
    return g_strv_builder_end(names);
}

static void add_once(GPtrArray *names, const char *name)
{
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
        g_ptr_array_add(names, g_strdup(name));
}

/* White space and empty names dropped, doubles too. */
static void add_list(GPtrArray *names, const char *list)
{
    g_auto(GStrv) parts = g_strsplit(list, ",", -1);
    for (char **part = parts; *part; part++) {
        if (*g_strstrip(*part) != '\0')
            add_once(names, *part);
    }
}

static bool gh_fields_contains(char **names, const char *name)
{
    return g_strv_contains((const char *const *)names, name);
}

static bool check_allowed(const GhFieldRequest *request, const GPtrArray *names, char **light,
                          char **heavy, GError **error)
{
    for (unsigned i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        if (gh_fields_contains(light, name) || gh_fields_contains(heavy, name))
            continue;
        g_autofree char *first = g_strjoinv(", ", light);
        g_autofree char *second = g_strjoinv(", ", heavy);
        return fail_with(error, KEDGE_ERROR_USAGE, "Unknown field \"%s\" for %s. Allowed: %s%s%s",
                         name, request->tool, first, *second != '\0' ? ", " : "", second);
    }
    return true;
}

/* `names` are those of `fields`: one heavy field, and then no other that an include_* adds. */
static bool check_heavy(const GhFieldRequest *request, const GPtrArray *names, char **heavy,
                        GError **error)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < names->len; i++) {
        if (gh_fields_contains(heavy, names->pdata[i]))
            add_once(found, names->pdata[i]);
    }
    if (found->len == 0)
        return true;
    for (const char *const *added = request->added; added && *added; added++) {
        if (gh_fields_contains(heavy, *added))
            add_once(found, *added);
    }
    if (found->len < 2)
        return true;
    g_ptr_array_add(found, NULL);
    g_autofree char *list = g_strjoinv(", ", (char **)found->pdata);
    return fail_with(error, KEDGE_ERROR_USAGE, "Only one of these fields per call: %s", list);
}

bool gh_fields_choose(const GhFieldRequest *request, char **ret_fields, GError **error)
{
    g_auto(GStrv) light = gh_fields_offered(sets[request->set].light, request->version);
    g_auto(GStrv) heavy = gh_fields_offered(sets[request->set].heavy, request->version);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    add_list(names, request->wanted != NULL ? request->wanted : request->defaults);
    if (names->len == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "fields must name at least one field");
    if (request->wanted && (!check_allowed(request, names, light, heavy, error) ||
                            !check_heavy(request, names, heavy, error)))
        return false;

    unsigned at;
    if (!request->wanted && request->drops_body &&
        g_ptr_array_find_with_equal_func(names, "body", g_str_equal, &at))
        g_ptr_array_remove_index(names, at);
    for (const char *const *added = request->added; added && *added; added++)
        add_once(names, *added);
    g_ptr_array_add(names, NULL);
    *ret_fields = g_strjoinv(",", (char **)names->pdata);
    return true;
}
