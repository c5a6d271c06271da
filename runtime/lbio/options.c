/* options.c - the user's options
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/options.h"

#include <string.h>

#include "base/environment.h"
#include "base/text.h"

enum type { BYTES, WORD, TEXT, PATH };

static const struct option {
    const char *key, *words, *help;
    enum type type;
    size_t at;
    int64_t value, least, most;
} options[] = {
#define O(key, type, value, least, most, words, help)                                                                  \
    { #key, words, help, type, offsetof(struct lbio_options, key), value, least, most },
#include "lbio/option.def"
#undef O
};

#define OPTIONS (sizeof options / sizeof options[0])

static int64_t *number_of(struct lbio_options *o, const struct option *option)
{
    return (int64_t *)(void *)((char *)o + option->at);
}

/* Index of the word in the list; -1: not in it. */
static int64_t find_word(const char *words, const char *word, size_t n)
{
    for (int64_t i = 0; *words; i++) {
        const size_t length = strcspn(words, " ");

        if (length == n && memcmp(words, word, n) == 0)
            return i;
        words += length;
        words += strspn(words, " ");
    }
    return -1;
}

int64_t lbio__read_bytes(const char *text, size_t n)
{
    static const char suffixes[] = "kmgt";
    const char *suffix;
    int64_t bytes;
    const char *end = dsn__number(text, &bytes);

    if (!end || end > text + n || bytes < 0)
        return -1;
    if (end == text + n)
        return bytes;
    suffix = strchr(suffixes, *end | 32);
    if (end + 1 != text + n || !suffix || bytes >= INT64_C(1) << 23)
        return -1;
    return bytes << 10 * (suffix - suffixes + 1);
}

static int set(struct lbio_options *o, const struct option *option, const char *text, size_t n)
{
    int64_t value;

    if (option->type == TEXT || option->type == PATH) {
        if (n >= LBIO_TEXT_MAX || (option->type == PATH && n > 0 && text[0] != '/'))
            return 0;
        memcpy((char *)o + option->at, text, n);
        ((char *)o)[option->at + n] = '\0';
        return 1;
    }
    value = option->type == WORD ? find_word(option->words, text, n) : lbio__read_bytes(text, n);
    if (value < option->least || value > option->most)
        return 0;
    *number_of(o, option) = value;
    return 1;
}

static int read_item(struct lbio_options *o, const char *item, size_t n)
{
    const char *equals = memchr(item, '=', n);
    const size_t key = equals ? (size_t)(equals - item) : 0;

    for (size_t i = 0; equals && i < OPTIONS; i++)
        if (strlen(options[i].key) == key && memcmp(options[i].key, item, key) == 0)
            return set(o, &options[i], equals + 1, n - key - 1);
    return 0;
}

int lbio__options_read(struct lbio_options *o, const char *text)
{
    int wrong = -1;

    memset(o, 0, sizeof *o);
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].type == BYTES || options[i].type == WORD)
            *number_of(o, &options[i]) = options[i].value;
    for (const char *item = text; item && *item;) {
        const size_t n = strcspn(item, ",");

        if (n > 0 && !read_item(o, item, n) && wrong < 0)
            wrong = (int)(item - text);
        item += n + (item[n] == ',');
    }
    return wrong;
}

int lbio__option_help(size_t i, const char **key, const char **words, const char **help)
{
    if (i >= OPTIONS)
        return 0;
    *key = options[i].key;
    *words = options[i].words;
    *help = options[i].help;
    return 1;
}

void lbio__options_logdir(struct lbio_options *o)
{
    static const char *const places[] = { "SLURM_TMPDIR", "TMPDIR" };

    for (size_t i = 0; !o->logdir[0] && i < sizeof places / sizeof places[0]; i++) {
        const char *place = dsn__environment_get(places[i]);

        if (place && place[0] == '/' && strlen(place) < LBIO_TEXT_MAX)
            dsn__format(o->logdir, sizeof o->logdir, "%s", place);
    }
    if (!o->logdir[0])
        dsn__format(o->logdir, sizeof o->logdir, "/tmp");
}
