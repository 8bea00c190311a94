// What is written and not sent yet: kept in this tab until it is sent or thrown away, also when the page is left.

const PREFIX = "arcade.draft.";
const unkept = new Map(); // what the tab's storage has no room for

/** `value` is JSON; null forgets it. */
export function keep(key, value) {
    unkept.delete(key);
    sessionStorage.removeItem(PREFIX + key);
    if (value === null)
        return;
    try {
        sessionStorage.setItem(PREFIX + key, JSON.stringify(value));
    } catch {
        unkept.set(key, value);
    }
}

/** Null when there is none. */
export function kept(key) {
    return unkept.get(key) ?? JSON.parse(sessionStorage.getItem(PREFIX + key) ?? "null");
}

/** [[key, value]…] of those whose key begins like this. */
export function keptUnder(start) {
    const keys = Object.keys(sessionStorage).filter(key => key.startsWith(PREFIX)).map(key => key.slice(PREFIX.length));
    return [...keys, ...unkept.keys()].filter(key => key.startsWith(start)).sort().map(key => [key, kept(key)]);
}

addEventListener("beforeunload", event => {
    if (unkept.size)
        event.preventDefault();
});
