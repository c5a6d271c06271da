# site.py - checks of the documentation site: site.py DIRECTORY; prints what is wrong, a line each
# SPDX-License-Identifier: BSD-3-Clause
import html.parser
import json
import os
import sys
import urllib.parse

# Elements that may have no end tag
VOID = {"meta", "link", "input", "img", "br", "hr", "col"}


class Page(html.parser.HTMLParser):
    """What a page refers to, and what it may be referred to by."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.wrong, self.open, self.nav = [], [], [], [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        if self.open:
            self.wrong.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.ids.append(values["id"])
        for name in ("href", "src", "srcset", "action", "data", "poster"):
            if name in values:
                self.links.append((tag, values[name]))
                if tag == "a" and "nav" in self.open:
                    self.nav.append(values[name])
        self.wrong += [f"script or style inside the page: {tag} {name}" for name, _ in attrs if name.startswith("on")]
        if tag == "style" or tag == "script" and "src" not in values:
            self.wrong.append(f"<{tag}> inside the page")
        if tag == "a" and "a" in self.open:
            self.wrong.append(f"a link inside a link: {values.get('href')}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes something else")


def main(directory):
    wrong, referred = [], set()
    names = {os.path.relpath(os.path.join(d, f), directory) for d, _, files in os.walk(directory) for f in files}
    pages = {name: Page(os.path.join(directory, name)) for name in sorted(names) if name.endswith(".html")}

    def resolve(source, target, tag="a"):
        parts = urllib.parse.urlsplit(target)
        if parts.scheme or parts.netloc:
            if tag != "a":
                wrong.append(f"{source}: is not complete without the network: {target}")
            return
        path = urllib.parse.unquote(parts.path) or source
        referred.add(path)
        if path not in names:
            wrong.append(f"{source}: leads nowhere: {target}")
        elif parts.fragment and urllib.parse.unquote(parts.fragment) not in pages[path].ids:
            wrong.append(f"{source}: no such place: {target}")

    first = pages["index.html" if "index.html" in pages else "readme.html"].nav
    for name, page in pages.items():
        wrong += [f"{name}: {text}" for text in page.wrong]
        wrong += [f"{name}: twice: #{i}" for i in sorted({i for i in page.ids if page.ids.count(i) > 1})]
        for tag, target in page.links:
            resolve(name, target, tag)
        if page.nav != first:
            wrong.append(f"{name}: another navigation than on the first page")
        if name not in first:
            wrong.append(f"{name}: is not in the navigation")
    with open(os.path.join(directory, "search-index.js"), encoding="utf-8") as file:
        text = file.read()
    entries = json.loads("[" + text[text.index("[") + 1 : text.rindex("]")].strip().rstrip(",") + "]")
    for address, title, heading, _ in entries:
        resolve("search-index.js", address)
        if not title or not heading:
            wrong.append(f"search-index.js: no title: {address}")
    found = {address.split("#")[0] for address, *_ in entries}
    wrong += [f"search-index.js: nothing of {name}" for name in sorted(set(pages) - found)]
    with open(os.path.join(directory, "style.css"), encoding="utf-8") as file:
        if "url(" in file.read():
            wrong.append("style.css: refers to another file")
    wrong += [f"{name}: nothing refers to it" for name in sorted(names - referred - {"search-index.js"})]
    print("\n".join(wrong) or f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(entries)} entries")


main(sys.argv[1])
