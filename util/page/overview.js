// overview.js - the first screen: how the run time was spent, when bytes were moved, and what could be saved
// SPDX-License-Identifier: BSD-3-Clause

// ------------------------------------------------------------------ where the run time went

const PARTS = [
    ['Compute', 'compute', 'all that is not I/O: what is left of the run time'],
    ['Waiting in collectives', 'wait', 'in collective reads, writes, opens and closes, but in no call below them'],
    ['Reading', 'read', 'in calls that read at storage'],
    ['Writing', 'write', 'in calls that write at storage'],
    ['Metadata', 'meta', 'in opens, closes, seeks, stats, syncs'],
    ['Communication', 'messages', 'in calls of MPI that are no I/O'],
];

// Rows of the bar: { name, parts: [[name, class, seconds, title]...], values: seconds by part, or null: unknown }.
function meanRow({ run }, job) {
    const waiting = run.waiting_to_open + run.waiting_to_read + run.waiting_to_write;
    const values = [run.compute, waiting, run.read, run.write, run.metadata, run.communication];
    return { name: job.ranks > 1 ? spoken('Mean rank') : 'The process', values, parts: partsOf(values) };
}

function partsOf(values) {
    return PARTS.map(([name, shade, title], i) => [name, shade, values[i], title]);
}

// For shared records only bounds of the slowest rank's I/O time are known, but not its parts.
function slowestRow({ slowest_run: run, seconds: time }, job) {
    const name = spoken('Slowest rank') + (known(time.slowest_rank) ? ' (' + time.slowest_rank + ')' : '');
    const values = [run.compute, run.waiting, run.read, run.write, run.metadata];
    if (known(run.read)) return { name, values, parts: partsOf(values) };
    const limit = known(job.run_seconds) ? job.run_seconds : Infinity;
    const most = Math.min(time.slowest, limit),
        least = Math.min(time.slowest_at_least, most);
    return {
        name,
        values: null,
        bounds: [least, most],
        parts: [
            ['Compute', 'compute', known(job.run_seconds) ? limit - most : 0, 'all that is not I/O, at least'],
            ['Between the bounds', 'open', most - least, 'I/O or not: reduced records leave it open'],
            ['I/O', 'io', least, 'I/O of any kind, at least; reduced records do not tell which'],
        ],
    };
}

// Of processes that ran one after the other, as the commands of a script do: their times add up.
function inTurnRow({ in_turn_run: run }) {
    const values = [run.compute, run.waiting, run.read, run.write, run.metadata];
    return { name: 'In turn (' + count(run.processes) + ')', values, parts: partsOf(values) };
}

function barOf(row, total) {
    return make(
        'div',
        { class: 'run-bar' },
        row.parts
            .filter(([, , v]) => v > 0)
            .map(([name, shade, v, title]) => {
                const part = v / total;
                const box = make(
                    'span',
                    { class: 'run-part ' + shade, title: name + ': ' + seconds(v) + ', ' + title },
                    part >= 0.08 ? share(part) : null
                );
                box.style.width = 100 * part + '%';
                return box;
            })
    );
}

function runTable(rows, total) {
    const shown = PARTS.filter(([name], i) => name !== 'Communication' || rows.some((row) => row.values && known(row.values[i])));
    const cell = (v) =>
        make('td', { class: 'number' }, known(v) ? [seconds(v), ' ', make('small', null, share(v / total))] : UNKNOWN);
    const bounds = rows.find((row) => row.bounds);
    return make(
        'table',
        { class: 'run-table' },
        make(
            'thead',
            null,
            make(
                'tr',
                null,
                make('th', { scope: 'col' }, 'Part of the run time'),
                rows.map((row) => make('th', { scope: 'col', class: 'number' }, row.name))
            )
        ),
        make(
            'tbody',
            null,
            shown.map(([name, shade, title], i) =>
                make(
                    'tr',
                    null,
                    make('th', { scope: 'row', title }, make('span', { class: 'swatch ' + shade }), name),
                    rows.map((row) =>
                        row.values
                            ? cell(row.values[i])
                            : i === 0
                              ? make('td', { class: 'number', rowspan: shown.length }, boundsText(bounds, total))
                              : null
                    )
                )
            )
        )
    );
}

