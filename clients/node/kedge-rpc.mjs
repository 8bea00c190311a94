// A client of `kedge --mode rpc`: a conversation with a model from a Node program. No dependencies; Node 18 or newer.
//
//     import { Kedge } from "./kedge-rpc.mjs";
//
//     const kedge = await Kedge.start({ cwd: "/src/project" });
//     kedge.onText((piece) => process.stdout.write(piece));
//     await kedge.run("What does this project do?");
//     await kedge.stop();
//
// Commands are promises of the data of their answer; a failure rejects with KedgeError. Types: kedge-rpc.d.ts.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

const READY_TIMEOUT_MS = 30_000;
const REPLY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5_000; // until a program that does not end is killed
const LAST_WORDS_MS = 1_000; // a program that it left behind may hold the pipes
const DIALOGS_WITH_A_REPLY = new Set(["confirm", "select", "input", "editor"]);
const AGENT_EVENTS = new Set([
    "agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end",
    "tool_execution_start", "tool_execution_update", "tool_execution_end",
]);

export class KedgeError extends Error {}

/** A message as a line. A lone surrogate is no text, and the program would not take it. */
const encode = (message) =>
    JSON.stringify(message, (_, value) => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value)) + "\n";
const textResult = (text) => ({ content: [{ type: "text", text }] });

/** Takes bytes as they come and gives whole lines. A long line is put together once, when its end is there. */
const splitter = (takeLine) => {
    const decoder = new StringDecoder("utf8");
    let pieces = []; // of the line whose end has not come
    return (data) => {
        const [first, ...others] = decoder.write(data).split("\n");
        pieces.push(first);
        for (const piece of others) {
            const line = pieces.join("");
            pieces = [piece];
            takeLine(line);
        }
    };
};

export class Kedge {
    #process;
    #nextId = 1;
    #replies = new Map(); // id → (response) => void
    #handlers = new Set();
    #dialog = undefined;
    #tools = {};
    #stderr = "";
    #ready = undefined;
    #over = undefined; // promise of the exit code

    constructor(child) {
        this.#process = child;
    }

