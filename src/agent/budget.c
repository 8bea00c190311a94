/*
 * Budgets of a run: --max-turns and --max-cost (agent-core §1.3). Both count over all prompts of an
 * agent and are looked at before each request.
 */
#include "agent/agent_private.h"

char *budget_stop_text(const Agent *agent)
{
    const AgentOptions *options = &agent->options;
    if (options->max_turns > 0 && agent->turns >= options->max_turns)
        return g_strdup_printf("Stopped: %" G_GINT64_FORMAT " turns (--max-turns)", agent->turns);
    if (options->max_cost > 0 && agent->cost >= options->max_cost)
        return g_strdup_printf("Stopped: %.2f USD (--max-cost)", agent->cost);
    return NULL;
}
