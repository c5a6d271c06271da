// sections.js - the answer, and its basis
// SPDX-License-Identifier: BSD-3-Clause

function sectionsOf(report, series) {
    const sections = [
        answerSection(report, series.timeline),
        jobSection(report),
        timelineSection(series.timeline, report.named_phases),
        namedPhaseSection(report),
        placeSection(report),
        layerSection(report),
        lbioSection(report),
        rankSection(report),
        moduleSections(report),
        sharingSection(report),
        fileSection(report),
        mountSection(report.mounts, report.files, report.targets),
        traceSection(series.traces, series.timeline.nprocs),
        phaseSection(series.phases),
        whatIfSection(series.what_if),
        qualitySection(report),
        glossarySection(report),
    ];
    sections.splice(-2, 0, absentLine());
    return sections.flat().filter(Boolean);
}

function titleOf({ job, log }) {
    const program = job.command.trim().split(/\s+/)[0].split('/').pop();
    const name = program || log.file.split('/').pop();
    const on = job.nodes ? ' on ' + plural(job.nodes, 'node') : '';
    const when = job.start > 0 ? ', ' + dateOf(job.start) : '';
    return { name, byline: 'Job ' + job.id + ', ' + plural(job.ranks, spoken('rank'), spoken('ranks')) + on + ', ran ' + runtimeOf(job) + when };
}

function dateOf(t) {
    const date = new Date(1000 * t);
    return Number.isFinite(date.getTime())
        ? date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
        : UNKNOWN;
}

function runtimeOf(job) {
    if (!known(job.run_seconds)) return 'for an unknown time';
    return job.whole_seconds ? count(job.run_seconds) + ' s' : seconds(job.run_seconds);
}

function footerOf({ log }) {
    return [
        'Made by darshan-job-summary of ',
        pathText(log.file),
        '. This page needs no network; all its data are inside it.',
    ];
}

// ------------------------------------------------------------------ job

function jobSection({ job, log }) {
    const nodes = job.nodes ? count(job.nodes) + (job.nodes_from === 'given' ? ' (given)' : '') : 'not known';
    return section(
        'job',
        'Job',
        facts([
            ['Command', job.command ? pathText(job.command) : 'not known', 'wide'],
            ['Job', String(job.id)],
            ['User', String(job.user)],
            [spoken('Ranks'), count(job.ranks)],
            ['Compute nodes', nodes],
            ['Began', job.start > 0 ? dateOf(job.start) : 'not known'],
            ['Ended', job.end > 0 ? dateOf(job.end) : 'not known'],
            ['Run time', runtimeOf(job) + (job.whole_seconds ? ' (to the second)' : '')],
            ['Log format', log.version],
            ['Name records', count(log.names)],
            ['Log', pathText(log.file), 'wide'],
        ]),
        job.hosts.length
            ? folded('Compute nodes', make('p', { class: 'path' }, job.hosts.map(visible).join(', ')))
            : null,
        folded(
            'Modules of the log',
            table(
                [
                    { label: 'Module', get: (module) => module.name || 'unknown', text: true },
                    { label: 'Format version', get: (module) => module.version },
                    { label: 'Compressed', get: (module) => module.bytes, show: bytes },
                    {
                        label: 'Complete',
                        get: (module) =>
                            module.incomplete ? 'no: records are missing, or were counted together' : 'yes',
                        text: true,
                    },
                ],
                log.modules,
                { caption: 'Modules of the log' }
            )
        ),
        job.metadata.length
            ? folded(
                  'Metadata of the job',
                  facts(job.metadata.map(({ key, value }) => [visible(key), pathText(value), 'wide']))
              )
            : null
    );
}

// ------------------------------------------------------------------ log-based I/O

