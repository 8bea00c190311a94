/*
 * kedge's JavaScript kernel: runs the cells of the eval tool, one after the other, in one global scope.
 *
 * Cells are evaluated as a debugger's console does it (V8's REPL mode): declarations persist and may be made again, and
 * await works at top level. Requests come and answers go as lines of JSON on descriptors 3 and 4; text goes to standard
 * output as it comes. Every answer names the cell that it belongs to; what code of an earlier cell prints, such as a
 * timer, is kept, up to a limit, and goes with the end of the next cell. Nothing but Node's own modules; Node 18 or later.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import inspector from 'node:inspector';
import module from 'node:module';
import net from 'node:net';
import path from 'node:path';
import url from 'node:url';
import util from 'node:util';

const MAX_IMAGE_BYTES = 8 << 20;
const MAX_JSON_CHARS = 1 << 20;
const MAX_SHOWN_ITEMS = 1000;
const MAX_TEXT_CHARS = 1 << 22; // of one value that is shown
const MAX_LATE_CHARS = 8192; // kept of what code of earlier cells prints
const MAX_WAITING_CALLS = 1000; // of tools

const session = new inspector.Session();
const waiting = new Map(); // id of a tool call -> {resolve, reject}
const pause = new Int32Array(new SharedArrayBuffer(4));
const origins = new AsyncLocalStorage(); // the cell whose code is running
let cell = ''; // the one that is open
let late = '';
let lateDropped = 0;
let count = 0;
let calls = 0;
let cwd = '';
let requireFrom = null;

// ---- what goes out ----------------------------------------------------------

function writeAll(fd, text) {
  const data = Buffer.from(text);
  let done = 0;
  while (done < data.length) {
    try {
      done += fs.writeSync(fd, data, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

// A line of its own, whatever somebody has written there before.
const send = frame => writeAll(4, '\n' + JSON.stringify({ cell, ...frame }) + '\n');

function keepLate(text) {
  late += text;
  const excess = late.length - MAX_LATE_CHARS;
  if (excess <= 0) return;
  late = late.slice(excess);
  lateDropped += excess;
}

function show(text) {
  const origin = origins.getStore();
  if (!cell || (origin !== undefined && origin !== cell)) return keepLate(text);
  try {
    writeAll(1, text);
  } catch {
    send({ type: 'text', text }); // a cell has closed its standard output
  }
}

const sendOpen = frame => { if (cell) send(frame); }; // else nobody waits for it

const status = (op, fields) => sendOpen({ type: 'status', event: { op, ...fields } });

// ---- values -----------------------------------------------------------------

/** What a tool answered: its text, with .text, .details and .images. */
class ToolText extends String {
  get text() { return String(this); }
  toString() { return super.toString(); }
}

function shown(value) {
  if (typeof value === 'string') return value;
  if (value instanceof ToolText) return String(value);
  return util.inspect(value, { depth: 6, maxStringLength: MAX_TEXT_CHARS, breakLength: 100 });
}

const format = values => values.length > 0 && typeof values[0] === 'string' && values.length > 1
  ? util.format(...values) : values.map(shown).join(' ');

const print = (...values) => show(format(values) + '\n');

function isImage(value) {
  return value && value.type === 'image' && typeof value.data === 'string' && typeof value.mimeType === 'string';
}

function displayImage(data, mime) {
  const size = Math.floor(data.length * 3 / 4);
  if (size > MAX_IMAGE_BYTES) show(`[an image of ${size} bytes is left out: ${MAX_IMAGE_BYTES} are allowed]\n`);
  else sendOpen({ type: 'display', image: data, mime });
}

function displayJson(value) {
  let text;
  try {
    text = JSON.stringify(value, null, 2);
  } catch { /* a cycle, a BigInt, too deep */ }
  if (text === undefined) return false;
  sendOpen({ type: 'display', json: text.slice(0, MAX_JSON_CHARS), chars: text.length });
  return true;
}

