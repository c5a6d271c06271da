// sweep.js - the page of darshan-sweep: results, and a section for each kind of curve
// SPDX-License-Identifier: BSD-3-Clause

const SWEEP_COLOURS = ['read', 'write', 'meta', 'third'];

// Sweeps that share a chart: prefixes of their names.
const SWEEP_PICTURES = [
    ['request', 'Request size', 'Rate past the cache, by request size', ['request-read', 'request-write']],
    ['file-reads', 'Reading files', 'Rate of reads, by file size', ['file-read', 'file-read-rw', 'file-cold']],
    ['file-writes', 'Writing files', 'Rate of writes, by file size', ['file-write', 'file-sync']],
    ['ahead', 'Read-ahead', 'Rate of small reads of a dropped file, by request size', ['ahead-in-order', 'ahead-random']],
    ['workers-read', 'Readers', 'Rate of reads past the cache, by workers', ['writers-one-read', 'writers-each-read']],
    ['workers-write', 'Writers', 'Rate of writes past the cache, by workers', ['writers-one-write', 'writers-each-write']],
    ['cached-read', 'Readers in the cache', 'Rate of reads of files that are cached, by workers', ['cached-one-read', 'cached-each-read']],
    ['cached-write', 'Writers in the cache', 'Rate of writes to files that are cached, by workers', ['cached-one-write', 'cached-each-write']],
    ['plane-read', 'Reads by file and request', 'Rate of reads, by the sizes of files and requests', ['plane-read']],
    ['plane-write', 'Writes by file and request', 'Rate of writes, by the sizes of files and requests', ['plane-write']],
    ['nodes-request', 'Nodes, requests', 'Rate of all nodes past the cache, by request size', ['nodes-request-read', 'nodes-request-write']],
    ['nodes-read', 'Nodes, reads', 'Rate of reads past the cache, by processes on all nodes', ['nodes-one-read', 'nodes-each-read']],
    ['nodes-write', 'Nodes, writes', 'Rate of writes past the cache, by processes on all nodes', ['nodes-one-write', 'nodes-each-write']],
    ['modes', 'Access modes', 'Rate by access mode', ['mode-read', 'mode-write']],
];

function xOf(sweep) {
    return sweep.by === 'workers' || sweep.by === 'processes' ? count : sweep.by === 'mode' ? visible : bytes;
}

function sweepTable(sweep) {
    const x = xOf(sweep);
    return table(
        [
            { label: sweep.by, get: (p) => p.x, show: x, text: sweep.by === 'mode' },
            ...(sweep.by === 'file and request' ? [{ label: 'request', get: (p) => p.request, show: bytes }] : []),
            { label: 'rate', get: (p) => p.bytes_per_second, show: rate },
            { label: 'from', get: (p) => p.low, show: rate },
            { label: 'to', get: (p) => p.high, show: rate },
            { label: 'confidence', get: (p) => p.confidence, show: share },
            { label: 'samples', get: (p) => p.samples, show: count },
            { label: 'in cache', get: (p) => p.resident, show: share },
            ...(sweep.by === 'processes' ? [{ label: 'nodes', get: (p) => p.nodes.length, show: count }] : []),
        ],
        sweep.points,
        { caption: sweep.what }
    );
}

// What each node had of the point with the most processes.
function nodesTable(sweep) {
    const all = sweep.points[sweep.points.length - 1];
    return table(
        [
            { label: 'node', get: (n) => n.node, show: visible, text: true },
            { label: 'rate', get: (n) => n.bytes_per_second, show: rate },
            { label: 'in cache', get: (n) => n.resident, show: share },
        ],
        all.nodes,
        { caption: sweep.what + ': each node, of ' + plural(all.x, 'process', 'processes') }
    );
}

// Medians as lines, in front of the intervals that they lie in.
function rateLines(label, sweeps) {
    const places = Array.from(new Set(sweeps.flatMap((sweep) => sweep.points.map((p) => p.x)))).sort((a, b) => a - b);
    const series = sweeps.map((sweep, i) => ({
        name: sweep.name,
        colour: SWEEP_COLOURS[i % SWEEP_COLOURS.length],
        band: sweep.points.map((p) => [places.indexOf(p.x), p.low || p.bytes_per_second, p.high || p.bytes_per_second]),
        points: sweep.points.map((p) => [places.indexOf(p.x), p.bytes_per_second]),
    }));
    const labels = places.map(xOf(sweeps[0]));
    const all = series.flatMap((one) => one.band.flatMap(([, ...bounds]) => bounds)).filter((v) => v > 0);
    const [least, most] = [Math.floor(Math.log2(Math.min(...all))), Math.ceil(Math.log2(Math.max(...all)))];
    const y = { name: 'rate', show: rate, log: 2, least: 2 ** least, most: 2 ** most, step: Math.ceil((most - least) / 10) };
    return lines(label, series, { name: sweeps[0].by, category: labels }, y, 340);
}

