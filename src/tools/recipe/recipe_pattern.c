/*
 * Patterns of a workspace, matched without going back further than to the last star
 * (recipe_pattern.h). That is enough, since what follows an earlier star was found as early as it
 * can be; and it takes at most the product of the lengths.
 */
#include "tools/recipe/recipe_pattern.h"

#include <string.h>

struct RecipePattern {
    char **parts; // NULL-terminated
};

static bool is_deep(const char *part)
{
    return part && strlen(part) >= 2 && part[strspn(part, "*")] == '\0';
}

RecipePattern *recipe_pattern_new(const char *text)
{
    size_t size = strlen(text);
    if (size == 0 || size > RECIPE_PATTERN_BYTES || strpbrk(text, "[]{}\\") ||
        !g_utf8_validate(text, -1, NULL))
        return NULL;
    const char *slash = strrchr(text, '/');
    RecipePattern *self = g_new0(RecipePattern, 1);
    // at its end `**` is one part at least: "p/**" is not "p"
    g_autofree char *whole = g_strconcat(text, is_deep(slash ? slash + 1 : text) ? "/*" : "", NULL);
    self->parts = g_strsplit(whole, "/", -1);
    return self;
}

void recipe_pattern_free(RecipePattern *self)
{
    if (!self)
        return;
    g_strfreev(self->parts);
    g_free(self);
}

static bool take_step(size_t *steps)
{
    if (*steps == 0)
        return false;
    (*steps)--;
    return true;
}

static bool part_matches(const char *part, const char *name, size_t *steps)
{
    const char *behind_star = NULL, *tried = NULL; // the rest of the name that was tried for it
    while (*name != '\0') {
        if (!take_step(steps))
            return false;
        if (*part == '*') {
            behind_star = ++part;
            tried = name;
        } else if (*part == '?') {
            part++;
            name = g_utf8_next_char(name);
        } else if (*part == *name) {
            part++;
            name++;
        } else if (behind_star) {
            part = behind_star;
            name = tried = g_utf8_next_char(tried);
        } else {
            return false;
        }
    }
    return part[strspn(part, "*")] == '\0';
}

/* The same with parts in place of characters, and `**` as their star. */
static bool parts_match(char *const *part, char *const *name, size_t *steps)
{
    char *const *behind_star = NULL, *const *tried = NULL;
    while (*name) {
        if (!take_step(steps))
            return false;
        if (is_deep(*part)) {
            behind_star = ++part;
            tried = name;
        } else if (*part && part_matches(*part, *name, steps)) {
            part++;
            name++;
        } else if (behind_star) {
            part = behind_star;
            name = ++tried;
        } else {
            return false;
        }
    }
    while (is_deep(*part))
        part++;
    return !*part;
}

bool recipe_pattern_matches(const RecipePattern *self, const char *path, size_t *steps)
{
    if (!g_utf8_validate(path, -1, NULL))
        return false;
    g_auto(GStrv) names = g_strsplit(path, "/", -1);
    return parts_match(self->parts, names, steps);
}
