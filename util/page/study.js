// study.js - charts for the answers of the study's queries
// SPDX-License-Identifier: BSD-3-Clause

const PALETTE = ['read', 'write', 'meta', 'third', 'second', 'other', 'first'];
const SYMBOLS = ['circle', 'triangle', 'rect', 'diamond'];
const MOST_NAMES = 7; // that a picture tells apart
const MOST_BARS = 30;

const percent = (v) => (known(v) ? (v > 0 && v < 0.01 ? '<' + NBSP + '0.01' : digits(v)) + NBSP + '%' : UNKNOWN);
const day = (v) => new Date(1000 * v).toISOString().slice(0, 10);
let zone = 'UTC'; // of the site
let clock = null;
// A zone that the browser does not know: UTC.
function setZone(name) {
    const form = { dateStyle: 'short', timeStyle: 'short' }; // Swedes write 2026-11-26 17:05
    try {
        clock = new Intl.DateTimeFormat('sv-SE', Object.assign({ timeZone: name }, form));
        zone = name;
    } catch {
        clock = new Intl.DateTimeFormat('sv-SE', Object.assign({ timeZone: 'UTC' }, form));
    }
}
// A time outside of the calendar's range is shown as a number.
const moment = (v) => (Math.abs(v) < 8e12 ? clock.format(1000 * v) : count(v));
// What the clock at the site shows, for axes, which know UTC only: milliseconds.
const wall = (v) => Date.parse(moment(v).replace(' ', 'T') + 'Z');
const span = (p) => (p > 1 ? count(p) + '\u2013' + count(2 * p - 1) : '1');
const tib = (v) => digits(v) + NBSP + 'TiB';
const mibs = (v) => digits(v) + NBSP + 'MiB/s';

function unique(rows, key) {
    return Array.from(new Set(rows.map((row) => row[key])));
}

function names(rows, key) {
    return unique(rows, key).slice(0, MOST_NAMES);
}

// Rows as series over `x`, one for each value of `name`.
function pivot(rows, x, name, y) {
    const places = unique(rows, x);
    return unique(rows, name).map((one, i) => ({
        name: one,
        colour: PALETTE[i % PALETTE.length],
        values: places.map((place) => {
            const row = rows.find((candidate) => candidate[x] === place && candidate[name] === one);
            return row ? row[y] || 0 : 0;
        }),
    }));
}

function bySize(rows, name, pictures) {
    const sizes = unique(rows, 'processes').map(span);
    return pictures.map(([label, y, stacked]) =>
        bars(label + ', by number of processes', sizes, pivot(rows, 'processes', name, y), percent, {
            stacked,
            limit: 100,
            every: true,
        })
    );
}

function across(label, rows, name, series, show) {
    const some = rows.slice(0, MOST_BARS);
    return bars(
        label,
        some.map((row) => visible(row[name])),
        series.map(([title, key, shade]) => ({ name: title, colour: shade, values: some.map((row) => row[key]) })),
        show,
        { across: true, stacked: series.length === 2 && series[0][3], height: 70 + 34 * some.length }
    );
}

// With the days between them for which there are no rows: they are gaps in a chart. Of years, only the days with rows.
function everyDay(rows) {
    const number = (row) => Date.parse(row.day) / 86400e3;
    const first = number(rows[0]);
    const n = number(rows[rows.length - 1]) - first + 1;
    if (!(n < 4000)) return rows;
    const days = Array.from({ length: n }, (_, i) => ({ day: day(86400 * (first + i)), tib_read: null, tib_written: null }));
    rows.forEach((row) => (days[number(row) - first] = row));
    return days;
}

// Of times as the database writes them: charts have no room for more than the day, if that tells them apart, or the minute.
function shortTimes(rows) {
    const days = new Set(rows.map(({ time }) => time.slice(0, 10)));
    return days.size === unique(rows, 'time').length ? (time) => time.slice(0, 10) : (time) => time.slice(0, 16);
}

// Cumulative shares of files and of bytes by powers of two, a pair of lines per snapshot.
function cumulated(label, rows, group, xName, showBin) {
    const groups = unique(rows, group).slice(-MOST_NAMES);
    const bins = unique(rows, 'bin').sort((a, b) => a - b);
    const series = groups.flatMap((one, i) =>
        [
            ['files', 'percent_of_files', false],
            ['bytes', 'percent_of_bytes', true],
        ].map(([what, key, dashed]) => ({
            name: (groups.length > 1 ? one + ': ' : '') + what,
            colour: PALETTE[i],
            dashed,
            points: rows.filter((row) => row[group] === one).map((row) => [bins.indexOf(row.bin), row[key]]),
        }))
    );
    return lines(
        label,
        series,
        { name: xName, category: bins.map(showBin) },
        { show: percent, most: 100 },
        300
    );
}

