"""completion.py - types a line and a tab into a shell, as a user does, and prints what the line has become

    completion.py bash|zsh SETUP LINE

SETUP is what the shell runs before. What is printed are the words of the completed line, one a line."""
import os
import pty
import select
import sys
import time


said = b""  # by the shell, and not waited for yet


def wait_for(fd, mark, seconds=60):
    """Reads what the shell says until `mark`."""
    global said
    end = time.monotonic() + seconds
    while mark not in said:
        if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"{sys.argv[1]}: no {mark!r} after {seconds} s, but: {said!r}")
        try:
            said += os.read(fd, 65536)
        except OSError:
            sys.exit(f"{sys.argv[1]} has ended: {said!r}")
    said = said.partition(mark)[2]


shell, setup, line = sys.argv[1:]
command = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="ready> ", HISTFILE="")
    os.execvp(command[0], command)
os.write(fd, (setup + "; words() { printf '%s\\n' \"$@\" >typed; echo type'd'; }; echo set'up'\n").encode())
wait_for(fd, b"setup\r\n")
wait_for(fd, b"ready> ")
# A shell completes before it reads on: after the tab, control-a goes to the start of the line, where a command is
# inserted.
os.write(fd, line.encode() + b"\t\x01words \r")
wait_for(fd, b"typed\r\n")
os.write(fd, b"exit\r")
os.waitpid(pid, 0)
print(open("typed").read(), end="")
