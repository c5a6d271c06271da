# blocks.py - the blocks of code in documents: what is to be run, what is not and why
# SPDX-License-Identifier: BSD-3-Clause
#
#     blocks.py check FILE...         prints what is wrong with their blocks, a line each
#     blocks.py left-out FILE...      prints what is not run, and why
#     blocks.py commands FILE         prints what is to be run, as a script; zsh: that of zsh
#     blocks.py outputs FILE SAID     prints labels of lines that the document shows after commands, such as "I/O time" or
#                                     "total_POSIX_READS:", with whose first word no line of SAID begins
#
# A block is fenced, and says behind its fence what it is: `sh` and `zsh` are commands, and are run; `sh not run: REASON`
# are commands that are not; all others are no commands.
import re
import sys

COMMANDS = ("sh", "zsh")
OTHERS = ("text", "conf", "json", "c", "python", "sql")


def blocks(path):
    """(line, what its fence says, its lines) of each block; what is fenced by nothing has None."""
    found, inside, before, comment, listed = [], None, "", False, False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if inside is None:
                comment = comment or line.startswith("<!--")
                if comment:
                    comment = "-->" not in line
                    continue
            fence = re.match(r"```(.*)", line)
            if fence and inside is None:
                inside = (number, fence.group(1).strip(), [])
            elif fence:
                found.append(inside)
                inside = None
            elif inside is not None:
                inside[2].append(line)
            elif line.strip():
                # Lines of a list or a definition are indented, too; a block of code has an empty line before it.
                listed = bool(re.match(r"([-*]|\d+\.|:) ", line)) or listed and line.startswith(" ")
                if line.startswith("    ") and not before and not listed:
                    found.append((number, None, [line]))
            before = line.strip() if inside is None else ""
    if inside is not None:
        found.append((inside[0], None, ["``` that is never closed"]))
    return found


def reason(says):
    match = re.fullmatch(r"(?:sh|zsh) not run: (\S.*)", says or "")
    return match and match.group(1)


def check(path):
    for number, says, lines in blocks(path):
        if says is None:
            print(f"{path}:{number}: a block without fence: {lines[0].strip()}")
        elif says not in COMMANDS + OTHERS and not reason(says):
            print(f"{path}:{number}: a block is one of {', '.join(COMMANDS + OTHERS)} or 'sh not run: REASON', not '{says}'")
        elif says in OTHERS and any(line.startswith("$ ") for line in lines):
            print(f"{path}:{number}: commands in a block of {says}")


def left_out(path):
    for number, says, lines in blocks(path):
        if reason(says):
            print(f"{path}:{number}: not run: {reason(says)}: {'; '.join(line.split(' #')[0].strip() for line in lines)}")


def commands(path, shell):
    for number, says, lines in blocks(path):
        if says == shell:
            print(f"# line {number}")
            print("\n".join(lines))


def outputs(path, said):
    """Sentences, such as the verdict on a job, differ from run to run, as numbers do: labels have blanks or a colon behind them."""
    with open(said, encoding="utf-8", errors="replace") as file:
        words = {line.split()[0] for line in file if line.strip() and not line[0].isspace()}
    shown = False
    for number, says, lines in blocks(path):
        if says == "text" and shown:
            for line in lines:
                label = re.match(r"([A-Za-z]\S*)(?: \S+)*  +\S|([A-Za-z_]+[0-9_]*:) \d+$", line)
                word = label and (label.group(1) or label.group(2))
                if word and word not in words:
                    print(f"{path}:{number}: nothing that is printed begins with: {word}")
        shown = says == "sh"


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what in COMMANDS or what == "commands":
        commands(paths[0], "sh" if what == "commands" else what)
    elif what == "outputs":
        outputs(*paths)
    else:
        for name in paths:
            {"check": check, "left-out": left_out}[what](name)
