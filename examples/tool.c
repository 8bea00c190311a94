/*
 * A tool of the program, and what happens as it happens:
 * cc tool.c $(pkg-config --cflags --libs kedge)
 */
#include <kedge.h>
#include <stdio.h>
#include <string.h>

/* On a thread of its own: it may take its time. */
static int weather(kedge_call *call, const char *arguments, void *user_data)
{
    (void)user_data;
    if (!strstr(arguments, "Bergen")) { // any JSON library will do
        kedge_call_add_text(call, "no such town");
        return 1;
    }
    kedge_call_add_text(call, "It rains in Bergen.");
    return 0;
}

static void on_event(const char *event, void *user_data)
{
    (void)user_data;
    if (strncmp(event, "{\"type\":\"tool_execution_start\"", 30) == 0)
        puts("a tool is called");
}

int main(void)
{
    kedge_options options = { .size = sizeof options, .no_session = 1, .tools = "" };
    kedge_tool tool = {
        .size = sizeof tool,
        .name = "weather",
        .description = "The weather of a town",
        .parameters = "{\"type\":\"object\",\"properties\":{\"town\":{\"type\":\"string\"}},"
                      "\"required\":[\"town\"]}",
        .flags = KEDGE_TOOL_READS,
        .func = weather,
    };
    kedge_error *error = NULL;
    char *text = NULL;
    kedge_session *session = kedge_session_open(&options, &error);
    int is_done =
        session && kedge_session_set_tools(session, &tool, 1, &error) == KEDGE_OK &&
        kedge_session_subscribe(session, KEDGE_MESSAGES, on_event, NULL, NULL, &error) ==
            KEDGE_OK &&
        kedge_session_run(session, "How is the weather in Bergen?", &text, &error) == KEDGE_OK;
    puts(is_done ? text : kedge_error_message(error));
    kedge_free(text);
    kedge_error_free(error);
    kedge_session_free(session);
    return is_done ? 0 : 1;
}
