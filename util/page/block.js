// block.js - the page of darshan-block: times, places and sizes of device requests
// SPDX-License-Identifier: BSD-3-Clause

const WAYS = [
    ['read', 'Reads'],
    ['write', 'Writes'],
];

function perSecond(v) {
    return known(v) ? digits(v) + '/s' : UNKNOWN;
}

function timeAxis(length) {
    return { name: 'time', show: (v) => tick(v), least: 0, most: length };
}

// Points of a step line through the series: [seconds, value] at the start of each part.
function overTime(document_, values, scale) {
    const width = document_.seconds_of_series / values.length;
    return values.map((v, i) => [i * width, width > 0 ? v * scale(width) : 0]);
}

// Scatter plot of requests, reads and writes separately: cells are [column of time, row, reads, writes].
function points(label, document_, cells, y) {
    const { pictures, seconds_of_series: length } = document_;
    const draw = () =>
        Object.assign(common(), {
            legend: plainLegend(WAYS.map(([, name]) => ({ name }))),
            grid: Object.assign({}, GRID, { top: 56 }),
            xAxis: axisOf(timeAxis(length), true),
            yAxis: axisOf(y, false),
            tooltip: Object.assign(common().tooltip, {
                formatter: (point) =>
                    tip(interval(point.data.time, length / pictures.time_columns), [
                        [y.name, y.show(point.value[1])],
                        [point.seriesName, count(point.data.n), point.color],
                    ]),
            }),
            series: WAYS.map(([way, name], k) => ({
                type: 'scatter',
                name,
                symbolSize: 4,
                color: colour(way),
                itemStyle: { opacity: 0.8 },
                data: cells
                    .filter((cell) => cell[2 + k] > 0)
                    .map((cell) => ({
                        time: (cell[0] * length) / pictures.time_columns,
                        n: cell[2 + k],
                        value: [((cell[0] + 0.5) * length) / pictures.time_columns, y.place(cell[1])],
                    })),
            })),
        });
    return figure(label, 320, draw, null, null, 'The tables of this page have the figures.');
}

// ------------------------------------------------------------------ sections

function amplificationText(way) {
    return way.asked_bytes > 0
        ? ratio(way.amplification) + ' times: ' + bytes(way.bytes) + ' at the device, ' + bytes(way.asked_bytes) + ' asked for'
        : null;
}

function answerSection(document_) {
    const { read: reads, write: writes, places, depth } = document_;
    const most = places.concentration.find((one) => one.of_requests === 0.9);
    const all = reads.bytes + writes.bytes;
    return section(
        'answer',
        'What reached the device',
        make(
            'p',
            { class: 'lead' },
            plural(reads.requests + writes.requests, 'request') + ' of ' + bytes(all / (reads.requests + writes.requests)) +
                ' on average, ' + share(reads.bytes / all) + ' of the bytes read; ' + digits(depth.mean) +
                ' under way at once, in the mean.'
        ),
        facts([
            ['Requests', count(reads.requests + writes.requests)],
            ['Length of the recording', seconds(document_.seconds)],
            ['Requests a second', digits((reads.requests + writes.requests) / document_.seconds)],
            ['Read', plural(reads.requests, 'request') + ', ' + bytes(reads.bytes)],
            ['Written', plural(writes.requests, 'request') + ', ' + bytes(writes.bytes)],
            ['Events lost', document_.lost === null ? 'the recording does not tell' : count(document_.lost)],
            ['90 % of the requests', 'are in ' + share(most.of_disk) + ' of the disk'],
            ['Between accesses to one sector', known(places.seconds_between_accesses) ? seconds(places.seconds_between_accesses) : null],
            ['Queue depth', digits(depth.mean) + ' in the mean, ' + count(depth.most) + ' at most'],
            ['Reads, device to programs', amplificationText(reads), 'wide'],
            ['Writes, device to programs', amplificationText(writes), 'wide'],
        ])
    );
}

