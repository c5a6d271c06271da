#!/usr/bin/env python3
# recipes.py - the recipes of package managers with just enough of these around them: recipes.py SOURCE PREFIX
# SPDX-License-Identifier: BSD-3-Clause
"""Spack's package.py files are run with a small stand-in for spack.package, EasyBuild's easyconfigs as the Python that they are.
Every option that they give configure must be one that it has (it only warns of others); commands and files that they name
must be among the installed ones; and a Spack package removes what belongs to the other one, and nothing else."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types

source, prefix = sys.argv[1:]
packaging = os.path.join(source, "share/packaging")
known = set(re.findall(r"--(?:with|without|enable|disable)-([a-z0-9-]+)", subprocess.run(
    [os.path.join(source, "configure"), "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout))
version = re.search(r"^AC_INIT\(\[darshan\], \[(.*?)\]", open(os.path.join(source, "configure.ac")).read(), re.M).group(1)


def check_options(who, args):
    for arg in args:
        name, _, value = arg.partition("=")
        found = re.match(r"--(?:with|without|enable|disable)-(.*)", name)
        assert found and found.group(1) in known, "%s: configure has no %s" % (who, arg)


class Variant:
    def __init__(self, default):
        self.value = default


class Spec:
    """A concrete spec: its variants, and the MPI that it was given."""

    def __init__(self, variants, mpi):
        self.variants = {name: Variant(value) for name, value in variants.items()}
        self.mpi = mpi

    def satisfies(self, text):
        return self.variants[text[1:]].value == (text[0] == "+")

    def __getitem__(self, name):
        assert name == "mpi"
        return types.SimpleNamespace(name=self.mpi, mpicc="/opt/%s/bin/mpicc" % self.mpi)


def spack_class(path):
    """The class in a package.py, with what its directives said."""
    said = {"variants": {}, "versions": [], "depends": [], "after": []}

    class AutotoolsPackage:
        def enable_or_disable(self, name, variant=None):
            return ["--%s-%s" % ("enable" if self.spec.variants[variant or name].value else "disable", name)]

        def with_or_without(self, name, variant=None):
            return ["--%s-%s" % ("with" if self.spec.variants[variant or name].value else "without", name)]

    def variant(name, default=False, description="", **rest):
        assert description and set(rest) <= {"values", "when", "multi"}
        said["variants"][name] = default

    def depends_on(spec, **rest):
        assert set(rest) <= {"type", "when"}
        for name in re.findall(r"^\+(\w+)$", rest.get("when", "")):
            assert name in said["variants"], "depends_on: no variant %s" % name
        said["depends"].append(spec)

    def find(root, name):
        return [p for p in glob.glob(os.path.join(str(root), "**", name), recursive=True) if not os.path.isdir(p)]

    def run_after(phase):
        def note(function):
            said["after"].append(function)
            return function
        return note

    package = types.ModuleType("spack.package")
    names = {"AutotoolsPackage": AutotoolsPackage, "variant": variant, "depends_on": depends_on, "find": find,
             "run_after": run_after, "license": lambda name: None, "version": lambda v, **rest: said["versions"].append(v)}
    package.__dict__.update(names)
    package.__all__ = list(names)
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = package
    scope = {"__name__": "recipe"}
    exec(compile(open(path).read(), path, "exec"), scope)
    name = os.path.basename(os.path.dirname(path))
    found = scope["".join(part.capitalize() for part in name.split("-"))]
    assert found.__doc__ and said["versions"] == [version], name
    return name, found, said


def files_of(top):
    return {os.path.relpath(os.path.join(d, f), top) for d, _, fs in os.walk(top) for f in fs}


def check_spack(path):
    name, recipe, said = spack_class(path)
    for mpi in "openmpi", "mpich":
        for flip in [None, *said["variants"]]:
            variants = dict(said["variants"])
            if flip:
                variants[flip] = "there" if isinstance(variants[flip], str) else not variants[flip]
            one = recipe()
            one.spec = Spec(variants, mpi)
            check_options(name, one.configure_args())
    left = tempfile.mkdtemp(dir=".")
    try:
        top = os.path.join(left, "prefix")
        shutil.copytree(prefix, top, symlinks=True)
        before = files_of(top)
        class Prefix(str):
            lib = os.path.join(top, "lib")
        one = recipe()
        one.prefix = Prefix(top)
        for function in said["after"]:
            function(one)
        for f in files_of(top):
            base = os.path.basename(f)
            assert base.lstrip("_").split(".")[0] not in recipe.other, "%s: %s stays" % (name, f)
        return name, before - files_of(top), {f for f in files_of(top) if f.startswith("bin/")}
    finally:
        shutil.rmtree(left)


removed, kept = {}, {}
for path in sorted(glob.glob(packaging + "/spack/packages/*/package.py")):
    name, removed[name], kept[name] = check_spack(path)
runtime, util = "darshan-runtime", "darshan-util"
commands = {f for f in files_of(prefix) if f.startswith("bin/")}
assert set(removed) == {runtime, util}
assert not kept[runtime] & kept[util], kept[runtime] & kept[util]
assert kept[runtime] | kept[util] == commands, commands - kept[runtime] - kept[util]
assert "bin/darshan-config" in kept[runtime] and "bin/darshan-parser" in kept[util]
assert not removed[runtime] & removed[util], removed[runtime] & removed[util]
assert any(f.endswith("libdarshan-util.so") for f in removed[runtime])
assert "lib/libdarshan.so" in removed[util] and "lib/libdarshan-util.so" not in removed[util]

for path in sorted(glob.glob(packaging + "/easybuild/*.eb")):
    eb = {"SYSTEM": {"name": "system", "version": "system"}}
    exec(compile(open(path).read(), path, "exec"), eb)
    label = "%s-%s-%s-%s.eb" % (eb["name"], eb["version"], eb["toolchain"]["name"], eb["toolchain"]["version"])
    assert os.path.basename(path) == label, (path, label)
    assert eb["version"] == version and eb["sources"] == ["darshan-%(version)s.tar.xz"]
    for needed in "easyblock", "description", "moduleclass", "dependencies":
        assert eb[needed], needed
    check_options(label, eb["configopts"].split())
    for file in eb["sanity_check_paths"]["files"]:
        assert os.path.isfile(os.path.join(prefix, file)), (label, file)
    for directory in eb["sanity_check_paths"]["dirs"]:
        assert os.path.isdir(os.path.join(prefix, directory)), (label, directory)
    for command in eb["sanity_check_commands"]:
        subprocess.run(os.path.join(prefix, "bin", command), shell=True, check=True, stdout=subprocess.DEVNULL)
print("all recipes")
