# loader.py - what data loaders of machine learning do: workers read samples from files of arrays
# SPDX-License-Identifier: BSD-3-Clause
"""loader.py DIRECTORY METHOD WORKERS FILES: FILES arrays of 1000 doubles are read by WORKERS processes, which METHOD
(fork, spawn, forkserver) starts; prints their sum."""

import multiprocessing
import sys

import numpy


def load(path):
    return float(numpy.load(path).sum())


if __name__ == "__main__":
    directory, method, workers, files = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    paths = ["%s/sample.%d.npy" % (directory, i) for i in range(files)]
    with multiprocessing.get_context(method).Pool(workers) as pool:
        print(sum(pool.map(load, paths, chunksize=1)))
        pool.close()
        pool.join()
