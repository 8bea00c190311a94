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

export interface State {
    model: Model;
    thinkingLevel: string;
    isStreaming: boolean;
    steeringMode: "all" | "one-at-a-time";
    followUpMode: "all" | "one-at-a-time";
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

export interface PromptFields {
    images?: { type: "image"; data: string; mimeType: string }[];
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
    steer(message: string): Promise<void>;
    followUp(message: string): Promise<void>;
    abort(): Promise<void>;
    bash(command: string, excludeFromContext?: boolean): Promise<BashResult>;
    state(): Promise<State>;
    messages(): Promise<Message[]>;
    lastText(): Promise<string | null>;
    stats(): Promise<Stats>;
    models(): Promise<Model[]>;
    setModel(provider: string, modelId: string): Promise<Model>;
    setThinkingLevel(level: "off" | "minimal" | "low" | "medium" | "high" | "xhigh"): Promise<void>;
    newSession(): Promise<{ cancelled: boolean }>;
    switchSession(sessionPath: string): Promise<{ cancelled: boolean }>;
    compact(customInstructions?: string): Promise<any>;
}
