// trace-page.js - the page of darshan-trace page: rates over time, cycles, sizes, files, idle time by size of a cache
// SPDX-License-Identifier: BSD-3-Clause

const DIRECTIONS = [
    ['read', 'Read', 'bytes_read', 'reads'],
    ['write', 'Written', 'bytes_written', 'writes'],
];

function timeAxis(most, name) {
    return { name, show: (v) => tick(v), least: 0, most };
}

// A value of each bin as a line of steps: [seconds, value], each at the start of what it holds for.
function binned(values, width, scale) {
    return values.map((v, i) => [i * width, v * scale]).concat([[values.length * width, 0]]);
}

function rateFigure(series, label, axisName) {
    const width = series.bin_seconds;
    const wanted = DIRECTIONS.map(([colour_, name, key]) => ({ name, colour: colour_, steps: true, points: binned(series[key], width, 1 / width) }));
    return lines(label, wanted, timeAxis(width * series.bytes_read.length, axisName), { name: 'rate', show: rate });
}

function sumFigure(series, label, axisName) {
    const width = series.bin_seconds;
    const wanted = DIRECTIONS.map(([colour_, name, key]) => {
        let sum = 0;
        return { name, colour: colour_, points: [[0, 0]].concat(series[key].map((v, i) => [(i + 1) * width, (sum += v)])) };
    });
    return lines(label, wanted, timeAxis(width * series.bytes_read.length, axisName), { name: 'bytes', show: bytes });
}

function seriesTable(series, caption) {
    return folded(
        'Table',
        table(
            [
                { label: 'from', get: (row) => row.from, show: seconds },
                { label: 'reads', get: (row) => row.reads, show: count },
                { label: 'read', get: (row) => row.bytes_read, show: bytes },
                { label: 'writes', get: (row) => row.writes, show: count },
                { label: 'written', get: (row) => row.bytes_written, show: bytes },
            ],
            series.reads.map((reads, i) => ({
                from: i * series.bin_seconds,
                reads,
                bytes_read: series.bytes_read[i],
                writes: series.writes[i],
                bytes_written: series.bytes_written[i],
            })),
            { caption }
        )
    );
}

// ------------------------------------------------------------------ sections

function foundSection({ trace, total }, rhythm) {
    const cpu = { recorded: 'recorded', estimated: 'estimated: the time between calls, in which a program may have waited' }[trace.cpu];
    return section(
        'found',
        'What was found',
        make('p', { class: 'lead' }, visible(rhythm.says) + '.'),
        facts([
            ['Format', visible(trace.format)],
            ['Requests', count(total.ios) + ' of ' + bytes(total.mean_bytes) + ' on average'],
            ['Read', bytes(total.read.bytes) + ' in ' + count(total.read.ios)],
            ['Written', bytes(total.write.bytes) + ' in ' + count(total.write.ios)],
            ['Data in files', bytes(total.data_bytes)],
            ['From first to last request', seconds(total.wall_seconds)],
            ['CPU time', cpu ? seconds(total.cpu_seconds) + ' (' + cpu + ')' : 'not in the trace'],
            ['Read/written', known(total.read_write_ratio) ? ratio(total.read_write_ratio) : null],
            ['Continue where the last one ended', share(total.sequential_share)],
            ['Operations missing', trace.thinned ? (trace.left_out ? count(trace.left_out) : 'some') : null],
            ['Next burst', rhythm.next_says ? visible(rhythm.next_says) : null, 'wide'],
        ])
    );
}

function timeSection({ wall, cpu }) {
    if (!wall && !cpu) return null;
    return section(
        'time',
        'Over time',
        wall ? [rateFigure(wall, 'Rate over wall time', 'wall time'), seriesTable(wall, 'Requests over wall time')] : '',
        cpu ? [rateFigure(cpu, 'Rate over CPU time', 'CPU time'), seriesTable(cpu, 'Requests over CPU time')] : note('The trace has no CPU times of a single process.'),
        sumFigure(cpu || wall, 'Bytes up to a time', cpu ? 'CPU time' : 'wall time')
    );
}

// One time through a cycle: the rate of each of its bursts, and the pauses before them.
function cycleFigure(cycle, i) {
    let at = 0;
    const wanted = DIRECTIONS.map(([colour_, name]) => ({ name, colour: colour_, steps: true, points: [[0, 0]] }));
    cycle.made_of.forEach((burst) => {
        const lasts = Math.max(burst.lasts, cycle.mean / 1000);
        wanted.forEach(({ points }, k) => {
            points.push([at + burst.pause, burst[DIRECTIONS[k][2]] / lasts], [at + burst.pause + lasts, 0]);
        });
        at += burst.pause + lasts;
    });
    return lines(
        'Cycle ' + (i + 1) + ', once: pauses and bursts',
        wanted,
        timeAxis(at, 'time since the burst before'),
        { name: 'rate', show: rate },
        220
    );
}