function callText(call) {
    return (
        (call.file === null ? UNKNOWN : visible(call.file)) +
        ': ' +
        plural(call.calls, call.operation) +
        ', ' +
        bytes(call.bytes)
    );
}

function phaseTable(phases) {
    const asked = phases.some((phase) => known(phase.read.asked_bytes));
    const columns = [
        { label: 'from', get: (p) => p.from, show: seconds },
        { label: 'to', get: (p) => p.to, show: seconds },
        { label: 'requests', get: (p) => (p.read.requests + p.write.requests) / (p.to - p.from), show: perSecond },
        { label: 'read', get: (p) => p.read.bytes / (p.to - p.from), show: rate },
        { label: 'written', get: (p) => p.write.bytes / (p.to - p.from), show: rate },
    ];
    if (asked)
        columns.push(
            { label: 'asked to read', get: (p) => p.read.asked_bytes / (p.to - p.from), show: rate },
            { label: 'asked to write', get: (p) => p.write.asked_bytes / (p.to - p.from), show: rate }
        );
    if (phases.some((phase) => phase.calls.length))
        columns.push({
            label: 'calls of programs',
            text: true,
            get: (p) => p.calls.length,
            show: (n, p) => make('div', null, p.calls.map((call) => make('div', null, callText(call)))),
        });
    return table(columns, phases, { caption: 'Phases: where the rate of requests changes' });
}

function timeSection(document_) {
    const time = timeAxis(document_.seconds_of_series);
    const each = (width) => 1 / width;
    const rates = WAYS.flatMap(([way]) =>
        [
            [way === 'read' ? 'Read' : 'Written', 'bytes_over_time', false],
            [way === 'read' ? 'Asked to read' : 'Asked to write', 'asked_over_time', true],
        ]
            .filter(([, key]) => document_[way][key])
            .map(([name, key, dashed]) => ({
                name,
                colour: way,
                dashed,
                steps: true,
                points: overTime(document_, document_[way][key], each),
            }))
    );
    const most = Math.max(1, ...rates.flatMap((one) => one.points.map((point) => point[1])));
    const step = binaryStep(most / 5);
    const rows = document_.pictures.sizes.map((cell) => cell[1]);
    const [least, end] = [Math.min(...rows) - 1, Math.max(...rows) + 1];
    const deep = [{ name: 'Requests', colour: 'second', steps: true, points: overTime(document_, document_.depth.over_time, () => 1) }];
    return section(
        'time',
        'Time',
        lines('Bytes a second', rates, time, { show: rate, least: 0, step, most: step * Math.ceil(most / step) }, 260),
        lines('Queue depth: requests under way at once, in the mean', deep, time, { show: digits }, 200),
        points('Sizes of requests over the time', document_, document_.pictures.sizes, {
            name: 'size from',
            show: (v) => bytes(2 ** v),
            place: (power) => power,
            least,
            most: end,
            step: Math.ceil((end - least) / 8),
        }),
        phaseTable(document_.phases)
    );
}

function bandLabel(disk, [first]) {
    return count(first) + '\u2013' + count(first + disk.column_sectors - 1);
}

// Charts of a disk. If it has more bands than there are bars, a bar represents several.
function diskPictures(document_, disk) {
    const all = disk.columns.reduce((sum, column) => sum + column[1], 0);
    const name = 'Disk ' + visible(disk.disk) + ': ';
    const hot = disk.columns.filter((column) => column[3] > 0);
    const { rows } = document_.pictures;
    const step = roundStep(disk.sectors / 5);
    return [
        points(name + 'places of requests over the time', document_, disk.points, {
            name: 'sector',
            show: count,
            place: (row) => Math.floor(((row + 0.5) * disk.sectors) / rows),
            least: 0,
            most: step * Math.ceil(disk.sectors / step),
            step,
        }),
        bars(
            name + 'share of requests, by bands of ' + count(disk.column_sectors) + ' sectors',
            disk.columns.map((column) => bandLabel(disk, column)),
            [{ name: 'Requests', colour: 'read', values: disk.columns.map((column) => column[1] / all) }],
            share,
            { every: true, height: 240 }
        ),
        bars(
            name + 'accesses a second to the hottest sector of each of these',
            hot.map((column) => 'sector ' + count(column[2])),
            [{ name: 'Accesses', colour: 'second', values: hot.map((column) => column[3] / document_.seconds) }],
            perSecond,
            { every: true, height: 240 }
        ),
    ];
}

