// A small runner of GitHub's workflows for tests: what a workflow means is GitHub's own parser's and evaluator's business
// (expressions.mjs), its jobs run here one after the other (steps.mjs), each with a token of just its permissions, which the
// forge (tests/servers) enforces. No containers, no services. One run at a time: which concurrency groups it would wait in is only said.
//
//   ACTIONS_MODULES=…/node_modules node runner.mjs PLAN.json      prints {"jobs":[…],"groups":[…],"summary":…} as JSON
//
// PLAN: folder (empty, of this run), forge (its URL), repository, ref, sha, workflow (its path in the repository), event_name, event,
// actor, secrets, environment (of every step; PATH at least), actions ({"owner/name": folder}, where `uses:` of it are found).
import { execFileSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import { condition, readWorkflow, textOf, valueOf } from "./expressions.mjs";
import { JobRun } from "./steps.mjs";

const LEVELS = ["none", "read", "write"];
const plan = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const results = [];
const groups = []; // of concurrency: {name, group, cancels}; GitHub keeps one run that waits in each, and drops the one before

/** What is asked for, which the caller must have; nothing asked: `otherwise`. */
function narrow(caller, asked, otherwise = caller) {
  if (asked === undefined) return otherwise;
  return Object.fromEntries(Object.keys(asked).map((scope) => {
    const most = LEVELS.indexOf(caller[scope] ?? "none");
    if (LEVELS.indexOf(asked[scope]) > most) throw new Error(`permission ${scope}: ${asked[scope]} is more than the caller allows`);
    return [scope, asked[scope]];
  }));
}

async function makeToken(permissions) {
  const token = `ghs_${crypto.randomBytes(18).toString("hex")}`;
  const answer = await fetch(`${plan.forge}/_forge/token`, { method: "POST", body: JSON.stringify({ token, login: "github-actions", permissions }) });
  if (!answer.ok) throw new Error(`the forge makes no token: ${await answer.text()}`);
  return token;
}

const world = {
  folder: plan.folder, environment: plan.environment, artifacts: {}, smuggled: plan.smuggled ?? {}, summary: "",
  find(uses) {
    const [name] = uses.split("@");
    const parts = name.split("/");
    const root = plan.actions[parts.slice(0, 2).join("/")];
    if (!root) throw new Error(`${uses} is nowhere`);
    return path.join(root, ...parts.slice(2));
  },
};

const githubContext = {
  event: plan.event, event_name: plan.event_name, actor: plan.actor, repository: plan.repository, repository_owner: plan.repository.split("/")[0],
  run_id: "16045209001", run_number: "1", run_attempt: "1", workflow: "WM Agent", server_url: plan.forge, api_url: plan.forge,
  graphql_url: `${plan.forge}/graphql`, ref: plan.ref, ref_name: plan.ref.replace("refs/heads/", ""), sha: plan.sha,
};

/** {task: ["a", "b"]} → [{task: "a"}, {task: "b"}] */
function combinations(matrix) {
  return Object.entries(matrix).reduce((rows, [key, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [key]: value }))), [{}]);
}

/** Notes the group that a workflow or a job waits in. */
function enterGroup(name, token, contexts) {
  const value = valueOf(token, contexts);
  if (value !== undefined) groups.push({ name, group: textOf(value.group ?? value), cancels: value["cancel-in-progress"] ?? false });
}

/** All jobs of one workflow file; `caller` has what a called one gets. Returns {result, outputs}. */
async function runWorkflow(tree, caller) {
  enterGroup(caller.prefix, tree.find("concurrency"), { github: githubContext, inputs: caller.inputs, vars: {} });
  const jobs = new Map(Array.from(tree.find("jobs"), (pair) => [String(pair.key.value), pair.value]));
  const usual = narrow(caller.permissions, valueOf(tree.find("permissions"), {})); // of jobs that ask for nothing
  const done = {};
  while (Object.keys(done).length < jobs.size) {
    const ready = [...jobs].find(([id, job]) => !(id in done) && needsOf(job).every((name) => name in done));
    if (!ready) throw new Error("the jobs need each other");
    const [id, job] = ready;
    done[id] = await runJob(id, job, { ...caller, usual, done });
  }
  const failed = Object.values(done).some((job) => job.result === "failure");
  const call = tree.find("on").find?.("workflow_call");
  const outputs = Object.fromEntries(Array.from(call?.find?.("outputs") ?? [], (pair) =>
    [String(pair.key.value), textOf(valueOf(pair.value.find("value"), { github: githubContext, jobs: done, inputs: caller.inputs }))]));
  return { result: failed ? "failure" : "success", outputs };
}

