/* anonym.c - replaces names by pseudonyms
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "anonym.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/command/common.h"

#define LEAST_KEY  16 /* bytes: shorter keys could be found by brute force */
#define MOST_KEY   4096
#define KNOWN_WORD "darshan-accounting: the key of this database"

struct dsn_anonym {
    unsigned char key[MOST_KEY];
    size_t n;
};

struct dsn_anonym *dsn_anonym_read(const char *path)
{
    struct dsn_anonym *an = calloc(1, sizeof *an);
    FILE *from = fopen(path, "re");
    const char *wrong = NULL;

    if (!an)
        wrong = "out of memory";
    else if (!from)
        wrong = strerror(errno);
    else {
        an->n = fread(an->key, 1, sizeof an->key, from);
        if (ferror(from))
            wrong = strerror(errno);
        while (an->n > 0 && (an->key[an->n - 1] == '\n' || an->key[an->n - 1] == '\r'))
            an->n--;
        if (!wrong && an->n < LEAST_KEY)
            wrong = "a key has 16 bytes or more; `head -c 32 /dev/urandom | base64` makes one";
    }
    if (from)
        fclose(from);
    if (!wrong)
        return an;
    dsn_warn(DSN_ACCOUNTING, path, "cannot be used as the key: %s", wrong);
    dsn_anonym_free(an);
    return NULL;
}

void dsn_anonym_free(struct dsn_anonym *an)
{
    if (an)
        OPENSSL_cleanse(an, sizeof *an);
    free(an);
}

static void hash(const struct dsn_anonym *an, const void *bytes, size_t n, unsigned char out[EVP_MAX_MD_SIZE])
{
    HMAC(EVP_sha256(), an->key, (int)an->n, bytes, n, out, NULL);
}