const isPlain = value => Array.isArray(value) || (typeof value === 'object' && value !== null
  && [Object.prototype, null].includes(Object.getPrototypeOf(value)));

/** Shows values: images ({type:'image',data,mimeType}), objects and arrays as JSON, all else as text. */
function display(...values) {
  for (const value of values) {
    if (isImage(value)) displayImage(value.data, value.mimeType);
    else if (!isPlain(value) || !displayJson(value)) show(shown(value) + '\n');
  }
}

// ---- tools of the session ---------------------------------------------------

class ToolError extends Error {
  get name() { return 'ToolError'; }
}

function callTool(name, args) {
  if (!cell) return Promise.reject(new ToolError('tools can be called while a cell runs only'));
  if (waiting.size >= MAX_WAITING_CALLS)
    return Promise.reject(new ToolError(`${MAX_WAITING_CALLS} calls wait already; await some of them first`));
  const id = String(++calls);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ type: 'tool-call', id, name, args: args ?? {} });
  });
}

function takeReply(reply) {
  const call = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (!call) return;
  if (!reply.ok) return call.reject(new ToolError(reply.error || 'the call failed'));
  const value = reply.value;
  const result = new ToolText(typeof value === 'string' ? value : value.text ?? '');
  if (typeof value === 'object') Object.assign(result, { details: value.details, images: value.images });
  call.resolve(result);
}

const tool = new Proxy({}, { get: (_, name) => typeof name === 'string' ? args => callTool(name, args) : undefined });

// ---- helpers ----------------------------------------------------------------

