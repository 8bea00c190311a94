"use strict";
/* The exported session: builds everything from the data with text nodes; the only markup that is put in is what the exporter's
   Markdown renderer made (data.html), which takes none from the conversation. */
const data = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(document.getElementById("data").textContent.trim()), c => c.charCodeAt(0))));
const entries = data.entries.filter(entry => entry && typeof entry.id === "string");
const byId = new Map(entries.map(entry => [entry.id, entry]));
const children = new Map();
const labels = new Map();
const results = new Map();
let leaf = byId.has(data.leafId) ? data.leafId : null;

function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content.filter(part => part !== null && part !== undefined));
  return element;
}
const text = value => typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
const isObject = value => value !== null && typeof value === "object";
const blocksOf = message => !isObject(message) ? [] : typeof message.content === "string" ? [{type: "text", text: message.content}]
  : Array.isArray(message.content) ? message.content.filter(isObject) : [];
const firstText = message => text((blocksOf(message).find(block => block.type === "text") || {}).text);
const parentOf = entry => entry.parentId !== entry.id && byId.has(entry.parentId) ? entry.parentId : null;

for (const entry of entries) {
  const parent = parentOf(entry);
  if (!children.has(parent)) children.set(parent, []);
  children.get(parent).push(entry);
  if (entry.type === "label") entry.label ? labels.set(entry.targetId, text(entry.label)) : labels.delete(entry.targetId);
  if (isObject(entry.message) && entry.message.role === "toolResult") results.set(entry.message.toolCallId, entry.message);
}

/* From the root to an entry; a circle ends it. */
function pathTo(id) {
  const path = [], seen = new Set();
  for (let entry = byId.get(id); entry && !seen.has(entry.id); entry = byId.get(parentOf(entry))) {
    seen.add(entry.id);
    path.unshift(entry);
  }
  return path;
}

/* Where a branch ends, always by its newest child. */
function endOf(id) {
  const seen = new Set();
  for (let list = children.get(id); list && !seen.has(id); list = children.get(id)) {
    seen.add(id);
    id = list[list.length - 1].id;
  }
  return id;
}

function body(html, plain) {
  const element = make("div", html ? "body" : "body plain");
  if (html) element.innerHTML = html; // made by the exporter
  else element.textContent = plain;
  for (const link of element.querySelectorAll("a[href]")) { link.rel = "noopener noreferrer"; link.target = link.getAttribute("href").startsWith("#") ? "" : "_blank"; }
  return element;
}

function image(block) {
  const type = /^image\/(png|jpeg|gif|webp)$/.test(block.mimeType) ? block.mimeType : "image/png";
  const element = document.createElement("img");
  element.alt = "image";
  if (/^[A-Za-z0-9+/=]+$/.test(text(block.data))) element.src = `data:${type};base64,${block.data}`;
  return element;
}

function diff(value) {
  const pre = document.createElement("pre");
  for (const line of value.split("\n"))
    pre.append(make("span", /^[+]/.test(line) ? "plus" : /^-/.test(line) ? "minus" : /^@@/.test(line) ? "hunk" : "", line + "\n"));
  return pre;
}

function call(block) {
  const result = results.get(block.id);
  const args = isObject(block.arguments) ? block.arguments : {};
  const hint = text(args.intent || args.i || args.path || args.command || args.pattern || args.op || Object.values(args).find(value => typeof value === "string"));
  const element = make("details", "call", make("summary", result && result.isError ? "bad" : "", make("b", "", text(block.name)), " " + hint.split("\n")[0].slice(0, 200)));
  element.append(make("pre", "", JSON.stringify(args, null, 2)));
  const shown = result && isObject(result.details) && typeof result.details.diff === "string" ? result.details.diff : null;
  if (shown) element.append(diff(shown));
  else if (result) element.append(make("pre", result.isError ? "bad" : "", firstText(result) || "(no text)"));
  else element.append(make("pre", "bad", "(no result)"));
  const mark = result && isObject(result.details) && isObject(result.details.github) ? result.details.github : null;
  if (mark) element.append(make("p", "mark", ["GitHub:", `${text(mark.host)}${mark.repository ? "/" + text(mark.repository) : ""}`, mark.number ? `${text(mark.kind)} ${Number(mark.number)}` : "", text(mark.url)].filter(Boolean).join(" ")));
  for (const part of blocksOf(result).filter(part => part.type === "image")) element.append(make("div", "", image(part)));
  return element;
}

function blocks(entry, message) {
  const html = (data.html || {})[entry.id] || [];
  return blocksOf(message).map((block, at) => {
    if (block.type === "text") return text(block.text).trim() ? body(html[at], text(block.text)) : null;
    if (block.type === "thinking") return text(block.thinking).trim() ? make("details", "thinking", make("summary", "", "Thinking"), make("div", "body plain", text(block.thinking))) : null;
    if (block.type === "toolCall") return call(block);
    return block.type === "image" ? image(block) : null;
  }).filter(Boolean);
}

function when(entry) {
  const date = new Date(entry.timestamp);
  return isNaN(date) ? null : make("span", "when", date.toLocaleString());
}

