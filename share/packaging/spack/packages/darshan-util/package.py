# package.py - darshan-util for Spack: what reads logs
# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *


class DarshanUtil(AutotoolsPackage):
    """Commands and libraries that read Darshan logs of any version: why a job's I/O was slow, counters, traces, a database of
    all logs of a site. Independent implementation of Darshan 3.x."""

    # Put the tarball of `make dist` into the present directory, or into a mirror, and use --no-checksum.
    manual_download = True
    url = "file://{0}/darshan-1.0.0.tar.xz".format(os.getcwd())

    license("BSD-3-Clause")
    version("1.0.0")

    variant("isal", default=True, when="target=x86_64:", description="Logs are read with ISA-L")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("bzip2")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("ncurses")
    depends_on("openssl")
    depends_on("postgresql")
    depends_on("sqlite")
    depends_on("zstd")
    depends_on("isa-l", when="+isal")

    # One source has both packages; these are the other one's files.
    other = ["darshan-config", "darshan-mk-log-dirs", "darshan-mk-log-dirs.pl", "darshan-recover", "darshan-top", "lbio"]
    other_libraries = ["libdarshan", "liblbio"]

    def configure_args(self):
        # With MPI: darshan-spmv and darshan-sweep --mpi. Let a package of their own have them.
        args = ["--with-openmpi=no", "--with-mpich=no", "--with-hdf5=no", "--with-pnetcdf=no"]
        args += self.with_or_without("isal")
        return args

    @run_after("install")
    def keep_own(self):
        for command in self.other:
            for name in command, command + ".*", "_" + command:
                for path in find(self.prefix, name):
                    os.remove(path)
        for library in self.other_libraries:
            for path in find(self.prefix.lib, library + ".*"):
                os.remove(path)
