// The content of an artifact: rendered or as source, with marks where comments sit, and what is selected.
import { getBlob } from "./api.js";
import { drawDiagram } from "./diagram.js";
import { announce, button, count, diffKinds, el, empty } from "./dom.js";
import { Highlights, ownTexts } from "./highlight.js";
import { inSlices, piecesOf } from "./pieces.js";
import { Source } from "./place.js";

const CHUNK = 200; // lines that the browser may skip together while they are out of sight
const RENDERED_CHUNK = 16384; // the same in characters of HTML
const OFFER_ROOM = 48; // pixels that the button needs
const MARKED_LINES = 500; // of one comment, at most

const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i;

const linesOf = block => block.dataset.line.split("-").map(Number);
const elementOf = node => node.nodeType === Node.TEXT_NODE ? node.parentElement : node;

/** Until a first frame showed what CSS may skip, its height is a guess, and what lies behind the guess cannot be scrolled to. */
function drawAround(element) {
    const skipped = element.closest(".blocks, .chunk");
    if (skipped)
        skipped.style.contentVisibility = "visible";
}

export class View {
    /** `hooks`: comment(anchor), open(annotation ids), addressOf(relative path, heading) → address or null. */
    constructor(docId, hooks) {
        this.docId = docId;
        this.hooks = hooks;
        this.cursor = 1;
        this.highlights = new Highlights();
        this.element = el("div.content", { onkeydown: event => this.onKey(event), onclick: event => this.onClick(event) });
        this.offer = button("Add comment", () => this.commentOnSelection(), {
            class: "offer primary", hidden: true, onmousedown: event => event.preventDefault(), // the selection stays
        });
        document.addEventListener("selectionchange", () => this.showOffer());
    }

