// time.js - activity over time: heat maps of the run, traces, phases
// SPDX-License-Identifier: BSD-3-Clause

// ------------------------------------------------------------------ time line

function timelineSection(timeline, phases) {
    const layers = timeline.lines.filter((line) => line.bytes_read + line.bytes_written > 0);
    if (!layers.length && !(timeline.opens.files > 0))
        return absent(
            'time line',
            timeline.lines.length
                ? 'nothing was moved'
                : spoken('it has no heat map and no trace, and does not tell when ranks opened files')
        );
    const state = { lines: layers, panels: null };
    const end = Math.max(
        timeline.runtime,
        ...timeline.lines.map((line) => line.bins * line.width * (timeline.runtime > 0 ? 0 : 1))
    );
    const panels = () => (state.panels = state.panels || timelinePanels(timeline, state.lines, phases));
    const data = make('div');
    const fill = () =>
        data.replaceChildren(...(state.lines.length ? state.lines : [null]).map((line) => timelineTable(timeline, line)));
    fill();
    const shown = timeFigure(
        layers.length ? spoken('Bytes moved by each rank over the run') : spoken('When each rank first opened files'),
        panels,
        { from: 0, to: end, data }
    );
    const pick =
        layers.length > 1 &&
        choice(
            'Layer',
            [['all', 'All'], ...layers.map((line, i) => [String(i), line.layer])],
            'all',
            (i) => {
                state.lines = i === 'all' ? layers : [layers[Number(i)]];
                state.panels = null;
                fill();
                shown.redraw();
            }
        );
    return section(
        'time',
        'Time line',
        timelineNotes(timeline),
        pick ? make('p', { class: 'controls' }, pick) : null,
        shown.box
    );
}

function timelineNotes(timeline) {
    const line = timeline.lines[0];
    const strays = timeline.lines.reduce((sum, one) => sum + one.strays, 0);
    return [
        note(
            line
                ? 'Each row is ' +
                      (line.ranks_per_row > 1 ? 'the sum of ' + count(line.ranks_per_row) + spoken(' ranks') : spoken('a rank')) +
                      '; the stronger the colour, the more it moved in that time (one logarithmic scale for all of it). '
                : 'The log has no heat map and no trace: what it tells over time is when files were first opened. ',
            line && line.source !== 'HEATMAP' ? 'Made from the trace, which may leave out files. ' : '',
            timeline.nprocs > 1
                ? spoken('Bars are sums: at the side those of each row over the run, above those of all ranks; the number is the longest one\u2019s. ')
                : '',
            'Metadata calls leave no times in a log, except that of each file\u2019s first open',
            timeline.opens.shared > 0
                ? '; ' +
                      plural(timeline.opens.shared, 'file') +
                      ' shared by ' +
                      everyone +
                      ' ' +
                      (timeline.opens.shared === 1 ? 'is' : 'are') +
                      ' not in that picture.'
                : '.'
        ),
        strays > 0 ? note(plural(strays, 'record') + spoken(' of ranks that the job does not have are left out.')) : null,
    ];
}

function columns(cells, rows, bins) {
    const sums = new Float64Array(bins);
    for (let row = 0; row < rows; row++) for (let bin = 0; bin < bins; bin++) sums[bin] += cells[row * bins + bin];
    return sums;
}

function cellsOf(line) {
    if (!line.cells)
        line.cells = { read: decode(line.read, line.rows, line.bins), write: decode(line.write, line.rows, line.bins) };
    return line.cells;
}

function opensOf(opens) {
    if (!opens.cells) opens.cells = decode(opens.count, opens.rows, opens.bins);
    return opens.cells;
}

