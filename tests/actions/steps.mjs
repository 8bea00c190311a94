// One job of a workflow: its workspace, its token, its steps. Scripts run with bash, a composite action's steps are run as they
// stand, and the three actions of GitHub that kedge's workflows use are done here.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { condition, readAction, textOf, valueOf } from "./expressions.mjs";

const STEP_SECONDS = 240;
const ARTIFACT_BYTES = 256 << 20;

function runProgram(argv, options) {
  const result = spawnSync(argv[0], argv.slice(1), { timeout: STEP_SECONDS * 1000, maxBuffer: 64 << 20, ...options });
  const output = Buffer.concat([result.stdout ?? Buffer.alloc(0), result.stderr ?? Buffer.alloc(0)]).toString();
  if (result.error) return { code: 1, output: `${output}${result.error.message}\n` };
  return { code: result.status ?? 1, output };
}

/** NAME=VALUE and NAME<<END blocks of a runner's command file. */
function readCommandFile(file) {
  const out = {};
  const lines = fs.readFileSync(file, "utf8").split("\n");
  for (let i = 0; i < lines.length; i++) {
    const block = /^([^=<]+)<<(.+)$/.exec(lines[i]);
    const pair = /^([^=]+)=(.*)$/.exec(lines[i]);
    if (block) {
      const end = lines.indexOf(block[2], i + 1);
      if (end < 0) throw new Error(`${block[1]}: no line ${block[2]}`);
      out[block[1]] = lines.slice(i + 1, end).join("\n");
      i = end;
    } else if (pair) out[pair[1]] = pair[2];
    else if (lines[i] !== "") throw new Error(`invalid line of a command file: ${lines[i]}`);
  }
  return out;
}

export class JobRun {
  /** `plan`: {folder, token, contexts, world}: where it may write, its token, its contexts, and what all jobs share (runner.mjs). */
  constructor(plan) {
    Object.assign(this, plan);
    this.temp = path.join(this.folder, "temp");
    this.workspace = path.join(this.folder, "workspace");
    fs.mkdirSync(this.temp, { recursive: true });
    fs.mkdirSync(this.workspace);
    this.env = {};
    this.paths = [];
    this.log = [];
    this.posts = []; // what actions do when the job has ended
    this.failed = false;
    const github = { ...this.contexts.github, token: this.token, workspace: this.workspace };
    this.contexts = { ...this.contexts, github, steps: {}, runner: { os: "Linux", arch: "X64", temp: this.temp, name: "test" }, job: { status: "success" } };
  }

  status() {
    return { success: !this.failed, failure: this.failed, always: true, cancelled: false };
  }

  environment(step, contexts, files) {
    const { github } = this.contexts;
    const own = { ...this.env, ...Object.fromEntries(Object.entries(valueOf(step.find("env"), contexts, this.status()) ?? {}).map(([key, value]) => [key, textOf(value)])) };
    return {
      ...this.world.environment, HOME: path.join(this.folder, "home"), PATH: [...this.paths, this.world.environment.PATH].join(":"),
      CI: "true", GITHUB_ACTIONS: "true", RUNNER_TEMP: this.temp, RUNNER_OS: "Linux", GITHUB_WORKSPACE: this.workspace,
      GITHUB_EVENT_NAME: github.event_name, GITHUB_EVENT_PATH: path.join(this.folder, "event.json"), GITHUB_REPOSITORY: github.repository,
      GITHUB_REPOSITORY_OWNER: github.repository_owner, GITHUB_SERVER_URL: github.server_url, GITHUB_API_URL: github.api_url,
      GITHUB_GRAPHQL_URL: github.graphql_url, GITHUB_RUN_ID: github.run_id, GITHUB_RUN_NUMBER: "1", GITHUB_RUN_ATTEMPT: "1",
      GITHUB_WORKFLOW: github.workflow, GITHUB_ACTOR: github.actor, GITHUB_REF: github.ref, GITHUB_REF_NAME: github.ref_name,
      GITHUB_SHA: github.sha, GITHUB_JOB: this.name, ...files, ...own,
    };
  }

  /** Runs the steps in order; `contexts` differ for those of a composite action. Returns what each came to. */
  runSteps(steps, contexts, prefix = "") {
    const done = [];
    for (const step of steps) {
      const name = prefix + textOf(valueOf(step.find("name"), contexts, this.status()) ?? valueOf(step.find("uses"), contexts) ?? "run");
      const id = step.find("id") ? String(step.find("id").value) : undefined;
      if (!condition(step.find("if"), contexts, this.status())) {
        done.push({ name, outcome: "skipped" });
        if (id) contexts.steps[id] = { outputs: {}, outcome: "skipped", conclusion: "skipped" };
        continue;
      }
      let result;
      try {
        result = step.find("uses") ? this.runAction(step, contexts, name) : this.runScript(step, contexts);
      } catch (error) {
        result = { code: 1, output: `${error.message}\n`, outputs: {} };
      }
      this.log.push(`--- ${this.name}: ${name}: ${result.code === 0 ? "ok" : `exit ${result.code}`}\n${result.output}`);
      const outcome = result.code === 0 ? "success" : "failure";
      done.push({ name, outcome }, ...(result.steps ?? []));
      if (id) contexts.steps[id] = { outputs: result.outputs ?? {}, outcome, conclusion: outcome };
      if (result.code !== 0) this.failed = true;
    }
    return done;
  }