function modeBars(label, sweeps) {
    const modes = Array.from(new Set(sweeps.flatMap((sweep) => sweep.points.map((p) => p.x))));
    const series = sweeps.map((sweep, i) => ({
        name: sweep.operation === 'read' ? 'read' : 'written',
        colour: SWEEP_COLOURS[i],
        values: modes.map((mode) => (sweep.points.find((p) => p.x === mode) || { bytes_per_second: 0 }).bytes_per_second),
    }));
    return bars(label, modes, series, rate, { across: true, height: 80 + 38 * modes.length, labels: 150 });
}

// A plane as curves over the size of the file, one for each size of requests.
function requestCurves(plane) {
    const requests = Array.from(new Set(plane.points.map((p) => p.request))).sort((a, b) => a - b);
    return requests.map((request) => ({ name: bytes(request), by: 'file', points: plane.points.filter((p) => p.request === request) }));
}

function pictureSection(document_, [id, title, label, names]) {
    const sweeps = names.map((name) => document_.sweeps.find((sweep) => sweep.name === name)).filter(Boolean);
    if (!sweeps.length) return null;
    const tables = sweeps.map(sweepTable).concat(sweeps.filter((sweep) => sweep.by === 'processes').map(nodesTable));
    const curves = sweeps[0].by === 'file and request' ? requestCurves(sweeps[0]) : sweeps;
    return section(
        id,
        title,
        (id === 'modes' ? modeBars : rateLines)(label, curves),
        note(sweeps.map((sweep) => sweep.name + ': ' + sweep.what).join('; ') + '.'),
        canDraw ? folded('Tables', tables) : tables
    );
}

function yesNo(v, yes, no) {
    return v === null ? null : v ? yes : no;
}

function cacheText(cache) {
    return cache.bytes
        ? bytes(cache.bytes) +
              (cache.less_than_bytes ? ', less than ' + bytes(cache.less_than_bytes) : '') +
              ': ' +
              rate(cache.bytes_per_second_within) +
              ' up to there, ' +
              rate(cache.bytes_per_second_beyond) +
              ' beyond'
        : cache.at_least_bytes
          ? 'not full with files of up to ' + bytes(cache.at_least_bytes)
          : cache.scatters
            ? 'unknown: the rate may fall from ' +
              rate(cache.bytes_per_second_within) +
              ' to ' +
              rate(cache.bytes_per_second_beyond) +
              ', but samples differ by more'
            : null;
}

function wayFacts(name, way, workers, mode, alike) {
    const some = (one, files) =>
        one.best
            ? plural(one.best, 'worker') + ', ' + rate(one.bytes_per_second) + ', efficiency ' + ratio(one.efficiency) + files
            : null;
    return [
        [
            name + ': best request',
            way.best_request_bytes
                ? bytes(way.best_request_bytes) +
                  ' (peak ' +
                  rate(way.large_request_bytes_per_second) +
                  ' at ' +
                  bytes(way.peak_request_bytes) +
                  ')'
                : null,
        ],
        [
            name + ': a request takes',
            way.bytes_per_second
                ? seconds(way.latency_seconds) + ', then its bytes at ' + rate(way.bytes_per_second)
                : null,
        ],
        [name + ': one file', some(workers.one_file, '')],
        [name + ': a file each', some(workers.file_each, '')],
        [name + ': one file, cached', some(workers.one_file_cached, '')],
        [name + ': a file each, cached', some(workers.file_each_cached, '')],
        [name + ': best access mode', mode && mode + (alike.length ? '; as good: ' + alike.join(', ') : ''), 'wide'],
    ];
}

