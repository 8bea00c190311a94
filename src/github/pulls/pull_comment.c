/* See pull_comment.h. */
#include "github/pulls/pull_comment.h"

#include "base/utf8.h"
#include "github/text.h"

void pull_comment_fill(json_t *object, const DiffSpot *spot, const char *body, bool to_graphql)
{
    json_add(object, "path:%s body:%s", spot->path, body);
    if (spot->line == 0) {
        json_set_text(object, to_graphql ? "subjectType" : "subject_type",
                      to_graphql ? "FILE" : "file");
        return;
    }
    json_add(object, "line:%jd side:%s", spot->line, spot->side);
    if (spot->start_line > 0) {
        json_set_int(object, to_graphql ? "startLine" : "start_line", spot->start_line);
        json_set_text(object, to_graphql ? "startSide" : "start_side", spot->start_side);
    }
}

char *pull_comment_text(const char *body, const char *suggestion)
{
    if (!suggestion)
        return g_strdup(body);
    bool has_body = body && !utf8_is_blank(body);
    g_autofree char *both = g_strconcat(has_body ? body : "", suggestion, NULL);
    g_autofree char *fence = text_fence(both);
    bool has_end = *suggestion == '\0' || g_str_has_suffix(suggestion, "\n");
    return g_strconcat(has_body ? body : "", has_body ? "\n\n" : "", fence, "suggestion\n",
                       suggestion, has_end ? "" : "\n", fence, NULL);
}

DiffPlace pull_comment_place(const DiffPlaces *places, const DiffSpot *spot, int64_t *ret_nearest)
{
    if (spot->line > 0)
        return diff_places_find(places, spot, ret_nearest);
    *ret_nearest = 0;
    return diff_places_has_path(places, spot->path) ? PLACE_OK : PLACE_PATH_NOT_IN_DIFF;
}

const char *pull_event_state(const char *event)
{
    static const char *const states[][2] = { { "APPROVE", "APPROVED" },
                                             { "REQUEST_CHANGES", "CHANGES_REQUESTED" },
                                             { "COMMENT", "COMMENTED" } };
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
        if (g_strcmp0(event, states[i][0]) == 0)
            return states[i][1];
    return NULL;
}
