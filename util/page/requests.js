// requests.js - requests of a module, sections on files and mounts, and on the reliability of figures
// SPDX-License-Identifier: BSD-3-Clause

// ------------------------------------------------------------------ requests

function sizeParts(labels, layer) {
    const rows = labels.map((label, i) => ({ label, i }));
    const confidence = [layer.reads.bytes_confidence, layer.writes.bytes_confidence].includes('estimated')
        ? 'estimated'
        : layer.reads.bytes_confidence;
    const data = table(
        [
            { label: 'Size', get: (row) => row.i, show: (v, row) => row.label },
            { label: 'Reads', get: (row) => layer.reads.calls[row.i] },
            { label: 'Writes', get: (row) => layer.writes.calls[row.i] },
            { label: 'Bytes read', get: (row) => layer.reads.bytes[row.i], show: bytes },
            { label: 'Bytes written', get: (row) => layer.writes.bytes[row.i], show: bytes },
        ],
        rows,
        { caption: layer.layer + ': requests by size' }
    );
    const of = (reads, writes) => [
        { name: 'Read', colour: 'read', values: reads },
        { name: 'Write', colour: 'write', values: writes },
    ];
    const options = { slanted: true, height: 300 };
    return [
        make('h3', null, 'Sizes of requests'),
        make(
            'div',
            { class: 'pair' },
            bars('Calls by size', labels, of(layer.reads.calls, layer.writes.calls), count, options),
            bars('Bytes moved by calls of that size', labels, of(layer.reads.bytes, layer.writes.bytes), bytes, options)
        ),
        figures(
            make('div', null, data, note('Logs count calls by size, not their bytes: these are ' + confidence + '.'))
        ),
        layer.common.length ? commonSizes(layer) : null,
    ];
}

function commonSizes(layer) {
    return folded(
        'Most frequent sizes',
        table(
            [
                { label: 'Bytes', get: (one) => one.size },
                { label: 'Size', get: (one) => one.size, show: bytes },
                { label: 'Reads', get: (one) => one.reads },
                { label: 'Writes', get: (one) => one.writes },
                {
                    label: 'Read or write',
                    get: (one) => one.either,
                    title: 'in records of files that were read and written, which do not tell',
                },
            ],
            layer.common,
            { caption: layer.layer + ': most frequent sizes (' + layer.common_confidence + ')' }
        )
    );
}

const PATTERNS = [
    ['Consecutive', 'first', 'consecutive', 'began where the one before ended'],
    ['Sequential', 'second', 'sequential', 'at a higher offset than that'],
    ['Random', 'third', 'other', 'at a lower offset, or at the same'],
    ['First', 'other', 'first', 'the first after an open, which has none before'],
];

function accessParts(access) {
    const directions = [
        ['Reads', access.reads],
        ['Writes', access.writes],
    ];
    const calls = access.reads.calls + access.writes.calls;
    const data = table(
        [
            { label: 'Calls', get: ([name]) => name, text: true },
            { label: 'All', get: ([, one]) => one.calls },
            ...PATTERNS.map(([label, , key, title]) => ({ label, get: ([, one]) => one[key], title })),
        ],
        directions,
        { caption: 'Where calls began' }
    );
    return [
        make('h3', null, 'Access pattern'),
        note(
            'Consecutive: ' +
                PATTERNS[0][3] +
                '. Sequential: ' +
                PATTERNS[1][3] +
                '. Random: ' +
                PATTERNS[2][3] +
                '. First: ' +
                PATTERNS[3][3] +
                '.'
        ),
        calls > 0
            ? bars(
                  'Share of calls',
                  directions.map(([name]) => name),
                  PATTERNS.map(([name, shade, key]) => ({
                      name,
                      colour: shade,
                      values: directions.map(([, one]) => (one.calls > 0 ? one[key] / one.calls : 0)),
                  })),
                  share,
                  { across: true, stacked: true, height: 130, data }
              )
            : note('There were no reads and writes.'),
        facts([
            [
                'Not aligned in the file',
                calls > 0
                    ? plural(access.not_aligned_in_file, 'call') + ', ' + share(access.not_aligned_in_file / calls)
                    : null,
            ],
            [
                'Not aligned in memory',
                calls > 0
                    ? plural(access.not_aligned_in_memory, 'call') + ', ' + share(access.not_aligned_in_memory / calls)
                    : null,
            ],
            ['Random reads, writes, without the first after an open', count(access.random_reads) + ', ' + count(access.random_writes)],
            ['Switches between reading and writing', count(access.switches)],
        ]),
    ];
}

