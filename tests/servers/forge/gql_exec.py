"""GraphQL execution: checks a document against gql_schema.py, then runs it.

Values come from gql_resolve.py (reading) and gql_write.py (mutations); a field
without a resolver is the record's own attribute of that name in snake_case.
Errors have GitHub's shapes: unknown fields and syntax refuse the whole document,
what cannot be found becomes null with an entry in `errors`. Called by wire.py.
"""

import base64
import json
import re

from . import gql_parse, gql_resolve, gql_write
from .gql_parse import Enum, Field, Inline, Spread, Variable
from .gql_schema import ABSTRACT, ENUMS, PAGE_ARGUMENTS, SCHEMA
from .model import Refusal, iso

SCALARS = {"String", "Int", "Boolean", "ID", "URI", "DateTime", "BigInt", "Float"}


def names(body):
    """(operation name, root fields) for the log and for faults; never fails."""
    try:
        value = json.loads(body)
        document = gql_parse.parse(value["query"])
        operation = pick(document, value.get("operationName"))
        return operation.name, [field.name for field in operation.selections if isinstance(field, Field)]
    except Exception:
        return None, []


def pick(document, name):
    found = [operation for operation in document.operations if name in (None, "", operation.name)]
    if not found:
        raise Invalid(f"No operation named {json.dumps(name)}")
    return found[0]


class Invalid(Exception):
    """The whole document is refused."""

    def __init__(self, message, field=None, path=(), **extensions):
        super().__init__(message)
        self.error = {"message": message}
        if path:
            self.error["path"] = list(path)
        if extensions:
            self.error["extensions"] = extensions
        if field is not None:
            self.error["locations"] = [{"line": field.line, "column": field.column}]


def handle(request):
    """(status, body)"""
    try:
        body = request.json()
    except Refusal as refusal:
        return refusal.status, {"message": refusal.message, "documentation_url": "https://docs.github.com/graphql"}
    text = body.get("query")
    if not isinstance(text, str) or not text.strip():
        return 200, {"errors": [{"message": "A query attribute must be specified and must be a string."}]}
    try:
        document = gql_parse.parse(text)
        operation = pick(document, body.get("operationName"))
        root = {"query": "Query", "mutation": "Mutation"}[operation.kind]
        run = Run(request, document, read_variables(operation, body.get("variables") or {}))
        run.check(operation.selections, root, [" ".join(filter(None, [operation.kind, operation.name]))])
    except gql_parse.SyntaxProblem as problem:
        return 200, {"errors": [{"message": problem.message, "locations": [{"line": problem.line, "column": problem.column}]}]}
    except Invalid as invalid:
        return 200, {"errors": [invalid.error]}
    data = run.select(operation.selections, root, None, [])
    answer = {"data": data}
    if run.errors:
        answer["errors"] = run.errors
    return 200, answer


def read_variables(operation, given):
    values = {}
    for variable in operation.variables:
        if variable.name in given:
            values[variable.name] = given[variable.name]
        elif variable.has_default:
            values[variable.name] = variable.default
        if variable.type.endswith("!") and values.get(variable.name) is None and not variable.has_default:
            raise Invalid(f"Variable ${variable.name} of type {variable.type} was provided invalid value", None, (), value=None,
                          problems=[{"path": [], "explanation": "Expected value to not be null"}])
        value = values.get(variable.name)
        if variable.type.startswith("Int") and value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise Invalid(f"Variable ${variable.name} of type {variable.type} was provided invalid value", None, (), value=value,
                          problems=[{"path": [], "explanation": f"Could not coerce value {json.dumps(value)} to Int"}])
    return values


def strip(kind):
    return kind.strip("[]!")


def fits(condition, name):
    return condition is None or condition == name or name in ABSTRACT.get(condition, ())


def snake(name):
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


