/* stdio-unread.c - bytes that are pushed back into a stream, and read again or not; counters in stdio-unread.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <wchar.h>

static FILE *opened(const char *name)
{
    FILE *f = fopen(work_path(name), "w+");

    CHECK(f && fputs("0123456789", f) >= 0 && fseek(f, 0, SEEK_SET) == 0);
    return f;
}

int main(int argc, char **argv)
{
    char buffer[16];
    FILE *f;
    int n;

    work_start(&argc, &argv);
    f = opened("again.txt");
    CHECK(getc(f) == '0' && ungetc('0', f) == '0');
    CHECK(fread(buffer, 1, 10, f) == 10 && fclose(f) == 0);

    f = opened("scan.txt");
    CHECK(getc(f) == '0' && ungetc('0', f) == '0' && fscanf(f, "%d", &n) == 1 && n == 123456789 && fclose(f) == 0);

    f = opened("sought.txt");
    CHECK(getc(f) == '0' && ungetc('0', f) == '0' && fseek(f, 0, SEEK_SET) == 0 && getc(f) == '0' && fclose(f) == 0);

    CHECK((f = fopen(work_path("wide.txt"), "w+")) && fputws(L"0123456789", f) >= 0 && fseek(f, 0, SEEK_SET) == 0);
    CHECK(getwc(f) == L'0' && ungetwc(L'0', f) == L'0' && getwc(f) == L'0' && getwc(f) == L'1' && fclose(f) == 0);
    return work_end();
}