// Ranks over time, and the sums of ranks and of intervals. showCell is of a cell, showRow of a rank's sum, showBin of an
// interval's, showShade of what the colour stands for, which is a cell's amount in `per`.
function rankPicture(name, shade, cells, line, nprocs, { per, showCell, showSum, showBin, showShade }) {
    const sums = new Float64Array(line.rows);
    cells.forEach((v, i) => (sums[Math.floor(i / line.bins)] += v));
    return {
        kind: 'picture',
        name,
        colour: shade,
        cells,
        rows: line.rows,
        bins: line.bins,
        first: 0,
        perRow: line.ranks_per_row,
        offset: 1,
        start: 0,
        width: line.width,
        most: largest(cells) / per,
        least: smallest(cells, 0) / per,
        per,
        sums: line.rows > 1 ? sums : null,
        together: columns(cells, line.rows, line.bins),
        rowName: spoken('Ranks'),
        showRow: (v) => (v >= 0 && v < nprocs ? String(v) : ''),
        showRows: (v) => ranks(v, line.ranks_per_row, nprocs),
        showCell,
        showSum,
        showBin,
        showValue: showShade,
    };
}

function steps(sums, width) {
    return Array.from(sums, (v, bin) => [bin * width, v / width]).concat([[sums.length * width, 0]]);
}

// Of one layer, or of all of them beneath each other; colours of bytes have one scale.
function timelinePanels(timeline, lines, phases) {
    const found = [];
    const several = lines.length > 1;
    const allTogether = everyone === 'the process' ? 'The process' : capital(everyone) + ' together';
    for (const line of lines) {
        const cells = cellsOf(line);
        const kinds = ['read', 'write'].filter((key) => cells[key].some((v) => v > 0));
        if (!several)
            found.push({
                kind: 'lines',
                name: allTogether,
                showValue: rate,
                lines: kinds.map((key) => ({
                    name: capital(key),
                    colour: key,
                    values: steps(columns(cells[key], line.rows, line.bins), line.width),
                })),
            });
        for (const key of kinds)
            found.push(
                rankPicture(several ? line.layer + ': ' + key : spoken(capital(key) + ', by rank'), key, cells[key], line, timeline.nprocs, {
                    per: line.width * line.ranks_per_row,
                    showCell: (v) => bytes(v) + (v > 0 ? ' (' + rate(v / line.width) + ')' : ''),
                    showSum: bytes,
                    showBin: (v) => rate(v / line.width),
                    showShade: rate,
                })
            );
    }
    const pictures = found.filter(({ kind }) => kind === 'picture');
    const most = Math.max(...pictures.map((panel) => panel.most)),
        least = Math.min(...pictures.map((panel) => panel.least));
    const shades =
        timeline.nprocs === 1 ? 'The process' : spoken('A rank') + (lines.some((line) => line.ranks_per_row > 1) ? ', on average' : '');
    for (const panel of pictures) Object.assign(panel, { most, least, shades });
    if (timeline.opens.files > 0) {
        const files = (v) => plural(Math.round(v), 'file');
        found.push(
            rankPicture(
                several ? 'Files first opened' : spoken('Metadata: files first opened, by rank'),
                'meta',
                opensOf(timeline.opens),
                timeline.opens,
                timeline.nprocs,
                { per: 1, showCell: files, showSum: files, showBin: files, showShade: files }
            )
        );
    }
    return (several ? found.map((panel) => Object.assign(panel, { strip: true })) : found).concat(phasePanel(timeline, phases));
}

// When the process that was longest in each phase was in it; those with most I/O on top.
function phasePanel(timeline, phases) {
    const shown = phases ? phases.rows.filter(({ spans }) => spans.length).slice(0, 16).reverse() : [];
    if (!shown.length) return [];
    const bins = 512,
        width = timeline.runtime / bins;
    const cells = new Float64Array(shown.length * bins);
    shown.forEach(({ spans }, row) =>
        spans.forEach(([from, to]) => {
            for (let bin = Math.floor(from / width); bin < Math.min(bins, Math.ceil(to / width)); bin++)
                cells[row * bins + bin] = 1;
        })
    );
    const nameOf = (v) => (v >= 0 && v < shown.length ? shown[v].name : '');
    const isIn = (v) => (v > 0 ? 'in it' : 'not in it');
    return [
        Object.assign(
            rankPicture('Phases that the program has named', 'meta', cells, { rows: shown.length, bins, width, ranks_per_row: 1 }, shown.length, {
                per: 1,
                showCell: isIn,
                showSum: (v) => share(v / bins) + ' of the run',
                showBin: (v) => plural(v, 'phase'),
                showShade: isIn,
            }),
            { rowName: 'Phase', showRow: (v) => shortened(nameOf(v), 10), showRows: nameOf, everyRow: true }
        ),
    ];
}