// In the words of the report on the screen; nothing is said of jobs without it.
function lbioSection({ lbio }) {
    if (!lbio) return null;
    const replayed = [
        'in ' + seconds(lbio.replay_seconds) + ', ' + seconds(lbio.longest_replay_hidden_seconds) + ' of it beside computing',
        known(lbio.longest_replay_hidden_share) ? ' (' + share(lbio.longest_replay_hidden_share) + ')' : '',
    ];
    const failed = lbio.errors > 0 || lbio.incomplete_files > 0;
    return section(
        'lbio',
        'Log-based I/O',
        facts([
            [
                'Logged',
                bytes(lbio.bytes) + ' in ' + plural(lbio.calls, 'call') + ', returned in ' + seconds(lbio.write_seconds),
                'wide',
            ],
            ['Replayed', lbio.replay_seconds > 0 ? replayed.join('') : null, 'wide'],
            ['Waited for replay', seconds(lbio.drain_seconds)],
            ['Waited for space in the log', seconds(lbio.space_seconds)],
            ['Merged into', plural(lbio.replayed_calls, 'call')],
            ['Reads from the log', count(lbio.reads_from_log)],
            ['Largest log', bytes(lbio.largest_log)],
            ['Files written directly', count(lbio.direct_files)],
            [
                'Waited for tokens',
                lbio.tokens > 0 ? seconds(lbio.token_seconds) + ' for ' + plural(lbio.tokens, 'token') : null,
            ],
            ['Errors of replay', failed ? count(lbio.errors) : null],
            ['Incomplete files', failed ? count(lbio.incomplete_files) : null],
        ]),
        failed
            ? note(
                  lbio.errors > 0 ? 'Once the cause is removed, ' : '',
                  make('code', null, 'lbio recover --all'),
                  ' completes the files.'
              )
            : null,
        note(spoken('Counts are summed over ranks; times are those of the rank with the longest.'))
    );
}

// ------------------------------------------------------------------ where the time went

const WORK = [
    ['Read', 'read', 'read_seconds'],
    ['Write', 'write', 'write_seconds'],
    ['Metadata', 'meta', 'metadata_seconds'],
];

// Which calls metadata and writing at storage were of, where the log tells.
function partsOfTime(apart) {
    const part = (of, ...names) =>
        of > 0 ? names.map(([name, value]) => name + ' ' + share(value / of)).join(', ') : null;
    return facts([
        ['Metadata of POSIX and STDIO', part(apart.metadata_seconds, ['opens', apart.open_seconds], ['closes', apart.close_seconds])],
        ['Writing', part(apart.write_seconds, ['syncs', apart.sync_seconds])],
    ]);
}

function layerSection({ layers, job, times_apart: apart }) {
    const ranksOf = Math.max(1, job.ranks);
    const columnsOf = [
        { label: 'Layer', get: (layer) => layer.name, text: true },
        ...WORK.map(([name, , key]) => ({
            label: name + ', mean',
            get: (layer) => layer.work[key] / ranksOf,
            show: seconds,
            title: 'seconds of a rank on average',
        })),
        {
            label: 'Median rank',
            get: (layer) => layer.seconds_per_rank && layer.seconds_per_rank.median,
            show: seconds,
        },
        {
            label: 'Slowest rank',
            get: (layer) => layer.slowest_seconds_at_least,
            show: (v, layer) => (layer.confidence === 'exact' ? '' : '\u2265 ') + seconds(v) + (known(layer.slowest_rank) ? ' (' + layer.slowest_rank + ')' : ''),
        },
        { label: 'Ranks with I/O', get: (layer) => layer.seconds_per_rank && layer.seconds_per_rank.ranks },
        { label: 'Read', get: (layer) => layer.work.bytes_read, show: bytes },
        { label: 'Written', get: (layer) => layer.work.bytes_written, show: bytes },
        {
            label: 'Records',
            get: (layer) => layer.records,
            show: (v, layer) =>
                count(v) + (layer.shared_records ? ' (' + count(layer.shared_records) + ' shared)' : ''),
        },
        { label: 'Seconds are', get: (layer) => layer.confidence, text: true },
    ];
    if (!layers.length) return absent('layers', 'no module counted any I/O');
    return section(
        'layers',
        'Layers',
        note(
            'Layers lie on each other: the time of MPI-IO or HDF5 contains that of POSIX below it; ' +
                'layers must not be added up.'
        ),
        bars(
            job.ranks > 1
                ? spoken('Seconds of a rank in each layer: on average, of the median rank, and of the slowest')
                : 'Seconds in each layer',
            layers.map((layer) => layer.name),
            WORK.map(([name, shade, key]) => ({
                name,
                colour: shade,
                values: layers.map((layer) => layer.work[key] / ranksOf),
            })),
            seconds,
            {
                across: true,
                stacked: true,
                height: 70 + 34 * layers.length,
                marks: job.ranks > 1 ? layerMarks(layers) : [],
                data: table(columnsOf, layers, { caption: 'Seconds and bytes of each layer' }),
            }
        ),
        apart ? partsOfTime(apart) : null
    );
}

