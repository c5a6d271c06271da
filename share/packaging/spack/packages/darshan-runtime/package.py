# package.py - darshan-runtime for Spack: what records the I/O of programs
# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *


class DarshanRuntime(AutotoolsPackage):
    """Records the I/O of programs in a small log per job: the library, what enables it for compilers, darshan-recover,
    darshan-top and log-based I/O. Independent implementation of Darshan 3.x."""

    # Put the tarball of `make dist` into the present directory, or into a mirror, and use --no-checksum.
    manual_download = True
    url = "file://{0}/darshan-1.0.0.tar.xz".format(os.getcwd())

    license("BSD-3-Clause")
    version("1.0.0")

    variant("mpi", default=True, description="Support for the MPI of the spec (Open MPI, or one with MPICH's interface)")
    variant("groupreadablelogs", default=False, description="Logs are readable by the user's group")
    variant("logpath", default="none", values=str, description="Directory of logs; none: PREFIX/var/log/darshan")
    variant("jobid", default="none", values=str, description="Environment variables with the job's id, by comma")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("ncurses")
    depends_on("mpi", when="+mpi")

    # One source has both packages; these are the other one's files.
    other = [
        "darshan", "darshan-accounting", "darshan-analyzer", "darshan-block", "darshan-convert", "darshan-cycles",
        "darshan-diff", "darshan-dxt-parser", "darshan-fsstats", "darshan-iostat", "darshan-job-summary", "darshan-merge",
        "darshan-parser", "darshan-simulate", "darshan-spmv", "darshan-sweep", "darshan-trace",
    ]
    other_libraries = ["libdarshan-util", "libdarshan-trace"]

    def configure_args(self):
        spec = self.spec
        openmpi = mpich = "no"
        if spec.satisfies("+mpi"):
            if spec["mpi"].name == "openmpi":
                openmpi = spec["mpi"].mpicc
            else:
                mpich = spec["mpi"].mpicc
        args = ["--with-openmpi=" + openmpi, "--with-mpich=" + mpich, "--with-hdf5=no", "--with-pnetcdf=no",
                "--without-charts"]
        args += self.enable_or_disable("group-readable-logs", variant="groupreadablelogs")
        for option, variant in ("log-path", "logpath"), ("jobid-env", "jobid"):
            if spec.variants[variant].value != "none":
                args.append("--with-{0}={1}".format(option, spec.variants[variant].value))
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

    def setup_run_environment(self, env):
        env.prepend_path("PKG_CONFIG_PATH", self.prefix.lib.pkgconfig)