function timelineTable(timeline, line) {
    const opens =
        timeline.opens.files > 0 ? columns(opensOf(timeline.opens), timeline.opens.rows, timeline.opens.bins) : [];
    const cells = line && cellsOf(line);
    const width = line ? line.width : timeline.opens.width;
    const read = line ? columns(cells.read, line.rows, line.bins) : [],
        write = line ? columns(cells.write, line.rows, line.bins) : [];
    const rows = [];
    for (let bin = 0; bin < (line ? line.bins : timeline.opens.bins); bin++)
        if (read[bin] || write[bin] || opens[bin])
            rows.push({ from: bin * width, read: read[bin] || 0, write: write[bin] || 0, opens: opens[bin] || 0 });
    return table(
        [
            { label: 'From', get: (row) => row.from, show: seconds },
            { label: 'Read', get: (row) => row.read, show: bytes },
            { label: 'Read rate', get: (row) => row.read / width, show: rate },
            { label: 'Written', get: (row) => row.write, show: bytes },
            { label: 'Write rate', get: (row) => row.write / width, show: rate },
            { label: 'Files first opened', get: (row) => Math.round(row.opens) },
        ],
        rows,
        {
            caption: (line ? line.layer + ': intervals' : 'Intervals') + ' of ' + seconds(width) + ' in which something happened' + ofEveryone(),
            sort: 0,
        }
    );
}

// ------------------------------------------------------------------ phases

// Those that the program has named.
function namedPhaseSection({ named_phases: phases, job }) {
    if (!phases) return null;
    const { outside } = phases;
    const calls = ({ reads, writes }) => reads + writes;
    const several = job.ranks > 1;
    const layers = phases.rows.flatMap((phase) => phase.layers.map((layer) => ({ phase, layer })));
    return section(
        'named-phases',
        'Named phases',
        note(
            'The program has named these parts of its run. A call counts in the innermost phase that its thread is in. ',
            outside.reads + outside.writes > 0
                ? 'In none: ' + bytes(outside.bytes_read) + ' read, ' + bytes(outside.bytes_written) + ' written, in ' + plural(calls(outside), 'call') + '.'
                : ''
        ),
        table(
            [
                { label: 'Phase', get: (row) => row.name, show: visible, text: true },
                { label: 'Begun', get: (row) => row.entered, title: 'times, of all threads' },
                ...(several ? [{ label: capital(spoken('ranks')), get: (row) => row.processes }] : []),
                { label: several ? 'Longest' : 'Time', get: (row) => row.longest_seconds, show: seconds, title: several ? spoken('of the rank that was in it longest') : '' },
                { label: 'In I/O', get: (row) => row.io_share, show: share, title: 'of the time in it' },
                { label: 'Read', get: (row) => row.work.bytes_read, show: bytes },
                { label: 'Written', get: (row) => row.work.bytes_written, show: bytes },
                { label: 'Reads', get: (row) => row.work.reads },
                { label: 'Writes', get: (row) => row.work.writes },
                ...WORK.map(([name, , key]) => ({ label: name + ' time', get: (row) => row.work[key], show: seconds, title: 'summed over threads' })),
                ...(several
                    ? [{ label: spoken('Slowest rank'), get: (row) => row.slowest_seconds, show: (v, row) => seconds(v) + ' (' + row.slowest_rank + ')', title: 'in calls at storage' }]
                    : []),
            ],
            phases.rows,
            { caption: 'Phases that the program has named, at storage', search: (row) => row.name, label: 'Search phases' }
        ),
        folded(
            'By layer',
            table(
                [
                    { label: 'Phase', get: ({ phase }) => phase.name, show: visible, text: true },
                    { label: 'Layer', get: ({ layer }) => layer.name, text: true },
                    { label: 'Reads', get: ({ layer }) => layer.work.reads },
                    { label: 'Writes', get: ({ layer }) => layer.work.writes },
                    { label: 'Metadata calls', get: ({ layer }) => layer.metadata_calls },
                    { label: 'Read', get: ({ layer }) => layer.work.bytes_read, show: bytes },
                    { label: 'Written', get: ({ layer }) => layer.work.bytes_written, show: bytes },
                    ...WORK.map(([name, , key]) => ({ label: name + ' time', get: ({ layer }) => layer.work[key], show: seconds, title: 'summed over threads' })),
                ],
                layers,
                { caption: 'Calls of each phase by layer; a layer\u2019s time contains that of the layers below' }
            )
        )
    );
}

