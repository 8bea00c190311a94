// Making elements, and the few things that all pages show alike. Text is always set as text.

/** el("a.class", {href, onclick, …}, children…): attributes by name, handlers by on…, null leaves out. */
export function el(what, attributes, ...children) {
    const [tag, ...classes] = what.split(".");
    const element = document.createElement(tag || "div");
    if (classes.length)
        element.className = classes.join(" ");
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false)
            continue;
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else if (name === "value" || name === "open")
            element[name] = value;
        else
            element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...some(children));
    return element;
}

function some(children) {
    return children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false && child !== "");
}

export function button(text, onclick, attributes) {
    return el("button", { type: "button", onclick, ...attributes }, text);
}

/** Small facts in a row. */
export function facts(...children) {
    return el("div.facts", null, some(children).map(child => typeof child === "string" ? el("span", null, child) : child));
}

/** A status is a word and a colour. */
export function badge(status) {
    return el(`span.badge.is-${status}`, null, status.replace(/_/g, " "));
}

export function count(number, one, many) {
    return `${number} ${number === 1 ? one : many}`;
}

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

function timeText(time) {
    const date = new Date(time), seconds = Math.round((date - Date.now()) / 1000);
    for (const [unit, size, below] of [["second", 1, 60], ["minute", 60, 3600], ["hour", 3600, 86400]])
        if (Math.abs(seconds) < below)
            return unit === "second" ? "just now" : relative.format(Math.round(seconds / size), unit);
    return date.toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

export function when(time) {
    return time ? el("time", { datetime: time, title: new Date(time).toLocaleString() }, timeText(time)) : null;
}

setInterval(() => {
    for (const each of document.querySelectorAll("time"))
        each.textContent = timeText(each.dateTime);
}, 60000);

export function empty(text) {
    return el("p.empty", null, text);
}

/** What has just happened, for those who do not see the page. */
export function announce(text) {
    const live = document.getElementById("live");
    live.textContent = live.textContent === text ? `${text}\u00a0` : text; // the same again is to be said again
}

const TOLD_TOGETHER_MS = 1000;
let untold = null; // what others did within the second that runs

/** The same for what others do, as it comes: the first at once, what follows within a second as one sentence. */
export function tell(text) {
    if (untold) {
        untold.push(text);
        return;
    }
    untold = [];
    announce(text);
    setTimeout(() => {
        const more = untold;
        untold = null;
        if (more.length)
            tell(more.length === 1 ? more[0] : `${more.length} changes: ${more.join("; ")}`);
    }, TOLD_TOGETHER_MS);
}

/** The path at the top: [[text, address]…]; the last has no address. */
export function trail(...places) {
    document.getElementById("trail").replaceChildren(...places.flatMap(([text, address]) => [
        el("span", { "aria-hidden": "true" }, "/"),
        address ? el("a", { href: address }, text) : el("span", { "aria-current": "page" }, text),
    ]));
    document.title = `${places.length ? `${places.at(-1)[0]} · ` : ""}Arcade`;
}

export function show(...children) {
    document.getElementById("page").replaceChildren(...some(children));
}

/**
 * Replaces what is in `place`. What looks the same as before stays, so that a click that has begun on it still counts: its
 * handlers must not depend on more than what can be seen and data-key. The focus returns to what has the same data-key.
 */
export function refill(place, ...children) {
    const active = place.contains(document.activeElement) ? document.activeElement : null;
    const key = active?.closest("[data-key]")?.dataset.key;
    const old = new Map([...place.children].map(child => [child.outerHTML, child]));
    arrange(place, some(children).map(child => {
        const same = old.get(child.outerHTML);
        old.delete(child.outerHTML);
        return same ?? child;
    }));
    if (key && !active.isConnected)
        place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

/** Makes `children` what is in `place`. Those that stay are not touched: focus, selection and what is typed stay, too. */
export function arrange(place, children) {
    const wanted = new Set(children);
    for (const old of [...place.children])
        if (!wanted.has(old))
            old.remove();
    children.forEach((child, index) => {
        if (place.children[index] !== child)
            place.insertBefore(child, place.children[index] ?? null);
    });
}

/** A function that runs `work` a moment after it was called, once for many calls, and never twice at a time. */
export function soon(work, ms = 60) {
    let timer = 0, turn = Promise.resolve();
    return () => {
        timer ||= setTimeout(() => {
            timer = 0;
            turn = turn.then(work).catch(error => console.warn(error.message)); // the next connection asks again
        }, ms);
    };
}

/** What each line of a unified diff is: "added", "removed", "place", "head" or "". */
export function diffKinds(lines) {
    const kinds = { "+": "added", "-": "removed", "@": "place" };
    return lines.map((line, index) => {
        const isHead = line.startsWith("--- ") ? lines[index + 1]?.startsWith("+++ ")
            : line.startsWith("+++ ") ? lines[index - 1]?.startsWith("--- ") : /^(diff|index) /.test(line);
        return isHead ? "head" : kinds[line[0]] ?? "";
    });
}

/** A unified diff with its lines coloured; the sign stays, so colour is not all. */
export function diff(patch) {
    const lines = patch.replace(/\n$/, "").split("\n"), kinds = diffKinds(lines);
    return el("pre.diff", { tabindex: "0", role: "group", "aria-label": "Changes" },
        lines.map((line, index) => el(kinds[index] ? `span.${kinds[index]}` : "span", null, `${line}\n`)));
}