    static async start({ cwd, program = "kedge", model, provider, args = [], env = {} } = {}) {
        const words = ["--mode", "rpc", ...(provider ? ["--provider", provider] : []), ...(model ? ["--model", model] : []), ...args];
        const child = spawn(program, words, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
        const self = new Kedge(child);
        await self.#begin();
        return self;
    }

    async #begin() {
        const child = this.#process;
        child.stdin.on("error", () => {}); // told by the end of the program
        child.stderr.on("data", (data) => (this.#stderr += data));
        child.stdout.on("data", splitter((line) => this.#takeLine(line)));
        this.#over = new Promise((resolve) => {
            child.on("error", (error) => {
                this.#stderr += error.message;
                resolve(-1);
            });
            child.on("close", (code) => resolve(code ?? -1));
            child.on("exit", () => {
                setTimeout(() => (child.stdout.destroy(), child.stderr.destroy()), LAST_WORDS_MS).unref();
            });
        });
        this.#over.then(() => {
            for (const reply of this.#replies.values()) reply({ success: false, error: `kedge has ended. Stderr: ${this.#stderr}` });
        });
        let timer;
        const isReady = await Promise.race([
            new Promise((resolve) => (this.#ready = () => resolve(true))),
            this.#over.then(() => false),
            new Promise((resolve) => (timer = setTimeout(resolve, READY_TIMEOUT_MS, false))),
        ]);
        clearTimeout(timer);
        if (isReady) return;
        child.kill("SIGKILL");
        throw new KedgeError(`kedge did not become ready. Stderr: ${this.#stderr}`);
    }

    /**
     * Ends the program; what runs is stopped and the session written. The exit code. Takes seconds at most, whatever the program
     * does: one that does not end is killed.
     */
    async stop() {
        this.#process.stdin.end();
        const timer = setTimeout(() => this.#process.kill("SIGKILL"), STOP_TIMEOUT_MS);
        const code = await this.#over;
        clearTimeout(timer);
        return code;
    }

    get stderr() {
        return this.#stderr;
    }

    // --- the line to the program

    #takeLine(line) {
        let message;
        try {
            message = JSON.parse(line);
        } catch {
            return; // the program was killed in the middle of it
        }
        if (message && typeof message === "object") this.#take(message);
    }

    #take(message) {
        const reply = message.type === "response" && this.#replies.get(message.id);
        if (message.type === "ready") this.#ready();
        else if (reply) reply(message);
        else if (message.type === "extension_ui_request") void this.#answerDialog(message);
        else if (message.type === "host_tool_call") void this.#callTool(message);
        for (const handler of [...this.#handlers]) {
            try {
                handler(message);
            } catch (error) {
                console.error(error); // the others are told, and what comes next is read
            }
        }
    }

    #send(line) {
        this.#process.stdin.write(line);
    }

    #newId() {
        return `req_${this.#nextId++}`;
    }

    /** Sends any command (docs/rpc.md); a promise of the data of its answer. `timeoutMs` 0: it may take long. */
    command(type, fields = {}, timeoutMs = REPLY_TIMEOUT_MS) {
        return this.#command(this.#newId(), type, fields, timeoutMs);
    }

    #command(id, type, fields, timeoutMs) {
        return new Promise((resolve, reject) => {
            const line = encode({ id, type, ...fields });
            const timer =
                timeoutMs > 0 &&
                setTimeout(() => {
                    this.#replies.delete(id);
                    reject(new KedgeError(`Timeout waiting for response to ${type}. Stderr: ${this.#stderr}`));
                }, timeoutMs);
            this.#replies.set(id, (response) => {
                clearTimeout(timer);
                this.#replies.delete(id);
                if (response.success) resolve(response.data);
                else reject(new KedgeError(response.error ?? "failed"));
            });
            if (this.#process.exitCode !== null || this.#process.signalCode !== null)
                this.#replies.get(id)({ success: false, error: `kedge has ended. Stderr: ${this.#stderr}` });
            else this.#send(line);
        });
    }

    // --- what comes unasked

    /** Everything that the program says. The result takes the handler away again. */
    onMessage(handler) {
        this.#handlers.add(handler);
        return () => this.#handlers.delete(handler);
    }

    /** The events of the agent alone. */
    onEvent(handler) {
        return this.onMessage((message) => AGENT_EVENTS.has(message.type) && handler(message));
    }

    /** The answer's text, piece by piece. */
    onText(handler) {
        return this.onEvent((event) => {
            if (event.assistantMessageEvent?.type === "text_delta") handler(event.assistantMessageEvent.delta);
        });
    }

    /** Who answers questions, such as whether a call may be made. Without one the answer is no. */
    onDialog(handler) {
        this.#dialog = handler;
    }

    async #answerDialog(request) {
        if (!DIALOGS_WITH_A_REPLY.has(request.method)) return;
        const reply = { type: "extension_ui_response", id: request.id };
        let line = encode({ ...reply, cancelled: true });
        try {
            const answer = await this.#dialog?.(request);
            if (answer !== undefined && answer !== null)
                line = encode({ ...reply, [typeof answer === "boolean" ? "confirmed" : "value"]: answer });
        } catch (error) {
            console.error(error); // no answer is a no
        }
        this.#send(line);
    }

    /**
     * Offers tools of yours: { name, description, parameters, run(arguments) }. `run` gives text, or { content: [blocks] };
     * what it throws is the tool's error.
     */
    async setTools(tools) {
        this.#tools = Object.fromEntries(tools.map((tool) => [tool.name, tool.run]));
        const definitions = tools.map(({ name, label, description, parameters }) => ({ name, label, description, parameters }));
        return (await this.command("set_host_tools", { tools: definitions })).toolNames;
    }

    async #callTool(call) {
        const reply = { type: "host_tool_result", id: call.id, isError: false };
        let line;
        try {
            const result = await this.#tools[call.toolName](call.arguments);
            line = encode({ ...reply, result: typeof result === "string" ? textResult(result) : result });
        } catch (error) {
            line = encode({ ...reply, isError: true, result: textResult(String(error?.message ?? error)) });
        }
        this.#send(line);
    }

    // --- the conversation

    /**
     * Sends a prompt and waits until all of its work is done, other attempts and reminders too. Its events, the last of them
     * an agent_end; an answer that failed rejects.
     */
    async run(message, fields = {}) {
        const id = this.#newId();
        const events = [];
        let isTaken = false;
        let remove;
        const end = new Promise((resolve, reject) => {
            remove = this.onMessage((event) => {
                const isOwn = event.id === id;
                if (AGENT_EVENTS.has(event.type)) events.push(event);
                else if (event.type === "response" && isOwn) isTaken = true;
                else if (event.type === "prompt_result" && (isOwn || (isTaken && fields.streamingBehavior)))
                    resolve(event); // one that joined a run ends with it
            });
            this.#over.then(() => reject(new KedgeError(`kedge has ended. Stderr: ${this.#stderr}`)));
        });
        let result;
        try {
            const prompt = this.#command(id, "prompt", { message, ...fields }, REPLY_TIMEOUT_MS);
            [, result] = await Promise.all([prompt, end]);
        } finally {
            remove();
        }
        if (result.status === "error") throw new KedgeError(result.error?.message ?? "the request failed");
        return events;
    }

    /** Begins a run; agent_end tells of its end, prompt_result that nothing of it goes on. While one is on: { streamingBehavior: "steer" | "followUp" }. */
    prompt(message, fields = {}) {
        return this.command("prompt", { message, ...fields });
    }

    /** Says something to the run that is on. */
    steer(message, images) {
        return this.command("steer", { message, images });
    }

    /** A message for when the run has ended. */
    followUp(message, images) {
        return this.command("follow_up", { message, images });
    }

    /** Begins a run without a message; an answer that failed or was stopped is asked for again. */
    continueRun() {
        return this.command("continue");
    }

    /** Stops the run; done when it has. */
    abort() {
        return this.command("abort");
    }

    /** Stops the run, then sends a message. */
    abortAndPrompt(message, images) {
        return this.command("abort_and_prompt", { message, images });
    }

    /** Answers a question of the state's `questions`; onDialog() does that for those that come. */
    answer(questionId, approved) {
        return this.command("answer", { questionId, approved });
    }

    /** Runs a shell command of yours; the model sees it unless it is excluded. */
    bash(command, excludeFromContext = false) {
        return this.command("bash", { command, excludeFromContext }, 0);
    }

    abortBash() {
        return this.command("abort_bash");
    }

    /** Puts a summary in place of what is old. */
    compact(customInstructions) {
        return this.command("compact", { customInstructions }, 0);
    }

    /** Goes on in a new session that begins with a summary of this one. */
    handoff(customInstructions) {
        return this.command("handoff", { customInstructions }, 0);
    }

    // --- what it says of itself

    state() {
        return this.command("get_state");
    }

    async messages() {
        return (await this.command("get_messages")).messages;
    }

    async lastText() {
        return (await this.command("get_last_assistant_text")).text;
    }

    stats() {
        return this.command("get_session_stats");
    }

    /** The slash commands that there are. */
    async commands() {
        return (await this.command("get_commands")).commands;
    }

    /** Writes the session as one HTML page; where it is. */
    async exportHtml(outputPath) {
        return (await this.command("export_html", { outputPath })).path;
    }

    // --- models, and how it goes on

    async models() {
        return (await this.command("get_available_models")).models;
    }

    setModel(provider, modelId) {
        return this.command("set_model", { provider, modelId });
    }

    /** The next model that there is a key for; null: there is no other. */
    cycleModel() {
        return this.command("cycle_model");
    }

    setThinkingLevel(level) {
        return this.command("set_thinking_level", { level });
    }

    /** The next level of the model; null: there is no other. */
    async cycleThinkingLevel() {
        return (await this.command("cycle_thinking_level"))?.level ?? null;
    }

    /** Which of kedge's tools the model is offered; tools of yours: setTools(). */
    chooseTools(names) {
        return this.command("set_tools", { names });
    }

    setSteeringMode(mode) {
        return this.command("set_steering_mode", { mode });
    }

    setFollowUpMode(mode) {
        return this.command("set_follow_up_mode", { mode });
    }

    setInterruptMode(mode) {
        return this.command("set_interrupt_mode", { mode });
    }

    /** On: the model only reads and plans, until a person approves; `prompt` is sent at once. Off: paused. The mode: "plan", "plan_paused", "none". */
    async setPlanMode(enabled, prompt) {
        return (await this.command("set_plan_mode", { enabled, prompt })).mode;
    }

    setFastMode(enabled) {
        return this.command("set_fast_mode", { enabled });
    }

    setAutoRetry(enabled) {
        return this.command("set_auto_retry", { enabled });
    }

    abortRetry() {
        return this.command("abort_retry");
    }

    setAutoCompaction(enabled) {
        return this.command("set_auto_compaction", { enabled });
    }

    /** Whether each message_update carries the message so far. */
    setEventDetail(fullUpdates) {
        return this.command("set_event_detail", { fullUpdates });
    }

    /** The todo list as it is then. */
    async setTodos(phases) {
        return (await this.command("set_todos", { phases })).todoPhases;
    }

    /** { id, authenticated, source } of each provider of models. */
    async loginProviders() {
        return (await this.command("get_login_providers")).providers;
    }

    /** Stores a key. Without one the handler of onDialog() is asked for it. */
    login(providerId, apiKey) {
        return this.command("login", { providerId, apiKey }, 0);
    }

    // --- sessions

    newSession(parentSession) {
        return this.command("new_session", { parentSession });
    }

    switchSession(sessionPath) {
        return this.command("switch_session", { sessionPath });
    }

    setSessionName(name) {
        return this.command("set_session_name", { name });
    }

    /** All entries, the leaf and the labels. */
    tree() {
        return this.command("get_tree");
    }

    /** { entryId, text } of the messages that can be branched from. */
    async branchMessages() {
        return (await this.command("get_branch_messages")).messages;
    }

    /** Goes on from before a message, in a new session; the message's text. */
    async branch(entryId) {
        return (await this.command("branch", { entryId })).text;
    }

    /** Goes on in a copy of the session. */
    fork() {
        return this.command("fork");
    }

    /** Goes on from another entry of the session: { summarize, customInstructions }. The text of a message that is to be written anew. */
    async navigate(targetId, fields = {}) {
        return (await this.command("navigate_tree", { targetId, ...fields }, 0)).editorText ?? null;
    }

    /** Marks an entry; without a label it is not marked any more. */
    setLabel(targetId, label) {
        return this.command("set_label", { targetId, label });
    }
}
