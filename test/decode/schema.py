# schema.py - validates JSON documents against a JSON schema: schema.py SCHEMA DOCUMENT...
# SPDX-License-Identifier: BSD-3-Clause
#
# Of JSON Schema it knows what share/job-summary.schema.json uses; any other word in a schema is an error, for nothing
# must pass that was not looked at.
import json
import sys

SILENT = {"$schema", "$id", "$defs", "title", "description"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check(value, schema, root, path, bad):
    known = {"$ref", "type", "enum", "const", "anyOf", "required", "properties", "additionalProperties", "items"}
    for word in schema:
        if word not in known | SILENT:
            raise SystemExit(f"schema.py: {path}: does not know the word {word}")
    if "$ref" in schema:
        return check(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, path, bad)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            bad.append(f"{path}: {value!r} is no {' or '.join(names)}")
            return None
    if "enum" in schema and value not in schema["enum"]:
        bad.append(f"{path}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        bad.append(f"{path}: {value!r} is not {schema['const']!r}")
    if "anyOf" in schema:
        tries = []
        for one in schema["anyOf"]:
            tries.append([])
            check(value, one, root, path, tries[-1])
        if all(tries):
            bad.extend(tries[-1])
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                bad.append(f"{path}: has no {name}")
        for name, member in value.items():
            other = schema.get("additionalProperties", {})
            rule = schema.get("properties", {}).get(name, other)
            if rule is False:
                bad.append(f"{path}: {name} is not in the schema")
            else:
                check(member, rule, root, f"{path}.{name}", bad)
    if isinstance(value, list):
        for i, item in enumerate(value):
            check(item, schema.get("items", {}), root, f"{path}[{i}]", bad)
    return None


def main(schema_file, *documents):
    schema = json.load(open(schema_file, encoding="utf-8"))
    bad = []
    for name in documents:
        def no_constant(text):
            raise SystemExit(f"{name}: {text} is no JSON")
        document = json.load(open(name, encoding="utf-8"), parse_constant=no_constant)
        check(document, schema, schema, name, bad)
    print("\n".join(bad[:20]))
    return 1 if bad else 0


sys.exit(main(*sys.argv[1:]))