function layerMarks(layers) {
    const of = (key) => layers.map((layer) => layer.seconds_per_rank && layer.seconds_per_rank[key]);
    return [
        { name: spoken('Median rank'), symbol: 'circle', size: 9, values: of('median') },
        { name: spoken('Slowest rank'), symbol: 'diamond', size: 13, values: of('max') },
    ];
}

function rankSection({ ranks: all, job }) {
    if (!all.ranks) return absent('ranks', 'so many that none are told apart');
    const spread = spreadTable(all);
    if (!all.slowest.length) return absent('ranks', 'none did any I/O');
    if (all.ranks === 1)
        return section('ranks', spoken('Ranks'), note('The job has one process: there is nothing to compare.'), slowestTable(all));
    const per = all.ranks_per_bin;
    const name = (i) => ranks(i * per, per, job.ranks);
    return section(
        'ranks',
        spoken('Ranks'),
        note(
            per > 1 ? spoken('By rank, a step is the mean of ') + plural(per, spoken('rank'), spoken('ranks')) + '. ' : '',
            'Seconds are ' + all.seconds_confidence + ', bytes ' + all.bytes_confidence + ': ',
            all.seconds_confidence === 'exact'
                ? spoken('they come from counters of each rank.')
                : 'of files that ' + everyone + spoken(' share the log knows the slowest and the fastest rank only, so that bounds are shown.'),
            known(all.at_storage) && all.at_storage < all.ranks
                ? (all.at_storage_confidence === 'exact' ? ' ' : ' About ') +
                      count(all.at_storage) +
                      ' of ' +
                      count(all.ranks) +
                      spoken(' ranks touch storage.')
                : ''
        ),
        rankFigures(all, name),
        figures(rankTable(all, name)),
        spread,
        make('div', { class: 'pair' }, lorenzFigure(all), slowestTable(all))
    );
}

function rankTable(all, name) {
    const { bins } = all;
    const column = (label, key, show) => ({ label, get: (i) => bins[key][i], show });
    return table(
        [
            { label: 'Ranks', get: (i) => i, show: name },
            ...(all.seconds_confidence === 'exact'
                ? [
                      ...WORK.map(([label, , key]) => column(label, key, seconds)),
                      column('Slowest', 'slowest_seconds', seconds),
                  ]
                : [
                      column('Waited at least', 'waited_at_least_seconds', seconds),
                      column('At most', 'waited_at_most_seconds', seconds),
                  ]),
            ...(all.bytes_confidence === 'exact'
                ? [column('Bytes read', 'bytes_read', bytes), column('Bytes written', 'bytes_written', bytes)]
                : []),
        ],
        bins.read_seconds.map((v, i) => i),
        { caption: spoken('Seconds and bytes by rank'), sort: 0 }
    );
}

function spreadTable(all) {
    const rows = [
        ['I/O seconds', all.seconds_spread, seconds],
        ['Bytes', all.bytes_spread, bytes],
    ].filter(([, spread]) => spread && spread.ranks > 0);
    if (!rows.length) return null;
    const column = (label, key, title) => ({
        label,
        get: ([, spread]) => spread[key],
        show: (v, [, , show]) => show(v),
        title,
    });
    return table(
        [
            { label: 'Figure', get: ([name]) => name, text: true },
            { label: 'Ranks with I/O', get: ([, spread]) => spread.ranks },
            { label: 'Ranks without I/O', get: ([, spread]) => spread.ranks_without },
            column('Min', 'min'),
            column('1st quartile', 'q1', spoken('a quarter of the ranks has less')),
            column('Median', 'median'),
            column('3rd quartile', 'q3', spoken('three quarters of the ranks have less')),
            column('Max', 'max'),
            column('Mean', 'mean'),
            { label: 'Max / mean', get: ([, spread]) => spread.slowest_over_mean, show: ratio },
            {
                label: 'Gini',
                get: ([, spread]) => spread.gini,
                show: (v) => (known(v) ? v.toFixed(2) : UNKNOWN),
                title: '0: all ranks alike; nearly 1: one rank has it all',
            },
        ],
        rows,
        { caption: spoken('Distribution over ranks') }
    );
}

