# first.awk - the linker script that makes of first.list what stands first in the library
# SPDX-License-Identifier: BSD-3-Clause
#
# Each part is a segment of its own, so that the kernel, which maps what is around whatever is touched, ends there: first
# what the first part of the list names, with nearly all constants; then other constants; then all other functions, those
# that the second part names at their beginning. Of what can be written to the few variables that every process stores to,
# or looks at, lie with what the loader has written to already; then what gets mappings of its own when the library starts,
# so that there are fewer of them.
BEGIN {
    large = "*.a:* *libdarshan_la-wrap-h5*.o *libdarshan_la-wrap-mpi*.o *libdarshan_la-wrap-pnetcdf.o *libdarshan_la-tables.o"
    print "SECTIONS {\n .text : {"
    print "  *crtbegin*.o(.text) *libc_nonshared.a:*(.text .text.*) *(.text.startup .text.startup.* .text.exit .text.exit.*)"
}
{ sub(/#.*/, "") }
$1 == "constants" {
    print "  *(EXCLUDE_FILE(" large ") .rodata EXCLUDE_FILE(" large ") .rodata.*)\n }\n}\nINSERT AFTER .plt;"
    print "SECTIONS {\n . = ALIGN(CONSTANT(MAXPAGESIZE));\n .later : {"
}
NF > 1 {
    object = $1 == "*" ? "*" : "*libdarshan_la-" $1 ".o"
    for (i = 2; i <= NF; i++)
        print "  " object "(.text." $i " .text." $i ".* .rodata." $i ")"
}
END {
    print "  *(.text .text.*)\n }\n}\nINSERT AFTER .eh_frame;"
    print "SECTIONS {\n .near : {"
    print "  *crtbegin*.o(.bss) *(.bss.leaving .bss.ends_unseen .bss.first_stderr .bss.kept .bss.cutting .bss.behind)"
    print "  *(.bss.names) *libdarshan_la-wrap-stdio.o(.bss.real_*) *libdarshan_la-wrap-wide.o(.bss.real_*)"
    print " }\n}\nINSERT BEFORE .bss;"
    print "SECTIONS {\n .state : { *(.bss.dsn__switch) *(.bss.dsn__state) }\n}\nINSERT BEFORE .bss;"
}
