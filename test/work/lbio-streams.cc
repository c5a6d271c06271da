// lbio-streams.cc - streams of C++ that write, jump, append and read what is pending: lbio-streams DIRECTORY
// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <iostream>
#include <string>

static std::string line(int i)
{
    return "line " + std::to_string(i) + std::string(static_cast<size_t>(i) % 700, 'x') + "\n";
}

static std::string all_of(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);

    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

int main(int argc, char **argv)
{
    const std::string directory = argc > 1 ? argv[1] : ".", path = directory + "/lines", other = directory + "/both";
    std::string want;
    long differ = 0;

    std::ofstream out(path, std::ios::binary);
    for (int i = 0; i < 3000; i++) {
        out << line(i);
        want += line(i);
        if (i % 500 == 499) {
            out.flush();
            differ += all_of(path) != want;
        }
    }
    out.seekp(5);
    out << "PATCH";
    want.replace(5, 5, "PATCH");
    out.close();
    differ += !out || all_of(path) != want;

    std::ofstream more(path, std::ios::binary | std::ios::app);
    more << "the end\n" << std::flush;
    want += "the end\n";
    differ += !more || all_of(path) != want;

    std::fstream both(other, std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
    const std::string block(300000, 'b');
    both.write(block.data(), static_cast<std::streamsize>(block.size()));
    both.seekg(299990);
    std::string word;
    both >> word;
    differ += word != std::string(10, 'b');
    both.clear();
    both.seekp(100);
    both << "here";
    both.close();
    differ += !both || all_of(other) != std::string(100, 'b') + "here" + std::string(299896, 'b');
    if (differ)
        std::cerr << differ << " differ\n";
    return differ != 0;
}