const PICTURES = {
    interfaces: (rows) =>
        bySize(rows, 'interface', [
            ['Percent of logs that use an interface', 'percent_of_logs'],
            ['Percent of bytes read', 'percent_of_bytes_read', true],
            ['Percent of bytes written', 'percent_of_bytes_written', true],
        ]),
    sharing: (rows) =>
        bySize(rows, 'sharing', [
            ['Percent of files', 'percent_of_files', true],
            ['Percent of bytes', 'percent_of_bytes', true],
        ]),
    projects: (rows) => [
        across(
            'TiB of the projects that move most',
            rows,
            'project',
            [
                ['Read', 'tib_read', 'read', true],
                ['Written', 'tib_written', 'write'],
            ],
            tib
        ),
    ],
    'project-coverage': (rows) => [
        across(
            'Percent of jobs and of core hours that left logs',
            rows,
            'project',
            [
                ['Jobs', 'percent_of_jobs', 'second'],
                ['Core hours', 'percent_of_core_hours', 'first'],
            ],
            percent
        ),
    ],
    'files-by-processes': (rows) => {
        const some = names(rows, 'project');
        const point = (row) => ({
            x: row.nprocs,
            y: row.files,
            weight: row.logs,
            lines: [
                ['Processes', count(row.nprocs)],
                ['Files', count(row.files)],
                ['Logs', count(row.logs)],
            ],
        });
        const series = some.map((name, i) => ({
            name,
            colour: PALETTE[i],
            symbol: SYMBOLS[i % SYMBOLS.length],
            points: rows.filter((row) => row.project === name).map(point),
        }));
        const others = rows.filter((row) => !some.includes(row.project));
        if (others.length)
            series.push({ name: 'others', colour: 'muted', symbol: 'circle', points: others.map(point) });
        return [powers('Files against processes; on the line there are as many', series, 'processes', 'files')];
    },
    throughput: (rows) => {
        const days = everyDay(rows);
        return [
            bars(
                'TiB a day',
                days.map((row) => row.day),
                [
                    { name: 'Read', colour: 'read', values: days.map((row) => row.tib_read) },
                    { name: 'Written', colour: 'write', values: days.map((row) => row.tib_written) },
                ],
                tib,
                { stacked: true, some: true }
            ),
        ];
    },
    'throughput-hours': (rows) => {
        // an hour without samples is a gap in the line
        const points = (key) =>
            rows.flatMap((row, i) =>
                i > 0 && row.time - rows[i - 1].time > 3600
                    ? [
                          [wall(rows[i - 1].time + 3600), null],
                          [wall(row.time), row[key]],
                      ]
                    : [[wall(row.time), row[key]]]
            );
        const x = { time: true, show: (v) => new Date(v).toISOString().slice(0, 16).replace('T', ' ') };
        return [
            lines(
                'MiB/s on average over an hour',
                [
                    { name: 'Read', colour: 'read', area: true, points: points('mib_s_read') },
                    { name: 'Written', colour: 'write', area: true, points: points('mib_s_written') },
                ],
                x,
                { show: digits }
            ),
            lines(
                'MiB/s in the highest minute of an hour',
                [{ name: 'Read and written', colour: 'first', points: points('highest') }],
                x,
                { show: digits }
            ),
        ];
    },
    'throughput-shares': (rows) => [
        lines(
            'Percent of minutes with so many MiB/s or less',
            [{ name: 'minutes', colour: 'read', points: rows.map((row) => [row.mib_s, row.percent_of_minutes]) }],
            { name: 'MiB/s', show: digits, most: rows[rows.length - 1].mib_s },
            { show: percent, most: 100 }
        ),
    ],
    patterns: (rows) => [
        bars(
            'Logs that show a pattern',
            unique(rows, 'pattern'),
            [
                {
                    name: 'Logs',
                    colour: 'first',
                    values: unique(rows, 'pattern').map((one) =>
                        rows.reduce((sum, row) => sum + (row.pattern === one ? row.logs : 0), 0)
                    ),
                },
            ],
            count,
            { across: true, height: 200, labels: 190 }
        ),
    ],
    'written-files': (rows) => [
        across(
            'Percent of the written files that held data before',
            rows,
            'project',
            [['Held data', 'held_data_percent', 'write']],
            percent
        ),
    ],
    idle: (rows) => [
        bars(
            'Percent of the time in idle periods, by their length',
            rows.map((row) => row.length),
            [{ name: 'Percent of time', colour: 'read', values: rows.map((row) => row.percent_of_time) }],
            percent,
            { every: true }
        ),
    ],
    'file-sizes': (rows) =>
        unique(rows, 'directory')
            .slice(0, 4)
            .map((directory) => {
                const some = rows.filter((row) => row.directory === directory);
                const short = shortTimes(some);
                return cumulated(
                    'Files of ' + shortened(visible(directory), 60) + ' and their bytes, by size',
                    some.map((row) => Object.assign({}, row, { time: short(row.time) })),
                    'time',
                    'size below',
                    (bin) => bytes(2 ** bin)
                );
            }),
    'file-ages': (rows) => {
        const several = unique(rows, 'directory').length > 1;
        const short = shortTimes(rows);
        return ['access_days', 'modification_days'].map((kind) => {
            const some = rows.filter((row) => row.histogram === kind);
            return cumulated(
                kind === 'access_days' ? 'By days since they were read' : 'By days since they were written',
                some.map((row) =>
                    Object.assign({}, row, { one: (several ? shortened(row.directory, 30) + ' ' : '') + short(row.time) })
                ),
                'one',
                'days below',
                (bin) => count(2 ** bin)
            );
        });
    },
    'project-rates': (rows) => [
        boxes(
            'MiB/s per compute node',
            rows.slice(0, MOST_BARS).map((row) => row.project),
            rows.slice(0, MOST_BARS).map((row) => ({
                low: row.lowest,
                quartile1: row.quartile1,
                median: row.median,
                quartile3: row.quartile3,
                high: row.highest,
            })),
            digits,
            'MiB/s per compute node'
        ),
    ],
    'project-characteristics': (rows) => [
        across(
            'I/O in percent of the run time, and metadata in percent of I/O',
            rows,
            'project',
            [
                ['I/O', 'io_percent', 'read'],
                ['Metadata', 'meta_percent', 'meta'],
            ],
            percent
        ),
    ],
    'request-sizes': (rows) => {
        const some = names(rows, 'project');
        const uptos = unique(rows, 'upto').map((v) => (v === null ? 'more' : bytes(v)));
        const shown = rows
            .filter((row) => some.includes(row.project))
            .map((row) => Object.assign({}, row, { upto: String(row.upto) }));
        return [
            ['reads', 'percent_of_reads'],
            ['writes', 'percent_of_writes'],
        ].map(([what, key]) =>
            bars('Percent of ' + what + ', by size up to', uptos, pivot(shown, 'upto', 'project', key), percent, { every: true })
        );
    },
    months: (rows) => [
        bars(
            'Node hours month by month',
            rows.map((row) => row.month),
            [
                { name: 'Waiting for I/O', colour: 'write', values: rows.map((row) => row.waited_node_hours) },
                { name: 'All others', colour: 'read', values: rows.map((row) => (known(row.node_hours) ? row.node_hours - row.waited_node_hours : null)) },
            ],
            digits,
            { stacked: true, every: true }
        ),
        bars(
            'Percent of node hours lost waiting for I/O',
            rows.map((row) => row.month),
            [{ name: 'Waiting for I/O', colour: 'write', values: rows.map((row) => row.waited_percent) }],
            percent,
            { every: true }
        ),
    ],
    'waits-by-project': (rows) => [
        across('Node hours in which projects wait for I/O', rows, 'project', [['Waiting', 'waited_node_hours', 'write']], digits),
    ],
    scaling: (rows) => {
        const some = names(rows, 'project');
        const nodes = unique(rows, 'nodes').sort((a, b) => a - b);
        return [
            ['I/O in percent of the run time', 'io_percent'],
            ['Metadata in percent of I/O', 'meta_percent'],
        ].map(([label, key]) =>
            lines(
                label + ', by compute nodes',
                some.map((name, i) => ({
                    name,
                    colour: PALETTE[i],
                    points: rows
                        .filter((row) => row.project === name && known(row[key]))
                        .map((row) => [nodes.indexOf(row.nodes), row[key]])
                        .sort((a, b) => a[0] - b[0]),
                })),
                { name: 'compute nodes', category: nodes.map(count) },
                { show: percent },
                0,
                true
            )
        );
    },
    'program-ranking': (rows) => [
        lines(
            'Shares of all bytes and of all CPU time, over the programs by rate',
            [
                ['bytes', 'share_of_bytes', 'read'],
                ['CPU time', 'share_of_cpu', 'write'],
            ].map(([name, key, shade]) => ({
                name,
                colour: shade,
                points: rows.map((row) => [row.share_of_programs, row[key]]),
            })),
            { name: 'share of the programs', show: share, most: 1 },
            { show: share, most: 1 }
        ),
    ],
    'slow-osts': (rows) => [
        across(
            'MiB a second of I/O time, of the slowest storage targets',
            rows.map((row) => Object.assign({}, row, { target: shortened(row.mount || '?', 30) + ' ' + row.ost })),
            'target',
            [['MiB/s', 'mib_s', 'read']],
            mibs
        ),
    ],
    'stripe-counts': (rows) => {
        const sizes = unique(rows, 'size_upto').map((v) => (v === null ? 'more' : bytes(v)));
        const shown = rows.map((row) =>
            Object.assign({}, row, { size: String(row.size_upto), stripes: plural(row.stripes, 'stripe') })
        );
        return [
            bars('Files by the highest offset in them, and their stripes', sizes, pivot(shown, 'size', 'stripes', 'files'), count, {
                stacked: true,
                every: true,
            }),
        ];
    },
    burstiness: (rows) => [
        across(
            'Percent of the run in which nine tenths of the bytes move',
            rows.map((row) => Object.assign({}, row, { name: row.program + ', ' + row.layer })),
            'name',
            [
                ['Nine tenths', 'percent_of_run_for_90_percent', 'write'],
                ['Any I/O', 'percent_of_run_with_io', 'second'],
            ],
            percent
        ),
    ],
    disciplines: (rows) => [
        across(
            'Percent of all bytes and of all CPU time',
            rows,
            'discipline',
            [
                ['Bytes', 'bytes_percent_of_all', 'read'],
                ['CPU time', 'cpu_percent_of_all', 'write'],
            ],
            percent
        ),
    ],
};

