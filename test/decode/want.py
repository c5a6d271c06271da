# want.py - compares a decoded log with a list of expected values
# SPDX-License-Identifier: BSD-3-Clause
"""A line of a .want file ('#' begins a comment, names are shell patterns, {x} is replaced by -D x=...):

    job FIELD VALUE                     uid, start_time, end_time, nprocs, jobid, run_time
    meta KEY PATTERN                    metadata line
    exe PATTERN                         command line
    nodes VALUE, ranks VALUE            entries of the extension's parts
    rank N RANK_COUNTER VALUE           one rank's totals in the extension
    file MODULE RANK PATTERN FILE_COUNTER VALUE  what the extension tells of every such record (at least one)
    phase RANK PATTERN PHASE_COUNTER VALUE  what was called in every such phase that the program has named (at least one)
    phases VALUE PATTERN                number of them
    mapped RANK PATTERN MAPPED_COUNTER VALUE  what it tells of each such mapped file; `none` for both: that there is none
    cufile RANK PATTERN CUFILE_COUNTER VALUE  what it tells of each such file that cuFile has accessed, added over ranks
    partial NAME... | none              modules whose data is flagged incomplete
    records MODULE VALUE [PATTERN]      number of the module's records (of these names)
    names VALUE PATTERN                 entries of the name table
    absent MODULE PATTERN               no record of that name
    sum MODULE PATTERN COUNTER VALUE    added over all records of these names
    trace MODULE RANK PATTERN WAY N:N... the segments of one trace, offset:length; WAY is writes or reads
    other MODULE RANK PATTERN NAME VALUE counter of HEATMAP, LUSTRE or APMPI (of any name: *), of each such
                                        record that has it, as it is printed or as VALUE
    MODULE RANK PATTERN COUNTER VALUE   counter of every such record (at least one); RANK may be '*'

VALUE: an integer; <N <=N >N >=N !=N; ~1.5±0.1; or =EXPRESSION. N and EXPRESSION may use + - * / // % and, where a
record is looked at, its counters' names. The standard streams' patterns are <STDIN>, <STDOUT>, <STDERR>.
"""

import ast
import fnmatch
import operator
import re

import counters

ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.FloorDiv: operator.floordiv,
              ast.Mod: operator.mod}
COMPARE = [("<=", operator.le), (">=", operator.ge), ("!=", operator.ne), ("<", operator.lt), (">", operator.gt),
           ("=", operator.eq)]


class WantError(Exception):
    """A line of the .want file that cannot be understood."""


def evaluate(source, names):
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        raise WantError("cannot evaluate %r" % source)

    try:
        return value(ast.parse(source, mode="eval").body)
    except SyntaxError:
        raise WantError("cannot evaluate %r" % source)


def holds(want, found, names=()):
    """Whether `found` is what the text `want` asks for."""
    names = dict(names)
    if want.startswith("~"):
        middle, _, spread = want[1:].replace("+-", "±").partition("±")
        return abs(found - evaluate(middle, names)) <= evaluate(spread or "0", names)
    for sign, test in COMPARE:
        if want.startswith(sign):
            return test(found, evaluate(want[len(sign):], names))
    return found == evaluate(want, names)


