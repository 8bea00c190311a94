// Types of kedge-rpc.mjs.

export interface StartOptions {
    cwd?: string;
    /** Default: kedge. */
    program?: string;
    model?: string;
    provider?: string;
    /** Further flags. */
    args?: string[];
    /** Beside those of this process. */
    env?: Record<string, string>;
}

export type ContentBlock =
    | { type: "text"; text: string }
    | { type: "thinking"; thinking: string }
    | { type: "image"; data: string; mimeType: string }
    | { type: "toolCall"; id: string; name: string; arguments: Record<string, unknown> };

export interface Message {
    role: string;
    content?: string | ContentBlock[];
    stopReason?: "stop" | "length" | "toolUse" | "error" | "aborted";
    errorMessage?: string;
    timestamp?: number;
    [key: string]: unknown;
}

/** An event, a response, a dialog, a host tool's call: whatever the program says. */
export interface Line {
    type: string;
    [key: string]: unknown;
}

export interface Model {
    provider: string;
    id: string;
    name: string;
    contextWindow: number;
    maxTokens: number;
    reasoning: boolean;
    input: string[];
    [key: string]: unknown;
}

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
export type QueueMode = "all" | "one-at-a-time";
export type PlanModeName = "none" | "plan" | "plan_paused";

export interface TodoPhase {
    name: string;
    tasks: { content: string; status: string }[];
}

export interface LoginProvider {
    id: string;
    name: string;
    /** There is a key; `source` says where it comes from. */
    authenticated: boolean;
    source?: string;
    [key: string]: unknown;
}

export interface Tree {
    /** Left out: there is none yet. */
    leafId?: string;
    entries: { type: string; id: string; parentId: string | null; [key: string]: unknown }[];
    labels: Record<string, string>;
}

export interface State {
    model: Model;
    thinkingLevel: ThinkingLevel;
    isStreaming: boolean;
    isCompacting: boolean;
    steeringMode: QueueMode;
    followUpMode: QueueMode;
    mode: PlanModeName;
    planFilePath?: string;
    systemPrompt: string[];
    dumpTools: { name: string; description: string; parameters: Record<string, unknown> }[];
    todoPhases: TodoPhase[];
    autoCompactionEnabled: boolean;
    /** null: nobody knows until the next answer. */
    contextUsage: { tokens: number | null; contextWindow: number; percent: number | null };
    interruptMode: "immediate" | "wait";
    sessionFile?: string;
    sessionId: string;
    sessionName?: string;
    messageCount: number;
    queuedMessageCount: number;
    [key: string]: unknown;
}

export interface BashResult {
    output: string;
    /** Left out when cancelled. */
    exitCode?: number;
    cancelled: boolean;
    truncated: boolean;
    totalLines: number;
    totalBytes: number;
    outputLines: number;
    outputBytes: number;
    artifactId?: string;
    fullOutputPath?: string;
}

export interface Stats {
    userMessages: number;
    assistantMessages: number;
    toolCalls: number;
    toolResults: number;
    totalMessages: number;
    tokens: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
    cost: number;
    [key: string]: unknown;
}

export interface Tool {
    name: string;
    label?: string;
    description: string;
    /** JSON Schema of an object. */
    parameters: Record<string, unknown>;
    run(args: any): string | { content: ContentBlock[] } | Promise<string | { content: ContentBlock[] }>;
}

export interface Image {
    type: "image";
    /** Base64. */
    data: string;
    mimeType: string;
}

export interface PromptFields {
    images?: Image[];
    streamingBehavior?: "steer" | "followUp";
}

/** true or false for a confirm, a text for the others, nothing for no answer. */
export type DialogAnswer = boolean | string | null | undefined;

export class KedgeError extends Error {}

export class Kedge {
    static start(options?: StartOptions): Promise<Kedge>;
    stop(): Promise<number>;
    readonly stderr: string;
    command(type: string, fields?: Record<string, unknown>, timeoutMs?: number): Promise<any>;
    onMessage(handler: (line: Line) => void): () => void;
    onEvent(handler: (event: Line) => void): () => void;
    onText(handler: (piece: string) => void): () => void;
    onDialog(handler: (request: Line) => DialogAnswer | Promise<DialogAnswer>): void;
    setTools(tools: Tool[]): Promise<string[]>;
    run(message: string, fields?: PromptFields): Promise<Line[]>;
    prompt(message: string, fields?: PromptFields): Promise<void>;
    steer(message: string, images?: Image[]): Promise<void>;
    followUp(message: string, images?: Image[]): Promise<void>;
    /** Begins a run without a message; an answer that failed or was stopped is asked for again. */
    continueRun(): Promise<void>;
    abort(): Promise<void>;
    abortAndPrompt(message: string, images?: Image[]): Promise<void>;
    answer(questionId: string, approved: boolean): Promise<void>;
    bash(command: string, excludeFromContext?: boolean): Promise<BashResult>;
    abortBash(): Promise<void>;
    compact(customInstructions?: string): Promise<any>;
    handoff(customInstructions?: string): Promise<{ savedPath?: string } | null>;
    state(): Promise<State>;
    messages(): Promise<Message[]>;
    lastText(): Promise<string | null>;
    stats(): Promise<Stats>;
    commands(): Promise<{ name: string; description: string; source: string }[]>;
    exportHtml(outputPath?: string): Promise<string>;
    models(): Promise<Model[]>;
    setModel(provider: string, modelId: string): Promise<Model>;
    cycleModel(): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null>;
    setThinkingLevel(level: ThinkingLevel): Promise<void>;
    cycleThinkingLevel(): Promise<ThinkingLevel | null>;
    chooseTools(names: string[]): Promise<void>;
    setSteeringMode(mode: QueueMode): Promise<void>;
    setFollowUpMode(mode: QueueMode): Promise<void>;
    setInterruptMode(mode: "immediate" | "wait"): Promise<void>;
    setPlanMode(enabled: boolean, prompt?: string): Promise<PlanModeName>;
    setFastMode(enabled: boolean): Promise<{ enabled: boolean; active: boolean }>;
    setAutoRetry(enabled: boolean): Promise<void>;
    abortRetry(): Promise<void>;
    setAutoCompaction(enabled: boolean): Promise<void>;
    setEventDetail(fullUpdates: boolean): Promise<void>;
    setTodos(phases: TodoPhase[]): Promise<TodoPhase[]>;
    loginProviders(): Promise<LoginProvider[]>;
    login(providerId: string, apiKey?: string): Promise<{ providerId: string }>;
    newSession(parentSession?: string): Promise<{ cancelled: boolean }>;
    switchSession(sessionPath: string): Promise<{ cancelled: boolean }>;
    setSessionName(name: string): Promise<void>;
    tree(): Promise<Tree>;
    branchMessages(): Promise<{ entryId: string; text: string }[]>;
    branch(entryId: string): Promise<string>;
    fork(): Promise<{ cancelled: boolean }>;
    navigate(targetId: string, fields?: { summarize?: boolean; customInstructions?: string }): Promise<string | null>;
    setLabel(targetId: string, label?: string): Promise<void>;
}
