// Places in a text. Offsets of the API count code points in the text with CRLF read as LF; the browser's count UTF-16
// units: this file knows both.

const CONTEXT = 64;
const STEPS = 4000000; // of searching for one selection

// what Markdown has and a reader does not see, tried in this order
const UNSEEN = [
    /\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]/iy, // what makes an alert
    /\[\^[^\]\s]+\]/y, // a footnote's number
    /!\[[^\]\n]*\]\([^)\n]*\)/y, // a picture
    /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)/y, // where a link leads
    /\]\[[^\]\n]*\]/y,
    /(?<=\n)[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/y, // an item of a list
    /<\/?(?:br|details|summary)(?:\s[^<>\n]*)?\/?>/iy,
    /[\s*_~`\\[\]|<>#:!^-]/y,
];
const ENTITY = /&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});/y;

function matchAt(pattern, text, at) {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? null;
}

function decode(entity) {
    const box = document.createElement("textarea"); // its content is text
    box.innerHTML = entity;
    return box.value;
}

function unseenAt(markdown, at) {
    for (const pattern of UNSEEN) {
        const found = matchAt(pattern, markdown, at);
        if (found)
            return found;
    }
    return null;
}

/** Where `shown` ends in a piece of Markdown when it begins at `at`; -1 when it does not. `work.left` counts down. */
function endOfShown(shown, markdown, at, work) {
    let next = at;
    for (let index = 0; index < shown.length; work.left--) {
        const entity = markdown[next] === "&" ? matchAt(ENTITY, markdown, next) : null;
        const decoded = entity ? decode(entity) : null;
        if (decoded && decoded !== entity && shown.startsWith(decoded, index)) {
            next += entity.length;
            index += decoded.length;
        } else if (markdown[next] === shown[index]) {
            next++;
            index++;
        } else if (index > 0 && /\s/.test(shown[index])) {
            index++;
        } else {
            const unseen = index > 0 ? unseenAt(markdown, next) : null;
            if (!unseen)
                return -1;
            next += unseen.length;
        }
    }
    return next;
}

/**
 * Where each UTF-16 unit of `shown`, a block as a reader sees it, stands in its Markdown; null when that cannot be told.
 */
export function alignShown(shown, text) {
    const places = new Array(shown.length), markdown = `\n${text}`; // what begins a line begins with its end
    let next = 0;
    for (let index = 0; index < shown.length;) {
        const entity = markdown[next] === "&" ? matchAt(ENTITY, markdown, next) : null;
        const decoded = entity ? decode(entity) : null;
        if (decoded && decoded !== entity && shown.startsWith(decoded, index)) {
            places.fill(next - 1, index, index + decoded.length);
            next += entity.length;
            index += decoded.length;
        } else if (markdown[next] === shown[index]) {
            places[index++] = next++ - 1;
        } else if (/\s/.test(shown[index])) {
            places[index++] = Math.max(next - 1, 0);
        } else {
            const unseen = unseenAt(markdown, next);
            if (!unseen)
                return null;
            next += unseen.length;
        }
    }
    return places;
}

/** What a reader sees of Markdown, about, without all that may differ from the page. */
function letters(text) {
    return text.replace(/\]\([^()\n]*\)/g, "]").replace(new RegExp(ENTITY.source, "g"), decode).replace(/[^\p{L}\p{N}]+/gu, "");
}

function sameStart(a, b) {
    let length = 0;
    while (length < a.length && a[length] === b[length])
        length++;
    return length;
}

/** What is to be read around a place, going away from it; a near end of the text counts as one letter more. */
function surroundings(before, after) {
    const size = 2 * CONTEXT, end = "\0";
    const back = [...letters(before.slice(-size))].reverse().join("");
    return [back + (before.length <= size ? end : ""), letters(after.slice(0, size)) + (after.length <= size ? end : "")];
}

export class Source {
    constructor(text) {
        this.text = text.replace(/\r\n/g, "\n");
        this.lines = this.text.split("\n");
        if (this.lines.length > 1 && this.lines.at(-1) === "")
            this.lines.pop();
        this.isPlain = !/[\ud800-\udfff]/.test(this.text); // code points are units
    }

    /** UTF-16 index of the start of a line, 1-based; of the end of the text after the last. */
    startOf(line) {
        if (!this.starts) {
            this.starts = [0];
            for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1))
                this.starts.push(at + 1);
        }
        return this.starts[line - 1] ?? this.text.length;
    }

    /** UTF-16 index of a code point. */
    indexOf(point) {
        if (this.isPlain)
            return point;
        let index = 0;
        for (let left = point; left > 0 && index < this.text.length; left--)
            index += this.text.codePointAt(index) > 0xffff ? 2 : 1;
        return index;
    }

    /** [start, end) of an anchor, in UTF-16 indexes. */
    rangeOf(anchor) {
        if (anchor.type === "text-selection")
            return [this.indexOf(anchor.startOffset), this.indexOf(anchor.endOffset)];
        const line = anchor.lineNumber ?? 1, start = this.startOf(line);
        return [start, start + (this.lines[line - 1] ?? "").length];
    }

    /** The anchor of the lines first…last: of one line by its number, of several by their text. */
    linesAnchor(first, last) {
        if (first === last)
            return this.lineAnchor(first);
        return this.selectionAnchor(this.startOf(first), this.startOf(last) + this.lines[last - 1].length);
    }

    points(index) {
        return this.isPlain ? index : Array.from(this.text.slice(0, index)).length;
    }

    lineAnchor(line) {
        return { type: "line", lineNumber: line, lineContent: this.lines[line - 1] ?? "" };
    }

    /** The anchor of text[start…end), in UTF-16 indexes. */
    selectionAnchor(start, end) {
        const before = Array.from(this.text.slice(Math.max(0, start - 2 * CONTEXT), start)).slice(-CONTEXT).join("");
        const after = Array.from(this.text.slice(end, end + 2 * CONTEXT)).slice(0, CONTEXT).join("");
        return {
            type: "text-selection", startOffset: this.points(start), endOffset: this.points(end),
            selectedText: this.text.slice(start, end), contextBefore: before, contextAfter: after,
        };
    }

    /**
     * [start, end) of what a reader sees as `shown` in the lines first…last, between the texts `before` and `after`; of
     * these lines when it cannot be told.
     */
    find(shown, first, last, before, after) {
        const from = this.startOf(first);
        const to = Math.max(from, last >= this.lines.length ? this.text.length : this.startOf(last + 1) - 1);
        const part = this.text.slice(from, to), wanted = shown.trim();
        const wantedAround = surroundings(before, after);
        const work = { left: STEPS };
        let best = [from, to], bestScore = -Infinity;
        for (let at = 0; at < part.length && work.left > 0; at++) {
            const end = endOfShown(wanted, part, at, work);
            if (end < 0)
                continue;
            const around = surroundings(part.slice(0, at), part.slice(end));
            const same = sameStart(around[0], wantedAround[0]) + sameStart(around[1], wantedAround[1]);
            const distance = Math.abs(at - before.length) / part.length; // of equals the nearest
            const score = same + (part.startsWith(wanted, at) ? 1 : 0) - distance;
            if (score > bestScore)
                [best, bestScore] = [[from + at, from + end], score];
        }
        return best;
    }
}
