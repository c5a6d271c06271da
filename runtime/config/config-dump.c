/* config-dump.c - prints all settings as text
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The format is the original's (spec runtime.md 4.5), for scripts that look for "# KEY = ". */
#include <config.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/option.h"
#include "config/settings.h"

#define BANNER "######################################################################\n"

struct dump {
    char *out;
    size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) append(struct dump *d, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(d->out + d->used, d->size - d->used, format, args);
    va_end(args);
    if (n > 0)
        d->used += (size_t)n < d->size - d->used ? (size_t)n : d->size - d->used - 1;
}

static const char *or_none(const char *text)
{
    return *text ? text : "NONE";
}

static void add_prefixes(struct dump *d)
{
    static const char *const prefix[] = {
#define P(path) path,
#include "config/prefixes.def"
#undef P
    };

    append(d, "# EXCLUDE_DIRS = ");
    for (unsigned i = 0; i < sizeof prefix / sizeof prefix[0]; i++)
        append(d, "%s%s", i ? "," : "", prefix[i]);
    append(d, "\n");
}

/* Prints the first spelling of a key; without a key, the variable's name without its prefix. */
static void add_key(struct dump *d, const struct dsn_setting *o)
{
    static const char prefix[] = "DARSHAN_";
    const size_t skip = strncmp(o->variable, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    const char *key = *o->key ? o->key : o->variable + skip;

    append(d, "# %.*s = ", (int)strcspn(key, " "), key);
}

static void add_number(struct dump *d, const struct dsn_setting *o, int64_t n)
{
    if (o->type == DSN_FLAG)
        append(d, "%s\n", n ? "SET" : "NONE");
    else if (o->type != DSN_MIB)
        append(d, "%lld\n", (long long)n);
    else if (o->at == offsetof(struct dsn_config, name_memory))
        append(d, "%.10g KiB\n", (double)n / 1024);
    else
        append(d, "%.10g MiB\n", (double)n / (1 << 20));
}

static void add_setting(struct dump *d, const struct dsn_config *c, const struct dsn_setting *o)
{
    const void *at = dsn__option_value(c, o);

    if (o->type == DSN_NAMES || o->type == DSN_LIMITS || o->type == DSN_MODULES)
        return; /* printed with each module */
    add_key(d, o);
    if (o->type == DSN_TEXT || o->type == DSN_REGEX || o->type == DSN_RANKS)
        append(d, "%s\n", or_none(*(const char *const *)at));
    else if (o->type != DSN_SHARE)
        add_number(d, o, *(const int64_t *)at);
    else if (*(const double *)at < 0)
        append(d, "NONE\n");
    else
        append(d, "%.10g\n", *(const double *)at);
    if (o->at == offsetof(struct dsn_config, logpath))
        append(d, "# LOGPATH_BYENV = %s\n", or_none(c->path_by_env));
}

static void add_rules(struct dump *d, const char *key, const struct dsn_rules *r, unsigned id)
{
    int any = 0;

    append(d, "# %s = ", key);
    for (unsigned i = 0; r && i < r->n; i++)
        if (r->rule[i].modules >> id & 1) {
            append(d, "%s%s", any ? "," : "", r->rule[i].text);
            any = 1;
        }
    append(d, "%s\n", any ? "" : "NONE");
}

/* Modules that are never recorded are disabled, whatever the settings say. */
static void add_module(struct dump *d, const struct dsn_config *c, uint64_t modules, unsigned id)
{
    const uint64_t on = modules & ~c->disabled;

    append(d, "#\n# %s module: %s\n", dsn_module_name(id), on >> id & 1 ? "ENABLED" : "DISABLED");
    if (c->max_records.of[id] > 0)
        append(d, "# MAX_RECORDS = %lld\n", (long long)c->max_records.of[id]);
    else
        append(d, "# MAX_RECORDS = NONE\n");
    add_rules(d, "NAME_EXCLUDE", c->name_exclude, id);
    add_rules(d, "NAME_INCLUDE", c->name_include, id);
}

size_t dsn__config_dump(const struct dsn_config *c, uint64_t modules, char *out, size_t size)
{
    struct dump d = { .out = out, .size = size };

    append(&d, BANNER "# darshan settings\n" BANNER);
    for (unsigned i = 0; i < dsn__noptions; i++)
        add_setting(&d, c, &dsn__options[i]);
    add_prefixes(&d);
    for (unsigned id = 0; id < DSN_KNOWN_MODULES; id++)
        add_module(&d, c, modules, id);
    append(&d, BANNER);
    return d.used;
}