// ------------------------------------------------------------------ files

const PATTERN_NAMES = {
    serial: 'a job of one process',
    'one rank': 'one rank does the I/O',
    'N:1': 'N:1, all use the same files',
    'N:M': 'N:M, groups of ranks use the same files',
    'N:N': 'N:N, ranks have files of their own',
    none: 'no files with I/O',
};

const workColumns = (work) => [
    { label: 'Read', get: (row) => work(row).bytes_read, show: bytes },
    { label: 'Written', get: (row) => work(row).bytes_written, show: bytes },
    { label: 'Read time', get: (row) => work(row).read_seconds, show: seconds, title: 'summed over ranks' },
    { label: 'Write time', get: (row) => work(row).write_seconds, show: seconds, title: 'summed over ranks' },
    { label: 'Metadata time', get: (row) => work(row).metadata_seconds, show: seconds, title: 'summed over ranks' },
    { label: 'Reads', get: (row) => work(row).reads },
    { label: 'Writes', get: (row) => work(row).writes },
];

const className = (one) => spoken(one.class);

// How many files are how large, as far as a log tells, and what was moved in them.
function sizeFigures({ classes, unknown }) {
    const last = classes.reduce((most, one, i) => (one.files ? i : most), -1);
    if (last < 0) return null;
    const shown = classes.slice(0, last + 1);
    const round = (v) => bytes(v).replace(/\.0+(?=\D)/, '');
    const names = shown.map(({ up_to: most }, i) => (most ? '\u2264 ' + round(most) : '> ' + round(classes[i - 1].up_to)));
    const data = table(
        [
            { label: 'Size', get: (one) => classes.indexOf(one), show: (i) => names[i] },
            { label: 'Files', get: (one) => one.files },
            { label: 'Bytes in them', get: (one) => one.bytes, show: bytes, title: 'up to the highest offsets' },
            ...workColumns((one) => one.work),
        ],
        shown,
        { caption: 'Files by size', sort: 0 }
    );
    return [
        note(
            'Sizes are those up to the highest offset that was read or written: a file may be larger. ',
            unknown > 0 ? 'Of ' + plural(unknown, 'further file') + ' nothing was read or written, or the log has no offsets.' : ''
        ),
        make(
            'div',
            { class: 'pair' },
            bars('Number of files by size', names, [{ name: 'Files', colour: 'third', values: shown.map((one) => one.files) }], count, {
                every: true,
                data,
            }),
            bars(
                'Bytes moved by size of file',
                names,
                [
                    ['Read', 'read', 'bytes_read'],
                    ['Written', 'write', 'bytes_written'],
                ].map(([label, shade, key]) => ({ name: label, colour: shade, values: shown.map((one) => one.work[key]) })),
                bytes,
                { stacked: true, every: true }
            )
        ),
    ];
}

// What opens for writing did; only what there is.
function writtenFacts(written) {
    const { temporary } = written;
    return [
        ['Created', written.created],
        ['Overwritten', written.overwritten],
        ['Perhaps created', written.perhaps_created],
        ['Changed', written.changed],
        ['Read, then changed', written.read_before_changed],
        ['Empty before', written.empty_before],
        ['Temporary', temporary.files, bytes(temporary.bytes_written) + ' written, ' + bytes(temporary.bytes_read) + ' read'],
    ].map(([name, n, more]) => [name, n > 0 ? count(n) + (more ? ': ' + more : '') : null]);
}

function sharingSection({ sharing, files: { sizes }, written_files: written, mapped_files: mapped, gpudirect_storage: gds, file_patterns, job }) {
    const { classes, files } = sharing;
    if (!files.total) return absent('sharing of files', 'there are none');
    return section(
        'sharing',
        'Sharing and sizes',
        note('Who uses the files: ' + spoken(PATTERN_NAMES[sharing.pattern] || sharing.pattern) + '.'),
        bars(
            'Bytes by class of file',
            classes.map(className),
            [
                { name: 'Read', colour: 'read', values: classes.map((one) => one.work.bytes_read) },
                { name: 'Written', colour: 'write', values: classes.map((one) => one.work.bytes_written) },
            ],
            bytes,
            {
                across: true,
                stacked: true,
                height: 165,
                data: table(
                    [
                        { label: 'Files', get: className, text: true },
                        { label: 'Number', get: (one) => one.files },
                        ...workColumns((one) => one.work),
                    ],
                    classes,
                    { caption: spoken('Files by the ranks that use them') }
                ),
            }
        ),
        facts([
            ['Files', count(files.total)],
            ['Only read', count(files.read_only)],
            ['Only written', count(files.write_only)],
            ['Read and written', count(files.read_write)],
            ['Without data', count(files.without_data)],
        ]),
        written ? facts(writtenFacts(written)) : null,
        sizeFigures(sizes),
        ...gdsParts(gds),
        ...mappedParts(mapped),
        ...patternParts(file_patterns, job)
    );
}