function hotTable(document_) {
    return table(
        [
            { label: 'disk', get: (s) => visible(s.disk), text: true },
            { label: 'sector', get: (s) => s.sector, show: count },
            { label: 'accesses', get: (s) => s.accesses, show: count },
            { label: 'a second', get: (s) => s.per_second, show: digits },
            { label: 'file', get: (s) => s.file, show: (file) => (file === null ? UNKNOWN : pathText(file)), text: true },
        ],
        document_.places.hottest.filter((s) => s.accesses > 1),
        { caption: 'Sectors with most accesses' }
    );
}

function fileTable(files) {
    const figuresOf = (way, label) => [
        { label, get: (f) => f[way].bytes, show: bytes },
        { label: 'asked for', get: (f) => f[way].asked_bytes, show: bytes },
        { label: 'times', get: (f) => f[way].amplification, show: ratio },
    ];
    return table(
        [
            { label: 'file', get: (f) => f.file, show: pathText, text: true },
            ...figuresOf('read', 'read'),
            ...figuresOf('write', 'written'),
        ],
        files,
        { caption: 'Files that have the sectors now: bytes at the device, and asked for', search: (f) => f.file, label: 'Files' }
    );
}

function placesSection(document_) {
    const { places, pictures, files } = document_;
    return section(
        'places',
        'Places',
        table(
            [
                { label: 'of the requests', get: (one) => one.of_requests, show: (v) => 100 * v + NBSP + '%' },
                { label: 'bands', get: (one) => one.bands, show: count },
                { label: 'of the disk', get: (one) => one.of_disk, show: share },
            ],
            places.concentration,
            { caption: 'How small a part of the disk has them', plain: true }
        ),
        ...pictures.disks.flatMap((disk) => diskPictures(document_, disk)),
        hotTable(document_),
        files.length ? fileTable(files) : null
    );
}

function classRows(document_) {
    return WAYS.flatMap(([way, name]) => [
        { way: name, what: 'all', of: document_[way] },
        ...Object.entries(document_[way].classes).map(([what, of]) => ({ way: name, what, of })),
        ...Object.entries(document_[way].kinds).map(([what, of]) => ({ way: name, what, of })),
    ]);
}

function netColumns() {
    const of = (key) => (row) => (row.of.beyond_baseline ? row.of.beyond_baseline[key] : null);
    return [
        { label: 'beyond the baseline', get: of('net'), show: (v) => (known(v) ? digits(v) : UNKNOWN) },
        { label: '\u00b1', get: of('error'), show: (v) => (known(v) ? digits(v) : UNKNOWN) },
        { label: 'before it is clamped', get: of('raw'), show: (v) => (known(v) ? digits(v) : UNKNOWN) },
    ];
}

function sizesSection(document_) {
    const all = document_.read.requests + document_.write.requests;
    return section(
        'sizes',
        'Sizes and kinds',
        table(
            [
                { label: 'requests', get: (row) => row.way, text: true },
                { label: 'which', get: (row) => row.what, text: true },
                { label: 'number', get: (row) => row.of.requests, show: count },
                { label: 'of all', get: (row) => row.of.requests / all, show: share },
                { label: 'bytes', get: (row) => row.of.bytes, show: bytes },
                ...(document_.baseline ? netColumns() : []),
            ],
            classRows(document_).filter((row) => row.of.requests > 0 || row.of.beyond_baseline),
            { caption: 'Small ones, pages, large ones; data, metadata, read-ahead' }
        ),
        document_.baseline
            ? note(
                  'The baseline is ' +
                      plural(document_.baseline.requests, 'request') +
                      ' in ' +
                      seconds(document_.baseline.seconds) +
                      '. What is not more than \u00b1 is not told apart from it.'
              )
            : null
    );
}

