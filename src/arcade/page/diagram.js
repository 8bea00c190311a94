// Diagrams as pictures: mermaid draws them in a sandboxed frame, and the SVG that it hands back is shown as an image, in which
// nothing runs and nothing is fetched. Without mermaid, or when it fails, the source stays as it is.
import { get } from "./api.js";
import { el } from "./dom.js";

const PATIENCE_MS = 20000; // for one diagram

let frame = null; // of this page, once there is a diagram; null without mermaid
let count = 0;
const waiting = new Map(); // id → {resolve, reject}

function openFrame() {
    return new Promise((resolve, reject) => {
        const element = el("iframe.drawing", { sandbox: "allow-scripts", src: "/mermaid/frame", tabindex: "-1", "aria-hidden": "true", title: "Drawing" });
        const timer = setTimeout(() => reject(new Error("mermaid does not start")), PATIENCE_MS);
        addEventListener("message", ({ data, source }) => {
            if (source !== element.contentWindow)
                return;
            if ("ready" in data) {
                clearTimeout(timer);
                return data.ready ? resolve(element) : reject(new Error("mermaid does not start"));
            }
            const { resolve: done, reject: fail } = waiting.get(data.id) ?? {};
            waiting.delete(data.id);
            if (typeof data.svg === "string")
                done?.(data.svg);
            else
                fail?.(new Error(String(data.error)));
        });
        document.body.append(element);
    });
}

async function svgOf(text) {
    frame ??= get("mermaid").then(({ available }) => available ? openFrame() : null);
    const element = await frame;
    if (!element)
        return null;
    const id = ++count, isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        setTimeout(() => waiting.delete(id) && reject(new Error("mermaid takes too long")), PATIENCE_MS);
        element.contentWindow.postMessage({ id, text, isDark }, "*");
    });
}

/** The diagram's title, or what it is. */
function nameOf(text) {
    const title = /^\s*(?:accTitle\s*:|title[\s:])\s*(.+)$/m.exec(text)?.[1].trim();
    const type = text.replace(/^\s*---\n[\s\S]*?\n---\n/, "").split("\n").map(line => line.trim()).find(line => line && !line.startsWith("%%"));
    return title || `Diagram: ${type?.split(/[\s-]/)[0] ?? "mermaid"}`;
}

/** `source` is the <pre> of a valid diagram; the picture comes before it, and it goes behind a switch. */
export async function drawDiagram(source, badge) {
    const text = source.textContent;
    let svg;
    try {
        svg = await svgOf(text);
    } catch (error) {
        badge.dataset.text = `${badge.dataset.text}; not drawn: ${error.message.split("\n")[0]}`;
        badge.setAttribute("aria-label", badge.dataset.text);
        return;
    }
    if (!svg || !source.isConnected)
        return;
    const picture = el("img.diagram", { alt: nameOf(text), src: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })) });
    const place = el("details.source-of", null, el("summary", { "data-text": "Source", "aria-label": "Source" }));
    badge.replaceWith(picture);
    source.replaceWith(place);
    place.append(source);
}