// What moved between storage and the memory of GPUs.
function gdsParts(gds) {
    if (!gds) return [];
    const sum = (row, name) => row.read[name] + row.written[name];
    const columns = [
        { label: 'File', get: (row) => row.name, show: pathText, text: true },
        { label: 'Bytes', get: (row) => row.bytes, show: bytes },
        { label: 'By POSIX calls', get: (row) => row.bytes_by_posix, show: bytes, title: 'compatibility mode: through memory of the host' },
        { label: 'Queued', get: (row) => sum(row, 'queued'), show: bytes, title: 'on streams and in batches, beside POSIX calls: without time' },
        { label: 'Asked for', get: (row) => sum(row, 'asked_for'), show: bytes, title: 'of what was queued: at most so many were moved' },
        { label: 'Calls', get: (row) => row.calls, title: 'synchronous reads and writes' },
        { label: 'Operations queued', get: (row) => row.queued_operations },
        { label: 'Failed', get: (row) => row.failed },
    ];
    const left = gds.files - gds.largest.length;
    return [
        make('h3', null, 'GPUDirect Storage'),
        note(
            bytes(gds.bytes) + ' in ' + plural(gds.files, 'file') +
                (gds.bytes_by_posix > 0
                    ? '; ' + bytes(gds.bytes_by_posix) + ' of these went by POSIX calls, ' +
                      (gds.compatibility_mode ? 'for the library was in compatibility mode.' : 'at most.')
                    : ', beside POSIX calls.') +
                (gds.buffers > 0 ? ' ' + plural(gds.buffers, 'buffer') + ' registered: ' + bytes(gds.buffer_bytes) + '.' : '') +
                (left > 0 ? ' Not listed, because less was moved: ' + plural(left, 'file') + '.' : '')
        ),
        table(columns, gds.largest, { caption: 'GPUDirect Storage', sort: -2 }),
    ];
}

// What loads and stores moved, of which only bounds are known.
function mappedParts(mapped) {
    if (!mapped) return [];
    const number = (label, name, title) => ({ label, get: (row) => row[name], show: bytes, title });
    const columns = [
        { label: 'Mapped file', get: (row) => row.name, show: pathText, text: true },
        { label: 'Mappings', get: (row) => row.mappings },
        number('Mapped', 'bytes', spoken('most that one rank had mapped at a time')),
        number('Accessed, at most', 'at_most_accessed', 'pages that loads and stores brought into memory'),
        number('Changed, at most', 'at_most_written', 'of these, where stores reach the file'),
        number('Written back, at least', 'at_least_written_back', 'was to be written back, and not because of calls; with a page the whole larger unit of the page cache that it is in'),
        number('Not examined', 'not_examined', 'accessed by the length of mappings only'),
    ];
    const left = mapped.files - mapped.largest.length;
    return [
        make('h3', null, 'Mapped files'),
        note(
            'Loads and stores are no calls, and no other figure has their bytes. ' +
                'At most ' + bytes(mapped.at_most_accessed) + ' were accessed in ' + plural(mapped.files, 'file') +
                (mapped.may_be_most ? ', which may be more than calls moved.' : '.') +
                (left > 0 ? ' Not listed, because less was accessed: ' + plural(left, 'file') + '.' : '')
        ),
        table(columns, mapped.largest, { caption: 'Mapped files', sort: -4 }),
    ];
}

