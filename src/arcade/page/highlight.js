// The commented words, coloured where they stand. The browser paints ranges, so that nothing is put into the text.
import { alignShown } from "./place.js";

const NAMES = ["open", "resolved"]; // ::highlight(comment-open) …
const MAX_PARTS = 400; // blocks or lines of one comment, at most

export function ownTexts(block) {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT, node =>
        node.parentElement.closest("[data-line]") === block ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
    const nodes = [];
    while (walker.nextNode())
        nodes.push(walker.currentNode);
    return nodes;
}

/** The range of [start, end) of the text that the nodes have together. */
function rangeOf(nodes, start, end) {
    const range = document.createRange();
    let at = 0;
    range.setStart(nodes[0], 0);
    for (const node of nodes) {
        if (start >= at && start <= at + node.length)
            range.setStart(node, start - at);
        if (end >= at && end <= at + node.length) {
            range.setEnd(node, end - at);
            break;
        }
        at += node.length;
    }
    return range;
}

/** What [start, end) of the source is in one rendered block; null when none of it is there. */
function rangeInBlock(source, block, start, end) {
    const nodes = ownTexts(block), shown = nodes.map(node => node.data).join("");
    if (!shown.trim())
        return null;
    const [first, last] = block.dataset.line.split("-").map(Number);
    let from = source.startOf(first);
    const to = source.startOf(last) + (source.lines[last - 1] ?? "").length;
    if (block.tagName === "PRE" && /^[\s>]*(```|~~~)/.test(source.text.slice(from, to)))
        from = Math.min(source.startOf(first + 1), to); // its fence is not shown
    const places = alignShown(shown, source.text.slice(from, to));
    let begin = 0, stop = shown.length;
    if (!places && (from < start || to > end))
        return null; // it cannot be told which of its words
    if (places) {
        begin = places.findIndex(place => from + place >= start);
        stop = places.findIndex(place => from + place >= end);
        begin = begin < 0 ? shown.length : begin;
        stop = stop < 0 ? shown.length : stop;
    }
    const part = shown.slice(begin, stop), text = part.trim();
    const left = part.length - part.trimStart().length;
    return text ? rangeOf(nodes, begin + left, begin + left + text.length) : null;
}

function rangeInRow(source, row, start, end) {
    const from = source.startOf(Number(row.dataset.line)), node = row.firstChild;
    const last = [...row.childNodes].find(child => child.nodeType === Node.TEXT_NODE) ?? node;
    if (last?.nodeType !== Node.TEXT_NODE)
        return null;
    const begin = Math.min(Math.max(start - from, 0), last.length), stop = Math.min(end - from, last.length);
    if (stop <= begin)
        return null;
    const range = document.createRange();
    range.setStart(last, begin);
    range.setEnd(last, stop);
    return range;
}

export class Highlights {
    constructor() {
        this.ranges = new Map(); // id of an annotation → its ranges
        this.paint = globalThis.CSS?.highlights && globalThis.Highlight
            ? new Map(NAMES.map(name => [name, new Highlight()])) : null; // an old browser shows the bars only
        this.paint?.forEach((highlight, name) => CSS.highlights.set(`comment-${name}`, highlight));
    }

    clear() {
        this.ranges.clear();
        this.paint?.forEach(highlight => highlight.clear());
    }

    /** `places` are rows of the source or rendered blocks in which the annotation may be. */
    add(annotation, source, places, isSource) {
        const [start, end] = source.rangeOf(annotation.anchor);
        const ranges = places.slice(0, MAX_PARTS).map(place =>
            isSource ? rangeInRow(source, place, start, end) : rangeInBlock(source, place, start, end)).filter(Boolean);
        this.ranges.set(annotation.id, ranges);
        for (const range of ranges)
            this.paint?.get(annotation.status === "open" ? "open" : "resolved").add(range);
    }

    /** Ids of the annotations whose words are at a point of the window. */
    at(x, y) {
        const isThere = range => [...range.getClientRects()].some(box => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom);
        return [...this.ranges].filter(([, ranges]) => ranges.some(isThere)).map(([id]) => id);
    }

    first(id) {
        return this.ranges.get(id)?.[0] ?? null;
    }
}
