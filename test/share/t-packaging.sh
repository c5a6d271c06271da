# t-packaging.sh - every installed file is in exactly one Debian package, and packages list no others
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

# Building packages fails if a file is in no list, or a listed one is missing; that takes long, this does not.
(cd "$DSN_PREFIX" && find bin include lib libexec share \( -type f -o -type l \) ! -name '*.pyc' ! -path 'share/man/cat*') |
    sed 's|^lib/|lib/TRIPLET/|; s|zsh/site-functions|zsh/vendor-completions|; s|^|usr/|' |
    grep -v -x -e usr/share/doc/darshan/COPYING -e usr/share/doc/darshan/NEWS >files # removed by debian/rules

cat >lists.py <<'END'
import fnmatch, glob, os, sys
lists = {}
for path in glob.glob(os.path.join(sys.argv[1], "*.install")):
    for line in open(path):
        lists[line.split()[0]] = os.path.basename(path)
used, wrong = set(), []
for name in open("files").read().split("\n")[:-1]:
    parts = name.split("/")
    parents = ["/".join(parts[:i]) for i in range(1, len(parts) + 1)]
    found = [p for p in lists for parent in parents if p.count("/") == parent.count("/") and fnmatch.fnmatch(parent, p)]
    used.update(found)
    if len(found) != 1:
        wrong.append(f"{name} is in {len(found)} lists: {found}")
wrong += [f"{lists[p]}: {p} is not installed" for p in sorted(set(lists) - used)]
print("\n".join(wrong) or f"{len(used)} entries")
END
is "$(python3 lists.py "$DSN_SRC/share/packaging/debian")" "$(cat "$DSN_SRC"/share/packaging/debian/*.install | wc -l) entries" \
    'all files are in one package each'

is "$(sed -n '1s/^darshan (\([^-]*\)-.*/\1/p' "$DSN_SRC/share/packaging/debian/changelog")" \
    "$(sed -n 's/^AC_INIT(\[darshan\], \[\(.*\)\])/\1/p' "$DSN_SRC/configure.ac")" 'the packages have the version of configure.ac'
for script in "$DSN_SRC"/share/packaging/build-deb "$DSN_SRC"/share/packaging/try-* "$DSN_SRC"/share/packaging/debian/tests/quick-start \
    "$DSN_SRC"/share/packaging/debian/*.post* "$DSN_SRC"/share/packaging/debian/*.cron.*; do
    check "$(basename "$script") is a shell script" sh -n "$script"
done
check 'build-deb says how it is used' sh -c 'sh "$0" --help | grep -q TARBALL' "$DSN_SRC/share/packaging/build-deb"
check 'and that it was used wrongly' status 2 sh "$DSN_SRC/share/packaging/build-deb"
check 'a tarball that is missing is an error' status 1 sh "$DSN_SRC/share/packaging/build-deb" missing.tar.xz there
mkdir there && echo other >there/file && : >darshan-1.0.0.tar.xz
check 'a directory with files of others, too' status 1 sh "$DSN_SRC/share/packaging/build-deb" darshan-1.0.0.tar.xz there
is "$(cat there/file)" other 'which stay'


is "$(python3 "$DSN_SRC/test/share/recipes.py" "$DSN_SRC" "$DSN_PREFIX" 2>&1 | tail -n 1)" 'all recipes' 'recipes for Spack and EasyBuild'

# -- RPM: its lists, with what rpm itself knows of the paths; the build of packages would find the same, and takes long
check 'build-rpm is a shell script' sh -n "$DSN_SRC/share/packaging/build-rpm"
check 'build-rpm says how it is used' sh -c 'sh "$0" --help | grep -q TARBALL' "$DSN_SRC/share/packaging/build-rpm"
check 'and that it was used wrongly' status 2 sh "$DSN_SRC/share/packaging/build-rpm"
check 'a tarball that is missing is an error' status 1 sh "$DSN_SRC/share/packaging/build-rpm" missing.tar.xz here
if command -v rpmspec >/dev/null; then
    sed 's/@VERSION@/1.0.0/' "$DSN_SRC/share/packaging/rpm/darshan.spec" >darshan.spec
    is "$(rpmspec -q --qf '%{name}\n' darshan.spec | tr '\n' ' ')" 'darshan darshan-runtime darshan-util darshan-devel darshan-doc ' \
        'four packages beside that of the sources'
    # lists of files of commands are made while the packages are built; -P prints the rest with all names filled in
    rpmspec -P darshan.spec | sed -n '/^%files/,$p' >lists
    cat >rpm.py <<'END'
import fnmatch, sys
listed = [line.split()[-1].lstrip("/") for line in open("lists") if line.startswith(("/", "%dir"))]
where = [l for l in listed if l.endswith("/libdarshan.so")][0].rsplit("/", 1)[0]
made = ("usr/bin/", "usr/share/man/man1/", "usr/share/bash-completion/", "usr/share/fish/", "usr/share/zsh/")
used, wrong = set(), []
for name in open("files").read().split("\n")[:-1]:
    name = name.replace("usr/lib/TRIPLET", where)
    if "/mpich/" in name or "darshan-mpi-" in name:
        continue
    parts = name.split("/")
    parents = ["/".join(parts[:i]) for i in range(1, len(parts) + 1)]
    found = {l for l in listed for p in parents if p.count("/") == l.count("/") and fnmatch.fnmatch(p, l)}
    used |= found
    if not found and not name.startswith(made):
        wrong.append(name + " is in no package")
directories = {line.split()[1].lstrip("/") for line in open("lists") if line.startswith("%dir")}
wrong += [l + " is not installed" for l in set(listed) - used - directories if l.startswith("usr/") and "mpi-*" not in l and "pl.1" not in l]
print("\n".join(wrong) or "all")
END
    is "$(python3 rpm.py)" all 'files that are installed, and no others, are in the lists of RPM packages'
else
    skip 'rpmspec' 'package rpm'
fi

# -- for wrappers that are not here: the profile of Intel MPI, whose wrappers read it as those of MPICH do
profile=$DSN_PREFIX/share/darshan/mpi-profile/darshan-intel
if command -v mpicc.mpich >/dev/null; then
    is "$(MPICC_PROFILE=$profile mpicc.mpich -show -o x x.c | grep -c -- "-L$DSN_PREFIX/lib .*-ldarshan.*-lmpich")" 1 \
        'the profile of Intel MPI puts the library in front of that of MPI'
else
    skip 'the profile of Intel MPI' 'package libmpich-dev'
fi

finish