// Distribution of request latencies, in quarters of powers of two.
function latencySection(document_) {
    const series = WAYS.filter(([way]) => document_[way].latencies.length).map(([way, name]) => {
        const sums = new Map();
        const all = document_[way].latencies.reduce((sum, [, n]) => sum + n, 0);
        for (const [v, n] of document_[way].latencies) {
            const step = Math.floor(4 * Math.log2(v));
            sums.set(step, (sums.get(step) || 0) + n);
        }
        const steps = Array.from(sums.keys());
        const least = Math.min(...steps) - 1,
            most = Math.max(...steps) + 1;
        const path = Array.from({ length: most - least + 1 }, (_, i) => [2 ** ((least + i + 0.5) / 4), (sums.get(least + i) || 0) / all]);
        return { name, colour: way, points: path };
    });
    return series.length
        ? section(
              'latency',
              'Latency',
              lines('Share of requests, by what they take from issue to completion', series, { name: 'latency', show: seconds, log: 10 }, { show: share }, 260),
              table(
                  [
                      { label: 'requests', get: ([, name]) => name, text: true },
                      ...['50', '90', '99'].map((p) => ({
                          label: p + NBSP + '% take at most',
                          get: ([way]) => document_[way].latency_seconds[p],
                          show: seconds,
                      })),
                  ],
                  WAYS.filter(([way]) => document_[way].latencies.length),
                  { caption: 'Latency, within 5 %', plain: true }
              )
          )
        : null;
}

function disksSection(document_) {
    const { devices } = document_;
    if (devices.length < 2) return null;
    const of = (way, key) => (d) => d[way][key];
    const mean = (way, key) => devices.reduce((sum, d) => sum + d[way][key], 0) / devices.length;
    const average = { disk: null };
    for (const [way] of WAYS) average[way] = { requests: mean(way, 'requests'), bytes: mean(way, 'bytes') };
    return section(
        'disks',
        'Disks',
        table(
            [
                { label: 'disk', get: (d) => (d.disk === null ? 'average' : visible(d.disk)), text: true },
                { label: 'reads', get: of('read', 'requests'), show: digits },
                { label: 'read', get: of('read', 'bytes'), show: bytes },
                { label: 'writes', get: of('write', 'requests'), show: digits },
                { label: 'written', get: of('write', 'bytes'), show: bytes },
            ],
            [average, ...devices],
            { caption: 'Each disk, and their average' }
        )
    );
}

function fill() {
    const report = read('block');
    const some = report.read.requests + report.write.requests > 0;
    const sections = some
        ? [answerSection, timeSection, placesSection, sizesSection, latencySection, disksSection].map((make_) => make_(report))
        : [section('answer', 'What reached the device', note('No request did.'))];
    document.body.append(
        make('a', { class: 'skip', href: '#answer' }, 'To the answer'),
        make(
            'header',
            { class: 'wrap' },
            make('h1', null, 'Requests to devices'),
            make('p', { class: 'byline' }, visible(report.file))
        ),
        make(
            'nav',
            { 'aria-label': 'Sections' },
            make(
                'div',
                { class: 'wrap' },
                make('ul', null, contents.map(({ id, title }) => make('li', null, make('a', { href: '#' + id }, title)))),
                themeButton()
            )
        ),
        make(
            'main',
            { class: 'wrap' },
            sections.filter(Boolean),
            canDraw ? null : note('This page was made without charts: their tables are shown instead.')
        ),
        make('footer', { class: 'wrap' }, 'Made by darshan-block.')
    );
}

start(fill);
