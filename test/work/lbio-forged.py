# lbio-forged.py - the log directory that an ended process would have left, or something like it
# SPDX-License-Identifier: BSD-3-Clause
#
# lbio-forged.py log DIRECTORY TARGET [TEXT]   TEXT is to be written to TARGET, at 0
# lbio-forged.py many DIRECTORY TARGET...      a byte to each
# lbio-forged.py sparse DIRECTORY TARGET       the same as log, and 8 GB of holes behind the records
# lbio-forged.py numbered DIRECTORY TARGET     its number is the largest
# lbio-forged.py absent DIRECTORY TARGET...    the data of the last is not there
import os, struct, sys

table = []
for i in range(256):
    for _ in range(8):
        i = (i >> 1) ^ 0x82F63B78 if i & 1 else i >> 1
    table.append(i)


def crc(data, before=0):
    c = ~before & 0xFFFFFFFF
    for byte in data:
        c = table[(c ^ byte) & 255] ^ (c >> 8)
    return ~c & 0xFFFFFFFF


how, directory, *targets = sys.argv[1:]
data = b'x' * len(targets)
if how == 'log' and len(targets) > 1:
    data = targets.pop().encode()
length = len(data) // len(targets)
boot = open('/proc/sys/kernel/random/boot_id').read().strip().encode()
head = struct.pack('<QIIq40s64s64si', 0x31504D4F49424C, 2, 999999999, 0, boot, os.uname().nodename.encode(), b'job', -1)
files = head + struct.pack('<I', crc(head))
records = b''
for n, target in enumerate(targets, 1):
    st, path = os.stat(target), os.fsencode(os.path.abspath(target)) + b'\0'
    number = (1 << 24) - 1 if how == 'numbered' else n
    head = struct.pack('<IIQQI', 0x454C4946, number, st.st_dev, st.st_ino, len(path))
    files += head + struct.pack('<I', crc(path, crc(head))) + path
    left = struct.pack('<IIQqqqI', 0x4F49424C, 7, 2 * n - 1, st.st_size, st.st_mtime_ns, 0, number)
    record = struct.pack('<IIQqqqI', 0x4F49424C, 1, 2 * n, 0, length, (n - 1) * length, number)
    records += left + struct.pack('<I', crc(left)) + record + struct.pack('<I', crc(record))
os.mkdir(directory, 0o755)
for name, content in ('map', files), ('meta.0', records), ('data.0', data):
    with open(directory + '/' + name, 'wb') as f:
        f.write(content[:-1] if (how, name) == ('absent', 'data.0') else content)
        if how == 'sparse' and name != 'data.0':
            f.truncate(8 << 30)