function boundsText({ bounds: [least, most] }, total) {
    return [
        make('span', { class: 'swatch io' }),
        'I/O ',
        most - least > 0.005 * most
            ? seconds(least) + ' to ' + seconds(most)
            : seconds(most),
        ' ',
        make(
            'small',
            null,
            share(least / total) === share(most / total)
                ? share(most / total)
                : share(least / total) + ' to ' + share(most / total)
        ),
        make('br'),
        make('small', null, 'with what, reduced records do not tell'),
    ];
}

function runFigure({ answer, job }) {
    const rows = [meanRow(answer, job)];
    if (job.ranks > 1) rows.push(slowestRow(answer, job));
    if (answer.in_turn_run) rows.unshift(inTurnRow(answer));
    const total = Math.max(
        known(job.run_seconds) ? job.run_seconds : 0,
        ...rows.map((row) => row.parts.reduce((sum, [, , v]) => sum + (v > 0 ? v : 0), 0))
    );
    if (!(total > 0)) return null;
    const told = (row) =>
        row.name + ': ' + row.parts.filter(([, , v]) => v > 0).map(([name, , v]) => name + ' ' + share(v / total)).join(', ');
    return make(
        'figure',
        { class: 'run' },
        make(
            'figcaption',
            null,
            known(job.run_seconds) ? 'Where the run time of ' + runtimeOf(job) + ' went' : 'Where the I/O time went'
        ),
        make(
            'div',
            { role: 'img', 'aria-label': rows.map(told).join('. ') },
            rows.map((row) =>
                make('div', { class: 'run-row' }, make('span', { class: 'run-name' }, row.name), barOf(row, total))
            )
        ),
        runTable(rows, total)
    );
}

// ------------------------------------------------------------------ when bytes were moved

const AT_STORAGE = ['POSIX', 'STDIO', 'DFS'];

// All ranks, in the layers that access storage; otherwise in the layer with the most bytes.
function storageLines(timeline) {
    const moved = (line) => line.bytes_read + line.bytes_written;
    const some = timeline.lines.filter((line) => moved(line) > 0);
    const below = some.filter((line) => AT_STORAGE.includes(line.layer));
    const first = (below.length ? below : some).slice().sort((a, b) => moved(b) - moved(a))[0];
    if (!first) return [];
    return below.includes(first)
        ? below.filter((line) => line.width === first.width && line.bins === first.bins)
        : [first];
}

function stripFigure(timeline) {
    const lines = storageLines(timeline);
    if (!lines.length) return null;
    const { width, bins } = lines[0];
    const sums = { read: new Float64Array(bins), write: new Float64Array(bins) };
    for (const line of lines)
        for (const key of ['read', 'write'])
            columns(cellsOf(line)[key], line.rows, line.bins).forEach((v, i) => (sums[key][i] += v));
    const end = timeline.runtime > 0 ? timeline.runtime : bins * width;
    const most = Math.max(...sums.read.map((v, i) => v + sums.write[i])) / width;
    const step = binaryStep(most / 2);
    const rows = [
        ['Read', 'read', sums.read],
        ['Written', 'write', sums.write],
    ].filter(([, , values]) => values.some((v) => v > 0));
    const points = stackedSteps(
        rows.map(([, , values]) => values.map((v) => v / width)),
        (bin) => bin * width,
        (bin) => (bin + 1) * width
    );
    const draw = () =>
        Object.assign(common(), {
            legend: Object.assign(common().legend, { data: rows.map(([name]) => ({ name })) }),
            grid: { left: 76, right: 14, top: 34, bottom: 22 },
            xAxis: axis({
                type: 'value',
                min: 0,
                max: end,
                splitLine: { show: false },
                axisLabel: { color: colour('muted'), formatter: (v) => tick(v), hideOverlap: true, showMaxLabel: false },
            }),
            yAxis: axis({
                type: 'value',
                interval: step,
                max: step * Math.max(1, Math.ceil(most / step)),
                axisLabel: { color: colour('muted'), fontSize: 11, formatter: rate },
            }),
            tooltip: Object.assign(common().tooltip, {
                trigger: 'axis',
                formatter: (points) =>
                    tip(
                        interval(width * (points[0].dataIndex >> 1), width),
                        points.map((point) => [point.seriesName, rate(point.value[2]), point.color])
                    ),
            }),
            series: areaSeries(rows.map(([name, shade], i) => ({ name, colour: shade, points: points[i] }))),
        });
    return figure(
        'Bytes over the run, ' + (timeline.nprocs > 1 ? everyone + ', ' : '') + lines.map((line) => line.layer).join(' and '),
        132,
        draw,
        null,
        null,
        'The table of the time line has its figures.'
    );
}