function phaseSection(rhythm) {
    if (!rhythm) return absent('phases', 'they are found in heat maps and traces');
    // If processes are not synchronized, one represents all.
    const part = rhythm.process || rhythm.job;
    const spectrum = rhythm.spectrum;
    const cycles = part.cycles.length
        ? cycleTable(part.cycles)
        : note('No sequence of bursts recurs three times or more.');
    return section(
        'phases',
        'Phases and cycles',
        note(
            rhythm.says + '. ',
            rhythm.next_says && part.next ? 'The next burst: ' + rhythm.next_says + '. ' : '',
            'I/O came in ' + plural(part.nbursts, 'burst'),
            part.threshold > 0 && part.nbursts > 1 ? ', separated by pauses of at least ' + seconds(part.threshold) : '',
            rhythm.resolution > 0
                ? ', as far as the heat map tells: it resolves ' + seconds(rhythm.resolution) + '. '
                : '. ',
            part.cycles.length
                ? share(part.regularity) +
                      ' of all ' +
                      (rhythm.resolution > 0 ? 'intervals' : 'operations') +
                      ' are in cycles. '
                : '',
            part.anchors > 1 && part.cycles.length
                ? 'The largest piece of work recurs ' +
                      plural(part.anchors, 'time') +
                      ', typically every ' +
                      seconds(part.interval) +
                      '. '
                : '',
            spectrum.found
                ? 'The spectrum tells a period of ' +
                      seconds(spectrum.period) +
                      ' (confidence ' +
                      share(spectrum.confidence) +
                      ').'
                : ''
        ),
        cycles,
        part.cycles.length ? folded('What the cycles are made of', memberTable(part.cycles, rhythm.resolution)) : '',
        folded(
            part.bursts.length < part.nbursts ? 'The ' + part.bursts.length + ' largest bursts' : 'Bursts',
            burstTable(part, rhythm.resolution)
        )
    );
}

function cycleTable(cycles) {
    return table(
        [
            { label: 'Cycle', get: (cycle) => cycles.indexOf(cycle) + 1 },
            { label: 'From', get: (cycle) => cycle.start, show: seconds },
            { label: 'To', get: (cycle) => cycle.end, show: seconds },
            { label: 'Repeats', get: (cycle) => cycle.repeats },
            {
                label: 'Period',
                get: (cycle) => cycle.mean,
                show: seconds,
                title: 'mean time from one repeat to the next',
            },
            {
                label: 'Deviation',
                get: (cycle) => cycle.deviation,
                show: seconds,
                title: 'standard deviation of the period',
            },
            { label: 'Steady', get: (cycle) => (cycle.steady ? 'yes' : 'no'), text: true, title: 'its period hardly varies' },
            { label: 'Bursts in each', get: (cycle) => cycle.bursts },
            { label: 'Read in each', get: (cycle) => cycle.bytes_read / cycle.repeats, show: bytes },
            { label: 'Written in each', get: (cycle) => cycle.bytes_written / cycle.repeats, show: bytes },
        ],
        cycles,
        { caption: 'Cycles: sequences of bursts that recur', sort: 0 }
    );
}