// Files whose names differ only in numbers, or that share directory and suffix.
function patternParts(all, job) {
    const rows = all.rows.filter((row) => row.files > 1 || row.further_files);
    if (!rows.length) return [];
    const { rest, in_none: none } = all;
    const who = (users, moved) => (moved > 0 ? users.text || UNKNOWN : '');
    const sizeText = ({ least, most }) => (least === most ? bytes(most) : bytes(least) + ' \u2013 ' + bytes(most));
    const alone = job.ranks === 1;
    const users = (label, key, moved) =>
        alone ? [] : [{ label, get: (row) => who(row[key], row.work[moved]), text: true, title: spoken('ranks that do, of each file') }];
    const list = table(
        [
            { label: 'Pattern', get: (row) => row.pattern, show: pathText, text: true, title: '# is a number, * are letters that differ' },
            { label: 'Files', get: (row) => row.files, show: (v, row) => (row.further_files ? 'over ' : '') + count(v) },
            {
                label: 'Size of a file',
                get: (row) => row.size.mean,
                show: (v, row) => (known(v) ? sizeText(row.size) : UNKNOWN),
                title: 'up to the highest offset that was read or written; sorted by the mean',
            },
            { label: 'Written', get: (row) => row.work.bytes_written, show: bytes },
            ...users('Written by', 'writers', 'bytes_written'),
            { label: 'Read', get: (row) => row.work.bytes_read, show: bytes },
            ...users('Read by', 'readers', 'bytes_read'),
            {
                label: 'Times read',
                get: (row) => row.times_read,
                show: (v) => (known(v) ? ratio(v) : UNKNOWN),
                title: 'bytes read by the sizes of the files that were read',
            },
            {
                label: 'I/O time',
                get: (row) => row.work.read_seconds + row.work.write_seconds + row.work.metadata_seconds,
                show: seconds,
                title: spoken('summed over ranks'),
            },
        ],
        rows,
        {
            caption: 'Patterns of files',
            search: (row) => row.pattern,
            label: 'Search patterns',
            sort: alone ? -7 : -9,
        }
    );
    const left = [
        rest.patterns > 0
            ? 'Not listed, because others took more time: ' + plural(rest.files, 'file') + ', ' + workText(rest.work) + '.'
            : null,
        none.files > 0 ? 'In none, for want of a name that tells, or of room: ' + plural(none.files, 'file') + ', ' + workText(none.work) + '.' : null,
    ].filter(Boolean);
    return [
        make('h3', null, 'Patterns of files'),
        note(['Files whose names differ only in numbers (#) or in random letters (*), or that share directory and suffix.', ...left].join(' ')),
        list,
    ];
}

function workText(work) {
    return bytes(work.bytes_read) + ' read, ' + bytes(work.bytes_written) + ' written';
}