const linesOf = text => {
  const lines = String(text).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

function part(text, offset, limit) {
  if (offset === undefined && limit === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  const first = Math.max((offset ?? 1) - 1, 0);
  return lines.slice(first, limit === undefined ? undefined : first + limit).join('');
}

async function read(file, { offset, limit } = {}) {
  const text = part(await fs.promises.readFile(path.resolve(file), 'utf8'), offset, limit);
  status('read', { path: String(file), chars: text.length, preview: text.slice(0, 500) });
  return text;
}

async function put(file, text, op) {
  const target = path.resolve(file);
  await fs.promises.mkdir(path.dirname(target), { recursive: true });
  await (op === 'append' ? fs.promises.appendFile : fs.promises.writeFile)(target, text);
  status(op, { path: target, bytes: Buffer.byteLength(text) });
}

const write = (file, text) => put(file, text, 'write');
const append = (file, text) => put(file, text, 'append');

function sort(text, { reverse = false, unique = false } = {}) {
  const lines = linesOf(text);
  const sorted = (unique ? [...new Set(lines)] : lines).sort();
  return (reverse ? sorted.reverse() : sorted).join('\n');
}

function uniq(text, { count: counts = false } = {}) {
  const groups = [];
  for (const line of linesOf(text)) {
    if (groups.length > 0 && groups.at(-1)[1] === line) groups.at(-1)[0]++;
    else groups.push([1, line]);
  }
  return counts ? groups : groups.map(group => group[1]).join('\n');
}

function counter(items, { limit, reverse = true } = {}) {
  const found = new Map();
  for (const item of typeof items === 'string' ? linesOf(items) : items) found.set(item, (found.get(item) ?? 0) + 1);
  const pairs = [...found].map(([item, times]) => [times, item]).sort((a, b) => reverse ? b[0] - a[0] : a[0] - b[0]);
  return pairs.slice(0, limit);
}

async function tree(root = '.', { maxDepth = 3, showHidden = false } = {}) {
  const lines = [String(root).replace(/\/+$/, '') + '/'];
  const walk = async (place, prefix, depth) => {
    let entries = await fs.promises.readdir(place, { withFileTypes: true }).catch(() => []);
    entries = entries.filter(entry => showHidden || !entry.name.startsWith('.'))
      .sort((a, b) => b.isDirectory() - a.isDirectory() || (a.name < b.name ? -1 : 1));
    for (const [number, entry] of entries.entries()) {
      if (lines.length > MAX_SHOWN_ITEMS) return;
      const isLast = number === entries.length - 1;
      lines.push(`${prefix}${isLast ? '└── ' : '├── '}${entry.name}${entry.isDirectory() ? '/' : ''}`);
      if (entry.isDirectory() && depth < maxDepth)
        await walk(path.join(place, entry.name), prefix + (isLast ? '    ' : '│   '), depth + 1);
    }
  };
  await walk(root, '', 1);
  if (lines.length > MAX_SHOWN_ITEMS) lines.push('…');
  return lines.join('\n');
}

async function diff(a, b) {
  const { spawnSync } = await import('node:child_process');
  const made = spawnSync('diff', ['-u', '--', path.resolve(a), path.resolve(b)], { encoding: 'utf8' });
  if (made.error || made.status > 1) throw made.error ?? new Error(made.stderr.trim());
  return made.stdout;
}

function env(key, value) {
  if (key === undefined) return { ...process.env };
  if (value !== undefined) process.env[key] = String(value);
  return process.env[key];
}

async function output(...ids) {
  const texts = [];
  for (const id of ids) texts.push(await callTool('read', { path: /^\d+$/.test(id) ? `artifact://${id}` : `agent://${id}` }));
  return texts.length === 1 ? texts[0] : texts;
}

// ---- cells ------------------------------------------------------------------

/** The code, character by character, with strings, comments, templates and regular expressions blanked out. */
function bare(code) {
  const out = [...code];
  const braces = []; // of ${ in templates: how deep we were
  let depth = 0;
  let last = ''; // the last character that means something, for / of a division
  const blank = (from, to) => { for (let i = from; i < to && i < out.length; i++) if (out[i] !== '\n') out[i] = ' '; };
  const text = out.slice();
  const stringEnd = (at, quote) => {
    for (at++; at < text.length && text[at] !== quote && text[at] !== '\n'; at++) if (text[at] === '\\') at++;
    return at + 1;
  };
  const templateEnd = at => {
    for (; at < text.length; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '`') return at + 1;
      else if (text[at] === '$' && text[at + 1] === '{') { braces.push(depth++); return at + 2; }
    }
    return at;
  };
  const regexEnd = at => {
    let inClass = false;
    for (at++; at < text.length && text[at] !== '\n'; at++) {
      if (text[at] === '\\') at++;
      else if (text[at] === '[') inClass = true;
      else if (text[at] === ']') inClass = false;
      else if (text[at] === '/' && !inClass) return at + 1;
    }
    return at;
  };
  for (let at = 0; at < text.length;) {
    const char = text[at];
    let end = at + 1;
    if (char === '/' && text[at + 1] === '/') {
      while (end < text.length && text[end] !== '\n') end++;
      blank(at, end);
    } else if (char === '/' && text[at + 1] === '*') {
      for (end = at + 2; end < text.length && !(text[end] === '*' && text[end + 1] === '/');) end++;
      end += 2;
      blank(at, end);
    } else if (char === '"' || char === "'") {
      end = stringEnd(at, char);
      blank(at + 1, end - 1);
      last = char;
    } else if (char === '`') {
      end = templateEnd(at + 1);
      blank(at + 1, end - 1);
      last = char;
    } else if (char === '}' && braces.length > 0 && braces.at(-1) === depth - 1) {
      depth = braces.pop();
      end = templateEnd(at + 1);
      blank(at + 1, end - 1);
      last = '`';
    } else if (char === '/' && (last === '' || '(,=:[!&|?{};+-*%<>~^\n'.includes(last))) {
      end = regexEnd(at);
      blank(at + 1, end - 1);
      last = 'r';
    } else {
      if (char === '{') depth++;
      if (char === '}') depth--;
      if (!/\s/.test(char)) last = char;
    }
    at = end;
  }
  return out;
}

/** `import … from 'x'` at the beginning of a line, as `await import()`. */
function importLine(line) {
  const found = /^\s*import\s+(?:([\s\S]*?)\s+from\s+)?(['"])([^'"]+)\2\s*(?:(?:with|assert)\s*\{[^}]*\}\s*)?;?\s*$/.exec(line);
  if (!found) return line;
  const [, names, , from] = found;
  const load = `await __kedge__.load(${JSON.stringify(from)})`;
  if (!names) return `${load};`;
  const made = [];
  const star = /\*\s+as\s+([\w$]+)/.exec(names);
  const braces = /\{([\s\S]*)\}/.exec(names);
  const alone = /^([\w$]+)/.exec(names);
  if (star) made.push(`const ${star[1]} = ${load};`);
  if (alone) made.push(`const ${alone[1]} = (${load}).default;`);
  if (braces) made.push(`const {${braces[1].replace(/([\w$]+)\s+as\s+/g, '$1: ').replace(/\s+/g, ' ')}} = ${load};`);
  return made.join(' ');
}

/** Imports, static and dynamic, resolved from the working directory. */
function withImports(code) {
  if (!/\bimport\b/.test(code)) return code;
  const skeleton = bare(code).join('');
  const characters = [...code];
  const edits = []; // [from, to, text]
  const statement = /^[ \t]*import\b(?!\s*[(.])[^;'"]*(?:'[^'\n]*'|"[^"\n]*")[ \t]*;?/gm;
  for (const found of skeleton.matchAll(statement)) {
    const from = [...skeleton.slice(0, found.index)].length;
    const to = from + [...found[0]].length;
    edits.push([from, to, importLine(characters.slice(from, to).join(''))]);
  }
  for (const found of skeleton.matchAll(/(?<![.\w$])import(?=\s*\()/g)) {
    const from = [...skeleton.slice(0, found.index)].length;
    edits.push([from, from + 6, '__kedge__.load']);
  }
  edits.sort((a, b) => b[0] - a[0]);
  for (const [from, to, text] of edits) characters.splice(from, to - from, text);
  return characters.join('');
}

async function load(name) {
  if (module.isBuiltin?.(name) || /^(node|data|file|https?):/.test(name)) return import(name);
  const file = name.startsWith('.') || name.startsWith('/') ? path.resolve(cwd, name) : requireFrom.resolve(name);
  return import(path.isAbsolute(file) ? url.pathToFileURL(file).href : file);
}

const post = (method, params) => new Promise((resolve, reject) =>
  session.post(method, params, (error, result) => error ? reject(error) : resolve(result)));

/** The value that the inspector speaks of, itself. */
async function valueOf(remote) {
  if (!remote.objectId) return 'value' in remote ? remote.value : undefined;
  let value;
  globalThis.__kedge__.take = taken => { value = taken; };
  await post('Runtime.callFunctionOn', { objectId: remote.objectId, functionDeclaration: 'function(){globalThis.__kedge__.take(this)}' });
  await post('Runtime.releaseObject', { objectId: remote.objectId }).catch(() => {});
  // `this` of a primitive's wrapper does not occur: objects have ids, primitives have values
  return value;
}

function withoutKernel(stack) {
  return stack.split('\n').filter(line => !/^\s+at .*(\bnode:[\w/]+:\d+|data:text\/javascript)/.test(line)
    && !/^\s+at new Promise \(<anonymous>\)$/.test(line)).join('\n');
}

function errorText(error) {
  if (!(error instanceof Error) && !util.types.isNativeError(error)) return `Uncaught ${shown(error)}`;
  const head = `${error.name}: ${error.message}`;
  const stack = withoutKernel(String(error.stack ?? head));
  const cause = error.cause === undefined ? '' : `\n[cause]: ${errorText(error.cause)}`;
  return (stack.includes(error.message) ? stack : `${head}\n${stack}`) + cause;
}

async function evaluate(code) {
  const expression = `${code}\n//# sourceURL=cell-${count}.js`;
  return post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true, userGesture: false });
}

const isSyntaxError = done => done.exceptionDetails?.exception?.className === 'SyntaxError';

/** TypeScript without its types, where the runtime can do that. */
function stripped(code) {
  try {
    return module.stripTypeScriptTypes?.(code, { mode: 'strip' });
  } catch {
    return undefined;
  }
}

async function evaluateCell(source) {
  const done = await evaluate(withImports(source));
  if (!isSyntaxError(done)) return done;
  const plain = stripped(source);
  return plain === undefined || plain === source ? done : evaluate(withImports(plain));
}

function displayValue(value) {
  if (value !== undefined) display(value);
}

/** True: it has ended well. */
async function runCode(code) {
  try {
    const done = await evaluateCell(code);
    if (done.exceptionDetails) {
      const thrown = done.exceptionDetails.exception ?? {};
      show(errorText(thrown.unserializableValue ?? await valueOf(thrown)) + '\n');
      return false;
    }
    if (done.result.unserializableValue) {
      show(done.result.unserializableValue + '\n');
    } else if (done.result.type === 'symbol') {
      show(done.result.description + '\n');
    } else {
      displayValue(await valueOf(done.result));
    }
    return true;
  } catch (error) {
    show(errorText(error) + '\n');
    return false;
  }
}

async function run(request) {
  count++;
  cell = request.id;
  send({ type: 'started' });
  const isDone = await origins.run(cell, () => runCode(request.code));
  const kept = late ? { late, lateDropped } : {};
  cell = late = '';
  lateDropped = 0;
  send({ type: 'done', cell: request.id, status: isDone ? 'ok' : 'error', executionCount: count, ...kept });
}

// ---- requests ---------------------------------------------------------------

function setUp(init) {
  cwd = init.cwd;
  requireFrom = module.createRequire(path.join(cwd, 'cell.js'));
  const own = new console.Console({ stdout: process.stdout, stderr: process.stderr });
  for (const name of ['log', 'info', 'debug', 'warn', 'error']) own[name] = print;
  Object.defineProperty(globalThis, 'console', { value: own, configurable: true, writable: true });
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (data, encoding, done) => {
      show(typeof data === 'string' ? data : Buffer.from(data).toString());
      const callback = typeof encoding === 'function' ? encoding : done;
      if (callback) process.nextTick(callback);
      return true;
    };
  }
  const names = { display, print, read, write, append, sort, uniq, counter, diff, tree, env, output, tool, ToolError, require: requireFrom };
  for (const [name, value] of Object.entries(names))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
  Object.defineProperty(globalThis, '__kedge__', { value: { load }, enumerable: false });
  process.on('uncaughtException', error => show(`Uncaught ${errorText(error)}\n`));
  process.on('unhandledRejection', error => show(`Unhandled rejection: ${errorText(error)}\n`));
  session.connect();
  if (Number(process.versions.node.split('.')[0]) < 18)
    send({ type: 'init-failed', error: `Node ${process.versions.node} is too old: 18 or later is needed` });
  else
    send({ type: 'ready', version: process.versions.node });
}

function take(line) {
  if (line === '') return;
  const request = JSON.parse(line);
  if (request.type === 'init') setUp(request);
  else if (request.type === 'run') run(request);
  else if (request.type === 'tool-reply') takeReply(request);
  else if (request.type === 'exit') process.exit(0);
}

function serve() {
  const pieces = []; // of the line that has not ended yet
  const requests = new net.Socket({ fd: 3, readable: true, writable: false });
  requests.on('data', data => {
    let from = 0;
    for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, from)) {
      pieces.push(data.subarray(from, at));
      take(Buffer.concat(pieces.splice(0)).toString());
      from = at + 1;
    }
    if (from < data.length) pieces.push(data.subarray(from));
  });
  requests.on('end', () => process.exit(0));
  requests.on('error', () => process.exit(0));
}

serve();