// A row per kind of operations of each burst of a cycle; for a heat map, which has no operations, per burst.
function memberTable(cycles, resolution) {
    const rows = cycles.flatMap((cycle, number) =>
        cycle.made_of.flatMap((burst, place) =>
            (resolution > 0 ? [null] : burst.kinds).map((kind) => ({ number: number + 1, place: place + 1, burst, kind }))
        )
    );
    return table(
        [
            { label: 'Cycle', get: (row) => row.number },
            { label: 'Burst', get: (row) => row.place },
            { label: 'Pause before', get: (row) => row.burst.pause, show: seconds },
            { label: 'Lasts', get: (row) => row.burst.lasts, show: seconds },
        ].concat(
            resolution > 0
                ? [
                      { label: 'Read', get: (row) => row.burst.bytes_read, show: bytes },
                      { label: 'Written', get: (row) => row.burst.bytes_written, show: bytes },
                  ]
                : [
                      { label: 'Operation', get: (row) => row.kind.operation, text: true },
                      { label: 'Count', get: (row) => row.kind.count },
                      { label: 'Of size', get: (row) => row.kind.size, show: bytes },
                      { label: 'In all', get: (row) => row.kind.bytes, show: bytes },
                      { label: 'Files', get: (row) => row.kind.files },
                      { label: 'File', get: (row) => row.kind.file, text: true },
                  ]
        ),
        rows,
        { caption: 'What each time is made of', sort: 0 }
    );
}

function burstTable(part, resolution) {
    return table(
        [
            { label: 'Burst', get: (burst) => burst.number },
            { label: 'From', get: (burst) => burst.start, show: seconds },
            { label: 'Lasted', get: (burst) => burst.end - burst.start, show: seconds },
            { label: resolution > 0 ? 'Intervals' : 'Operations', get: (burst) => burst.operations },
            { label: 'Read', get: (burst) => burst.bytes_read, show: bytes },
            { label: 'Written', get: (burst) => burst.bytes_written, show: bytes },
            {
                label: 'Kind',
                get: (burst) => burst.kind,
                title: 'bursts of one kind are made of the same operations on the same files',
            },
        ],
        part.bursts,
        { caption: 'Bursts of I/O', sort: 0 }
    );
}

// ------------------------------------------------------------------ what if

function whatIfSection(what) {
    if (what.reason) return absent('what if', what.reason);
    const range = (r) => (seconds(r.low) === seconds(r.high) ? seconds(r.low) : seconds(r.low) + ' to ' + seconds(r.high));
    const rows = [
        { with: 'as it was, measured', will: what.was },
        { with: what.asked, will: what.will },
        ...what.rows.map((row) => ({ with: 'and ' + row.with, will: row.will })),
    ];
    return section(
        'what-if',
        'What if',
        make('p', null, what.sentence),
        what.matters === what.sentence ? null : make('p', null, what.matters),
        note(
            spoken('Simulated from the trace: bounds are of ranks that are independent and of ranks that wait for each other after ') +
                'each burst, and how far the model is off on the run as it was, ' + share(what.error) + '. ',
            what.calibrated ? '' : 'That is more than 10 %: take it as a hint. ',
            'Others are asked of darshan-simulate.'
        ),
        table(
            [
                { label: 'With', get: (row) => row.with, text: true },
                { label: 'Visible I/O', get: (row) => row.will.high, show: (v, row) => range(row.will) },
            ],
            rows,
            { caption: 'Visible I/O, as it was and as it would be' }
        )
    );
}