  runScript(step, contexts) {
    const script = path.join(this.temp, `step-${this.log.length}.sh`);
    const names = ["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_STATE"];
    const files = Object.fromEntries(names.map((name) => [name, path.join(this.temp, `${name.toLowerCase()}-${this.log.length}`)]));
    for (const file of Object.values(files)) fs.writeFileSync(file, "");
    fs.writeFileSync(script, textOf(valueOf(step.find("run"), contexts, this.status())));
    const shell = step.find("shell") ? ["bash", "--noprofile", "--norc", "-eo", "pipefail", script] : ["bash", "-e", script];
    const result = runProgram(shell, { cwd: this.workspace, env: this.environment(step, contexts, files) });
    Object.assign(this.env, readCommandFile(files.GITHUB_ENV));
    this.paths.unshift(...fs.readFileSync(files.GITHUB_PATH, "utf8").split("\n").filter(Boolean).reverse());
    this.world.summary += fs.readFileSync(files.GITHUB_STEP_SUMMARY, "utf8");
    return { ...result, outputs: readCommandFile(files.GITHUB_OUTPUT) };
  }

  runAction(step, contexts, name) {
    const uses = String(step.find("uses").value);
    const inputs = Object.fromEntries(Object.entries(valueOf(step.find("with"), contexts, this.status()) ?? {}).map(([key, value]) => [key, textOf(value)]));
    const own = { "actions/checkout": this.checkout, "actions/upload-artifact": this.upload, "actions/download-artifact": this.download }[uses.split("@")[0]];
    if (own) return own.call(this, inputs);
    const file = path.join(this.world.find(uses), "action.yml");
    const action = readAction(uses, fs.readFileSync(file, "utf8"));
    const runs = action.find("runs");
    if (valueOf(runs.find("using"), contexts) !== "composite") throw new Error(`${uses}: only composite actions are run`);
    const defaults = Object.fromEntries(Array.from(action.find("inputs") ?? [], (pair) => [String(pair.key.value), textOf(valueOf(pair.value.find("default"), contexts))]));
    const inner = { ...contexts, inputs: { ...defaults, ...inputs }, steps: {} };
    const before = this.failed;
    const steps = this.runSteps(Array.from(runs.find("steps")), inner, `${name}: `);
    return { code: this.failed && !before ? 1 : 0, output: "", steps };
  }

  checkout(inputs) {
    if (inputs["persist-credentials"] !== "false") return { code: 1, output: "a checkout that keeps its credentials\n" };
    const { github } = this.contexts;
    const url = `${github.server_url}/${github.repository}.git`;
    const basic = Buffer.from(`x-access-token:${this.token}`).toString("base64");
    const env = { PATH: this.world.environment.PATH, HOME: this.folder, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `http.${github.server_url}/.extraheader`, GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}` };
    const all = [];
    const git = (...args) => {
      const result = runProgram(["git", ...args], { cwd: this.workspace, env });
      all.push(result.output);
      return result.code;
    };
    const branch = github.ref.replace("refs/heads/", "");
    this.posts.push(() => this.checkoutPost());
    const code = git("init", "-q") || git("remote", "add", "origin", url) ||
      git("fetch", "-q", "--no-tags", "--depth=1", "origin", `+${github.sha}:refs/remotes/origin/${branch}`) ||
      git("checkout", "-q", "--force", "-B", branch, `refs/remotes/origin/${branch}`);
    return { code, output: all.join("") };
  }

  /** At the end of the job, whatever became of it: git in the workspace and its submodules, with the job's token in its environment. */
  checkoutPost() {
    const env = { PATH: this.world.environment.PATH, HOME: this.folder, GIT_CONFIG_NOSYSTEM: "1", INPUT_TOKEN: this.token };
    const look = `sh -c "git config --local --name-only --get-regexp 'http.+extraheader' || :"`;
    const { output } = runProgram(["git", "submodule", "foreach", "--recursive", look], { cwd: this.workspace, env });
    this.log.push(`--- ${this.name}: Post checkout\n${output}`);
  }

  upload(inputs) {
    const name = inputs.name;
    if (!name || /["\\:<>|*?\r\n/]/.test(name)) return { code: 1, output: `an artifact cannot have the name ${name}\n` };
    if (!fs.existsSync(inputs.path)) return { code: inputs["if-no-files-found"] === "error" ? 1 : 0, output: `no files at ${inputs.path}\n` };
    if (this.world.artifacts[name]) return { code: 1, output: `there is an artifact ${name} already\n` };
    if (fs.statSync(inputs.path).size > ARTIFACT_BYTES) return { code: 1, output: "the artifact is too large\n" };
    const kept = path.join(this.world.folder, `artifact-${Object.keys(this.world.artifacts).length}`);
    fs.copyFileSync(inputs.path, kept);
    this.world.artifacts[name] = { kept, file: path.basename(inputs.path) };
    return { code: 0, output: "" };
  }

  download(inputs) {
    const artifact = this.world.artifacts[inputs.name];
    if (!artifact) return { code: 1, output: `Unable to download artifact(s): Artifact not found for name: ${inputs.name}\n` };
    fs.mkdirSync(inputs.path, { recursive: true });
    fs.copyFileSync(artifact.kept, path.join(inputs.path, artifact.file));
    for (const [name, text] of Object.entries(this.world.smuggled)) {
      fs.mkdirSync(path.join(inputs.path, path.dirname(name)), { recursive: true });
      fs.writeFileSync(path.join(inputs.path, name), text);
    }
    return { code: 0, output: "" };
  }
}
