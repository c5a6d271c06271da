/* writing.c - writes events in any format
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "source.h"
#include "zstd.h"

#include <stdio.h>
#include <stdlib.h>

struct darshan_trace_writer {
    struct dsn__trace_sink sink;
    struct dsn__zstd_writer *zstd; /* NULL: not compressed */
};

int darshan_trace_create(int fd, const char *format, const char *prefix, const struct darshan_trace_info *info,
                         struct darshan_trace_writer **out, struct darshan_trace_error *err)
{
    const struct darshan_trace_info usual = { .cpu = DARSHAN_TRACE_CPU_RECORDED };
    const struct dsn__row *row = dsn__row_named(format);
    struct darshan_trace_writer *w;

    *out = NULL;
    if (!row || !row->put)
        return dsn__trace_say(err, "cannot be written in that format; darshan-trace --formats lists those that can");
    w = calloc(1, sizeof *w);
    if (!w)
        return dsn__trace_say(err, "cannot be written: out of memory");
    w->sink.row = row;
    w->sink.prefix = prefix;
    w->sink.info = info ? *info : usual;
    if (!dsn_text_init(&w->sink.out, fd)) {
        free(w);
        return dsn__trace_say(err, "cannot be written: out of memory");
    }
    if (!row->begin(&w->sink)) {
        dsn__trace_say(err, w->sink.err.text);
        darshan_trace_free(w);
        return 0;
    }
    *out = w;
    return 1;
}

static int put_compressed(void *context, const char *bytes, size_t n)
{
    return dsn__zstd_write(context, bytes, n, 0);
}

int darshan_trace_compress(struct darshan_trace_writer *w, struct darshan_trace_error *err)
{
    if (!DSN__HAS_ZSTD)
        return dsn__trace_say(err, "cannot be compressed: this build has no zstd");
    w->zstd = dsn__zstd_writer_new(w->sink.out.fd);
    if (!w->zstd)
        return dsn__trace_say(err, "cannot be compressed: there is not enough memory");
    w->sink.out.put = put_compressed;
    w->sink.out.context = w->zstd;
    return 1;
}

/* Whether everything could be written so far. */
static int written(struct dsn__trace_sink *s, int ok, struct darshan_trace_error *err)
{
    if (ok && s->out.error != 0) {
        snprintf(s->err.text, sizeof s->err.text, "cannot be written: %s", strerror(s->out.error));
        ok = 0;
    }
    return ok ? 1 : dsn__trace_say(err, s->err.text);
}

int darshan_trace_put(struct darshan_trace_writer *w, const struct darshan_trace_event *e,
                      struct darshan_trace_error *err)
{
    struct dsn__trace_sink *s = &w->sink;
    int ok;

    if (e->start < s->last) {
        struct darshan_trace_event late = *e;

        dsn__note(&s->notes, "some events started before the preceding one; their start is set to that one's");
        late.start = s->last;
        ok = s->row->put(s, &late);
    } else {
        s->last = e->start;
        ok = s->row->put(s, e);
    }
    return ok && s->out.error == 0 ? 1 : written(s, ok, err);
}

void darshan_trace_remark(struct darshan_trace_writer *w, const char *text)
{
    struct dsn__trace_sink *s = &w->sink;

    if (!s->row->comment) {
        dsn__note(&s->notes, "comments are left out: the format has none");
        return;
    }
    dsn_text_string(&s->out, s->row->comment);
    dsn_text_untrusted(&s->out, text, strlen(text));
    dsn_text_string(&s->out, "\n");
}

int darshan_trace_finish(struct darshan_trace_writer *w, const struct darshan_trace_info *info,
                         struct darshan_trace_error *err)
{
    int ok;

    if (info) {
        w->sink.info.thinned = info->thinned;
        w->sink.info.left_out = info->left_out;
    }
    ok = w->sink.row->end(&w->sink);
    if (dsn_text_flush(&w->sink.out) && w->zstd)
        w->sink.out.error = dsn__zstd_write(w->zstd, NULL, 0, 1);
    return written(&w->sink, ok, err);
}

void darshan_trace_free(struct darshan_trace_writer *w)
{
    if (!w)
        return;
    if (w->sink.row->release)
        w->sink.row->release(&w->sink);
    dsn__zstd_writer_free(w->zstd);
    dsn_text_free(&w->sink.out);
    free(w);
}

size_t darshan_trace_writer_notes(const struct darshan_trace_writer *w)
{
    return w->sink.notes.n;
}

const char *darshan_trace_writer_note(const struct darshan_trace_writer *w, size_t i)
{
    return dsn__note_told((struct dsn__note *)&w->sink.notes.note[i]);
}