class Checker:
    """Applies lines to a log and collects what does not hold."""

    def __init__(self, log, variables):
        self.log, self.variables = log, variables
        self.failures = []
        self.checked = 0

    def line(self, line):
        source = re.sub(r"\{(\w+)\}", lambda m: self._variable(m.group(1)), line.split("#")[0])
        words = source.split()
        if not words:
            return
        verb = getattr(self, "_want_" + words[0], None) if words[0].islower() else self._want_counter
        if verb is None:
            raise WantError("unknown: %s" % line.strip())
        try:
            verb(*(words if verb == self._want_counter else words[1:]))
        except TypeError:
            raise WantError("wrong number of words: %s" % line.strip())
        self.checked += 1

    def _variable(self, name):
        if name not in self.variables:
            raise WantError("{%s} needs -D %s=..." % (name, name))
        return self.variables[name]

    def _say(self, what, want, found):
        self.failures.append("%s: wanted %s, found %s" % (what, want, found))

    def _number(self, what, want, found, names=()):
        if not holds(want, found, names):
            if re.search(r"[A-Z]", want):
                want += " (with %s)" % ", ".join("%s=%s" % (n, dict(names)[n]) for n in re.findall(r"[A-Z]\w+", want))
            self._say(what, want, found)

    def _matching(self, module, pattern="*", rank="*"):
        records = self.log.records + [r for _, others in self.log.others for r in others]
        return [r for r in records if r["module"] == module and fnmatch.fnmatchcase(r["name"] or "", pattern)
                and rank in ("*", str(r["rank"]))]

    def _want_job(self, field, want):
        self._number("job " + field, want, self.log.job[field])

    def _want_meta(self, key, *pattern):
        found = dict(self.log.metadata).get(key)
        if found is None or not fnmatch.fnmatchcase(found, " ".join(pattern)):
            self._say("metadata " + key, " ".join(pattern), found)

    def _want_exe(self, *pattern):
        if not fnmatch.fnmatchcase(self.log.exe, " ".join(pattern)):
            self._say("exe", " ".join(pattern), self.log.exe)

    def _want_nodes(self, want):
        self._number("extension: nodes", want, len(self.log.extension.get("nodes", [])))

    def _want_ranks(self, want):
        self._number("extension: ranks", want, len(self.log.extension.get("ranks", [])))

    def _want_rank(self, rank, counter, want):
        found = [r for r in self.log.extension.get("ranks", []) if r["rank"] == int(rank)]
        if not found:
            self._say("extension: rank " + rank, want, "no such rank")
        for entry in found:
            self._number("extension: rank %s %s" % (rank, counter), want, entry[counter], entry)

    def _file(self, record):
        for row in self.log.extension.get("files", []):
            if (row["FILE_MODULE"], row["id"], row["rank"]) == (record["module_id"], record["id"], record["rank"]):
                return row
        created = int(any(v > 0 for name, v in record["counters"].items() if name.endswith("_BYTES_WRITTEN")))  # an ordinary one
        row = dict.fromkeys(counters.FILE_INTS + counters.FILE_FLOATS, 0)
        return dict(row, rank=record["rank"], FILE_WRITE_OPENS=created, FILE_CREATED=created)

    def _want_file(self, module, rank, pattern, counter, want):
        found = [(record, self._file(record)) for record in self._matching(module, pattern) if rank in ("*", str(record["rank"]))]
        if not found:
            self._say("extension: files: %s %s %s" % (module, rank, pattern), want, "no such row")
        for record, row in found:
            self._number("extension: files: %s %d %s %s" % (module, row["rank"], record["name"], counter), want, row[counter], row)

    def _phases(self, pattern, rank="*"):
        return [p for p in self.log.extension.get("phases", []) if fnmatch.fnmatchcase(p["name"], pattern) and rank in ("*", str(p["rank"]))]

    def _want_phase(self, rank, pattern, counter, want):
        if not self._phases(pattern, rank):
            self._say("extension: phase %s %s" % (rank, pattern), want, "no such phase")
        for row in self._phases(pattern, rank):
            self._number("extension: phase %d %s %s" % (row["rank"], row["name"], counter), want, row[counter], row)

    def _want_phases(self, want, pattern):
        self._number("extension: phases %s" % pattern, want, len({p["name"] for p in self._phases(pattern)}))

    def _want_mapped(self, rank, pattern, counter, want="none"):
        """Of all processes together; "none" in place of the counter: the file has no row."""
        found = [row for row in self.log.extension.get("mapped", []) if rank in ("*", str(row["rank"]))
                 and fnmatch.fnmatchcase(self.log.names.get(row["id"], ""), pattern)]
        if not found and counter != "none":
            self._say("extension: mapped: %s %s" % (rank, pattern), want, "no such row")
        if found and counter == "none":
            self._say("extension: mapped: %s %s" % (rank, pattern), "no row", "%d" % len(found))
            return
        for ident in {row["id"] for row in found}:
            values = [row[counter] for row in found if row["id"] == ident]
            value = max(values) if counter in ("MAPPED_BYTES", "MAPPED_DIRTY") else sum(values)
            self._number("extension: mapped: %s %s" % (self.log.names[ident], counter), want, value)

    def _want_cufile(self, rank, pattern, counter, want):
        """Of all ranks together, for each name; of names that end alike, such as those of ranks, each by itself."""
        found = [row for row in self.log.extension.get("cufile", []) if rank in ("*", str(row["rank"]))
                 and fnmatch.fnmatchcase(row["name"], pattern)]
        if not found:
            self._say("extension: cufile: %s %s" % (rank, pattern), want, "no such row")
        for name in sorted({row["name"] for row in found}):
            self._number("extension: cufile: %s %s" % (name, counter), want, sum(row[counter] for row in found if row["name"] == name))

    def _want_partial(self, *names):
        found = sorted(r.name for n, r in self.log.modules.items() if self.log.partial >> n & 1) or ["none"]
        if sorted(names) != found:
            self._say("partial modules", " ".join(names), " ".join(found))

    def _want_records(self, module, want, pattern="*"):
        self._number("records of %s %s" % (module, pattern), want, len(self._matching(module, pattern)))

    def _want_names(self, want, pattern):
        found = [name for _, name, _ in self.log.name_entries if fnmatch.fnmatchcase(name, pattern)]
        self._number("names %s" % pattern, want, len(found))

    def _want_absent(self, module, pattern):
        for record in self._matching(module, pattern):
            self._say("%s records %s" % (module, pattern), "none", record["name"])

    def _want_sum(self, module, pattern, counter, want):
        found = sum(self._counter(record, counter) for record in self._matching(module, pattern))
        self._number("sum of %s %s %s" % (module, pattern, counter), want, found)

    def _want_trace(self, module, rank, pattern, way, *segments):
        found = [traces[1 if way == "reads" else 0] for number, _, records in self.log.traces
                 if number == (10 if module == "POSIX" else 11)
                 for ident, owner, _, *traces in records
                 if str(owner) == rank and fnmatch.fnmatchcase(self.log.names.get(ident, ""), pattern)]
        found = [["%d:%d" % segment[:2] for segment in trace] for trace in found]
        if found != [list(segments)]:
            self._say("%s of %s %s %s" % (way, module, rank, pattern), " ".join(segments), found)

    def _want_other(self, module, rank, pattern, name, want):
        found = [r["counters"][name] for _, records in self.log.others for r in records
                 if r["module"] == module and rank in ("*", str(r["rank"])) and name in r["counters"]
                 and fnmatch.fnmatchcase(r["name"] or "", pattern)]
        if not found or any(str(value) != want and not (value != str(value) and holds(want, value)) for value in found):
            self._say("%s %s %s %s" % (module, rank, pattern, name), want, found or "no record")

    def _want_counter(self, module, rank, pattern, counter, want):
        found = self._matching(module, pattern, rank)
        if not found:
            there = ", ".join("%d %s" % (r["rank"], r["name"]) for r in self._matching(module)) or "no such module"
            self._say("%s %s %s" % (module, rank, pattern), "a record", there)
        for record in found:
            what = "%s %d %s %s" % (module, record["rank"], record["name"], counter)
            self._number(what, want, self._counter(record, counter), record["counters"])

    @staticmethod
    def _counter(record, counter):
        if counter not in record["counters"]:
            raise WantError("%s has no counter %s" % (record["module"], counter))
        return record["counters"][counter]


def check(log, path, variables):
    """Returns (number of lines checked, sentences about those that do not hold)."""
    checker = Checker(log, variables)
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                checker.line(line)
            except WantError as error:
                raise WantError("%s:%d: %s" % (path, number, error))
    if not checker.checked:
        raise WantError("%s asks for nothing" % path)
    return checker.checked, checker.failures
