/*
 * What the files of the slash commands share. Internal to tui.
 */
#pragma once

#include "tui/slash/slash.h"

#define SLASH_ID "slash:" // before the command's name, in the id of what it starts

#define SLASH(name)                                                                                \
    bool slash_##name(SlashDoor *door G_GNUC_UNUSED, const char *argument G_GNUC_UNUSED,           \
                      GError **error G_GNUC_UNUSED)

/* Carries out a command of the conversation (session_commands.h). Takes `arguments`, which may be
   NULL. */
bool slash_command(SlashDoor *door, const char *name, json_t *arguments, const char *id,
                   GError **error);
/* True: the door shows it. */
bool slash_show(SlashDoor *door, SlashList list);
void slash_say(SlashDoor *door, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Begins the list of that command (constant). */
void slash_list(SlashDoor *door, const char *command);
/* What a number of that list stands for, or the argument itself; borrowed. USAGE for a number that
   is not in it. */
bool slash_listed(const SlashDoor *door, const char *command, const char *argument,
                  const char **ret_meant, GError **error);

/* What a command failed with, for a person: without what is for models or programs. Caller frees.
 */
char *slash_for_people(const char *problem);
void slash_say_name(SlashDoor *door); // of the session
/* The result of an AsideFunc that is a text to show. Takes `text`. */
json_t *slash_shown(char *text);
/* "88", "#88": the number in it, borrowed; NULL: it is something else. */
const char *slash_number(const char *argument);
/* What is after an internal URL, by the tool read. Takes `url`. */
bool slash_read_url(Aside *aside, char *url, char **ret_text, GError **error);
/* What gh prints as JSON of that type, by a tool. Takes `arguments`. New reference; NULL with an
   error. */
json_t *slash_call_gh(Aside *aside, const char *tool, json_t *arguments, json_type type,
                      GError **error);

/* `.` and `c`: as /retry. */
bool slash_is_go_on(const char *line);
/* `$code`, `$$code`. */
bool slash_python(SlashDoor *door, const char *line, GError **error);

/* command_end, of any: a loop goes on with it. */
void slash_loop_note(SlashDoor *door, const json_t *event);
void slash_loop_stop(SlashDoor *door);
void slash_loop_free(SlashLoop *self); // NULL allowed
void slash_drop_end(SlashDoor *door, bool is_done);
void slash_move_end(SlashDoor *door, bool is_done);

SLASH(force);
SLASH(loop);

SLASH(btw);
SLASH(jobs);
SLASH(permissions);
SLASH(fast);
SLASH(drop);
SLASH(debug);

SLASH(issues);
SLASH(prs);
SLASH(ci);
SLASH(review);
SLASH(pr);
SLASH(gh);

SLASH(resume);
SLASH(branch);
SLASH(move);
SLASH(plan);
SLASH(export);
SLASH(share);
SLASH(repair);
SLASH(changelog);

SLASH(model);
SLASH(thinking);
SLASH(login);

SLASH(session);
SLASH(context);
SLASH(usage);
SLASH(tools);
SLASH(todo);
SLASH(status);
SLASH(output);

SLASH(tree);
SLASH(settings);
SLASH(theme);
SLASH(hotkeys);
SLASH(copy);
SLASH(dump);
