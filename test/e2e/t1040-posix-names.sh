# t1040-posix-names.sh - renames, attributes, space, directories and mappings: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# UCX, which some builds of MPICH use, patches the entry of whatever mmap the program calls and goes on to the kernel:
# then nobody behind it sees a mapping.
export UCX_MEM_MMAP_HOOK_MODE=none

all_ways() {
    for way in preload static; do
        known $way 1 posix-names.c
    done
}

known nonmpi 0 posix-names.c
known nonmpi 0 posix-names.c -D_FILE_OFFSET_BITS=64
each_mpi all_ways
finish
