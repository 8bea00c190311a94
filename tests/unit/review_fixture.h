/*
 * Scaffolding for tests of gh_review: the answers of GitHub that its calls begin with, and a door
 * that says yes to writes.
 */
#pragma once

#include "base/str.h"
#include "gh_fixture.h"

#include "github/github.h"

#define REPO "\"repo\":\"o/r\",\"number\":7"
#define HEAD "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"

#define PULL(own, pending)                                                                         \
    "\"repository\":{\"pullRequest\":{\"id\":\"PR_7\",\"headRefOid\":\"" HEAD                      \
    "\",\"viewerDidAuthor\":" own ",\"reviews\":{\"nodes\":[" pending "]}}}"
#define PENDING                                                                                    \
    "{\"id\":\"PRR_1\",\"url\":\"https://github.com/o/r/pull/7#pullrequestreview-1\","             \
    "\"body\":\"draft\",\"viewerDidAuthor\":true,\"comments\":{\"totalCount\":2}}"
#define OTHERS                                                                                     \
    "{\"id\":\"PRR_9\",\"url\":\"\",\"body\":\"\",\"viewerDidAuthor\":false,\"comments\":{"        \
    "\"totalCount\":1}}"
#define NODE(pull, resolved)                                                                       \
    ",\"node\":{\"id\":\"PRRT_1\",\"isResolved\":" resolved ",\"pullRequest\":{\"id\":\"" pull     \
    "\"},\"comments\":{\"nodes\":[{\"url\":\"https://github.com/o/r/pull/"                         \
    "7#discussion_r2200000001\"}]}}"
#define FACTS(own, pending, node) "{\"data\":{" PULL(own, pending) node "}}"

#define FILES                                                                                      \
    "[{\"filename\":\"src/a.c\",\"patch\":\"@@ -1,2 +1,3 @@\\n one\\n-two\\n+2\\n+3\\n"            \
    "@@ -9,1 +10,1 @@\\n nine\"},{\"filename\":\"logo.bin\"}]"
#define IS_FACTS "api --hostname github.com graphql -f query=query(*"
#define IS_FILES "api --hostname github.com --method GET /repos/o/r/pulls/7/files *"
#define IS_POST  "api --hostname github.com --method POST *"
#define POST_TO  "api|--hostname|github.com|--method|POST|"

static const ToolDoor review_yes = { .kind = DOOR_DIRECT, .via = "cli", .allow_writes = true };

static inline GhFixture *review_fixture_new(const char *settings)
{
    GhFixture *self = gh_fixture_new_with(settings);
    self->tool = &tool_gh_review;
    self->door = &review_yes;
    return self;
}

static inline void reply_to(GhFixture *fixture, const char *match, const char *out)
{
    gh_fixture_reply(fixture, &(GhReply) { .match = match, .out = out });
}

static inline void expect_in(const char *name, const ToolResult *result, const char *first,
                             const char *want)
{
    g_autofree char *text = tool_result_text(result);
    if (!str_has_prefix(text, first) || !strstr(text, want))
        fail_msg("%s: got\n%s\nwant\n%s … %s", name, text, first, want);
}