    /** Shows `text`; `isOriginal`: it is the file as it is, so comments can have their places in it. */
    showSource(name, text, isOriginal) {
        if (this.isSource === false) // from a block to its first line
            this.cursor = this.allBlocks().filter(each => each.hasText)[this.cursor - 1]?.first ?? 1;
        this.tail = null;
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
            tabindex: "0", role: "group", "data-key": "source",
            onclick: event => this.moveTo(event.target.closest(".line"), false, event.shiftKey && !getSelection().toString()),
            "aria-label": "Source. Arrow keys move by line, with Shift over several, c comments on them.",
        }, this.source.text ? chunks : empty("The file is empty."));
        this.chunks = chunks;
        this.blocks = null;
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
        const body = el("article.rendered", {
            tabindex: "0", "data-key": "rendered",
            "aria-label": "Rendered. Arrow keys move by block, with Shift over several, c comments on them.",
        });
        this.cursor = 1;
        this.tail = null;
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
        for (const code of content.querySelectorAll("[data-mermaid]")) {
            const badge = this.mermaidBadge(code.dataset);
            code.before(badge);
            if (code.dataset.mermaid === "valid")
                setTimeout(() => drawDiagram(code, badge).then(() => this.remark())); // when it is in the page
        }
        for (const block of content.querySelectorAll("blockquote"))
            this.makeAlert(block);
        this.resolveLinks(content);
    }

    /** GitHub's `> [!NOTE]`. Its name is shown by the style: it is no text of the document. */
    makeAlert(block) {
        const first = block.firstElementChild, text = first?.tagName === "P" ? first.firstChild : null;
        const found = text?.nodeType === Node.TEXT_NODE ? ALERT.exec(text.data) : null;
        if (!found)
            return;
        const name = found[1].toLowerCase(), title = name[0].toUpperCase() + name.slice(1);
        text.data = text.data.slice(found[0].length);
        if (!first.textContent && !first.children.length)
            first.remove();
        block.className = `alert is-${name}`;
        block.dataset.title = title;
        block.setAttribute("role", "note");
        block.setAttribute("aria-label", title);
    }

    /** Relative links become links to artifacts, as far as hooks.addressOf knows them. */
    resolveLinks(content) {
        for (const link of content.querySelectorAll("[data-link]")) {
            const address = this.hooks.addressOf(link.dataset.link, link.dataset.heading);
            const isLink = link.tagName === "A";
            if (isLink === Boolean(address) && (!isLink || link.getAttribute("href") === address))
                continue;
            const { link: path, heading } = link.dataset;
            const made = el(address ? "a" : "span.unlinked", {
                href: address, title: address ? null : "not an artifact of this run", "data-link": path, "data-heading": heading ?? null,
            });
            made.append(...link.childNodes);
            link.replaceWith(made);
        }
        for (const link of content.querySelectorAll("span[data-link]"))
            link.title = "not an artifact of this run";
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

    /** [{block, first, last}] of what is rendered, in the order of the document. */
    allBlocks() {
        this.blocks ??= [...this.element.querySelectorAll("[data-line]")].map(block => {
            const [first, last] = linesOf(block);
            return { block, first, last, hasText: block.tagName === "HR" || ownTexts(block).some(node => node.data.trim()) };
        });
        return this.blocks;
    }

    /** The smallest element that shows the line. */
    elementAt(line) {
        if (this.isSource)
            return this.lineElement(line);
        let best = null;
        for (const each of this.allBlocks())
            if (each.first <= line && line <= each.last && (!best || each.last - each.first <= best.last - best.first))
                best = each;
        return best?.block ?? null;
    }

    // ---- marks ----------------------------------------------------------------

    /** After something has moved. */
    remark() {
        this.blocks = null;
        this.mark(this.annotations ?? []);
    }

    /** Bars at the left of what has comments. */
    mark(annotations) {
        this.annotations = annotations;
        for (const old of this.element.querySelectorAll(".mark"))
            old.remove();
        for (const old of this.element.querySelectorAll(".has-open, .has-resolved"))
            old.classList.remove("has-open", "has-resolved");
        this.highlights.clear();
        if (!this.source || !this.isOriginal)
            return;
        const begins = new Map(); // element → those that begin there
        for (const each of annotations.filter(annotation => annotation.line && !annotation.orphaned)) {
            const place = this.markLines(each);
            if (place && each.anchor)
                this.highlights.add(each, this.source, this.placesOf(each), this.isSource);
            if (place)
                begins.set(place, [...begins.get(place) ?? [], each]);
        }
        for (const [place, those] of begins)
            this.addMark(place, those);
    }

    /** Rows or blocks in which the words of the annotation may be. */
    placesOf({ line, endLine }) {
        const last = Math.min(endLine ?? line, line + MARKED_LINES);
        if (!this.isSource)
            return this.allBlocks().filter(each => each.hasText && each.first <= last && each.last >= line).map(each => each.block);
        const rows = [];
        for (let number = line; number <= last; number++)
            rows.push(this.lineElement(number));
        return rows.filter(Boolean);
    }

    markLines(annotation) {
        const last = Math.min(annotation.endLine ?? annotation.line, annotation.line + MARKED_LINES);
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

    /** `hash` is as in an address: escaped, and perhaps no heading's. */
    scrollToHeading(hash) {
        let heading = null;
        try {
            heading = document.getElementById(decodeURIComponent(hash.slice(1)));
        } catch {
            // no name
        }
        if (!heading)
            return;
        drawAround(heading);
        heading.scrollIntoView();
    }

    /** Shows the words of an annotation, or where they are. */
    scrollTo({ id, line }) {
        const place = this.elementAt(line), range = this.highlights.first(id);
        if (!place)
            return;
        if (this.isSource)
            this.moveTo(place, false);
        for (let parent = place.parentElement; parent !== this.element && parent; parent = parent.parentElement)
            if (parent.tagName === "DETAILS")
                parent.open = true;
        const go = () => {
            const words = range?.getBoundingClientRect();
            if (words?.height && words.height < innerHeight)
                scrollBy(0, words.top + words.height / 2 - innerHeight / 2);
            else
                place.scrollIntoView({ block: "center" });
        };
        drawAround(place);
        place.scrollIntoView({ block: "center" });
        go();
        requestAnimationFrame(go); // now that heights around it are known
        place.classList.add("flash");
        setTimeout(() => place.classList.remove("flash"), 1500);
    }

    // ---- the cursor: a line of the source, or a block -------------------------

    /** Marks rows or blocks from where Shift was first held to `row`. */
    moveTo(row, isByKey, extends_ = false) {
        if (!row)
            return;
        const isBlock = !this.isSource;
        const items = isBlock ? this.allBlocks().filter(each => each.hasText).map(each => each.block) : null;
        const number = isBlock ? items.indexOf(row) + 1 : Number(row.dataset.line);
        this.tail = extends_ ? this.tail ?? this.cursor : null;
        this.cursor = number;
        for (const old of this.element.querySelectorAll(".cursor"))
            old.classList.remove("cursor");
        const [first, last] = this.marked();
        for (let at = first; at <= Math.min(last, first + MARKED_LINES); at++)
            (isBlock ? items[at - 1] : this.lineElement(at))?.classList.add("cursor");
        if (!isByKey)
            return;
        row.scrollIntoView({ block: "nearest" });
        const text = isBlock ? row.textContent.trim() : this.source.lines[number - 1];
        announce(`${extends_ && first !== last ? `${first} to ${last} marked, ` : ""}${number}: ${text.slice(0, 200) || "blank"}`);
    }

    marked() {
        return [Math.min(this.cursor, this.tail ?? this.cursor), Math.max(this.cursor, this.tail ?? this.cursor)];
    }

    /** The anchor of what the cursor marks. */
    cursorAnchor() {
        const [first, last] = this.marked();
        if (this.isSource)
            return this.source.linesAnchor(first, last);
        const blocks = this.allBlocks().filter(each => each.hasText).slice(first - 1, last);
        return blocks.length ? this.source.linesAnchor(blocks[0].first, Math.max(...blocks.map(each => each.last))) : null;
    }

    /** On words that have comments. */
    onClick(event) {
        if (!getSelection().isCollapsed || event.target.closest("button, a, summary, input"))
            return;
        const ids = this.highlights.at(event.clientX, event.clientY);
        if (ids.length)
            this.hooks.open(ids);
    }

    onKey(event) {
        if (!this.source || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, a"))
            return;
        const blocks = this.isSource ? null : this.allBlocks().filter(each => each.hasText);
        const size = blocks ? blocks.length : this.source.lines.length;
        const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -size, End: size };
        const hasCursor = this.element.querySelector(".cursor") !== null;
        if (event.key === "c" && this.isOriginal && (hasCursor || this.selected())) {
            event.preventDefault();
            if (this.selected())
                return this.commentOnSelection();
            const anchor = this.cursorAnchor();
            if (anchor)
                this.hooks.comment(anchor);
        } else if (event.key in moves && size > 0) {
            event.preventDefault();
            const next = hasCursor ? Math.min(Math.max(this.cursor + moves[event.key], 1), size) : 1;
            this.moveTo(blocks ? blocks[next - 1].block : this.lineElement(next), true, event.shiftKey && hasCursor);
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
