/* screen.c - darshan-top on a terminal, with the keys of top
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "top/view.h"

#ifdef HAVE_NCURSES

#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

static const char *const help[] = {
    "p f m j    processes, files, mounts, jobs",
    "< >        sort by the next column to the left, right;  R  reversed",
    "o          show only lines that contain a text;  =  show all again",
    "i          hide or show idle lines",
    "d          seconds between two samples",
    "Up Down PageUp PageDown Home   scroll",
    "Space      sample now",
    "q          quit",
    "",
    "READ/s, WRITE/s          bytes; K is 1024",
    "RDS/s, WRS/s, META/s     read, write and metadata calls; k is 1000",
    "%I/O                     share of the time that processes spent in I/O",
    "",
    "A file is counted at the highest layer through which it is used (MPI-IO, not",
    "POSIX below it), and a call when it returns.",
};

static void draw_help(void)
{
    erase();
    for (int i = 0; i < (int)(sizeof help / sizeof help[0]) && i < LINES; i++)
        mvaddnstr(i + 1, 2, help[i], COLS - 2);
    mvaddnstr(LINES - 1, 2, "Press any key.", COLS - 2);
    refresh();
    timeout(-1);
    getch();
}

static void draw(const struct dsn_top_view *v, struct dsn_top_report *r, size_t n, size_t top)
{
    char line[DSN_TOP_LINE];
    const char *sort = dsn__top_sort_name(v->kind, v->sort);
    int y = 0;

    erase();
    for (; y < DSN_TOP_HEADS; y++) {
        dsn__top_head(line, y, r);
        mvaddnstr(y, 0, line, COLS);
    }
    snprintf(line, sizeof line, "%s by %s%s%s%s%s   (h: help, q: end)", dsn__top_kinds[v->kind],
             sort ? sort : "activity", v->is_reversed ? ", reversed" : "", v->filter[0] ? ", with " : "", v->filter,
             v->hides_idle ? ", not idle" : "");
    mvaddnstr(y++, 0, line, COLS);
    dsn__top_heading(line, v);
    attron(A_REVERSE);
    mvprintw(y, 0, "%-*.*s", COLS, COLS, line);
    attroff(A_REVERSE);
    for (y++; y < LINES && top < n; y++, top++) {
        dsn__top_line(line, v, &r->rows[v->kind].row[top]);
        mvaddstr(y, 0, line);
    }
    for (int i = 0; dsn__top_hint(r, i); i++)
        mvaddnstr(y + 1 + i, 0, dsn__top_hint(r, i), COLS);
    refresh();
}

static void ask(const char *question, char *answer, size_t size)
{
    char text[64] = "";

    mvprintw(2, 0, "%s ", question);
    clrtoeol();
    timeout(-1);
    echo();
    curs_set(1);
    if (getnstr(text, sizeof text - 1) == OK)
        snprintf(answer, size, "%s", text);
    noecho();
    curs_set(0);
}

/* Sorts by the next column of this kind of rows. */
static void move_sort(struct dsn_top_view *v, int step)
{
    for (int i = v->sort + step; i >= 0 && i < 64; i += step)
        if (dsn__top_sort_name(v->kind, i)) {
            v->sort = i;
            return;
        }
}

static void show(struct dsn_top_view *v, enum dsn_top_kind kind)
{
    v->kind = kind;
    if (!dsn__top_sort_name(kind, v->sort))
        v->sort = -1;
}

static size_t scrolled(int key, size_t top, size_t n)
{
    const size_t page = LINES > 8 ? (size_t)LINES - 6 : 1;

    switch (key) {
    case KEY_DOWN:
        return top + 1 < n ? top + 1 : top;
    case KEY_UP:
        return top > 0 ? top - 1 : 0;
    case KEY_NPAGE:
        return top + page < n ? top + page : top;
    case KEY_PPAGE:
        return top > page ? top - page : 0;
    default:
        return key == KEY_HOME ? 0 : top;
    }
}

/* 0: quit. */
static int obey(int key, struct dsn_top_view *v, double *interval)
{
    static const char kinds[] = "pfmj";
    char answer[64] = "";

    if (key > 0 && key < 128 && strchr(kinds, key))
        show(v, (enum dsn_top_kind)(strchr(kinds, key) - kinds));
    switch (key) {
    case 'q':
        return 0;
    case '<':
        move_sort(v, -1);
        break;
    case '>':
        move_sort(v, 1);
        break;
    case 'R':
        v->is_reversed = !v->is_reversed;
        break;
    case 'i':
        v->hides_idle = !v->hides_idle;
        break;
    case '=':
        v->filter[0] = '\0';
        break;
    case 'o':
        ask("Show only lines that contain:", v->filter, sizeof v->filter);
        break;
    case 'd':
    case 's':
        ask("Seconds between two samples:", answer, sizeof answer);
        if (strtod(answer, NULL) >= 0.1 && strtod(answer, NULL) <= 3600)
            *interval = strtod(answer, NULL);
        break;
    case 'h':
    case '?':
        draw_help();
        break;
    default:
        break;
    }
    return 1;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int dsn__top_screen(struct dsn_top_view *v, double interval, int (*take)(struct dsn_top_report *r),
                    struct dsn_top_report *r)
{
    double due = now() + interval;
    int key = ERR, ok = 1;
    size_t top = 0, n;

    setlocale(LC_CTYPE, "");
    if (!newterm(NULL, stdout, stdin)) /* initscr() would exit on failure */
        return -1;
    cbreak();
    noecho();
    curs_set(0);
    keypad(stdscr, TRUE);
    do {
        if (now() >= due || key == ' ') {
            ok = take(r);
            due = now() + interval;
        }
        v->width = COLS;
        n = dsn__top_order(v, &r->rows[v->kind]);
        top = top < n ? top : 0;
        draw(v, r, n, top);
        timeout(due > now() ? (int)((due - now()) * 1000) + 1 : 0);
        key = getch();
        top = scrolled(key, top, n);
    } while (ok && obey(key, v, &interval));
    endwin();
    return ok;
}

#else

int dsn__top_screen(struct dsn_top_view *v, double interval, int (*take)(struct dsn_top_report *r),
                    struct dsn_top_report *r)
{
    (void)v;
    (void)interval;
    (void)take;
    (void)r;
    return -1;
}

#endif