// Without heat map and trace: when files were in use.
function spansTable({ files, job, selection }) {
    const at = Object.fromEntries(files.columns.map((name, i) => [name, i]));
    const rows = files.rows.filter((row) => row[at.last_io] > 0).slice(0, 6);
    if (!rows.length || !(job.run_seconds > 0)) return null;
    return make(
        'div',
        null,
        note(
            selection
                ? 'When bytes of these files were moved is not known without a trace. When they were in use:'
                : 'When bytes were moved is not in this log: it has neither heat map nor trace. When files were in use:'
        ),
        table(
            [
                {
                    label: 'File',
                    get: (row) => row[at.name] || 'record ' + row[at.id],
                    show: (v) => pathText(shortened(v, 60)),
                    text: true,
                },
                spanColumn(at, job),
                { label: 'Read and written', get: (row) => row[at.bytes_read] + row[at.bytes_written], show: bytes },
            ],
            rows,
            { caption: 'From first open to last access: the files with most I/O time', plain: true }
        )
    );
}

// ------------------------------------------------------------------ answer

const BOUNDS = {
    none: 'no I/O',
    idle: 'hardly anything: I/O is below 5 % of the run time',
    waiting: 'waiting in collective calls, for other ranks and for data to be exchanged',
    imbalance: 'imbalance: ranks spend on average less than half of the slowest rank\u2019s time',
    metadata: 'metadata calls',
    library: 'the I/O library itself, outside of the calls below it',
    small: 'small requests, of up to 100 KiB',
    sync: 'writes that wait for the device: fsync, fdatasync, fflush, O_SYNC',
    bandwidth: 'bandwidth',
};

function answerSection({ answer, findings, job, quality, files, selection }, timeline) {
    const { seconds: time, share_of_run_time: part } = answer;
    const rateText = known(answer.mib_per_second_per_node)
        ? [
              ratio(answer.mib_per_second_per_node) + NBSP + 'MiB/s',
              'a compute node; ' + ratio(answer.mib_per_second) + ' MiB/s in all',
          ]
        : known(answer.mib_per_second)
          ? [
                ratio(answer.mib_per_second) + NBSP + 'MiB/s',
                time.in_turn > time.slowest
                    ? 'at storage'
                    : spoken('at storage, over the slowest rank\u2019s ') + seconds(time.slowest_at_storage),
            ]
          : [UNKNOWN, 'no time was spent on I/O'];
    const inTurn = known(part.slowest) && part.in_turn > 1.1 * part.slowest;
    const bounded = known(part.slowest) && part.slowest - part.slowest_at_least > 0.005;
    const numbers = [
        [
            'I/O time of the run',
            inTurn
                ? share(part.in_turn)
                : bounded
                  ? share(part.slowest_at_least) + ' to ' + share(Math.min(part.slowest, 1))
                  : share(part.slowest),
            inTurn
                ? 'processes one after another; the busiest ' + share(part.slowest)
                : job.ranks > 1
                ? spoken('slowest rank; mean rank ') + share(part.mean)
                : seconds(time.slowest),
        ],
        ['Read', bytes(answer.bytes_read), plural(answer.reads, 'call')],
        ['Written', bytes(answer.bytes_written), plural(answer.writes, 'call')],
        ['Rate', ...rateText],
    ];
    const idle = answer.bound === 'none';
    return section(
        'answer',
        'Answer',
        quality.warnings.map(({ what, text }) =>
            make('p', { class: 'answer warning', role: 'alert' }, visible(what + ': ' + text + '.'))
        ),
        selection
            ? make(
                  'p',
                  { class: 'answer warning' },
                  'Only files that match ' + selection.patterns.map(visible).join(', ') + ': all figures but the run time are of these alone.'
              )
            : null,
        make('p', { class: 'answer' }, visible(answer.sentence)),
        idle ? null : runFigure({ answer, job }),
        stripFigure(timeline) || (idle ? null : spansTable({ files, job, selection })),
        make(
            'dl',
            { class: 'figures' },
            numbers.map(([name, value, more]) =>
                make('div', null, make('dt', null, name), make('dd', null, value, make('small', null, more)))
            )
        ),
        make('p', null, 'Bound by: ' + spoken(BOUNDS[answer.bound] || answer.bound) + '.'),
        answer.past_posix
            ? make('p', null, 'Data also went through DFS or DAOS, past POSIX: they are counted like POSIX.')
            : null,
        findingsOf(findings, answer)
    );
}