class Run:
    """One execution. `errors` grows while values are completed."""

    def __init__(self, request, document, variables):
        self.request, self.world = request, request.world
        self.fragments, self.variables, self.errors = document.fragments, variables, []

    # ---- checking

    def check(self, selections, type_name, path, seen=()):
        fields = SCHEMA[type_name]
        for selection in selections:
            if isinstance(selection, Spread):
                fragment = self.fragments.get(selection.name)
                if fragment is None:
                    raise Invalid(f"Fragment {selection.name} was used, but not defined", None, path, code="useAndDefineFragment",
                        fragmentName=selection.name)
                if fragment.on not in SCHEMA:
                    raise Invalid(f"No such type {fragment.on}, so it can't be a fragment condition", None, path, code="undefinedType",
                        typeName=fragment.on)
                if selection.name in seen:
                    raise Invalid(f"Fragment {selection.name} contains an infinite loop", None, path, code="infiniteLoop",
                        fragmentName=selection.name)
                self.check(fragment.selections, fragment.on, path, (*seen, selection.name))
            elif isinstance(selection, Inline):
                if selection.on is not None and selection.on not in SCHEMA:
                    raise Invalid(f"No such type {selection.on}, so it can't be a fragment condition", None, path, code="undefinedType",
                        typeName=selection.on)
                self.check(selection.selections, selection.on or type_name, path, seen)
            elif selection.name != "__typename":
                self.check_field(selection, type_name, fields, path, seen)

    def check_field(self, field, type_name, fields, path, seen):
        path = [*path, field.key]
        if field.name not in fields:
            raise Invalid(f"Field '{field.name}' doesn't exist on type '{type_name}'", field, path, code="undefinedField",
                typeName=type_name, fieldName=field.name)
        kind, allowed = fields[field.name]
        needed = [name[:-1] for name in sorted(allowed) if name.endswith("!") and name[:-1] not in field.arguments]
        if needed:
            raise Invalid(f"Field '{field.name}' is missing required arguments: {', '.join(needed)}", field, path,
                          code="missingRequiredArguments", className="Field", name=field.name, arguments=", ".join(needed))
        for argument in field.arguments:
            if argument not in allowed and argument + "!" not in allowed:
                raise Invalid(f"Field '{field.name}' doesn't accept argument '{argument}'", field, [*path, argument],
                              code="argumentNotAccepted", name=field.name, typeName="Field", argumentName=argument)
        inner = strip(kind)
        if inner in SCHEMA and not field.selections:
            hint = f"has no selections. Did you mean '{field.name} {{ ... }}'?"
            raise Invalid(f"Field must have selections (field '{field.name}' returns {inner} but {hint})", field, path,
                          code="selectionMismatch", nodeName=f"field '{field.name}'", typeName=inner)
        if inner in SCHEMA:
            self.check(field.selections, inner, path, seen)
        elif field.selections:
            names_in = json.dumps([selection.name for selection in field.selections if isinstance(selection, Field)])
            raise Invalid(f"Selections can't be made on scalars (field '{field.name}' returns {inner} but has selections {names_in})",
                field, path,
                          code="selectionMismatch", nodeName=f"field '{field.name}'", typeName=inner)

    # ---- running

    def value(self, value):
        if isinstance(value, Variable):
            return self.variables.get(value.name)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):  # what stands for a variable that was not given is left out
            return {key: self.value(item) for key, item in value.items() if not isinstance(item, Variable) or item.name in self.variables}
        return str(value) if isinstance(value, Enum) else value

    def is_wanted(self, selection):
        for name, arguments in selection.directives:
            if name == "skip" and self.value(arguments.get("if")) or name == "include" and not self.value(arguments.get("if")):
                return False
        return True

    def collect(self, selections, type_name, into):
        """Fields by response key, fragments opened, in order."""
        for selection in selections:
            if not self.is_wanted(selection):
                continue
            if isinstance(selection, Field):
                into.setdefault(selection.key, []).append(selection)
            elif isinstance(selection, Inline):
                if fits(selection.on, type_name):
                    self.collect(selection.selections, type_name, into)
            elif fits(self.fragments[selection.name].on, type_name):
                self.collect(self.fragments[selection.name].selections, type_name, into)
        return into

    def select(self, selections, type_name, record, path):
        out = {}
        for key, fields in self.collect(selections, type_name, {}).items():
            field = fields[0]
            inner = [selection for each in fields for selection in each.selections]
            if field.name == "__typename":
                out[key] = type_name
                continue
            try:
                out[key] = self.resolve(type_name, record, field, inner, [*path, key])
            except Refusal as refusal:
                out[key] = None
                self.errors.append({
                    "type": refusal.graphql_type, "path": [*path, key], "locations": [{"line": field.line, "column": field.column}],
                    "message": gql_message(refusal)})
        return out

    def resolve(self, type_name, record, field, inner, path):
        kind, _ = SCHEMA[type_name][field.name]
        arguments = self.value(field.arguments)
        if type_name == "Mutation":
            value = gql_write.run(self.request, field.name, arguments.get("input") or {})
        else:
            own = {name: value for name, value in arguments.items() if not (kind.endswith("Connection") and name in PAGE_ARGUMENTS)}
            value = self.read(type_name, record, field.name, own)
        if kind.endswith("Connection") and isinstance(value, list):
            value = make_page(self.request, field, value, arguments, inner)
        return self.complete(kind, value, inner, path)

    def read(self, type_name, record, name, arguments):
        if name == "__type":
            return introspect(arguments.get("name"))
        if name == "__schema":
            return {"queryType": introspect("Query"), "mutationType": introspect("Mutation"),
                "types": [introspect(name) for name in SCHEMA]}
        if isinstance(record, dict):
            return record.get(name)
        resolver = gql_resolve.find(type_name, name)
        if resolver:
            return resolver(self.request, record, **{snake(key): value for key, value in arguments.items()})
        return getattr(record, snake(name), None)

    def complete(self, kind, value, selections, path):
        if value is None:
            return None
        if kind.startswith("["):
            return [self.complete(kind[1:-1], item, selections, [*path, i]) for i, item in enumerate(value)]
        if kind == "DateTime":
            return iso(value) if isinstance(value, int) else value
        if kind == "BigInt":
            return str(value)
        if kind in SCALARS or kind not in SCHEMA:
            return value
        name = kind
        if kind in ABSTRACT:
            name = value["__typename"] if isinstance(value, dict) else value.kind
        return self.select(selections, name, value, path)