// How to display a column, by its kind.
const SHOWN = {
    id: (v) => String(v),
    share,
    percent,
    time: moment,
    bytes: (v) => (v < 0 ? '-' + bytes(-v) : bytes(v)),
    seconds,
    number: (v) => (Number.isInteger(v) ? count(v) : digits(v)),
};
function showBy(kind) {
    return (v) => (known(v) ? SHOWN[kind](v) : v === null ? UNKNOWN : visible(v));
}

// The name of a column in words.
const WORDS = [
    [/_s_cn$/, '/s per node'],
    [/(^|_)(mib|tib)_s(?=_|$)/, '$1$2/s'],
    [/(^|_)mib/, '$1MiB'],
    [/(^|_)tib/, '$1TiB'],
    [/^nprocs$/, 'processes'],
    [/^jobid$/, 'job'],
    [/^(slow|fast)_jobid$/, '$1 job'],
    [/^partial_logs$/, 'incomplete logs'],
    [/^uid$/, 'user number'],
    [/^exe$/, 'command line'],
    [/^log_id$/, 'log'],
    [/^k$/, 'position'],
    [/^ost$/, 'OST'],
    [/^p98/, '98th percentile'],
    [/_upto$|^upto$/, ' up to'],
    [/(^|_)cpu(?=_|$)/, '$1CPU'],
    [/_seconds(?=_|$)/, '_time'], // shown in hours or milliseconds, too
    [/^thousand_million_files$/, 'thousand million files on'],
    [/^meta_/, 'metadata_'],
    [/(^|_)io_/, '$1I/O_'],
    [/^rate$/, 'MiB/s per node'],
    [/^(slow|fast)_rate$/, '$1 MiB/s per node'],
    [/^(best|usual)_rate$/, '$1 MiB/s per node'],
    [/^path$/, 'log file'],
    [/^(slow|fast)_path$/, '$1 log file'],
    [/^rate_/, 'MiB/s per node, '],
    [/^quartile/, 'quartile '],
];
function inWords(column) {
    return WORDS.reduce((name, [pattern, word]) => name.replace(pattern, word), column).replace(/_/g, ' ').trim();
}
