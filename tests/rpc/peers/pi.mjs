// The RpcClient of pi (@mariozechner/pi-coding-agent) against kedge: every method that it has.
// node pi.mjs CLIENT.js KEDGE
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [clientPath, kedge] = process.argv.slice(2);
const { RpcClient } = await import(pathToFileURL(clientPath));

// the client starts `node CLI --mode rpc …`
const cliPath = join(process.env.HOME, "cli.mjs");
writeFileSync(
    cliPath,
    `import { spawn } from "node:child_process";
const child = spawn(${JSON.stringify(kedge)}, process.argv.slice(2), { stdio: "inherit" });
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
`,
);

const client = new RpcClient({ cliPath });
await client.start();
const kinds = [];
client.onEvent((event) => kinds.push(event.type));

const events = await client.promptAndWait("first");
assert.equal(events.at(-1).type, "agent_end");
assert.equal(await client.getLastAssistantText(), "one");
const state = await client.getState();
assert.equal(state.isStreaming, false);
assert.equal(state.messageCount, 2);
assert.equal(state.pendingMessageCount, 0);
assert.ok(state.sessionFile && state.sessionId);

const idle = client.collectEvents();
await client.prompt("second");
await client.steer("be quick");
await client.followUp("and then this");
writeFileSync(join(process.env.HOME, "go"), "");
await idle;
assert.equal((await client.getMessages()).filter((m) => m.role === "user").length, 4);

const models = await client.getAvailableModels();
assert.ok(models.length > 1);
const cycled = await client.cycleModel();
assert.notEqual(cycled.model.id, state.model.id);
const set = await client.setModel(state.model.provider, state.model.id);
assert.equal(set.id, state.model.id);
await assert.rejects(client.setModel("nobody", "nothing"), /Model not found: nobody\/nothing/);
await client.setThinkingLevel("low");
assert.equal((await client.getState()).thinkingLevel, "low");
assert.ok((await client.cycleThinkingLevel()).level);
await client.setSteeringMode("all");
await client.setFollowUpMode("all");
await client.setAutoRetry(false);
await client.setAutoCompaction(false);
assert.equal((await client.getState()).autoCompactionEnabled, false);
await client.abortRetry();

const bash = await client.bash("echo hi; exit 3");
assert.deepEqual([bash.output, bash.exitCode, bash.cancelled], ["hi\n", 3, false]);
const sleeping = client.bash("sleep 600");
await client.abortBash();
assert.equal((await sleeping).cancelled, true);

assert.ok((await client.getSessionStats()).tokens.total > 0);
await client.setSessionName("a name");
assert.equal((await client.getState()).sessionName, "a name");
assert.ok(Array.isArray(await client.getCommands()));

const points = await client.getForkMessages();
assert.equal(points[0].text, "first");
assert.deepEqual(await client.fork(points[1].entryId), { text: "second", cancelled: false });
assert.equal((await client.getMessages()).length, 2);
assert.deepEqual(await client.clone(), { cancelled: false });
assert.deepEqual(await client.switchSession(state.sessionFile), { cancelled: false });
const compacted = await client.compact("keep the words").catch((error) => ({ summary: error.message }));
assert.match(compacted.summary, /words|[Nn]othing to compact|too short|not enough/);
assert.deepEqual(await client.newSession(), { cancelled: false });
assert.equal((await client.getState()).messageCount, 0);

await client.prompt("slow");
await client.abort();
assert.equal((await client.getState()).isStreaming, false);
for (const kind of ["agent_start", "turn_start", "message_start", "message_update", "message_end", "turn_end", "agent_end"])
    assert.ok(kinds.includes(kind), kind);
await client.stop();
