// The content of an artifact: rendered or as source, with marks where comments sit, and what is selected.
import { getBlob } from "./api.js";
import { announce, button, count, diffKinds, el, empty } from "./dom.js";
import { inSlices, piecesOf } from "./pieces.js";
import { Source } from "./place.js";

const CHUNK = 200; // lines that the browser may skip together while they are out of sight
const RENDERED_CHUNK = 16384; // the same in characters of HTML
const OFFER_ROOM = 48; // pixels that the button needs
const MARKED_LINES = 500; // of one comment, at most

const linesOf = block => block.dataset.line.split("-").map(Number);
const elementOf = node => node.nodeType === Node.TEXT_NODE ? node.parentElement : node;

export class View {
    /** `hooks`: comment(anchor), open(annotation ids). */
    constructor(docId, hooks) {
        this.docId = docId;
        this.hooks = hooks;
        this.cursor = 1;
        this.element = el("div.content", { onkeydown: event => this.onKey(event) });
        this.offer = button("Add comment", () => this.commentOnSelection(), {
            class: "offer primary", hidden: true, onmousedown: event => event.preventDefault(), // the selection stays
        });
        document.addEventListener("selectionchange", () => this.showOffer());
    }

    /** Shows `text`; `isOriginal`: it is the file as it is, so comments can have their places in it. */
    showSource(name, text, isOriginal) {
        this.source = new Source(text);
        this.isSource = true;
        this.isOriginal = isOriginal;
        const { lines } = this.source;
        const kinds = /\.(diff|patch)$/i.test(name) ? diffKinds(lines) : null;
        const chunks = [];
        for (let first = 0; first < lines.length; first += CHUNK) {
            const chunk = el("div.chunk");
            for (let index = first; index < Math.min(first + CHUNK, lines.length); index++)
                chunk.append(this.row(index + 1, lines[index], kinds?.[index]));
            chunks.push(chunk);
        }
        const body = el("div.source", {
            tabindex: "0", role: "group", "data-key": "source", onclick: event => this.moveTo(event.target.closest(".line"), false),
            "aria-label": "Source. Arrow keys move by line, c comments on the line.",
        }, this.source.text ? chunks : empty("The file is empty."));
        this.chunks = chunks;
        this.element.replaceChildren(body, this.offer);
        this.moveTo(this.lineElement(Math.min(this.cursor, lines.length)), false);
    }

    row(number, line, kind) {
        const row = document.createElement("div");
        row.className = kind ? `line ${kind}` : "line";
        row.dataset.line = number;
        row.append(line || document.createElement("br"));
        return row;
    }

    /** Shows HTML that the server has made of `text`; it holds no scripts and loads nothing by itself. */
    async showRendered(html, text) {
        this.source = new Source(text);
        this.isSource = false;
        this.isOriginal = true;
        const body = el("article.rendered", { "aria-label": "Rendered" });
        this.element.replaceChildren(body, this.offer);
        if (!html.trim())
            body.append(empty("The file is empty."));
        await inSlices(piecesOf(html, RENDERED_CHUNK), piece => {
            const template = document.createElement("template");
            template.innerHTML = piece;
            this.prepare(template.content);
            body.append(el("div.blocks", null, ...template.content.children));
        }, () => body === this.element.firstChild);
        this.blocks = null; // to be looked for again
    }

    prepare(content) {
        for (const table of content.querySelectorAll("table")) {
            const scroll = el("div.scroll");
            table.replaceWith(scroll);
            scroll.append(table);
        }
        for (const picture of content.querySelectorAll("img[data-asset]"))
            this.loadPicture(picture);
        for (const code of content.querySelectorAll("[data-mermaid]"))
            code.before(this.mermaidBadge(code.dataset));
    }

    showNotice(text) {
        this.source = null;
        this.element.replaceChildren(empty(text), this.offer);
    }