function slowestTable(all) {
    const exact = all.seconds_confidence === 'exact';
    return table(
        [
            { label: 'Rank', get: (rank) => rank.rank, show: String },
            ...(exact
                ? [
                      { label: 'I/O time', get: (rank) => rank.seconds, show: seconds },
                      ...WORK.map(([label, , key]) => ({ label, get: (rank) => rank[key], show: seconds })),
                  ]
                : [
                      { label: 'Waited at least', get: (rank) => rank.waited_at_least_seconds, show: seconds },
                      { label: 'At most', get: (rank) => rank.waited_at_most_seconds, show: seconds },
                  ]),
            ...(all.bytes_confidence === 'exact'
                ? [
                      { label: 'Bytes read', get: (rank) => rank.bytes_read, show: bytes },
                      { label: 'Bytes written', get: (rank) => rank.bytes_written, show: bytes },
                  ]
                : []),
            ...(all.slowest.some((rank) => rank.host) ? [{ label: 'Node', get: (rank) => rank.host, text: true }] : []),
        ],
        all.slowest,
        {
            caption: all.ranks > all.slowest.length ? spoken('The slowest ranks') : capital(everyone),
            sort: -2,
        }
    );
}

function lorenzFigure(all) {
    const curves = [
        ['I/O seconds', 'first', all.seconds_lorenz],
        ['Bytes', 'third', all.bytes_lorenz],
    ].filter(([, , points]) => points && points.length > 1);
    if (!curves.length) return null;
    const percent = (v) => share(v);
    const draw = () =>
        Object.assign(common(), {
            grid: { left: 8, right: 20, top: 32, bottom: 22, containLabel: true },
            xAxis: axis({
                type: 'value',
                min: 0,
                max: 1,
                name: spoken('share of the ranks, the smallest first'),
                nameLocation: 'middle',
                nameGap: 26,
                axisLabel: { formatter: percent, color: colour('muted') },
            }),
            yAxis: axis({ type: 'value', min: 0, max: 1, axisLabel: { formatter: percent, color: colour('muted') } }),
            tooltip: Object.assign(common().tooltip, {
                trigger: 'axis',
                axisPointer: { type: 'line' },
                formatter: (points) =>
                    tip(
                        share(points[0].value[0]) + spoken(' of the ranks have'),
                        points.map((point) => ['of the ' + point.seriesName, share(point.value[1]), point.color])
                    ),
            }),
            series: curves
                .map(([name, shade, points]) => ({
                    type: 'line',
                    name,
                    color: colour(shade),
                    symbol: 'none',
                    data: points,
                }))
                .concat([
                    {
                        type: 'line',
                        name: 'All alike',
                        color: colour('other'),
                        symbol: 'none',
                        lineStyle: { type: 'dashed', width: 1 },
                        data: [
                            [0, 0],
                            [1, 1],
                        ],
                    },
                ]),
        });
    return figure(spoken('Lorenz curve: how evenly ranks share time and bytes'), 280, draw, lorenzTable(curves));
}

function lorenzTable(curves) {
    const at = (points, part) => points[Math.round(part * (points.length - 1))][1];
    return table(
        [
            { label: 'Of the ranks, the smallest first', get: (part) => part, show: share },
            ...curves.map(([name, , points]) => ({
                label: 'Of the ' + name,
                get: (part) => at(points, part),
                show: share,
            })),
        ],
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
        { caption: 'Lorenz curve' }
    );
}
