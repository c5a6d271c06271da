/* config.c - reads settings from file and environment, as described by option.def
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pages.h"
#include "base/warn.h"
#include "config/config-file.h"
#include "config/option.h"
#include "config/settings.h"
#include "config/value.h"

#define REGEX_MAX 1024
#define COST_MAX  1024 /* limit of dsn__expression_cost */

/* The default column is a number or a string, depending on the type. */
/* clang-format off */
#define TYPE_FLAG(x)  .type = DSN_FLAG, .number = x
#define TYPE_TEXT(x)  .type = DSN_TEXT, .text = x
#define TYPE_MIB(x)   .type = DSN_MIB, .number = x
#define TYPE_BYTES(x) .type = DSN_BYTE_COUNT, .number = x
#define TYPE_INT(x)   .type = DSN_INT, .number = x
#define TYPE_SHARE(x) .type = DSN_SHARE, .number = x

const struct dsn_setting dsn__options[] = {
#define ROW(field, variable_, key_) \
    .variable = variable_, .key = key_, .at = offsetof(struct dsn_config, field), \
    .from = offsetof(struct dsn_config, from.field)
#define O(field, type_, variable, key, fallback, least_, most_, help) \
    { ROW(field, variable, key), TYPE_##type_(fallback), .least = least_, .most = most_ },
#define L(field, type_, variable, key, pair_, help) \
    { ROW(field, variable, key), .type = DSN_##type_, .pair = pair_ },
#include "config/option.def"
#undef O
#undef L
};
/* clang-format on */
const unsigned dsn__noptions = sizeof dsn__options / sizeof dsn__options[0];

/* A source of settings while it is read. */
struct loader {
    struct dsn_config *c;
    char *store; /* free space for strings */
    unsigned room;
    enum dsn_source source;
    const char *file, *name; /* of the current setting: file (NULL: the environment) and spelling */
    unsigned line;
};

/* ------------------------------------------------------------------ errors */

static void __attribute__((format(printf, 2, 3))) complain(struct loader *loader, const char *format, ...)
{
    struct dsn_config *c = loader->c;
    const size_t used = strlen(c->bad), room = sizeof c->bad - used;
    char text[512], where[300] = "";
    va_list args;
    int n;

    if (loader->file && loader->line > 0)
        snprintf(where, sizeof where, "%.200s:%u: ", loader->file, loader->line);
    else if (loader->file)
        snprintf(where, sizeof where, "DARSHAN_CONFIG_PATH: %.200s: ", loader->file);
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    n = snprintf(c->bad + used, room, "%s%.60s%s%s\n", where, loader->name, *loader->name ? " " : "", text);
    if (n < 0 || (size_t)n >= room)
        c->bad[used] = '\0';
    for (char *p = c->bad + used; *p && p[1]; p++)
        *p = (unsigned char)*p < ' ' || *p == 127 ? '?' : *p; /* control characters would act on a terminal */
    c->nbad++;
}

static void complain_number(struct loader *loader, const struct dsn_setting *o, const char *value)
{
    const double unit = o->type == DSN_MIB ? 1 << 20 : 1;

    complain(loader, "is not a number from %.10g to %.10g and ignored: %.40s", (double)o->least / unit,
             (double)o->most / unit, value);
}

/* ------------------------------------------------------------------ strings and expressions */

/* Allocates `n` bytes that live as long as the settings; NULL, with a message, if there is no memory. */
static char *reserve(struct loader *loader, size_t n)
{
    if (n > loader->room) {
        complain(loader, "is too long and ignored");
        return NULL;
    }
    loader->room -= (unsigned)n;
    return loader->store + loader->room;
}

static char *store_string(struct loader *loader, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = reserve(loader, n);

    return copy ? memcpy(copy, text, n) : NULL;
}

/* Compiles `n` bytes. Returns false, with a message, if they are not a valid expression. */
static bool compile(struct loader *loader, const char *item, size_t n, regex_t *out)
{
    char text[REGEX_MAX + 1], why[120] = "it is too long";
    int error = REG_ESPACE;

    if (n < sizeof text) {
        memcpy(text, item, n);
        text[n] = '\0';
        snprintf(why, sizeof why, "it repeats too often");
        if (dsn__expression_cost(text) <= COST_MAX) {
            error = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
            if (error)
                regerror(error, out, why, sizeof why);
        }
    }
    if (error)
        complain(loader, "has an invalid expression, which is ignored (%s): %.*s", why, n < 60 ? (int)n : 60, item);
    return error == 0;
}

static int matches(const char *list, const char *text)
{
    const char *item;
    int found = 0;
    regex_t re;
    size_t n;

    while (!found && (n = dsn__next_item(&list, &item)) > 0) {
        char copy[REGEX_MAX + 1];

        found = dsn__match_plain(item, n, text);
        if (found >= 0)
            continue;
        found = 0;
        memcpy(copy, item, n); /* fits: it was compiled once before */
        copy[n] = '\0';
        if (regcomp(&re, copy, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        found = regexec(&re, text, 0, NULL, 0) == 0;
        regfree(&re);
    }
    return found;
}

/* ------------------------------------------------------------------ values */

static bool is_item_good(struct loader *loader, enum dsn_type type, const char *item, size_t n)
{
    int64_t first, last;
    regex_t re;

    if (type == DSN_REGEX) {
        if (dsn__match_plain(item, n, "") >= 0)
            return true;
        if (!compile(loader, item, n, &re))
            return false;
        regfree(&re);
        return true;
    }
    if (dsn__parse_ranks(item, n, &first, &last))
        return true;
    complain(loader, "has an invalid item, which is ignored (a rank is n, a:b, a:, :b or *): %.*s",
             n < 40 ? (int)n : 40, item);
    return false;
}

/* Appends the valid items of `value` to the list, each followed by a comma. */
static void add_items(struct loader *loader, const struct dsn_setting *o, const char *value)
{
    const char **field = dsn__option_value(loader->c, o), *rest = value, *item;
    const size_t had = strlen(*field);
    char *list = reserve(loader, had + strlen(",") + strlen(value) + 1), *to;
    size_t n;

    if (!list)
        return;
    memcpy(list, *field, had + 1);
    to = list + had;
    while ((n = dsn__next_item(&rest, &item)) > 0) {
        if (!is_item_good(loader, o->type, item, n))
            continue;
        if (to > list)
            *to++ = ',';
        memcpy(to, item, n);
        to += n;
        *to = '\0';
    }
    *field = list;
}

static uint64_t take_modules(struct loader *loader, const char *value)
{
    uint64_t all = 0, one;
    const char *item;
    size_t n;

    while ((n = dsn__next_item(&value, &item)) > 0) {
        one = dsn__parse_module(item, n);
        if (!one)
            complain(loader, "names an unknown module: %.*s", n < 40 ? (int)n : 40, item);
        all |= one;
    }
    return all;
}

static void add_rules(struct loader *loader, const struct dsn_setting *o, const char *list, uint64_t modules)
{
    struct dsn_rules **field = dsn__option_value(loader->c, o);
    struct dsn_rules *r = *field ? *field : calloc(1, sizeof *r); /* reachable for leak checkers */
    const char *text = store_string(loader, list), *item;
    size_t n;

    *field = r;
    if (!r || !text || !modules)
        return;
    while ((n = dsn__next_item(&text, &item)) > 0) {
        struct dsn_rule *rule = &r->rule[r->n];

        if (r->n == DSN_MAX_RULES) {
            complain(loader, "has more than %d expressions; ignored: %.60s", DSN_MAX_RULES, item);
            return;
        }
        if (!compile(loader, item, n, &rule->compiled))
            continue;
        if (*text == ',')
            text++;
        ((char *)item)[n] = '\0';
        rule->text = item;
        rule->modules = modules;
        r->n++;
    }
}

static void set_limits(struct loader *loader, const struct dsn_setting *o, const char *value, uint64_t modules)
{
    struct dsn_limits *limits = dsn__option_value(loader->c, o);
    int64_t n;

    if (!dsn__parse_whole(value, &n) || n < 1 || n > INT32_MAX) {
        complain(loader, "is not a number from 1 to %d and ignored: %.40s", INT32_MAX, value);
        return;
    }
    for (unsigned id = 0; id < DSN_KNOWN_MODULES; id++)
        if (modules >> id & 1)
            limits->of[id] = n;
}

/* Returns whether the value was valid. */
static bool set_number(struct loader *loader, const struct dsn_setting *o, const char *value)
{
    int64_t n = 0;
    double share = 0;
    int ok;

    if (o->type == DSN_SHARE)
        ok = dsn__parse_share(value, &share) && share <= (double)o->most;
    else if (o->type == DSN_INT)
        ok = dsn__parse_whole(value, &n) && n >= o->least && n <= o->most;
    else
        ok = dsn__parse_bytes(value, o->type == DSN_MIB ? 1 << 20 : 1, &n) && n >= o->least && n <= o->most;
    if (!ok) {
        complain_number(loader, o, value);
        return false;
    }
    if (o->type == DSN_SHARE)
        *(double *)dsn__option_value(loader->c, o) = share;
    else
        *(int64_t *)dsn__option_value(loader->c, o) = n;
    return true;
}

static bool set_text(struct loader *loader, const struct dsn_setting *o, const char *value)
{
    const char *copy = store_string(loader, value);

    if (copy)
        *(const char **)dsn__option_value(loader->c, o) = copy;
    return copy != NULL;
}

/* `value` and, for rows with two arguments, `modules`. */
static void apply(struct loader *loader, const struct dsn_setting *o, const char *value, const char *modules)
{
    int ok = 1;

    switch (o->type) {
    case DSN_FLAG:
        *(int64_t *)dsn__option_value(loader->c, o) = 1;
        break;
    case DSN_TEXT:
        ok = set_text(loader, o, value);
        break;
    case DSN_MIB:
    case DSN_BYTE_COUNT:
    case DSN_INT:
    case DSN_SHARE:
        ok = set_number(loader, o, value);
        break;
    case DSN_REGEX:
    case DSN_RANKS:
        add_items(loader, o, value);
        break;
    case DSN_MODULES:
        *(uint64_t *)dsn__option_value(loader->c, o) |= take_modules(loader, value);
        break;
    case DSN_NAMES:
        add_rules(loader, o, value, take_modules(loader, modules));
        break;
    case DSN_LIMITS:
        set_limits(loader, o, value, take_modules(loader, modules));
        break;
    }
    if (ok)
        ((unsigned char *)loader->c)[o->from] = (unsigned char)loader->source;
}

/* ------------------------------------------------------------------ sources */

static void set_default(struct dsn_config *c, const struct dsn_setting *o)
{
    void *at = dsn__option_value(c, o);

    if (o->type == DSN_TEXT)
        *(const char **)at = o->text;
    else if (o->type == DSN_REGEX || o->type == DSN_RANKS)
        *(const char **)at = "";
    else if (o->type == DSN_SHARE)
        *(double *)at = (double)o->number;
    else if (o->type != DSN_NAMES && o->type != DSN_LIMITS)
        *(int64_t *)at = o->number;
}

/* Whether `word` is one of a key's spellings. */
static bool is_key(const char *key, const char *word)
{
    const size_t n = strlen(word);

    while (*key) {
        const size_t len = strcspn(key, " ");

        if (len == n && memcmp(key, word, n) == 0)
            return true;
        key += len + (key[len] == ' ');
    }
    return false;
}

/* Splits the next word off a line; "" at the end. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t\r");
    const size_t n = strcspn(word, " \t\r");

    *line = word + n;
    if (word[n])
        *(*line)++ = '\0';
    return word;
}

static bool needs_two(const struct dsn_setting *o)
{
    return o->type == DSN_NAMES || o->type == DSN_LIMITS;
}

static bool may_be_empty(const struct dsn_setting *o)
{
    return o->type == DSN_FLAG || o->at == offsetof(struct dsn_config, loghints);
}

static void take_line(void *context, unsigned number, char *line)
{
    struct loader *loader = context;
    char *key = next_word(&line), *value, *modules;

    if (*key == '\0' || *key == '#')
        return;
    loader->line = number;
    loader->name = key;
    value = next_word(&line);
    modules = next_word(&line);
    for (unsigned i = 0; i < dsn__noptions; i++) {
        const struct dsn_setting *o = &dsn__options[i];

        if (!is_key(o->key, key))
            continue;
        if ((*value || may_be_empty(o)) && (*modules || !needs_two(o)))
            apply(loader, o, value, modules);
        else
            complain(loader, "needs %s and is ignored", needs_two(o) ? "two values" : "a value");
        return;
    }
    complain(loader, "is not a setting");
}

static void refuse_file(void *context, unsigned line, const char *why)
{
    struct loader *loader = context;

    loader->line = line;
    loader->name = "";
    complain(loader, "%s", why);
}

static void load_file(struct loader *loader, const char *path)
{
    const struct dsn_line_callbacks to = { .line = take_line, .wrong = refuse_file, .context = loader };

    if (!*path)
        return;
    loader->source = DSN_BY_FILE;
    loader->file = path;
    dsn__lines_of_file(path, &to);
}

/* Drops lists of the file that the environment replaces. */
static void drop_pairs(struct dsn_config *c)
{
    for (unsigned i = 0; i < dsn__noptions; i++) {
        const struct dsn_setting *o = &dsn__options[i];

        if (o->pair == 0 || !dsn__environment_get(o->variable))
            continue;
        for (unsigned k = 0; k < dsn__noptions; k++)
            if (dsn__options[k].pair == o->pair) {
                set_default(c, &dsn__options[k]);
                ((unsigned char *)c)[dsn__options[k].from] = DSN_BY_DEFAULT;
            }
    }
}

static void load_environment(struct loader *loader)
{
    loader->source = DSN_BY_ENVIRONMENT;
    loader->file = NULL;
    for (unsigned i = 0; i < dsn__noptions; i++) {
        const struct dsn_setting *o = &dsn__options[i];
        const char *value = dsn__environment_get(o->variable);

        if (!value)
            continue;
        loader->name = o->variable;
        apply(loader, o, value, "");
    }
}

/* Traces and the APMPI module are disabled unless requested; a trace also if the module that it belongs to is. */
static void complete(struct dsn_config *c)
{
    const uint64_t traces = (uint64_t)1 << DSN_DXT_POSIX_MODULE | (uint64_t)1 << DSN_DXT_MPIIO_MODULE;

    c->mem_mask = dsn__alignment_mask(c->mem_alignment);
    c->disabled = (traces | (uint64_t)1 << DSN_APMPI_MODULE | c->mod_disable) & ~c->mod_enable;
    if (c->dxt)
        c->disabled &= ~traces;
    if (c->disabled >> DSN_POSIX_MODULE & 1)
        c->disabled |= (uint64_t)1 << DSN_DXT_POSIX_MODULE;
    if (c->disabled >> DSN_MPIIO_MODULE & 1)
        c->disabled |= (uint64_t)1 << DSN_DXT_MPIIO_MODULE;
    if ((c->name_exclude && c->name_exclude->n > 0) || (c->name_include && c->name_include->n > 0))
        c->verdict = dsn__pages(DSN_VERDICTS * sizeof c->verdict[0]);
    c->loaded = 1;
}

static struct loader begin_loading(struct dsn_config *c, char *store, unsigned size)
{
    struct loader loader = { .c = c, .store = store, .room = size };

    memset(c, 0, sizeof *c);
    c->path_by_env = DSN_LOG_PATH_BY_ENV;
    for (unsigned i = 0; i < dsn__noptions; i++)
        set_default(c, &dsn__options[i]);
    return loader;
}

void dsn__config_load(struct dsn_config *c, char *store, unsigned size)
{
    struct loader loader = begin_loading(c, store, size);
    const char *path;

    path = dsn__environment_get("DARSHAN_CONFIG_PATH");
    if (path && !dsn__config_flag(offsetof(struct dsn_config, disable)))
        load_file(&loader, path);
    drop_pairs(c);
    load_environment(&loader);
    complete(c);
    dsn__set_verbose((int)c->verbose);
}

void dsn__config_load_text(struct dsn_config *c, char *store, unsigned size, const char *name, const char *text,
                           size_t n)
{
    struct loader loader = begin_loading(c, store, size);
    const struct dsn_line_callbacks to = { .line = take_line, .wrong = refuse_file, .context = &loader };

    loader.source = DSN_BY_FILE;
    loader.file = name;
    dsn__lines_of_text(text, n, &to);
    drop_pairs(c);
    load_environment(&loader);
    complete(c);
    dsn__set_verbose((int)c->verbose);
}

static void free_rules(struct dsn_rules *r)
{
    for (unsigned i = 0; r && i < r->n; i++)
        regfree(&r->rule[i].compiled);
    if (r) /* saves the dynamic linker the lookup of free in processes that need it for nothing else */
        free(r);
}

void dsn__config_free(struct dsn_config *c)
{
    free_rules(c->name_exclude);
    free_rules(c->name_include);
    dsn__pages_free(c->verdict);
    memset(c, 0, sizeof *c);
}

/* ------------------------------------------------------------------ queries */

bool dsn__config_flag(unsigned at)
{
    for (unsigned i = 0; i < dsn__noptions; i++)
        if (dsn__options[i].at == at)
            return secure_getenv(dsn__options[i].variable) != NULL;
    return false;
}

/* It must not record itself: it looks for survival files and removes them. */
static const char own_program[] = "darshan-recover";

bool dsn__config_is_own_program(const char *command_line)
{
    const size_t n = strcspn(command_line, " "), own = sizeof own_program - 1;

    return n >= own && memcmp(command_line + n - own, own_program, own) == 0 &&
           (n == own || command_line[n - own - 1] == '/');
}

/* Skipped is a program that is on the exclusion list, or missing from a list of inclusions that comes with it: a list
 * of inclusions alone changes nothing. */
bool dsn__config_skips_program(const struct dsn_config *c, const char *command_line)
{
    const size_t n = strcspn(command_line, " ");
    char word[4096];

    if (!*c->app_exclude || n >= sizeof word)
        return false;
    memcpy(word, command_line, n);
    word[n] = '\0';
    return matches(c->app_exclude, word) && !matches(c->app_include, word);
}

bool dsn__config_skips_rank(const struct dsn_config *c, int rank)
{
    return dsn__is_rank_listed(c->rank_exclude, rank) && !dsn__is_rank_listed(c->rank_include, rank);
}

bool dsn__config_has_report(const struct dsn_config *c)
{
    return c->nbad > 0 || c->dump;
}

void dsn__config_report(const struct dsn_config *c, uint64_t modules)
{
    const char *line = c->bad;
    unsigned named = 0;

    for (size_t n; *line; line += n + 1, named++) {
        n = strcspn(line, "\n");
        dsn__warn("%.*s", (int)n, line);
    }
    if (c->nbad > named)
        dsn__warn("%u more settings are invalid and ignored", c->nbad - named);
    if (c->dump) {
        const size_t size = 256 * 1024;
        char *text = dsn__pages(size);

        if (text)
            dsn__print(text, dsn__config_dump(c, modules, text, size));
        dsn__pages_free(text);
    }
}
