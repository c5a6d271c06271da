/* config.c - the environment into settings, by the rows of option.def
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "core/config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/state.h"

enum type { FLAG, TEXT, MIB, INT };

struct option {
    const char *variable;
    size_t at; /* offset of the field in struct dsn_config */
    enum type type;
    int64_t number;   /* default of all but TEXT */
    const char *text; /* default of TEXT */
    int64_t least, most;
};

/* The default column is a number or a text as the type says. */
#define NUMBER_FLAG(x) x
#define NUMBER_MIB(x)  x
#define NUMBER_INT(x)  x
#define NUMBER_TEXT(x) 0
#define TEXT_FLAG(x)   NULL
#define TEXT_MIB(x)    NULL
#define TEXT_INT(x)    NULL
#define TEXT_TEXT(x)   x

static const struct option options[] = {
#define O(field, type_, variable_, fallback, least_, most_, help)                                                      \
    { .variable = variable_,                                                                                           \
      .at = offsetof(struct dsn_config, field),                                                                        \
      .type = type_,                                                                                                   \
      .number = NUMBER_##type_(fallback),                                                                              \
      .text = TEXT_##type_(fallback),                                                                                  \
      .least = least_,                                                                                                 \
      .most = most_ },
#include "option.def"
#undef O
};

static void set_number(struct dsn_config *c, const struct option *o, int64_t v)
{
    memcpy((char *)c + o->at, &v, sizeof v);
}

static void set_text(struct dsn_config *c, const struct option *o, const char *v)
{
    memcpy((char *)c + o->at, &v, sizeof v);
}

/* A number with an optional fraction, scaled; 0 if it is none. strtod depends on the locale's decimal point, so the
 * digits are read here. */
static int parse_number(const char *s, enum type type, int64_t *out)
{
    int64_t whole = 0, scale = type == MIB ? 1 << 20 : 1;
    double fraction = 0, place = 0.1;

    if (*s < '0' || *s > '9')
        return 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (whole > INT64_MAX / 16 / scale)
            return 0;
        whole = whole * 10 + (*s - '0');
    }
    if (type == MIB && *s == '.')
        for (s++; *s >= '0' && *s <= '9'; s++, place /= 10)
            fraction += place * (*s - '0');
    if (*s != '\0')
        return 0;
    *out = whole * scale + (int64_t)(fraction * (double)scale);
    return 1;
}

/* Returns whether the value was understood. */
static int apply(struct dsn_config *c, const struct option *o, const char *value, char **store, unsigned *room)
{
    size_t n = strlen(value) + 1;
    int64_t number;

    switch (o->type) {
    case FLAG:
        set_number(c, o, 1);
        break;
    case TEXT:
        if (n > *room)
            return 0;
        memcpy(*store, value, n);
        set_text(c, o, *store);
        *store += n;
        *room -= (unsigned)n;
        break;
    case MIB:
    case INT:
        if (!parse_number(value, o->type, &number) || number < o->least || number > o->most)
            return 0;
        set_number(c, o, number);
        break;
    }
    return 1;
}

void dsn__config_report(const struct dsn_config *c)
{
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *o = &options[i];
        const double unit = o->type == MIB ? 1 << 20 : 1;

        if (!(c->bad >> i & 1))
            continue;
        if (o->type == TEXT)
            dsn__warn("%s is too long and ignored", o->variable);
        else
            dsn__warn("%s is not a number from %.10g to %.10g and ignored", o->variable, (double)o->least / unit,
                      (double)o->most / unit);
    }
}

void dsn__config_load(struct dsn_config *c, char *store, unsigned size)
{
    c->bad = 0;
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        const struct option *o = &options[i];
        const char *value = secure_getenv(o->variable);

        if (o->type == TEXT)
            set_text(c, o, o->text);
        else
            set_number(c, o, o->number);
        if (value && !apply(c, o, value, &store, &size))
            c->bad |= (uint64_t)1 << i;
    }
}

int dsn__config_flag(unsigned at)
{
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].at == at)
            return secure_getenv(options[i].variable) != NULL;
    return 0;
}

int dsn__config_given(const char *text)
{
    const char *store = dsn__state.config_text;

    return text >= store && text < store + sizeof dsn__state.config_text;
}
