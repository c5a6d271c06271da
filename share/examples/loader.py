# loader.py - a data loader as training programs have: workers read samples in random order
# SPDX-License-Identifier: BSD-3-Clause
#
#     python3 loader.py make DIR            4,000 samples of 4 KiB: each in a file, and all in one file
#     python3 loader.py files DIR           an epoch of the samples that are files
#     python3 loader.py packed DIR          an epoch of the same samples in one file
#
# Standard library only. What computes on the samples is left out, so that all the time is that of the loader.
import multiprocessing
import os
import random
import sys

SAMPLES, SIZE, WORKERS = 4000, 4096, 4


def name(directory, number):
    return os.path.join(directory, f"sample-{number:05}.bin")


def make(directory):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "packed.bin"), "wb") as packed:
        for number in range(SAMPLES):
            sample = bytes([number % 256]) * SIZE
            packed.write(sample)
            with open(name(directory, number), "wb") as file:
                file.write(sample)


def read_files(directory, numbers):
    """A file per sample: found, opened, read and closed."""
    total = 0
    for number in numbers:
        if os.path.exists(name(directory, number)):
            with open(name(directory, number), "rb") as file:
                total += sum(file.read()[:1])
    return total


def read_packed(directory, numbers):
    """A file for all samples: opened once by each worker, in which a sample is one read at its offset."""
    total = 0
    file = os.open(os.path.join(directory, "packed.bin"), os.O_RDONLY)
    for number in numbers:
        total += os.pread(file, SIZE, number * SIZE)[0]
    os.close(file)
    return total


def epoch(read, directory):
    numbers = list(range(SAMPLES))
    random.Random(1).shuffle(numbers)
    with multiprocessing.Pool(WORKERS) as pool:
        parts = pool.starmap(read, [(directory, numbers[i::WORKERS]) for i in range(WORKERS)])
    print("sum of first bytes:", sum(parts))


if __name__ == "__main__":
    command, directory = sys.argv[1:]
    if command == "make":
        make(directory)
    else:
        epoch({"files": read_files, "packed": read_packed}[command], directory)