function fileSection({ files, job }) {
    if (!files.rows.length) return absent('files', 'the job opened none');
    const at = Object.fromEntries(files.columns.map((name, i) => [name, i]));
    const value = (name) => (row) => row[at[name]];
    const nameOf = (row) => row[at.name] || 'record ' + row[at.id];
    const file = { label: 'File', get: nameOf, show: pathText, text: true };
    const number = (label, name, show, title) => ({ label, get: value(name), show, title });
    const part = (label, name, of, title) => ({
        label,
        title,
        show: share,
        get: (row) => (row[at[of]] > 0 ? row[at[name]] / row[at[of]] : null),
    });
    const who = {
        label: 'Shared by',
        get: value('shared_by'),
        text: true,
        show: (v, row) => v + (v === 'some' ? ' (' + count(row[at.ranks]) + ')' : ''),
    };
    const slowest = number(
        spoken('Slowest rank'),
        'slowest_seconds',
        (v, row) =>
            seconds(v) +
            (job.ranks > 1 && known(row[at.slowest_rank]) && row[at.slowest_rank] >= 0
                ? ' (' + row[at.slowest_rank] + ')'
                : ''),
        spoken('most seconds that a rank spent on it')
    );
    const sets = {
        time: [
            'Time and bytes',
            [
                file,
                slowest,
                number('Read time', 'read_seconds', seconds),
                number('Write time', 'write_seconds', seconds),
                number('Metadata time', 'metadata_seconds', seconds),
                number('Read', 'bytes_read', bytes),
                number('Written', 'bytes_written', bytes),
                who,
            ],
        ],
        ranks: [
            spoken('Ranks'),
            [
                file,
                who,
                number('Readers', 'readers', undefined, spoken('ranks that read bytes of it')),
                number('Writers', 'writers', undefined, spoken('ranks that wrote bytes to it')),
                slowest,
                number('Its read time', 'slowest_read_seconds', seconds, spoken('time of the slowest rank in reads')),
                number('Its write time', 'slowest_write_seconds', seconds, spoken('time of the slowest rank in writes')),
                number('Its metadata time', 'slowest_metadata_seconds', seconds, spoken('time of the slowest rank in metadata calls')),
            ],
        ],
        calls: [
            'Calls and pattern',
            [
                file,
                number('Reads', 'reads'),
                number('Writes', 'writes'),
                number('Opens', 'opens'),
                number('Stats', 'stats'),
                number('Seeks', 'seeks'),
                number('Syncs', 'syncs'),
                part('Consecutive', 'consecutive', 'posix_calls'),
                part('Sequential', 'sequential', 'posix_calls', 'consecutive ones included'),
                part('Unaligned', 'unaligned', 'posix_calls'),
                part('Small', 'small', 'posix_calls', 'up to 100 KiB'),
                number('MPI-IO independent', 'independent'),
                number('Collective', 'collective'),
            ],
        ],
        before: [
            'Before and after',
            [
                file,
                { label: 'Was', get: value('found'), text: true, title: 'what opens for writing did to it' },
                number('Size before', 'size_before', bytes, 'found by the first open for writing'),
                number('Written', 'bytes_written', bytes),
                number('Read', 'bytes_read', bytes),
                number('Deleted', 'deleted', undefined, 'times, by a process that had opened it'),
                number('Opens', 'open_seconds', seconds, 'part of the metadata time'),
                number('Closes', 'close_seconds', seconds, 'part of the metadata time'),
                number('Syncs', 'sync_seconds', seconds, 'part of the write time'),
            ],
        ],
        place: [
            'Time span and layout',
            [
                file,
                { label: 'Interface', get: value('interface'), text: true },
                { label: 'Mount', get: value('mount'), show: pathText, text: true },
                number('First open', 'first_open', (v) => (v > 0 ? seconds(v) : UNKNOWN)),
                number('Last I/O', 'last_io', (v) => (v > 0 ? seconds(v) : UNKNOWN)),
                spanColumn(at, job),
                number(
                    'Extent',
                    'extent',
                    (v) => (v > 0 ? bytes(v) : UNKNOWN),
                    'up to the highest offset that was read or written'
                ),
                number('Stripes', 'stripes'),
                number('Stripe size', 'stripe_size', bytes),
            ],
        ],
    };
    const place = make('div');
    const fillIn = (key) =>
        place.replaceChildren(
            table(sets[key][1], files.rows, {
                caption: 'Files: ' + sets[key][0].toLowerCase(),
                search: (row) => nameOf(row) + ' ' + row[at.interface] + ' ' + row[at.mount],
                label: 'Search files',
                sort: key === 'time' ? -2 : undefined,
            })
        );
    fillIn('time');
    return section(
        'files',
        'Files',
        note(
            files.rest.files > 0
                ? 'The ' +
                      count(files.rows.length) +
                      spoken(' files that ranks spent most time on, of ') +
                      count(files.total) +
                      '. The others: ' +
                      bytes(files.rest.work.bytes_read) +
                      ' read, ' +
                      bytes(files.rest.work.bytes_written) +
                      ' written, ' +
                      seconds(
                          files.rest.work.read_seconds +
                              files.rest.work.write_seconds +
                              files.rest.work.metadata_seconds
                      ) +
                      ' of ' + everyone + '.'
                : spoken('Times are summed over ranks, but those of the slowest rank are its own. Click a heading to sort.')
        ),
        make(
            'p',
            { class: 'controls' },
            choice(
                'Columns',
                Object.entries(sets).map(([key, [label]]) => [key, label]),
                'time',
                fillIn
            )
        ),
        place
    );
}

// From the first open to the last access, on the scale of the run time.
function spanColumn(at, job) {
    const total = known(job.run_seconds) && job.run_seconds > 0 ? job.run_seconds : null;
    return {
        label: 'Span of the run',
        text: true,
        get: (row) => row[at.first_open],
        show: (v, row) => {
            const from = row[at.first_open],
                to = row[at.last_io];
            if (!total || !(to > 0)) return UNKNOWN;
            const bar = make('span', { class: 'span-bar' });
            const start = Math.min(1, Math.max(0, from / total)),
                end = Math.min(1, Math.max(start, to / total));
            bar.style.marginLeft = 100 * start + '%';
            bar.style.width = Math.max(1.5, 100 * (end - start)) + '%';
            return make(
                'span',
                { class: 'span', role: 'img', 'aria-label': 'from ' + seconds(from) + ' to ' + seconds(to) },
                bar
            );
        },
    };
}