    async loadPicture(picture) {
        try {
            const path = encodeURIComponent(picture.dataset.asset);
            picture.src = URL.createObjectURL(await getBlob(`artifacts/${encodeURIComponent(this.docId)}/asset?path=${path}`));
        } catch (error) {
            picture.replaceWith(el("span.problem", null, `[picture ${picture.dataset.asset}: ${error.message}]`));
        }
    }

    /** It is no text of the document, so it is none in the page either: a selection does not hold it. */
    mermaidBadge({ mermaid, mermaidLine, mermaidMessage }) {
        const text = mermaid === "valid" ? "Mermaid: valid" : `Mermaid: line ${mermaidLine}: ${mermaidMessage}`;
        return el(`p.mermaid.is-${mermaid}`, { role: "img", "aria-label": text, "data-text": text });
    }

    lineElement(line) {
        return this.chunks[Math.floor((line - 1) / CHUNK)]?.children[(line - 1) % CHUNK] ?? null;
    }

    /** The smallest element that shows the line. */
    elementAt(line) {
        if (this.isSource)
            return this.lineElement(line);
        this.blocks ??= [...this.element.querySelectorAll("[data-line]")].map(block => {
            const [first, last] = linesOf(block);
            return { block, first, last };
        });
        let best = null;
        for (const each of this.blocks)
            if (each.first <= line && line <= each.last && (!best || each.last - each.first <= best.last - best.first))
                best = each;
        return best?.block ?? null;
    }

    // ---- marks ----------------------------------------------------------------

    /** Bars at the left of what has comments. */
    mark(annotations) {
        for (const old of this.element.querySelectorAll(".mark"))
            old.remove();
        for (const old of this.element.querySelectorAll(".has-open, .has-resolved"))
            old.classList.remove("has-open", "has-resolved");
        if (!this.source || !this.isOriginal)
            return;
        const begins = new Map(); // element → those that begin there
        for (const each of annotations.filter(annotation => annotation.line && !annotation.orphaned)) {
            const place = this.markLines(each);
            if (place)
                begins.set(place, [...begins.get(place) ?? [], each]);
        }
        for (const [place, those] of begins)
            this.addMark(place, those);
    }

    markLines(annotation) {
        const last = this.isSource ? Math.min(annotation.endLine ?? annotation.line, annotation.line + MARKED_LINES) : annotation.line;
        for (let line = annotation.line; line <= last; line++)
            this.elementAt(line)?.classList.add(annotation.status === "open" ? "has-open" : "has-resolved");
        return this.elementAt(annotation.line);
    }

    addMark(place, annotations) {
        const open = annotations.filter(each => each.status === "open").length;
        const what = open ? count(open, "open comment", "open comments")
            : count(annotations.length, "resolved comment", "resolved comments");
        const mark = el("button.mark", {
            type: "button", title: what, "aria-label": `${what} on line ${annotations[0].line}: ${annotations[0].content.slice(0, 80)}`,
            onclick: event => {
                event.stopPropagation();
                this.hooks.open(annotations.map(each => each.id));
            },
        });
        if (place.tagName === "HR")
            place.before(mark);
        else
            (place.tagName === "TR" ? place.cells[0] : place.querySelector(":scope > li, th, td") ?? place).prepend(mark);
    }

    scrollTo(line) {
        const place = this.elementAt(line);
        if (!place)
            return;
        if (this.isSource)
            this.moveTo(place, false);
        place.scrollIntoView({ block: "center" });
        requestAnimationFrame(() => place.scrollIntoView({ block: "center" })); // now that heights around it are known
        place.classList.add("flash");
        setTimeout(() => place.classList.remove("flash"), 1500);
    }

    // ---- the line cursor ------------------------------------------------------

    moveTo(row, isByKey) {
        if (!row)
            return;
        this.element.querySelector(".cursor")?.classList.remove("cursor");
        row.classList.add("cursor");
        this.cursor = Number(row.dataset.line);
        if (!isByKey)
            return;
        row.scrollIntoView({ block: "nearest" });
        announce(`${this.cursor}: ${this.source.lines[this.cursor - 1].slice(0, 200) || "blank"}`);
    }

