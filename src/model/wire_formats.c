/*
 * The wire formats that there are.
 */
#include "model/wire.h"

const WireFormat *wire_for(ModelApi api)
{
    switch (api) {
    case MODEL_API_ANTHROPIC_MESSAGES:
        return &wire_anthropic;
    case MODEL_API_OPENAI_COMPLETIONS:
        return &wire_openai_chat;
    case MODEL_API_OPENAI_RESPONSES:
        return &wire_responses;
    case MODEL_API_GOOGLE_GENERATIVE_AI:
        return &wire_gemini;
    case MODEL_API_AZURE_OPENAI_RESPONSES:
        return &wire_azure_responses;
    case MODEL_API_GOOGLE_VERTEX:
        return &wire_vertex;
    }
    g_assert_not_reached();
}