function nodesFacts(nodes) {
    if (!nodes) return [];
    const some = (name, found) => [
        name,
        found.best ? plural(found.best, 'process', 'processes') + ', ' + rate(found.bytes_per_second) + ', efficiency ' + ratio(found.efficiency) : null,
    ];
    const request = (name, way) => [name, way.best_request_bytes ? bytes(way.best_request_bytes) + ' (peak ' + rate(way.large_request_bytes_per_second) + ')' : null];
    return [
        ['Nodes', plural(nodes.count, 'node') + ': ' + nodes.each.map((n) => visible(n.name) + ' (' + plural(n.processes, 'process', 'processes') + ')').join(', '), 'wide'],
        request('All nodes, reads: best request', nodes.read),
        some('All nodes, reads: one file', nodes.read.one_file),
        some('All nodes, reads: a file each', nodes.read.file_each),
        request('All nodes, writes: best request', nodes.write),
        some('All nodes, writes: one file', nodes.write.one_file),
        some('All nodes, writes: a file each', nodes.write.file_each),
    ];
}

// What to do with it, in a sentence.
function foundText({ read: reads, write: writes, found }) {
    const best = (name, way, workers) => {
        if (!way.best_request_bytes) return null;
        const { one_file: one, file_each: each } = workers;
        const more = [one, each].filter(({ best: n }) => n > 1).sort((a, b) => b.bytes_per_second - a.bytes_per_second)[0];
        return (
            name + ' are best in requests of ' + bytes(way.best_request_bytes) + ' (' + rate(way.large_request_bytes_per_second) + ')' +
            (more ? ', ' + (more === one ? 'of one file' : 'of a file each') + ' by ' + plural(more.best, 'worker') + ' (' + rate(more.bytes_per_second) + ')' : '')
        );
    };
    const both = [best('reads', reads, found.workers.read), best('writes', writes, found.workers.write)].filter(Boolean).join('; ');
    return both ? both[0].toUpperCase() + both.slice(1) + '.' : 'Too little was measured to say what is best.';
}

function foundSection(all) {
    const { found, read: reads, write: writes } = all;
    return section(
        'found',
        'What was found',
        make('p', { class: 'lead' }, foundText(all)),
        facts([
            ...wayFacts('Reads', reads, found.workers.read, found.best_access_mode.read, found.not_told_apart.read),
            ...wayFacts('Writes', writes, found.workers.write, found.best_access_mode.write, found.not_told_apart.write),
            ...nodesFacts(found.nodes),
            ['Effective read cache', cacheText(found.read_cache), 'wide'],
            ['Effective write cache', cacheText(found.write_cache), 'wide'],
            ['Write-behind', yesNo(found.write_behind, 'yes', 'no')],
            [
                'Read-ahead',
                yesNo(found.reads_ahead, 'yes' + (found.read_ahead_bytes ? ', ' + bytes(found.read_ahead_bytes) : ''), 'no'),
            ],
            ['Keeps what was read', yesNo(found.keeps_what_was_read, yesNo(found.only_whole_files, 'whole files only', 'yes, also parts') || 'yes', 'no')],
            ['Not told', Object.keys(found.withheld).length ? Object.entries(found.withheld).map(([what, why]) => what + ' (' + why + ')').join(', ') : null, 'wide'],
            ['Cache bypassed', yesNo(found.caches_bypassed, 'yes, by mincore(2)', 'no: ' + share(found.largest_share_in_cache) + ' of a file was in it')],
        ])
    );
}

function fill() {
    const sweep = read('sweep');
    const sections = [foundSection(sweep), ...SWEEP_PICTURES.map((picture) => pictureSection(sweep, picture))];
    document.body.append(
        make('a', { class: 'skip', href: '#found' }, 'To what was found'),
        make(
            'header',
            { class: 'wrap' },
            make('h1', null, 'What ' + visible(sweep.directory) + ' gives'),
            make(
                'p',
                { class: 'byline' },
                visible(sweep.file_system) +
                    ', files of up to ' +
                    bytes(sweep.most_bytes_of_files) +
                    ', ' +
                    new Date(1000 * sweep.begun).toISOString().slice(0, 16).replace('T', ' ') +
                    ' UTC' +
                    (sweep.partial ? '. Not all of it was measured.' : '')
            )
        ),
        make(
            'nav',
            { 'aria-label': 'Sections' },
            make(
                'div',
                { class: 'wrap' },
                make(
                    'ul',
                    null,
                    contents.map(({ id, title }) => make('li', null, make('a', { href: '#' + id }, title)))
                ),
                themeButton()
            )
        ),
        make(
            'main',
            { class: 'wrap' },
            sections.filter(Boolean),
            canDraw ? null : note('This page was made without charts: their tables are shown instead.')
        ),
        make('footer', { class: 'wrap' }, 'Made by ' + visible(sweep.made_by) + '.')
    );
}

start(fill);
