// Expressions and templates of workflows, by GitHub's own packages: tokens of @actions/workflow-parser become values,
// ${{ }} is evaluated by @actions/expressions.
import crypto from "node:crypto";
import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

// The packages import .json files in a way that only bundlers understand.
const hook = `import { readFile } from "node:fs/promises";
export async function load(url, context, next) {
  if (!url.endsWith(".json")) return next(url, context);
  return { format: "module", source: "export default " + (await readFile(new URL(url), "utf8")), shortCircuit: true };
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const modules = process.env.ACTIONS_MODULES; // a node_modules folder that has both packages
const load = (name) => import(pathToFileURL(path.join(modules, name)).href);
const { data, Evaluator, Lexer, Parser } = await load("@actions/expressions/dist/index.js");
const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await load("@actions/workflow-parser/dist/index.js");
const { parseAction } = await load("@actions/workflow-parser/dist/actions/action-parser.js");

const STATUS_FUNCTIONS = ["success", "failure", "always", "cancelled"];
export const CONTEXTS = ["github", "needs", "strategy", "matrix", "secrets", "inputs", "env", "steps", "runner", "job", "vars", "jobs"];

/** A value of JavaScript for an expression's value, and back. */
const toData = (value) => JSON.parse(JSON.stringify(value ?? null), data.reviver);
const fromData = (value) => JSON.parse(JSON.stringify(value, data.replacer) ?? "null");

/** The files below `folder` that a pattern of hashFiles() names: * and ** as the runner has them. */
function filesOf(folder, pattern) {
  const text = pattern.split("**").map((part) => part.split("*").map((plain) => plain.replace(/[.+^${}()|[\]\\?]/g, "\\$&")).join("[^/]*")).join(".*");
  const all = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = all.map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)));
  return names.filter((name) => new RegExp(`^${text}$`).test(name)).sort();
}

/** What hashFiles() answers: "" when there is none of them. */
function hashFiles(folder, patterns) {
  const names = patterns.flatMap((pattern) => filesOf(folder, pattern));
  return names.length === 0 ? "" : crypto.createHash("sha256").update(names.map((name) => fs.readFileSync(path.join(folder, name))).join("\n")).digest("hex");
}

/** Evaluates `text`, without ${{ }}. `contexts` maps names to values, `status` says what the status functions answer. */
export function evaluate(text, contexts, status = {}) {
  const functions = [...STATUS_FUNCTIONS, "hashFiles"].map((name) => ({ name, minArgs: name === "hashFiles" ? 1 : 0, maxArgs: 255 }));
  const tree = new Parser(new Lexer(text).lex().tokens, CONTEXTS, functions).parse();
  const known = new Map(STATUS_FUNCTIONS.map((name, i) => [name, { ...functions[i], call: () => new data.BooleanData(status[name] ?? name === "success") }]));
  known.set("hashfiles", { ...functions.at(-1), call: (...words) => new data.StringData(hashFiles(contexts.github.workspace, words.map((word) => word.coerceString()))) });
  const all = Object.fromEntries(CONTEXTS.map((name) => [name, contexts[name] ?? {}]));
  return fromData(new Evaluator(tree, toData(all), known).evaluate());
}

/** A token of the parser as a plain value, its expressions evaluated. */
export function valueOf(token, contexts, status) {
  if (token === undefined || token === null) return undefined;
  if (token.isExpression) return evaluate(token.expression, contexts, status);
  if (token.isScalar) return token.value;
  if (typeof token.find === "function") {
    const out = {};
    for (const pair of token) out[String(valueOf(pair.key, contexts, status))] = valueOf(pair.value, contexts, status);
    return out;
  }
  return Array.from(token, (item) => valueOf(item, contexts, status));
}

/** Text as a step gets it: null is empty, booleans and numbers in their written form. */
export function textOf(value) {
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether an `if:` lets it run; without a status function it also needs what came before to have succeeded. */
export function condition(token, contexts, status) {
  if (!token) return status.success;
  const text = token.isExpression ? token.expression : String(token.value);
  const names = new Lexer(text).lex().tokens.map((each) => each.lexeme);
  const says = STATUS_FUNCTIONS.some((name) => names.includes(name));
  const value = evaluate(text, contexts, status);
  return Boolean(value) && value !== "" && (says || status.success);
}

/** The checked token tree of a workflow; an error names the file and what GitHub's parser says of it. */
export async function readWorkflow(name, content) {
  const result = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const template = await convertWorkflowTemplate(result.context, result.value);
  const problems = [...result.context.errors.getErrors().map((each) => each.message), ...(template.errors ?? []).map((each) => each.Message)];
  if (problems.length > 0) throw new Error(`${name}: ${[...new Set(problems)].join("; ")}`);
  return result.value;
}

/** The same of an action's action.yml. */
export function readAction(name, content) {
  const result = parseAction({ name, content }, new NoOperationTraceWriter());
  const problems = result.context.errors.getErrors().map((each) => each.message);
  if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
  return result.value;
}
