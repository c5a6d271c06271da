/* value.c - parses values of settings
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/value.h"

#include <stdbool.h>
#include <string.h>

#include "config/settings.h"

#define EXPRESSION_MAX   1000000
#define EXPRESSION_DEPTH 50

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses digits at *s into *out and advances *s. Returns false if there are none, or too many. */
static bool take_digits(const char **s, int64_t *out)
{
    int64_t n = 0;

    if (!is_digit(**s))
        return false;
    for (; is_digit(**s); ++*s) {
        if (n > (INT64_MAX - 9) / 10)
            return false;
        n = n * 10 + (**s - '0');
    }
    *out = n;
    return true;
}

/* Parses an optional fraction at *s as *part of *of; digits after the ninth are dropped. */
static bool take_fraction(const char **s, int64_t *part, int64_t *of)
{
    *part = 0;
    *of = 1;
    if (**s != '.')
        return true;
    if (!is_digit(*++*s))
        return false;
    for (; is_digit(**s); ++*s)
        if (*of < 1000000000) {
            *part = *part * 10 + (**s - '0');
            *of *= 10;
        }
    return true;
}

/* Parses an optional size suffix at *s and stores its unit in *unit. */
static void take_suffix(const char **s, int64_t *unit)
{
    static const char letters[] = "KMGT";
    const char *letter = **s ? strchr(letters, **s) : NULL;

    if (!letter)
        return;
    *unit = (int64_t)1 << (10 * (letter - letters + 1));
    ++*s;
    if ((*s)[0] == 'i' && (*s)[1] == 'B')
        *s += 2;
    else if ((*s)[0] == 'B')
        ++*s;
}

bool dsn__parse_bytes(const char *s, int64_t unit, int64_t *out)
{
    int64_t whole, part, of;

    if (!take_digits(&s, &whole) || !take_fraction(&s, &part, &of))
        return false;
    take_suffix(&s, &unit);
    if (*s != '\0' || (unit == 1 && of > 1) || whole > INT64_MAX / unit - 1)
        return false;
    *out = whole * unit + (int64_t)((double)unit * ((double)part / (double)of));
    return true;
}

bool dsn__parse_whole(const char *s, int64_t *out)
{
    int64_t n;

    if (!take_digits(&s, &n) || *s != '\0')
        return false;
    *out = n;
    return true;
}

bool dsn__parse_share(const char *s, double *out)
{
    int64_t whole, part, of;

    if (!take_digits(&s, &whole) || !take_fraction(&s, &part, &of) || *s != '\0')
        return false;
    *out = (double)whole + (double)part / (double)of;
    return true;
}

bool dsn__parse_ranks(const char *s, size_t len, int64_t *first, int64_t *last)
{
    const char *end = s + len;

    *first = 0;
    *last = INT64_MAX;
    if (len == 1 && *s == '*')
        return true;
    if (is_digit(*s) && !take_digits(&s, first))
        return false;
    if (s == end) { /* a single rank, unless the item is empty */
        *last = *first;
        return len > 0;
    }
    if (*s++ != ':')
        return false;
    if (s < end && !take_digits(&s, last))
        return false;
    return s == end && *first <= *last;
}

/* Skips the bracket expression at s: "]" is an ordinary character where it comes first, and within [: :], [. .] and [=
 * =]. */
static const char *behind_bracket(const char *s)
{
    s += s[1] == '^' ? 2 : 1;
    if (*s == ']')
        s++;
    for (; *s && *s != ']'; s++)
        if (*s == '[' && s[1] && strchr(":.=", s[1])) {
            const char close[] = { s[1], ']', '\0' }, *end = strstr(s + 2, close);

            s = end ? end + 1 : s;
        }
    return *s ? s + 1 : s;
}

/* How many copies the repetition operator at s makes of what precedes it, with *behind set to the operator's end: 0 if
 * there is no operator. */
