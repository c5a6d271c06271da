// modules.js - a section for the counters of each module
// SPDX-License-Identifier: BSD-3-Clause

// Counters of calls, without those of access patterns: "COLL_READS".
const NOT_CALLS = /BYTES|_F_|CONSEC|SEQ_|SWITCHES|NOT_ALIGNED|SELECTS|_(I|B)?(PUT|GET)_VAR|USE_|FILENOS|_DUPS|FDOPENS|HINTS|ZERO/;
const WORDS = {
    INDEP: 'independent',
    COLL: 'collective',
    SPLIT: 'split collective',
    NB: 'nonblocking',
    FSYNCS: 'fsync',
    FDSYNCS: 'fdatasync',
    MMAPS: 'mmap',
};

function callsOf({ counters }) {
    return Object.entries(counters)
        .filter(([name]) => !NOT_CALLS.test(name))
        .map(([name, calls]) => ({ name, calls }));
}

// "collective writes" of MPIIO_COLL_WRITES
function callName(name) {
    const words = name.replace(/^(MPIIO|PNETCDF_(FILE|VAR)|[A-Z0-9]+)_/, '').split('_');
    return words.map((word) => WORDS[word] || word.toLowerCase()).join(' ');
}

const MODES = [
    ['Collective', 'first', ['COLL', 'SPLIT']],
    ['Nonblocking', 'second', ['NB']],
    ['Independent', 'third', ['INDEP']],
];

// Calls of each direction, independent and collective; null: the module does not distinguish them.
function modesOf(module) {
    const of = (kinds, what) =>
        callsOf(module).reduce(
            (sum, { name, calls }) =>
                sum + (kinds.some((kind) => name.endsWith('_' + kind + '_' + what)) ? calls : 0),
            0
        );
    const rows = ['OPENS', 'READS', 'WRITES'].map((what) => ({
        name: capital(what.toLowerCase()),
        calls: MODES.map(([, , kinds]) => of(kinds, what)),
    }));
    const all = (row) => row.calls.reduce((sum, v) => sum + v, 0);
    const some = rows.filter((row) => all(row) > 0);
    return some.length ? some.map((row) => Object.assign(row, { all: all(row) })) : null;
}

function modeFigure(module) {
    const rows = modesOf(module);
    if (!rows) return null;
    return bars(
        'Collective against independent: share of calls',
        rows.map((row) => row.name),
        MODES.map(([name, shade], i) => ({ name, colour: shade, values: rows.map((row) => row.calls[i] / row.all) })),
        share,
        {
            across: true,
            stacked: true,
            limit: 1,
            height: 80 + 30 * rows.length,
            data: table(
                [
                    { label: 'Calls', get: (row) => row.name, text: true },
                    { label: 'All', get: (row) => row.all },
                    ...MODES.map(([label], i) => ({ label, get: (row) => row.calls[i] })),
                ],
                rows,
                { caption: 'Collective (split ones included), nonblocking and independent calls' }
            ),
        }
    );
}

const shadeOf = (name) => (/READ|FETCH|GETS$/.test(name) ? 'read' : /WRITE|UPDATE|PUTS$/.test(name) ? 'write' : 'meta');

function callFigure(module) {
    const calls = callsOf(module);
    if (!calls.length) return null;
    return bars(
        'Calls',
        calls.map(({ name }) => callName(name)),
        ['read', 'write', 'meta'].map((shade) => ({
            name: { read: 'Read', write: 'Write', meta: 'Metadata' }[shade],
            colour: shade,
            values: calls.map(({ name, calls: n }) => (shadeOf(name) === shade ? n : 0)),
        })),
        count,
        {
            across: true,
            stacked: true,
            height: 60 + 26 * calls.length,
            labels: 170,
            data: table(
                [
                    { label: 'Counter', get: (one) => one.name, text: true },
                    { label: 'Calls', get: (one) => one.calls },
                ],
                calls,
                { caption: module.layer + ': calls' + ofEveryone(), sort: -2 }
            ),
        }
    );
}

function sharedText(files, shared) {
    if (!shared) return '';
    return ', ' + (shared === files ? '' : count(shared) + ' of them ') + 'shared by ' + everyone;
}

// Of PnetCDF's files the log has bytes, but no number of calls.
const moved = (amount, calls) => bytes(amount) + (calls === 0 && amount > 0 ? '' : ' in ' + plural(calls, 'call'));

// The bytes of processes that ran in turn were not moved in the time of the busiest one.
function moduleFacts(module, layer, ranksOf, inTurn) {
    const { work } = layer;
    const thing = { 'HDF5 datasets': 'Datasets', 'PnetCDF variables': 'Variables' }[module.layer] || 'Files';
    const mean = (v) => seconds(v / ranksOf) + (ranksOf > 1 ? spoken(', mean rank') : '');
    return facts([
        [thing, count(module.files) + sharedText(module.files, layer.shared_records)],
        [
            spoken('Rate by the slowest rank'),
            known(module.mib_per_second) && !inTurn
                ? ratio(module.mib_per_second) + NBSP + 'MiB/s, in ' + seconds(module.slowest_rank_seconds)
                : null,
        ],
        ['Read', moved(work.bytes_read, work.reads)],
        ['Written', moved(work.bytes_written, work.writes)],
        ['Read time', work.read_seconds > 0 ? mean(work.read_seconds) : null],
        ['Write time', work.write_seconds > 0 ? mean(work.write_seconds) : null],
        ['Metadata time', work.metadata_seconds > 0 ? mean(work.metadata_seconds) : null],
    ]);
}

function counterTable({ counters, layer }) {
    return folded(
        'All counters',
        table(
            [
                { label: 'Counter', get: ([name]) => name, text: true },
                {
                    label: capital(everyone),
                    get: ([, v]) => v,
                    show: (v, [name]) => (/_F_/.test(name) ? seconds(v) : /BYTES/.test(name) ? count(v) + ' B' : count(v)),
                },
            ],
            Object.entries(counters),
            { caption: layer + ': counters that are sums' + ofEveryone() }
        )
    );
}

function moduleSections({ modules, layers, sizes, access, job, answer }) {
    return modules.map((module, i) => {
        const bySize = sizes.layers.find((one) => one.layer === module.layer);
        const modes = modeFigure(module);
        const calls = callFigure(module);
        return section(
            module.layer.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
            module.layer,
            moduleFacts(module, layers[i], Math.max(1, job.ranks), answer.in_turn_run),
            modes ? make('div', { class: 'pair' }, calls, modes) : calls,
            bySize ? sizeParts(sizes.labels, bySize) : null,
            module.module === 'POSIX' && access ? accessParts(access) : null,
            Object.keys(module.counters).length ? counterTable(module) : null
        );
    });
}