    onKey(event) {
        if (!this.source || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, a"))
            return;
        const lines = this.source.lines.length;
        const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -lines, End: lines };
        if (event.key === "c" && this.isOriginal && (this.isSource || this.selected())) {
            event.preventDefault();
            if (this.selected())
                this.commentOnSelection();
            else
                this.hooks.comment(this.source.lineAnchor(this.cursor));
        } else if (this.isSource && event.key in moves && !event.shiftKey) {
            event.preventDefault();
            const line = Math.min(Math.max(this.cursor + moves[event.key], 1), lines);
            this.moveTo(this.lineElement(line), true);
        }
    }

    // ---- the selection --------------------------------------------------------

    /** The range that is selected in the content, or null. */
    selected() {
        const selection = getSelection();
        if (!this.source || !this.isOriginal || selection.isCollapsed || !selection.rangeCount || !selection.toString().trim())
            return null;
        const range = selection.getRangeAt(0);
        return this.element.firstChild.contains(range.commonAncestorContainer) ? range : null;
    }

    showOffer() {
        const range = this.selected();
        this.offer.hidden = !range;
        if (!range)
            return;
        const box = range.getBoundingClientRect(), frame = this.element.getBoundingClientRect();
        const hasRoom = box.bottom + OFFER_ROOM < innerHeight;
        const top = hasRoom ? box.bottom + 4 : Math.min(Math.max(box.top - OFFER_ROOM, 4), innerHeight - OFFER_ROOM);
        this.offer.style.top = `${top - frame.top}px`;
        this.offer.style.left = `${Math.min(Math.max(box.left - frame.left, 0), Math.max(frame.width - 140, 0))}px`;
    }

    /** UTF-16 index of a point in the source view. */
    indexOf(node, offset) {
        const row = elementOf(node).closest(".line");
        if (!row) { // between lines: the one that it stands before
            const next = node.childNodes[offset];
            const line = next?.closest?.(".line") ?? next?.querySelector?.(".line");
            return line ? this.source.startOf(Number(line.dataset.line)) : this.source.text.length;
        }
        const inside = document.createRange();
        inside.selectNodeContents(row);
        inside.setEnd(node, offset);
        return this.source.startOf(Number(row.dataset.line)) + inside.toString().length;
    }

    anchorOf(range) {
        if (this.isSource) {
            const start = this.indexOf(range.startContainer, range.startOffset);
            const end = this.indexOf(range.endContainer, range.endOffset);
            return this.source.selectionAnchor(start, end);
        }
        const blocks = this.blocksOf(range);
        if (!blocks.length)
            return null;
        const start = blocks[0], end = blocks.at(-1);
        const [first] = linesOf(start), last = blocks.reduce((line, block) => Math.max(line, linesOf(block)[1]), first);
        const before = document.createRange(), after = document.createRange();
        before.setStart(start, 0);
        before.setEnd(range.startContainer, range.startOffset);
        after.setStart(range.endContainer, range.endOffset);
        after.setEnd(end, end.childNodes.length);
        return this.source.selectionAnchor(...this.source.find(range.toString(), first, last, before.toString(), after.toString()));
    }

    /** The innermost blocks of the texts that are selected; a range may also touch the one after them. */
    blocksOf(range) {
        const walker = document.createTreeWalker(elementOf(range.commonAncestorContainer), NodeFilter.SHOW_TEXT);
        const blocks = new Set();
        while (walker.nextNode()) {
            const node = walker.currentNode;
            if (!range.intersectsNode(node))
                continue;
            const text = node.data.slice(node === range.startContainer ? range.startOffset : 0,
                                         node === range.endContainer ? range.endOffset : node.data.length);
            const block = text.trim() ? node.parentElement.closest("[data-line]") : null;
            if (block)
                blocks.add(block);
        }
        return [...blocks];
    }

    commentOnSelection() {
        const range = this.selected();
        const anchor = range ? this.anchorOf(range) : null;
        if (!anchor)
            return;
        getSelection().removeAllRanges();
        this.hooks.comment(anchor);
    }
}