// ------------------------------------------------------------------ findings

const SEVERITIES = { high: 'High', warning: 'Warning', minor: 'Minor', note: 'Note' };

// Findings that are known to save at least 1 % are listed, others are collapsed to a line.
function findingsOf(findings, answer) {
    const some = findings.filter(({ severity }) => severity === 'high' || severity === 'warning');
    const rest = findings.filter((finding) => !some.includes(finding));
    const list = (all) => make('ul', { class: 'findings' }, all.map(findingItem));
    return [
        make('h3', null, 'Findings'),
        findings.length ? null : note('Nothing was found that would be worth a change.'),
        answer.healthy || answer.bound === 'none' || some.length
            ? null
            : note(
                  'That is not the whole of it: records are missing, or I/O was not counted (see the quality of the log).'
              ),
        findings.length && answer.healthy ? note('Nothing here would save much: the job\u2019s I/O is healthy.') : null,
        some.length > 1
            ? note('What costs most comes first. Findings overlap: their seconds must not be added up.')
            : null,
        some.length ? list(some) : null,
        rest.length
            ? folded(
                  plural(rest.length, some.length ? 'more finding' : 'finding') +
                      ' of less weight: ' +
                      rest.map(({ title }) => title.charAt(0).toLowerCase() + title.slice(1)).join('; '),
                  list(rest)
              )
            : null,
    ];
}

function costOf(finding) {
    const { saveable_seconds: most, at_most_seconds: bound, saveable_share: part, confidence } = finding;

    if (known(most) && most > 0)
        return (
            (confidence === 'exact' ? 'could save ' + seconds(most) : 'could save about ' + about(most)) +
            (known(part) ? ', ' + share(part) + ' of the run' : '')
        );
    return known(bound) && bound > 0 ? 'could save at most ' + about(bound) : '';
}

function findingItem(finding) {
    const shown = { seconds, bytes, count, share, 'bytes/second': rate, rank: (v) => String(v) };
    const evidence = finding.evidence.map(({ name, value, unit }) => [name, (shown[unit] || ratio)(value)]);
    return make(
        'li',
        { id: 'finding-' + finding.id, class: finding.severity },
        make(
            'h3',
            null,
            make('span', null, SEVERITIES[finding.severity] + ': ' + finding.title),
            make('span', { class: 'cost' }, costOf(finding))
        ),
        make('p', null, visible(finding.text)),
        finding.line ? make('p', { class: 'line' }, 'At ', make('strong', null, visible(finding.line.where)), ': ' + share(finding.line.share) + ' of this time.') : null,
        make('p', { class: 'advice' }, capital(visible(finding.advice)) + '.'),
        folded(
            'Evidence',
            facts(
                evidence.concat([
                    ['Reported when', finding.condition, 'wide'],
                    ['The saving', finding.confidence + (finding.rests_on ? ': ' + finding.rests_on : ''), 'wide'],
                    [spoken('Ranks concerned most'), finding.ranks.length ? finding.ranks.join(', ') : null],
                    ['Read more', finding.reference, 'wide'],
                ])
            ),
            finding.files.length ? findingFiles(finding) : null
        )
    );
}

function findingFiles(finding) {
    return table(
        [
            { label: 'File', get: (file) => file.name || 'record ' + file.id, show: pathText, text: true },
            { label: 'Seconds about it' + ofEveryone(), get: (file) => file.seconds, show: seconds },
        ],
        finding.files,
        {
            caption:
                finding.files_concerned > finding.files.length
                    ? 'The ' +
                      finding.files.length +
                      ' of ' +
                      plural(finding.files_concerned, 'file') +
                      ' that are concerned most'
                    : 'Files concerned',
            sort: -2,
        }
    );
}
