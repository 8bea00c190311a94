// The page of Arcade: which of its views the address asks for.
import { addressWithToken, takeToken } from "./api.js";
import { el, show } from "./dom.js";
import { showRuns } from "./runs.js";
import { showRun } from "./run.js";
import { showArtifact } from "./artifact.js";

const views = [
    [/^\/$/, showRuns],
    [/^\/runs\/([^/]+)$/, showRun],
    [/^\/runs\/([^/]+)\/artifact\/([^/]+)$/, showArtifact],
];

/** A link of ours that is opened in another tab takes the token there: each tab has its own storage. */
function openInTab(event) {
    const link = event.target.closest?.("a[href^='/']");
    const isOther = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey || event.shiftKey));
    if (!link || !isOther)
        return;
    event.preventDefault();
    window.open(addressWithToken(link.href), "_blank", "noopener");
}

async function start() {
    if (!takeToken())
        return; // the shell says what to do
    document.addEventListener("click", openInTab);
    document.addEventListener("auxclick", openInTab);
    for (const [path, view] of views) {
        const found = path.exec(location.pathname);
        if (found)
            return view(...found.slice(1).map(decodeURIComponent));
    }
    show(el("p.empty", null, "There is no such page. ", el("a", { href: "/" }, "All runs")));
}

start().catch(error => show(el("p.problem", { role: "alert" }, error.message)));
