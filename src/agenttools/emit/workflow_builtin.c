/*
 * The run workflows that kedge brings along (agent-tools-cli §4.3), as the diagrams that a project
 * would write.
 */
#include "agenttools/emit/workflow.h"

#define AGENT(working)                                                                             \
    "stateDiagram-v2\n"                                                                            \
    "    [*] --> " working "\n"                                                                    \
    "    " working " --> completed\n"                                                              \
    "    " working " --> failed\n"                                                                 \
    "    completed --> [*]\n"                                                                      \
    "    failed --> [*]\n"

static const char BUILD[] = "stateDiagram-v2\n"
                            "    [*] --> requirements\n"
                            "    requirements --> design\n"
                            "    design --> tasks\n"
                            "    tasks --> build\n"
                            "    build --> verify\n"
                            "    verify --> archive\n"
                            "    verify --> build : rework\n"
                            "    archive --> [*]\n";

static const char BUILD_FAST[] = "stateDiagram-v2\n"
                                 "    [*] --> plan\n"
                                 "    plan --> build\n"
                                 "    build --> review\n"
                                 "    review --> [*]\n";

static const char PR_REVIEW[] = "stateDiagram-v2\n"
                                "    [*] --> split\n"
                                "    split --> review\n"
                                "    review --> synthesize\n"
                                "    synthesize --> post\n"
                                "    post --> [*]\n";

static const char DEEP_RESEARCH[] = "stateDiagram-v2\n"
                                    "    [*] --> clarify\n"
                                    "    clarify --> plan\n"
                                    "    plan --> explore\n"
                                    "    explore --> synthesize\n"
                                    "    synthesize --> report\n"
                                    "    report --> [*]\n";

static const char BLUEPRINT[] = "stateDiagram-v2\n"
                                "    [*] --> detect\n"
                                "    detect --> charter\n"
                                "    detect --> prd\n"
                                "    charter --> prd\n"
                                "    charter --> [*]\n"
                                "    prd --> [*]\n";

static const struct {
    const char *name, *diagram;
} builtins[] = {
    { "build", BUILD },
    { "build-fast", BUILD_FAST },
    { "pr-review", PR_REVIEW },
    { "deep-research", DEEP_RESEARCH },
    { "blueprint", BLUEPRINT },
    { "task-builder", AGENT("building") },
    { "task-reviewer", AGENT("reviewing") },
    { "feature-verifier", AGENT("verifying") },
    { "hypothesis-tester", AGENT("testing") },
};

const char *workflow_builtin(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return builtins[i].diagram;
    return NULL;
}

const char *workflow_builtin_name(size_t index)
{
    return index < G_N_ELEMENTS(builtins) ? builtins[index].name : NULL;
}