def gql_message(refusal):
    """GraphQL has no `errors` of its own: the details are the message."""
    details = [error.get("message") for error in refusal.errors or [] if isinstance(error, dict) and error.get("message")]
    details += [error for error in refusal.errors or [] if isinstance(error, str)]
    return ", ".join(details) or refusal.message


# ---------------------------------------------------------------- connections


def cursor(index):
    return base64.b64encode(f"cursor:v2:{index}".encode()).decode()


def index_of(text, default):
    if not text:
        return default
    try:
        return int(base64.b64decode(text).decode().rsplit(":", 1)[1])
    except (ValueError, IndexError):
        raise Refusal(422, f"`{text}` does not appear to be a valid cursor.", graphql_type="INVALID_CURSOR_ARGUMENTS") from None


def make_page(request, field, rows, arguments, inner):
    first, last = arguments.get("first"), arguments.get("last")
    wants_rows = any(not isinstance(selection, Field) or selection.name in ("nodes", "edges", "pageInfo") for selection in inner)
    if first is None and last is None and wants_rows:
        message = f"You must provide a `first` or `last` value to properly paginate the `{field.name}` connection."
        raise Refusal(422, message, graphql_type="MISSING_PAGINATION_BOUNDARIES")
    for name, value in (("first", first), ("last", last)):
        if value is not None and value < 0:
            raise Refusal(422, f"`{name}` on the `{field.name}` connection cannot be less than zero.", graphql_type="INVALID_PAGINATION")
        if value is not None and value > 100:
            message = f"Requesting {value} records on the `{field.name}` connection exceeds the `{name}` limit of 100 records."
            raise Refusal(422, message, graphql_type="EXCESSIVE_PAGINATION")
    start, end = index_of(arguments.get("after"), 0), index_of(arguments.get("before"), len(rows) + 1) - 1
    end = min(end, len(rows))
    low, high = start, end
    if first is not None:
        high = min(high, low + first)
    if last is not None:
        low = max(low, high - last)
    picked = rows[low:high]
    edges = [{"node": row, "cursor": cursor(low + i + 1)} for i, row in enumerate(picked)]
    page = {
        "nodes": picked, "edges": edges, "totalCount": len(rows), "pageInfo": {
            "hasNextPage": high < end, "hasPreviousPage": low > 0,
            "startCursor": edges[0]["cursor"] if edges else None, "endCursor": edges[-1]["cursor"] if edges else None},
    }
    page.update(gql_resolve.connection_extra(request, field.name, rows, edges))
    return page


# ---------------------------------------------------------------- introspection


def introspect(name):
    if name in ENUMS:
        return {"kind": "ENUM", "name": name, "enumValues": [{"name": value} for value in ENUMS[name]]}
    if name not in SCHEMA:
        return None
    kind = "INTERFACE" if name in ABSTRACT else "OBJECT"
    return {"kind": kind, "name": name, "fields": [{"name": field} for field in SCHEMA[name] if not field.startswith("__")]}
