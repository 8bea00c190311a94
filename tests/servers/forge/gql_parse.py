"""GraphQL documents: a lexer and a recursive-descent parser of what clients send.

Gives plain records (Operation, Fragment, Field, Spread, Inline); values become
Python values with Variable and Enum in between. Type definitions are not parsed.
Used by gql_exec.py.
"""

import json
import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<skip>[\s,\ufeff]+|\#[^\n]*)|(?P<name>[A-Za-z_]\w*)|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"""
    r"""|(?P<block>\"\"\".*?\"\"\")|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<punct>\.\.\.|[!$&()\[\]:=@{|}])""", re.S)


class SyntaxProblem(Exception):
    def __init__(self, message, line, column):
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


@dataclass
class Variable:
    name: str


class Enum(str):
    """A bare word such as OPEN."""


@dataclass
class VariableDef:
    name: str
    type: str  # as written: [PullRequestState!]
    default: object = None
    has_default: bool = False


@dataclass
class Operation:
    kind: str
    name: str
    variables: list
    selections: list


@dataclass
class Fragment:
    name: str
    on: str
    selections: list


@dataclass
class Field:
    name: str
    alias: str
    arguments: dict
    directives: list
    selections: list
    line: int
    column: int

    @property
    def key(self):
        return self.alias or self.name


@dataclass
class Spread:
    name: str
    directives: list


@dataclass
class Inline:
    on: str
    directives: list
    selections: list


@dataclass
class Document:
    operations: list = field(default_factory=list)
    fragments: dict = field(default_factory=dict)


def parse(text):
    return Parser(text).document()


class Parser:
    def __init__(self, text):
        self.text, self.tokens, self.at = text, [], 0
        offset = 0
        while offset < len(text):
            match = TOKEN.match(text, offset)
            if match is None:
                raise SyntaxProblem(f"Unexpected character {text[offset]!r}", *self.place(offset))
            if match.lastgroup != "skip":
                self.tokens.append((match.lastgroup, match[0], offset))
            offset = match.end()
        self.tokens.append(("end", "", len(text)))

    def place(self, offset):
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

    # ---- tokens

    @property
    def word(self):
        return self.tokens[self.at][1]

    def peek(self, text):
        return self.tokens[self.at][1] == text and self.tokens[self.at][0] in ("punct", "name")

    def take(self, text=None, kind=None):
        found_kind, found, offset = self.tokens[self.at]
        if (text is not None and (found != text or found_kind == "string")) or (kind is not None and found_kind != kind):
            if found_kind == "end":
                raise SyntaxProblem("Unexpected end of document", *self.place(offset))
            line, column = self.place(offset)
            raise SyntaxProblem(f'Expected {text or kind.upper()}, actual: {found_kind.upper()} ("{found}") at [{line}, {column}]', line,
                column)
        self.at += 1
        return found

    def skip(self, text):
        if self.peek(text):
            self.at += 1
            return True
        return False

    # ---- grammar

    def document(self):
        document = Document()
        while self.tokens[self.at][0] != "end":
            if self.peek("{"):
                document.operations.append(Operation("query", None, [], self.selections()))
            elif self.peek("fragment"):
                self.take()
                name = self.take(kind="name")
                self.take("on")
                document.fragments[name] = Fragment(name, self.take(kind="name"), self.after_directives())
            elif self.word in ("query", "mutation", "subscription"):
                kind = self.take()
                name = self.take() if self.tokens[self.at][0] == "name" else None
                variables = self.variables() if self.peek("(") else []
                document.operations.append(Operation(kind, name, variables, self.after_directives()))
            else:
                self.take("query")
        if not document.operations:
            raise SyntaxProblem("Unexpected end of document", 1, 1)
        return document

    def after_directives(self):
        self.directives()
        return self.selections()

    def variables(self):
        found = []
        self.take("(")
        while not self.skip(")"):
            self.take("$")
            name = self.take(kind="name")
            self.take(":")
            start = self.at
            while self.tokens[self.at][1] in ("[", "]", "!") or self.at == start or self.tokens[self.at - 1][1] == "[":
                self.at += 1
            variable = VariableDef(name, "".join(token[1] for token in self.tokens[start:self.at]))
            if self.skip("="):
                variable.default, variable.has_default = self.value(), True
            found.append(variable)
        return found

    def selections(self):
        found = []
        self.take("{")
        while not self.skip("}"):
            found.append(self.selection())
        return found

    def selection(self):
        if self.skip("..."):
            if self.skip("on"):
                on = self.take(kind="name")
                return Inline(on, self.directives(), self.selections())
            if self.peek("{") or self.peek("@"):
                return Inline(None, self.directives(), self.selections())
            return Spread(self.take(kind="name"), self.directives())
        line, column = self.place(self.tokens[self.at][2])
        name, alias = self.take(kind="name"), None
        if self.skip(":"):
            alias, name = name, self.take(kind="name")
        arguments = self.arguments()
        directives = self.directives()
        return Field(name, alias, arguments, directives, self.selections() if self.peek("{") else [], line, column)

    def arguments(self):
        found = {}
        if self.skip("("):
            while not self.skip(")"):
                name = self.take(kind="name")
                self.take(":")
                found[name] = self.value()
        return found

    def directives(self):
        found = []
        while self.skip("@"):
            name = self.take(kind="name")
            found.append((name, self.arguments()))
        return found

    def value(self):
        kind, text, _ = self.tokens[self.at]
        if self.skip("$"):
            return Variable(self.take(kind="name"))
        if self.skip("["):
            items = []
            while not self.skip("]"):
                items.append(self.value())
            return items
        if self.skip("{"):
            fields = {}
            while not self.skip("}"):
                name = self.take(kind="name")
                self.take(":")
                fields[name] = self.value()
            return fields
        self.at += 1
        if kind == "string":
            return json.loads(text, strict=False)
        if kind == "block":
            return text[3:-3].strip("\n")
        if kind == "number":
            return float(text) if re.search(r"[.eE]", text) else int(text)
        if kind == "name":
            return {"true": True, "false": False, "null": None}.get(text, Enum(text))
        self.at -= 1
        return self.take(kind="name")
