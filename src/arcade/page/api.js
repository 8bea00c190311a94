// The server's API: every request carries the token of this tab; live updates come over one stream.

const TOKEN = "arcade.token";
const LAST_WAIT_S = 15;

const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get("t");

/** Takes the token out of the address, where it never goes over the network, and keeps it for this tab. */
export function takeToken() {
    const given = tokenInAddress();
    if (given) {
        const place = new URLSearchParams(location.hash.slice(1)).get("at"); // a heading, from addressWithToken()
        sessionStorage.setItem(TOKEN, given);
        history.replaceState(null, "", location.pathname + location.search + (place ? `#${place}` : ""));
    }
    return sessionStorage.getItem(TOKEN) !== null;
}

// the link is opened in a tab that shows the page already
addEventListener("hashchange", () => {
    if (tokenInAddress()) {
        takeToken();
        location.reload();
    }
});

export function addressWithToken(address) {
    const [page, place] = address.split("#");
    return `${page}#t=${sessionStorage.getItem(TOKEN)}${place ? `&at=${encodeURIComponent(place)}` : ""}`;
}

class ApiError extends Error {
    constructor(status, error) {
        super(error?.message ?? `The server answered ${status}`);
        this.status = status;
        this.details = error ?? {};
    }
}

function banner(text) {
    const place = document.getElementById("banner");
    place.hidden = !text;
    place.textContent = text ?? "";
}

const hex = bytes => [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, "0")).join("");

let mayBeOther = false; // the server was lost: whoever answers next has to prove that it knows the token

/** Sends a number and never the token; who knows the token can say its HMAC. */
async function prove() {
    const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
    const health = await (await fetch(`/api/v1/health?nonce=${nonce}`, { cache: "no-store" })).json().catch(() => ({}));
    const text = word => new TextEncoder().encode(word);
    const key = await crypto.subtle.importKey("raw", text(sessionStorage.getItem(TOKEN) ?? ""), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    if (health.proof !== hex(await crypto.subtle.sign("HMAC", key, text(nonce))))
        throw new ApiError(0, { code: "other", message: "Another program answers at this address. What you wrote is kept in this tab." });
    mayBeOther = false;
}

async function ask(method, path, { body, headers, signal } = {}) {
    const options = { method, signal, cache: "no-store",
        headers: { Authorization: `Bearer ${sessionStorage.getItem(TOKEN)}`, ...headers } };
    if (method !== "GET")
        options.headers["Content-Type"] = "application/json";
    if (body !== undefined)
        options.body = JSON.stringify(body);
    let response;
    try {
        if (mayBeOther)
            await prove();
        response = await fetch(`/api/v1/${path}`, options);
    } catch (error) {
        if (error instanceof ApiError)
            throw error;
        mayBeOther = !signal?.aborted || mayBeOther;
        throw new ApiError(0, { message: "The server does not answer. What you wrote is kept in this tab." });
    }
    if (response.ok)
        return response;
    if (response.status === 401)
        banner('This tab has no valid token any more. Open the link that "kedge arcade" printed.');
    const answer = await response.json().catch(() => null);
    throw new ApiError(response.status, answer?.error);
}

export async function get(path) {
    return (await ask("GET", path)).json();
}

/** {text, sha256} of a file; the text is all of it, a byte-order mark too. */
export async function getText(path) {
    const response = await ask("GET", path);
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
    return { text, sha256: (response.headers.get("ETag") ?? "").replace(/"/g, "") };
}

export async function sha256Of(text) {
    const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return hex(hash);
}

export async function getBlob(path) {
    return (await ask("GET", path)).blob();
}

export async function send(method, path, body, headers) {
    return (await ask(method, path, { body, headers })).json();
}

/** Lines of a response's body, as they come. */
async function* lines(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { value, done } = await reader.read();
        if (done)
            return;
        const parts = (rest + value).split("\n");
        rest = parts.pop();
        yield* parts;
    }
}

/** Events of text/event-stream: {type, data, id}. */
async function* events(response) {
    let event = { type: "message", data: "" };
    for await (const line of lines(response)) {
        if (line === "") {
            yield event;
            event = { type: "message", data: "" };
        } else if (!line.startsWith(":")) {
            const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
            if (field === "event")
                event.type = value;
            else if (field === "data" || field === "id")
                event[field] = value;
        }
    }
}

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

function untilLookedAt() {
    return new Promise(resolve => {
        if (document.hidden)
            document.addEventListener("visibilitychange", resolve, { once: true });
        else
            resolve();
    });
}

/**
 * Calls listen(type, data) for every change of the run (null: of any), for ever. The type is "open" whenever a
 * connection begins: what changed before it is to be asked for; it is "reset" when too much was missed to be told. A tab that nobody
 * looks at gives its connection back, of which a browser allows few, and goes on where it stopped.
 */
export async function follow(runId, listen) {
    const path = `stream${runId ? `?runId=${encodeURIComponent(runId)}` : ""}`;
    let seen = null, wait = 1;
    for (;;) {
        let said = "Reconnecting… What you write is kept in this tab.";
        await untilLookedAt();
        const stop = new AbortController();
        const leave = () => stop.abort();
        document.addEventListener("visibilitychange", leave, { once: true });
        try {
            const headers = seen === null ? {} : { "Last-Event-ID": seen };
            const response = await ask("GET", path, { signal: stop.signal, headers });
            banner(null);
            wait = 1;
            listen("open", {});
            for await (const event of events(response)) {
                seen = event.id ?? seen;
                if (event.data)
                    listen(event.type, JSON.parse(event.data));
            }
        } catch (error) {
            if (error.status === 401)
                return;
            if (error.details?.code === "other")
                said = error.message;
        } finally {
            document.removeEventListener("visibilitychange", leave);
        }
        if (stop.signal.aborted)
            continue;
        mayBeOther = true;
        banner(said);
        await pause(wait * 1000);
        wait = Math.min(wait * 2, LAST_WAIT_S);
    }
}