function show(entry) {
  const message = isObject(entry.message) ? entry.message : null;
  const note = value => make("div", "entry note", value);
  let element = null;
  if (message && message.role === "toolResult") return null; // beside its call
  if (message && (message.role === "user" || message.role === "assistant")) {
    const parts = blocks(entry, message);
    if (message.errorMessage) parts.push(make("div", "bad", text(message.errorMessage)));
    element = parts.length ? make("div", "entry " + message.role, message.role === "user" ? when(entry) : null, ...parts) : null;
  } else if (message) element = note(text(message.role) + ": " + firstText(message));
  else if (entry.type === "compaction" || entry.type === "branch_summary")
    element = make("details", "entry", make("summary", "", entry.type === "compaction" ? "Earlier conversation, summarised" : "Summary of a branch that was left"), body(((data.html || {})[entry.id] || [])[0], text(entry.summary)));
  else if (entry.type === "custom_message" && entry.display !== false) element = note(typeof entry.content === "string" ? entry.content : firstText(entry));
  else if (entry.type === "model_change") element = note("Model: " + text(entry.model));
  else if (entry.type === "thinking_level_change") element = note("Thinking: " + text(entry.thinkingLevel));
  if (element) element.id = "e-" + entry.id;
  if (element && labels.has(entry.id)) element.prepend(make("div", "flag", "⚑ " + labels.get(entry.id)));
  return element;
}

function totals() {
  const sum = {input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, messages: 0};
  for (const entry of entries) {
    const usage = isObject(entry.message) && isObject(entry.message.usage) ? entry.message.usage : null;
    if (entry.type === "message") sum.messages++;
    if (!usage) continue;
    for (const key of ["input", "output", "cacheRead", "cacheWrite"]) sum[key] += Number(usage[key]) || 0;
    sum.cost += isObject(usage.cost) ? Number(usage.cost.total) || 0 : 0;
  }
  return sum;
}

function showHead() {
  const sum = totals(), head = document.getElementById("head"), number = value => value.toLocaleString();
  const date = new Date(data.header.timestamp);
  head.replaceChildren(make("h1", "", document.title),
    make("p", "", `${isNaN(date) ? "" : date.toLocaleString()} · ${text(data.header.cwd)}`),
    make("p", "", `${number(sum.messages)} messages · ${number(sum.input)} tokens in, ${number(sum.output)} out, ${number(sum.cacheRead)} from the cache` + (sum.cost ? ` · $${sum.cost.toFixed(4)}` : "")));
  const init = entries.find(entry => entry.type === "session_init") || {};
  const prompt = text(data.systemPrompt || init.systemPrompt);
  if (prompt) head.append(make("details", "", make("summary", "", "System prompt"), make("div", "body plain", prompt)));
  const tools = Array.isArray(data.tools) ? data.tools : Array.isArray(init.tools) ? init.tools : [];
  if (tools.length) head.append(make("details", "", make("summary", "", `${tools.length} tools`), make("div", "body plain", tools.map(tool => isObject(tool) ? `${text(tool.name)}: ${text(tool.description)}` : text(tool)).join("\n\n"))));
}

/* The tree: what people and models said; a level deeper only where branches part. */
function showTree() {
  const tree = document.getElementById("tree"), active = new Set(pathTo(leaf).map(entry => entry.id)), seen = new Set();
  const wanted = document.getElementById("filter").value.toLowerCase(), items = [];
  const stack = (children.get(null) || []).slice().reverse().map(entry => [entry, 0]);
  while (stack.length) {
    const [entry, depth] = stack.pop();
    if (seen.has(entry.id)) continue;
    seen.add(entry.id);
    const below = children.get(entry.id) || [], message = isObject(entry.message) ? entry.message : {};
    const line = message.role === "user" || message.role === "assistant" ? firstText(message) : text(entry.summary) && "Summary: " + text(entry.summary);
    if (line.trim() && (!wanted || line.toLowerCase().includes(wanted))) {
      const link = make("a", [message.role, active.has(entry.id) ? "on" : "", entry.id === leaf ? "leaf" : ""].join(" "), labels.has(entry.id) ? make("span", "label", "⚑ " + labels.get(entry.id) + " ") : null, line.trim().split("\n")[0].slice(0, 120));
      link.style.setProperty("--depth", Math.min(depth, 12));
      link.tabIndex = 0;
      link.dataset.id = entry.id;
      items.push(link);
    }
    for (const child of below.slice().reverse()) stack.push([child, below.length > 1 ? depth + 1 : depth]);
  }
  tree.replaceChildren(...items);
}

function showLog() {
  document.getElementById("log").replaceChildren(...pathTo(leaf).map(show).filter(Boolean));
}

function go(id) {
  if (!pathTo(leaf).some(entry => entry.id === id)) {
    leaf = endOf(id);
    showLog();
  }
  showTree();
  const element = document.getElementById("e-" + id);
  if (element) element.scrollIntoView({block: "start"});
}

function setTheme(dark) {
  document.documentElement.className = dark ? "dark" : "light";
}

document.getElementById("tree").addEventListener("click", event => { const link = event.target.closest("a"); if (link) go(link.dataset.id); });
document.getElementById("tree").addEventListener("keydown", event => { if (event.key === "Enter" && event.target.dataset.id) go(event.target.dataset.id); });
document.getElementById("filter").addEventListener("input", showTree);
document.getElementById("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
showHead();
showTree();
showLog();