static long copies(const char *s, const char **behind)
{
    int64_t low = 0, high = 0;

    *behind = s + 1;
    if (*s == '+')
        return 2;
    if (*s++ != '{')
        return 0;
    take_digits(&s, &low);
    if (*s == ',' && s++)
        take_digits(&s, &high);
    if (*s != '}')
        return 0;
    *behind = s + 1;
    high = high > low ? high : low;
    return high < 1 ? 1 : high > EXPRESSION_MAX ? EXPRESSION_MAX : (long)high;
}

long dsn__expression_cost(const char *s)
{
    long cost[EXPRESSION_DEPTH + 1] = { 0 }, last = 0; /* of each open group, without its last atom; of that atom */
    int depth = 0;

    for (const char *next = s; *s; s = next) {
        const long n = copies(s, &next);

        if (n > 0 && last > 0) { /* with nothing before it a repetition operator is an ordinary character */
            last *= n;
        } else if (*s == '(' && ++depth > EXPRESSION_DEPTH) {
            return EXPRESSION_MAX;
        } else if (*s == '(') {
            cost[depth - 1] += last;
            cost[depth] = last = 0;
        } else if (*s == ')' && depth > 0) {
            last += cost[depth--] + 1;
        } else if ((*s != '*' && *s != '?') || last == 0) {
            cost[depth] += last;
            last = 1;
            next = *s == '[' ? behind_bracket(s) : *s == '\\' && s[1] ? s + 2 : next;
        }
        if (last + cost[depth] >= EXPRESSION_MAX)
            return EXPRESSION_MAX;
    }
    for (; depth >= 0; depth--)
        last += cost[depth];
    return last < EXPRESSION_MAX ? last : EXPRESSION_MAX;
}

/* Whether `literal` stands in `word` as the flags demand. */
static bool stands_in(const char *word, const char *literal, int at_start, int at_component, int at_end)
{
    const size_t n = strlen(literal);

    for (const char *at = strstr(word, literal); at && (at == word || !at_start); at = strstr(at + 1, literal))
        if ((at == word || !at_component || at[-1] == '/') && (!at[n] || !at_end))
            return true;
    return false;
}

int dsn__match_plain(const char *expression, size_t n, const char *word)
{
    static const char component[] = "(^|/)", special[] = "^$.[()|*+?{\\";
    const char *end = expression + n;
    const int at_start = n > 0 && *expression == '^', at_end = n > 0 && end[-1] == '$',
              at_component = n >= sizeof component - 1 && memcmp(expression, component, sizeof component - 1) == 0;
    char literal[256];
    size_t length = 0;

    expression += at_start ? 1 : at_component ? sizeof component - 1 : 0;
    end -= at_end && end > expression;
    for (; expression < end && length + 1 < sizeof literal; expression++) {
        if (*expression == '\\' && expression + 1 < end && strchr(special, expression[1]))
            expression++;
        else if (strchr(special, *expression))
            return -1;
        literal[length++] = *expression;
    }
    literal[length] = '\0';
    return expression < end || length == 0 ? -1 : stands_in(word, literal, at_start, at_component, at_end);
}

uint64_t dsn__parse_module(const char *s, size_t len)
{
    if (len == 1 && *s == '*')
        return DSN_ALL_MODULES;
    for (unsigned id = 0; id < DSN_KNOWN_MODULES; id++)
        if (strlen(dsn_module_name(id)) == len && memcmp(dsn_module_name(id), s, len) == 0)
            return (uint64_t)1 << id;
    return 0;
}

size_t dsn__next_item(const char **list, const char **item)
{
    size_t n;

    while (**list == ',')
        ++*list;
    *item = *list;
    n = strcspn(*list, ",");
    *list += n;
    return n;
}

bool dsn__is_rank_listed(const char *list, int64_t rank)
{
    int64_t first, last;
    const char *item;
    size_t n;

    while ((n = dsn__next_item(&list, &item)) > 0)
        if (dsn__parse_ranks(item, n, &first, &last) && rank >= first && rank <= last)
            return true;
    return false;
}
