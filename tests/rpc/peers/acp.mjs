// The TypeScript SDK of the Agent Client Protocol (@agentclientprotocol/sdk) drives `kedge acp`: it checks every message.
// node acp.mjs SDK.js KEDGE
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [sdkPath, kedge] = process.argv.slice(2);
const sdk = await import(pathToFileURL(sdkPath));
const cwd = join(process.env.HOME, "w");
mkdirSync(cwd, { recursive: true });

function start() {
    const agent = spawn(kedge, ["acp", "--tools", "read,bash,gh"], { stdio: ["pipe", "pipe", "inherit"], cwd: process.env.HOME });
    const updates = [];
    const asked = [];
    const state = { answer: { outcome: "selected", optionId: "allow" } };
    const app = sdk
        .client({ name: "test" })
        .onRequest(sdk.methods.client.session.requestPermission, ({ params }) => {
            asked.push(params);
            return { outcome: state.answer };
        })
        .onNotification(sdk.methods.client.session.update, ({ params }) => {
            updates.push(params);
        });
    const { agent: context } = app.connect(sdk.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)));
    const request = (method, params) => context.request(method, params);
    const connection = {
        initialize: (params) => request(sdk.methods.agent.initialize, params),
        newSession: (params) => request(sdk.methods.agent.session.new, params),
        loadSession: (params) => request(sdk.methods.agent.session.load, params),
        prompt: (params) => request(sdk.methods.agent.session.prompt, params),
        cancel: (params) => context.notify(sdk.methods.agent.session.cancel, params),
    };
    return { agent, state, updates, asked, connection };
}

const text = (updates, kind) =>
    updates
        .filter((u) => u.update.sessionUpdate === kind)
        .map((u) => u.update.content.text)
        .join("");
const ended = (agent) => new Promise((resolve) => agent.on("exit", resolve));

// initialize, session/new, prompt with updates
const first = start();
const hello = await first.connection.initialize({ protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {} });
assert.equal(hello.protocolVersion, 1);
assert.equal(hello.agentCapabilities.loadSession, true);
const { sessionId } = await first.connection.newSession({ cwd, mcpServers: [] });
const prompt = (words) => first.connection.prompt({ sessionId, prompt: [{ type: "text", text: words }] });
assert.deepEqual(await prompt("think about it"), { stopReason: "end_turn" });
assert.equal(text(first.updates, "agent_message_chunk"), "Hello there");
assert.equal(text(first.updates, "agent_thought_chunk"), "hm");
assert.ok(first.updates.every((u) => u.sessionId === sessionId));

// a tool call, with what it was called with and what came of it
first.updates.length = 0;
await prompt("run it");
const call = first.updates.find((u) => u.update.sessionUpdate === "tool_call").update;
assert.deepEqual([call.kind, call.rawInput.command, call.title], ["execute", "echo made", "bash echo made"]);
const done = first.updates.filter((u) => u.update.sessionUpdate === "tool_call_update").at(-1).update;
assert.equal(done.toolCallId, call.toolCallId);
assert.equal(done.status, "completed");
assert.match(done.content[0].content.text, /made/);

// permission requests: yes, no
for (const [answer, isMade] of [
    [{ outcome: "selected", optionId: "reject" }, false],
    [{ outcome: "cancelled" }, false],
    [{ outcome: "selected", optionId: "allow" }, true],
]) {
    first.state.answer = answer;
    first.asked.length = 0;
    await prompt("comment on it");
    assert.equal(first.asked.length, 1);
    assert.equal(first.asked[0].sessionId, sessionId);
    assert.ok(first.updates.some((u) => u.update.toolCallId === first.asked[0].toolCall.toolCallId));
    assert.deepEqual(
        first.asked[0].options.map((o) => o.kind),
        ["allow_once", "reject_once"],
    );
    assert.equal(existsSync(join(cwd, "made")), isMade);
}

// cancel; a second prompt meanwhile is refused
first.updates.length = 0;
const slow = prompt("slow");
while (!first.updates.length) await new Promise((resolve) => setTimeout(resolve, 10));
await assert.rejects(prompt("and this"), /already processing/);
await first.connection.cancel({ sessionId });
assert.deepEqual(await slow, { stopReason: "cancelled" });

// errors: of the model, of the caller
await assert.rejects(prompt("fail"), /no such luck/);
await assert.rejects(first.connection.prompt({ sessionId: "nobody", prompt: [] }), /no such session/);
await assert.rejects(first.connection.newSession({ cwd: "relative", mcpServers: [] }), /absolute path/);
await assert.rejects(first.connection.loadSession({ sessionId: "ffffffff", cwd, mcpServers: [] }), /not found|no session|No session/i);

// two sessions in one process
const other = await first.connection.newSession({ cwd, mcpServers: [] });
assert.notEqual(other.sessionId, sessionId);
await first.connection.prompt({ sessionId: other.sessionId, prompt: [{ type: "text", text: "think about it" }] });

first.agent.stdin.end();
assert.equal(await ended(first.agent), 0);

// another process loads the session and goes on
const second = start();
await second.connection.initialize({ protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {} });
await second.connection.loadSession({ sessionId, cwd, mcpServers: [] });
assert.match(text(second.updates, "user_message_chunk"), /^think about it/);
assert.match(text(second.updates, "agent_message_chunk"), /^Hello there/);
assert.ok(second.updates.some((u) => u.update.sessionUpdate === "tool_call" && u.update.toolCallId === call.toolCallId));
assert.deepEqual(await second.connection.prompt({ sessionId, prompt: [{ type: "text", text: "again" }] }), { stopReason: "end_turn" });
second.agent.kill("SIGTERM");
assert.equal(await ended(second.agent), 143);