void dsn_anonym_text(const struct dsn_anonym *an, const char *name, char out[DSN_PSEUDONYM])
{
    unsigned char digest[EVP_MAX_MD_SIZE] = { 0 };

    out[0] = '\0';
    if (name[0] == '\0')
        return;
    hash(an, name, strlen(name), digest);
    for (int i = 0; i < (DSN_PSEUDONYM - 1) / 2; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

int64_t dsn_anonym_number(const struct dsn_anonym *an, int64_t v)
{
    unsigned char digest[EVP_MAX_MD_SIZE] = { 0 };
    char text[32];
    uint64_t sum = 0;

    hash(an, text, (size_t)snprintf(text, sizeof text, "%lld", (long long)v), digest);
    for (int i = 0; i < 8; i++)
        sum = sum << 8 | digest[i];
    return (int64_t)(sum >> 1);
}

/* ------------------------------------------------------------------ a log */

/* Record ids are hashes, which anyone can compute for a guessed name. 0 means no record. */
static void change_ids(const struct dsn_anonym *an, const struct dsn_table *t, struct dsn_rec *r)
{
    r->id = (uint64_t)dsn_anonym_number(an, (int64_t)r->id);
    for (unsigned at = 0; at < t->nvalues; at++)
        if (dsn_table_row(t, at)->unit == DSN_RECID && r->v[at].i != 0)
            r->v[at].i = dsn_anonym_number(an, r->v[at].i);
}

/* Writes the pseudonym of a log's text to `to`. */
static uint32_t change_text(const struct dsn_anonym *an, const char *text, uint32_t from, char *to, size_t *used)
{
    const size_t at = *used;

    if (from == 0)
        return 0;
    dsn_anonym_text(an, text + from, to + at);
    *used += strlen(to + at) + 1;
    return (uint32_t)at;
}

/* Names and mount points, but not file system types. */
static void change_module(const struct dsn_anonym *an, struct dsn_taken *t, unsigned id, char *to, size_t *used)
{
    struct dsn_taken_module *m = &t->module[id];
    const size_t size = dsn_rec_size(dsn_table(id));

    if (m->total)
        change_ids(an, dsn_table(id), m->total);
    for (int64_t i = 0; i < m->kept; i++) {
        struct dsn_taken_name *n = &m->names[i];
        const size_t type = n->type ? strlen(t->text + n->type) + 1 : 0;

        change_ids(an, dsn_table(id), (void *)(m->records + (size_t)i * size));
        n->name = change_text(an, t->text, n->name, to, used);
        n->mount = change_text(an, t->text, n->mount, to, used);
        memcpy(to + *used, t->text + n->type, type);
        n->type = type ? (uint32_t)*used : 0;
        *used += type;
    }
}

/* Data of records besides their counters. */
static void change_detail(const struct dsn_anonym *an, struct dsn_taken *t, int kind, char *to, size_t *used)
{
    const char *form = dsn_detail_tables[kind].form;
    struct dsn_detail *d = &t->detail[kind];
    char pseudonym[DSN_PSEUDONYM];

    for (size_t i = 0; i < d->n; i++) {
        if (strchr(form, 'x'))
            d->row[i].v[0].i = dsn_anonym_number(an, d->row[i].v[0].i);
        if (strchr(form, 'p'))
            d->row[i].name = change_text(an, t->text, d->row[i].name, to, used);
        if (!strchr(form, 'n') || d->row[i].text[0] == '\0')
            continue;
        dsn_anonym_text(an, d->row[i].text, pseudonym);
        snprintf(d->row[i].text, sizeof d->row[i].text, "%s", pseudonym);
    }
}

static int change_job(const struct dsn_anonym *an, struct dsn_taken *t)
{
    char exe[DSN_PSEUDONYM], program[DSN_PSEUDONYM], run[DSN_PSEUDONYM], node[DSN_PSEUDONYM];

    dsn_anonym_text(an, t->exe, exe);
    dsn_anonym_text(an, t->program, program);
    free(t->exe);
    free(t->program);
    t->exe = strdup(exe);
    t->program = strdup(program);
    dsn_anonym_text(an, t->run, run);
    dsn_anonym_text(an, t->node, node);
    snprintf(t->run, sizeof t->run, "%s", run);
    snprintf(t->node, sizeof t->node, "%s", node);
    t->job.uid = dsn_anonym_number(an, t->job.uid);
    if (t->user) {
        char user[DSN_PSEUDONYM];

        dsn_anonym_text(an, t->user, user);
        free(t->user);
        t->user = strdup(user);
        if (!t->user)
            return 0;
    }
    return t->exe && t->program;
}

int dsn_anonym_taken(const struct dsn_anonym *an, struct dsn_taken *t)
{
    size_t room = 1, used = 1;
    char *to;

    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++)
        for (int64_t i = 0; i < t->module[id].kept; i++)
            room += (size_t)2 * DSN_PSEUDONYM + strlen(t->text + t->module[id].names[i].type) + 1;
    for (int kind = 0; kind < DSN_NDETAILS; kind++)
        if (strchr(dsn_detail_tables[kind].form, 'p'))
            room += DSN_PSEUDONYM * t->detail[kind].n;
    to = room < UINT32_MAX ? calloc(1, room) : NULL;
    if (!to)
        return 0;
    for (unsigned id = 0; id < DSN_MODULE_SLOTS; id++)
        if (dsn_module_taken(id))
            change_module(an, t, id, to, &used);
    for (int kind = 0; kind < DSN_NDETAILS; kind++)
        change_detail(an, t, kind, to, &used);
    free(t->text);
    t->text = to;
    t->text_used = used;
    t->text_room = room;
    return change_job(an, t);
}

/* ------------------------------------------------------------------ the database */

static int is_empty(struct dsn_db *db)
{
    static const char *const tables[] = { "log",           "source",   "quarantine",  "job",    "account",
                                          "device_sample", "snapshot", "program_run", "process" };
    int64_t rows = 0;
    char sql[80];

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM (SELECT 1 AS one FROM %s LIMIT 1) AS first", tables[i]);
        rows += dsn_db_number(db, sql);
    }
    return rows == 0;
}

/* The verification text in the database, "" if there is none. */
static void find_word(struct dsn_db *db, char out[DSN_PSEUDONYM])
{
    struct dsn_stmt *s = dsn_db_prepare(db, "SELECT value FROM setting WHERE name = 'key'");

    out[0] = '\0';
    if (dsn_stmt_step(s))
        snprintf(out, DSN_PSEUDONYM, "%s", dsn_column_text(s, 0));
    dsn_stmt_free(s);
}

static void set_word(struct dsn_db *db, const char *word)
{
    struct dsn_stmt *s = dsn_db_prepare(db, "INSERT INTO setting VALUES ('key', ?1)");

    dsn_bind_text(s, 1, word);
    dsn_stmt_run(s);
    dsn_stmt_free(s);
}

int dsn_anonym_agree(const struct dsn_accounting *a)
{
    char own[DSN_PSEUDONYM] = "", its[DSN_PSEUDONYM];

    if (a->anonym)
        dsn_anonym_text(a->anonym, KNOWN_WORD, own);
    find_word(a->db, its);
    if (strcmp(own, its) == 0 || dsn_db_error(a->db))
        return !dsn_db_error(a->db);
    if (own[0] == '\0')
        dsn_db_fail(a->db, "contains pseudonyms; use --anonymize FILE with the key it was created with");
    else if (its[0] != '\0')
        dsn_db_fail(a->db, "was created with another key; use --anonymize FILE with that one");
    else if (!is_empty(a->db))
        dsn_db_fail(a->db, "already contains names; create another database for pseudonyms");
    else
        set_word(a->db, own);
    return !dsn_db_error(a->db);
}