// What each target holds of the job's bytes.
function targetFigure(targets) {
    if (!targets || !targets.rows.length) return [];
    const several = new Set(targets.rows.map((row) => row.mount)).size > 1;
    const most = targets.rows.slice(0, 32);
    const nameOf = (row) => 'OST ' + row.ost + (several ? ' of ' + shortened(visible(row.mount), 20) : '');
    return [
        note(
            count(targets.used) +
                ' targets hold the bytes of ' +
                plural(targets.files, 'file') +
                (known(targets.of_at_least) ? ', of at least ' + count(targets.of_at_least) + ' that there are' : '') +
                '. Bytes of a target are estimated: those of a file are taken to be spread evenly over its stripes.' +
                (targets.undivided_bytes >= 1 ? ' ' + bytes(targets.undivided_bytes) + ' could not be divided.' : '')
        ),
        bars(
            most.length < targets.used ? 'Bytes by storage target: the ' + most.length + ' with most' : 'Bytes by storage target',
            most.map(nameOf),
            [
                { name: 'Read', colour: 'read', values: most.map((row) => row.bytes_read) },
                { name: 'Written', colour: 'write', values: most.map((row) => row.bytes_written) },
            ],
            bytes,
            {
                across: true,
                stacked: true,
                height: 65 + 20 * most.length,
                data: table(
                    [
                        { label: 'Target', get: (row) => row.ost, show: (v, row) => nameOf(row) },
                        { label: 'Files', get: (row) => row.files },
                        { label: 'Read', get: (row) => row.bytes_read, show: bytes },
                        { label: 'Written', get: (row) => row.bytes_written, show: bytes },
                    ],
                    targets.rows,
                    { caption: 'Storage targets' }
                ),
            }
        ),
    ];
}

function mountSection(mounts, files, targets) {
    if (!mounts.used.length) return absent('mounts', 'no file was used');
    const at = Object.fromEntries(files.columns.map((name, i) => [name, i]));
    const striped = files.rows.filter((row) => known(row[at.stripes]));
    return section(
        'mounts',
        'Mounts and striping',
        bars(
            'Bytes by mount',
            mounts.used.map((mount) => shortened(visible(mount.path), 24)),
            [
                { name: 'Read', colour: 'read', values: mounts.used.map((mount) => mount.work.bytes_read) },
                { name: 'Written', colour: 'write', values: mounts.used.map((mount) => mount.work.bytes_written) },
            ],
            bytes,
            {
                across: true,
                stacked: true,
                height: 65 + 32 * Math.min(12, mounts.used.length),
                data: table(
                    [
                        { label: 'Mount', get: (mount) => mount.path, show: pathText, text: true },
                        { label: 'Type', get: (mount) => mount.type, text: true },
                        { label: 'Files', get: (mount) => mount.files },
                        ...workColumns((mount) => mount.work),
                    ],
                    mounts.used,
                    { caption: 'Mounts with files of the job' }
                ),
            }
        ),
        mounts.unused > 0 ? note(plural(mounts.unused, 'mount') + ' had no files of the job.') : null,
        mounts.lustre.files_with_layout > 0
            ? [
                  make('h3', null, 'Striping on Lustre'),
                  note(
                      plural(mounts.lustre.files_with_layout, 'file') +
                          ' with a known layout, ' +
                          count(mounts.lustre.of_one_target) +
                          ' of them on one storage target.'
                  ),
                  ...targetFigure(targets),
                  folded(
                      'Table',
                      table(
                          [
                              {
                                  label: 'File',
                                  get: (row) => row[at.name] || 'record ' + row[at.id],
                                  show: pathText,
                                  text: true,
                              },
                              { label: 'Stripes', get: (row) => row[at.stripes] },
                              { label: 'Stripe size', get: (row) => row[at.stripe_size], show: bytes },
                              {
                                  label: 'Extent',
                                  get: (row) => row[at.extent],
                                  show: (v) => (v > 0 ? bytes(v) : UNKNOWN),
                              },
                              { label: 'Slowest rank', get: (row) => row[at.slowest_seconds], show: seconds },
                          ],
                          striped,
                          { caption: 'Layout of files', sort: -5 }
                      )
                  ),
              ]
            : null
    );
}