function needsOf(job) {
  const needs = valueOf(job.find("needs"), {});
  return needs === undefined ? [] : [needs].flat();
}

async function runJob(id, job, caller) {
  const needs = Object.fromEntries(needsOf(job).map((name) => [name, caller.done[name]]));
  const bad = Object.values(needs).some((each) => each.result !== "success");
  const status = { success: !bad, failure: Object.values(needs).some((each) => each.result === "failure"), always: true, cancelled: false };
  const contexts = { github: githubContext, needs, inputs: caller.inputs, secrets: caller.secrets, vars: {} };
  const name = caller.prefix + id;
  if (!condition(job.find("if"), contexts, status)) {
    results.push({ name, result: "skipped" });
    return { result: "skipped", outputs: {} };
  }
  const strategy = job.find("strategy");
  const matrix = strategy ? valueOf(strategy.find("matrix"), contexts) : {};
  const legs = [];
  for (const leg of combinations(matrix)) legs.push(await runLeg(name, job, { ...caller, leg, contexts: { ...contexts, matrix: leg } }));
  return { result: legs.some((each) => each.result === "failure") ? "failure" : "success", outputs: Object.assign({}, ...legs.map((each) => each.outputs)) };
}

async function runLeg(name, job, caller) {
  const permissions = narrow(caller.permissions, valueOf(job.find("permissions"), caller.contexts), caller.usual);
  const shown = Object.keys(caller.leg).length > 0 ? `${name} (${Object.values(caller.leg).join(", ")})` : name;
  enterGroup(shown, job.find("concurrency"), caller.contexts);
  if (job.find("uses")) {
    const uses = String(job.find("uses").value);
    const tree = await readWorkflow(uses, fs.readFileSync(world.find(uses), "utf8"));
    const call = tree.find("on").find("workflow_call");
    const inputs = takeInputs(uses, call, valueOf(job.find("with"), caller.contexts) ?? {});
    const secrets = valueOf(job.find("secrets"), caller.contexts) ?? {};
    return runWorkflow(tree, { permissions, inputs, secrets, prefix: `${shown} / ` });
  }
  const token = await makeToken(permissions);
  const folder = fs.mkdtempSync(path.join(plan.folder, "job-"));
  fs.mkdirSync(path.join(folder, "home"));
  fs.writeFileSync(path.join(folder, "event.json"), JSON.stringify(plan.event));
  const run = new JobRun({ name: shown, folder, token, contexts: { ...caller.contexts, secrets: { ...caller.secrets, GITHUB_TOKEN: token } }, world });
  run.runsOn = valueOf(job.find("runs-on"), caller.contexts);
  const steps = run.runSteps(Array.from(job.find("steps")), run.contexts);
  for (const post of run.posts) post();
  const result = run.failed ? "failure" : "success";
  const outputs = Object.fromEntries(Object.entries(valueOf(job.find("outputs"), run.contexts) ?? {}).map(([key, value]) => [key, textOf(value)]));
  results.push({ name: shown, result, permissions, runs_on: run.runsOn, steps, log: run.log.join(""), workspace: run.workspace });
  return { result, outputs };
}

/** What a called workflow declares, with what it is given. */
function takeInputs(uses, call, given) {
  const inputs = {};
  for (const pair of call.find("inputs") ?? []) {
    const name = String(pair.key.value);
    const type = valueOf(pair.value.find("type"), {});
    if (valueOf(pair.value.find("required"), {}) && !(name in given)) throw new Error(`${uses}: input ${name} is required`);
    const value = name in given ? given[name] : valueOf(pair.value.find("default"), {}) ?? (type === "boolean" ? false : "");
    if (type === "boolean" && typeof value !== "boolean") throw new Error(`${uses}: input ${name} is no boolean`);
    inputs[name] = type === "string" ? textOf(value) : value;
  }
  for (const name of Object.keys(given)) if (!(name in inputs)) throw new Error(`${uses}: no input ${name}`);
  return inputs;
}

const content = execFileSync("git", ["-C", plan.repository_folder, "show", `${plan.sha}:${plan.workflow}`], { encoding: "utf8" });
const tree = await readWorkflow(plan.workflow, content);
const everything = { contents: "write", issues: "write", "pull-requests": "write", actions: "write" };
const outcome = await runWorkflow(tree, { permissions: everything, inputs: {}, secrets: plan.secrets, prefix: "" });
process.stdout.write(JSON.stringify({ result: outcome.result, jobs: results, groups, summary: world.summary }));
