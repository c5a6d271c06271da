# opens files again, in ways that may and may not be served with a descriptor that is open already; prints what it finds
# SPDX-License-Identifier: BSD-3-Clause
# Usage: lbio-reuse.py CASE
import ctypes
import errno
import fcntl
import os
import socket
import sys

NAME = 'data'
libc = ctypes.CDLL(None)  # now: loading completes all files


def make(flags=os.O_RDWR):
    f = os.open(NAME, flags | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(f, b'0123456789' * 100)
    return f


def failure(perform, *args):
    try:
        return perform(*args)
    except OSError as e:
        return errno.errorcode[e.errno]


def again():
    """the position is the start; appended by seeking; five times"""
    os.close(make())
    for i in range(5):
        f = os.open(NAME, os.O_RDWR)
        print(os.lseek(f, 0, os.SEEK_CUR), os.lseek(f, 0, os.SEEK_END), fcntl.fcntl(f, fcntl.F_GETFD))
        os.write(f, b'%d' % i * 50)
        print(os.pread(f, 8, 996), os.fstat(f).st_size)
        os.close(f)


def writing_only():
    """what was opened for writing cannot be read"""
    os.close(make(os.O_WRONLY))
    f = os.open(NAME, os.O_WRONLY)
    print(failure(os.read, f, 1), os.write(f, b'new'))
    os.close(f)


def other_access():
    """reading and writing after writing only, and reading"""
    os.close(make(os.O_WRONLY))
    for flags in os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_APPEND, os.O_RDWR | os.O_NONBLOCK, os.O_RDWR | os.O_EXCL:
        f = os.open(NAME, flags)
        print(os.read(f, 4), fcntl.fcntl(f, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_APPEND | os.O_NONBLOCK))
        os.close(f)
    print(failure(os.open, NAME, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    print(failure(os.open, NAME, os.O_RDWR | os.O_DIRECTORY))


def other_name():
    """the descriptor of another name of the file has that name"""
    os.close(make())
    assert libc.linkat(-100, NAME.encode(), -100, b'link', 0) == 0
    f = os.open('link', os.O_RDWR)
    print(os.path.basename(os.readlink('/proc/self/fd/%d' % f)))


def open_still():
    """two descriptors at the same time have positions of their own"""
    f = make()
    g = os.open(NAME, os.O_RDWR)
    os.lseek(f, 7, os.SEEK_SET)
    print(os.lseek(g, 0, os.SEEK_CUR))
    os.close(f)
    h = os.open(NAME, os.O_RDWR)
    os.read(g, 10)
    print(os.lseek(h, 0, os.SEEK_CUR))


def flags_changed():
    """a flag of the closed descriptor is not that of the new one"""
    f = make()
    fcntl.fcntl(f, fcntl.F_SETFL, os.O_NONBLOCK)
    os.close(f)
    f = os.open(NAME, os.O_RDWR)
    print(fcntl.fcntl(f, fcntl.F_GETFL) & os.O_NONBLOCK)


def mode_changed():
    """permission is asked for again: a system call changes it, as another process might, and pending data stays so"""
    os.close(make())
    number = {'x86_64': 268, 'aarch64': 53}[os.uname().machine]  # fchmodat
    assert libc.syscall(number, -100, NAME.encode(), 0o444) == 0
    print(os.geteuid() == 0 or failure(os.open, NAME, os.O_RDWR))
    if os.geteuid() == 0:
        os.close(os.open(NAME, os.O_RDWR))


def user_changed():
    """so it is for another user"""
    os.close(make())
    if os.geteuid() != 0:
        print('EACCES')
        return
    os.seteuid(65534)
    print(failure(os.open, NAME, os.O_RDWR))
    os.seteuid(0)


def name_moved():
    """another file has the name"""
    os.close(make())
    os.rename(NAME, 'old')
    os.close(make())
    os.unlink(NAME)
    f = os.open(NAME, os.O_RDWR | os.O_CREAT, 0o600)
    print(os.fstat(f).st_size, os.fstat(f).st_mode & 0o777, os.stat('old').st_size)
    os.write(f, b'new')


def child_has_it():
    """a child has the descriptor, and its position"""
    f = make()
    go, done = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.read(go[0], 1)
        os.lseek(f, 500, os.SEEK_SET)
        os.write(done[1], b'x')
        os._exit(0)
    os.write(f, b'more')
    os.close(f)
    f = os.open(NAME, os.O_RDWR)
    os.write(go[1], b'x')
    os.read(done[0], 1)
    print(os.lseek(f, 0, os.SEEK_CUR))


def sent():
    """the descriptor was passed on over a socket"""
    f = make()
    a, b = socket.socketpair()
    socket.send_fds(a, [b'x'], [f])
    os.write(f, b'more')
    os.close(f)
    other = socket.recv_fds(b, 1, 1)[1][0]
    f = os.open(NAME, os.O_RDWR)
    os.lseek(other, 500, os.SEEK_SET)
    print(os.lseek(f, 0, os.SEEK_CUR))


globals()[sys.argv[1]]()