function cycleSection({ job, process, clock }) {
    const part = process || job;
    const drawn = part.cycles.filter((cycle) => cycle.made_of && cycle.made_of.length && cycle.repeats > 1 && !cycle.stream);
    if (!part.cycles.length) return null;
    return section(
        'cycles',
        'Cycles',
        note('By ' + (clock === 'cpu' ? 'CPU' : 'wall') + ' time.'),
        drawn.slice(0, 3).map((cycle) => cycleFigure(cycle, part.cycles.indexOf(cycle))),
        table(
            [
                { label: 'cycle', get: (cycle) => part.cycles.indexOf(cycle) + 1 },
                { label: 'from', get: (cycle) => cycle.start, show: seconds },
                { label: 'to', get: (cycle) => cycle.end, show: seconds },
                { label: 'times', get: (cycle) => cycle.repeats, show: count },
                { label: 'period', get: (cycle) => cycle.mean, show: seconds },
                { label: 'deviation', get: (cycle) => cycle.deviation, show: seconds },
                { label: 'bursts', get: (cycle) => cycle.bursts, show: count },
                { label: 'read each time', get: (cycle) => cycle.bytes_read / cycle.repeats, show: bytes },
                { label: 'written each time', get: (cycle) => cycle.bytes_written / cycle.repeats, show: bytes },
            ],
            part.cycles,
            { caption: 'Bursts that recur' }
        )
    );
}

function sizeSection({ sizes }) {
    if (!sizes.length) return null;
    const labels = sizes.map(({ from }) => bytes(from));
    const of = (keys) => DIRECTIONS.map(([colour_, name, ...rest]) => ({ name, colour: colour_, values: sizes.map((size) => size[rest[keys]]) }));
    return section(
        'sizes',
        'Sizes',
        bars('Requests by size from', labels, of(1), count, { height: 260, every: true }),
        bars('Bytes by size of requests from', labels, of(0), bytes, { height: 260, every: true }),
        folded(
            'Table',
            table(
                [
                    { label: 'size from', get: (size) => size.from, show: bytes },
                    { label: 'reads', get: (size) => size.reads, show: count },
                    { label: 'read', get: (size) => size.bytes_read, show: bytes },
                    { label: 'writes', get: (size) => size.writes, show: count },
                    { label: 'written', get: (size) => size.bytes_written, show: bytes },
                ],
                sizes,
                { caption: 'Requests by size: powers of two' }
            )
        )
    );
}

function purposeOf({ purpose_bytes: purposes }) {
    const all = Object.values(purposes).reduce((sum, v) => sum + v, 0);
    return Object.entries(purposes)
        .filter(([, v]) => v > 0)
        .map(([name, v]) => name + ' ' + share(v / all))
        .join(', ');
}

function fileSection({ files, nfiles, total }) {
    return section(
        'files',
        'Files',
        note('Purpose of the bytes: ' + (purposeOf(total) || 'none') + '. ' + plural(nfiles, 'file') + ', the busiest first.'),
        table(
            [
                { label: 'file', get: (file) => file.path || (file.device ? 'device ' : 'file ') + file.file, show: visible, text: true },
                { label: 'requests', get: (file) => file.ios, show: count },
                { label: 'read', get: (file) => file.read.bytes, show: bytes },
                { label: 'written', get: (file) => file.write.bytes, show: bytes },
                { label: 'size', get: (file) => file.data_bytes, show: bytes },
                { label: 'purpose', get: purposeOf, text: true },
            ],
            files,
            { caption: 'Files by requests' }
        )
    );
}

function simulatedSection({ simulated, not_simulated: why }) {
    if (!simulated.length) return section('simulated', 'With a cache', note('Not simulated: ' + (why || 'there is nothing to simulate') + '.'));
    const labels = simulated.map(({ cache_bytes: size }) => bytes(size));
    const curve = (name, colour_, key) => ({ name, colour: colour_, points: simulated.map((one, i) => [i, one[key]]) });
    return section(
        'simulated',
        'With a cache',
        lines(
            'Idle time by size of the cache',
            [curve('Programs wait for writes', 'write', 'idle'), curve('Writes are behind', 'read', 'idle_write_behind')],
            { name: 'cache', category: labels },
            { name: 'idle', show: seconds },
            300
        ),
        note(
            'One processor, and disks as they were in 1992 (darshan-simulate --machine cray-ymp-1992): programs compute for the CPU times of the trace. ' +
                'A read is a hit if all of its blocks are in the cache or on their way to it, for which a program may wait.'
        ),
        folded(
            'Table',
            table(
                [
                    { label: 'cache', get: (one) => one.cache_bytes, show: bytes },
                    { label: 'idle', get: (one) => one.idle, show: seconds },
                    { label: 'idle, writes behind', get: (one) => one.idle_write_behind, show: seconds },
                    { label: 'elapsed, writes behind', get: (one) => one.elapsed, show: seconds },
                    { label: 'disk reads', get: (one) => one.disk_reads, show: count },
                    { label: 'disk writes', get: (one) => one.disk_writes, show: count },
                ],
                simulated,
                { caption: 'Idle time by size of the cache' }
            )
        )
    );
}

function fill() {
    const stat = read('stat');
    const rhythm = read('rhythm');
    const more = read('more');
    const sections = [
        foundSection(stat, rhythm),
        timeSection(rhythm.series),
        cycleSection(rhythm),
        sizeSection(more),
        fileSection(stat),
        simulatedSection(more),
    ];
    document.body.append(
        make('a', { class: 'skip', href: '#found' }, 'To what was found'),
        make(
            'header',
            { class: 'wrap' },
            make('h1', null, 'A trace of I/O'),
            make('p', { class: 'byline' }, more.traces.slice(0, 3).map(visible).join(', ') + (more.traces.length > 3 ? ' and ' + (more.traces.length - 3) + ' more' : ''))
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
        )
    );
}

start(fill);