// ------------------------------------------------------------------ how far to trust it

// Calls that are not in any record.
const uncountedText = (sum) => (sum.calls > 0 ? count(sum.calls) + ' in ' + seconds(sum.seconds) : null);

function qualitySection({ quality, log }) {
    const { folded: coarse } = quality;
    const remedy = [
        coarse.enough_modmem_mib ? 'DARSHAN_MODMEM=' + coarse.enough_modmem_mib : null,
        coarse.enough_max_records ? 'MAX_RECORDS of ' + count(coarse.enough_max_records) : null,
    ].filter(Boolean);
    return section(
        'quality',
        'Quality of the log',
        facts([
            ['Recovered', quality.recovered ? visible(quality.recovered) : null, 'wide'],
            ['Damage', quality.damage ? visible(quality.damage) : 'none'],
            ['Incomplete modules', quality.incomplete_modules.length ? quality.incomplete_modules.join(', ') : 'none'],
            [
                'Counted by mount',
                coarse.uses > 0
                    ? count(coarse.uses) +
                      ' uses of files' +
                      (coarse.by_max_records
                          ? ', ' + count(coarse.by_max_records) + ' of them because of MAX_RECORDS'
                          : '')
                    : 'nothing',
            ],
            ['Enough would be', remedy.length ? remedy.join(' and ') : null],
            ['Calls missed', count(quality.missed_calls)],
            ['Operations not traced', quality.untraced_operations > 0 ? count(quality.untraced_operations) : null],
            ['Files deleted', uncountedText(quality.calls_without_counters.deletes)],
            ['Files renamed', uncountedText(quality.calls_without_counters.renames)],
            ['Mappings written back', uncountedText(quality.calls_without_counters.map_syncs)],
            [spoken('Totals of each rank'), log.extension ? 'in the log' : 'not in this log'],
        ]),
        quality.past_posix
            ? note('Data also went through DFS or DAOS, past POSIX: they are counted like POSIX.')
            : null,
        folded(
            'How far figures can be trusted',
            table(
                [
                    { label: 'Figure', get: (one) => one.figure, text: true },
                    { label: 'Trust', get: (one) => one.confidence, text: true },
                    { label: 'Why', get: (one) => one.why || '', text: true },
                ],
                quality.confidence,
                {
                    caption:
                        'Exact: made of counters that were not reduced. Bounded: known to lie between bounds. ' +
                        'Estimated: records are missing, or something had to be assumed.',
                }
            )
        ),
        quality.remarks.length
            ? folded(
                  'Remarks on the versions of modules',
                  make(
                      'ul',
                      null,
                      quality.remarks.map((remark) => make('li', null, remark))
                  )
              )
            : null
    );
}

// A link is part of this program, never of a log.
function sourceOf({ source, link }) {
    return /^https:\/\/doi\.org\/10\.[\w./-]+$/.test(link)
        ? make('a', { href: link, rel: 'noreferrer noopener' }, visible(source))
        : visible(source);
}

function glossarySection({ definitions, glossary }) {
    return section(
        'glossary',
        'Glossary',
        table(
            [
                { label: 'Figure', get: (one) => one.figure, text: true },
                { label: 'Formula', get: (one) => one.formula, text: true },
                {
                    label: 'Counters',
                    get: (one) => one.counters,
                    show: (v) => make('span', { class: 'path' }, v),
                    text: true,
                },
                { label: 'Source', get: (one) => one.source, show: (v, one) => sourceOf(one), text: true },
            ],
            definitions,
            {
                caption: 'How figures are made',
                search: (one) => [one.figure, one.formula, one.counters, one.source].join(' '),
                label: 'Search figures',
            }
        ),
        folded(
            'Counters that figures are made of',
            table(
                [
                    { label: 'Figure', get: (one) => one.figure, text: true },
                    { label: 'Counter', get: (one) => one.counter, text: true },
                    { label: 'Module', get: (one) => one.module, text: true },
                    { label: 'Meaning', get: (one) => one.meaning, text: true },
                ],
                glossary,
                {
                    caption: 'Figures and counters',
                    search: (one) => [one.figure, one.counter, one.meaning].join(' '),
                    label: 'Search counters',
                }
            )
        )
    );
}
