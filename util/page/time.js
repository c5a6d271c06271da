// time.js - what happened when: heat maps of the run, traces, phases
// SPDX-License-Identifier: BSD-3-Clause

// ------------------------------------------------------------------ time line

function timelineSection(timeline) {
    if (!timeline.lines.length && !(timeline.opens.files > 0))
        return absent('time line', 'it has no heat map and no trace, and does not tell when ranks opened files');
    const state = { line: timeline.lines[0] || null };
    const end = Math.max(
        timeline.runtime,
        ...timeline.lines.map((line) => line.bins * line.width * (timeline.runtime > 0 ? 0 : 1))
    );
    const panels = () => timelinePanels(timeline, state.line);
    const data = make('div');
    const fill = () => data.replaceChildren(timelineTable(timeline, state.line));
    fill();
    const shown = timeFigure(
        state.line ? 'Bytes moved by each rank over the run' : 'When each rank first opened files',
        panels,
        { from: 0, to: end, data }
    );
    const pick =
        timeline.lines.length > 1 &&
        choice(
            'Layer',
            timeline.lines.map((line, i) => [String(i), line.layer]),
            '0',
            (i) => {
                state.line = timeline.lines[Number(i)];
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
                      (line.ranks_per_row > 1 ? 'the sum of ' + count(line.ranks_per_row) + ' ranks' : 'a rank') +
                      '; the stronger the colour, the more it moved in that time (scales are logarithmic). '
                : 'The log has no heat map and no trace: what it tells over time is when files were first opened. ',
            line && line.source !== 'HEATMAP' ? 'Made from the trace, which may leave out files. ' : '',
            'Metadata calls leave no times in a log, except that of each file\u2019s first open',
            timeline.opens.shared > 0
                ? '; ' +
                      plural(timeline.opens.shared, 'file') +
                      ' shared by all ranks ' +
                      (timeline.opens.shared === 1 ? 'is' : 'are') +
                      ' not in that picture.'
                : '.'
        ),
        strays > 0 ? note(plural(strays, 'record') + ' of ranks that the job does not have are left out.') : null,
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

function rankPicture(name, shade, cells, line, nprocs, showCell, showValue) {
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
        most: largest(cells),
        least: smallest(cells, 0),
        rowName: 'Ranks',
        showRow: (v) => (v >= 0 && v < nprocs ? String(v) : ''),
        showRows: (v) => ranks(v, line.ranks_per_row, nprocs),
        showCell,
        showValue,
    };
}

function steps(sums, width) {
    return Array.from(sums, (v, bin) => [bin * width, v / width]).concat([[sums.length * width, 0]]);
}

function timelinePanels(timeline, line) {
    const found = [];
    if (line) {
        const cells = cellsOf(line);
        const of = (v) => bytes(v) + (v > 0 ? ' (' + rate(v / line.width) + ')' : '');
        const per = (v) => rate(v / line.width);
        found.push({
            kind: 'lines',
            name: 'All ranks together',
            showValue: rate,
            lines: [
                { name: 'Read', colour: 'read', values: steps(columns(cells.read, line.rows, line.bins), line.width) },
                {
                    name: 'Write',
                    colour: 'write',
                    values: steps(columns(cells.write, line.rows, line.bins), line.width),
                },
            ],
        });
        found.push(rankPicture('Read, by rank', 'read', cells.read, line, timeline.nprocs, of, per));
        found.push(rankPicture('Write, by rank', 'write', cells.write, line, timeline.nprocs, of, per));
    }
    if (timeline.opens.files > 0) {
        const files = (v) => plural(Math.round(v), 'file');
        found.push(
            rankPicture(
                'Metadata: files first opened, by rank',
                'meta',
                opensOf(timeline.opens),
                timeline.opens,
                timeline.nprocs,
                files,
                files
            )
        );
    }
    return found;
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
        { caption: 'Intervals of ' + seconds(width) + ' in which something happened, all ranks', sort: 0 }
    );
}

// ------------------------------------------------------------------ traces

function traceSection(traces, nprocs) {
    if (!traces)
        return absent('trace', 'DXT_ENABLE_IO_TRACE=1 records one');
    const options = traces.segments ? exactViews(traces) : addedUpViews(traces);
    const state = { at: 0 };
    const span = Math.max(traces.end - traces.start, 1e-9);
    const data = traces.segments ? segmentTable(traces) : make('div');
    const fill = () => traces.segments || data.replaceChildren(viewTable(traces.views[state.at]));
    fill();
    const shown = timeFigure(
        'Traced operations over time',
        () =>
            traces.segments
                ? exactPanels(traces, options[state.at], nprocs)
                : viewPanels(traces.views[state.at], nprocs),
        { from: traces.start, to: traces.start + span, data }
    );
    const pick = choice(
        'Show',
        options.map((one, i) => [String(i), one.label]),
        '0',
        (i) => {
            state.at = Number(i);
            fill();
            shown.redraw();
        }
    );
    return section(
        'trace',
        'Trace',
        note(
            plural(traces.operations, 'operation') + ' were traced',
            traces.left_out > 0 ? '; ' + plural(traces.left_out, 'further one') + ' found no room. ' : '. ',
            traces.segments
                ? 'Each is drawn by itself. '
                : 'They are added up in intervals of time and rows of ranks or offsets. ',
            'Zoom with the buttons, the slider, or Ctrl and the wheel.'
        ),
        make('p', { class: 'controls' }, pick),
        shown.box
    );
}

const layerOfModule = { DXT_POSIX: 'POSIX', DXT_MPIIO: 'MPI-IO' };

function addedUpViews(traces) {
    return traces.views.map((view) => ({
        label:
            layerOfModule[view.module] +
            (view.kind === 'ranks' ? ': all files, by rank' : ': offsets in ' + shortened(visible(view.file), 60)),
    }));
}

function viewPanels(view, nprocs) {
    if (!view.cells)
        view.cells = { read: decode(view.read, view.rows, view.bins), write: decode(view.write, view.rows, view.bins) };
    const byRank = view.kind === 'ranks';
    const last = view.first + view.rows * view.per_row;
    const picture = (name, shade, cells) => ({
        kind: 'picture',
        name,
        colour: shade,
        cells,
        rows: view.rows,
        bins: view.bins,
        first: view.first,
        perRow: view.per_row,
        offset: byRank ? 1 : 0,
        start: view.start,
        width: view.width,
        most: largest(cells),
        least: smallest(cells, 0),
        rowName: byRank ? 'Ranks' : 'Offsets',
        showRow: byRank ? (v) => (v >= 0 && v < last ? String(v) : '') : bytes,
        showRows: byRank
            ? (v) => ranks(v, view.per_row, Math.max(nprocs, last))
            : (v) => bytes(v) + ' to ' + bytes(v + view.per_row),
        showCell: (v) => bytes(v) + (v > 0 ? ' (' + rate(v / view.width) + ')' : ''),
        showValue: (v) => rate(v / view.width),
    });
    return [
        picture(byRank ? 'Read, by rank' : 'Read, by offset', 'read', view.cells.read),
        picture(byRank ? 'Write, by rank' : 'Write, by offset', 'write', view.cells.write),
    ];
}

function viewTable(view) {
    const panels = viewPanels(view, 0);
    const byRank = view.kind === 'ranks';
    const rows = [];
    for (let row = 0; row < view.rows; row++) {
        const sums = panels.map((panel) =>
            panel.cells.subarray(row * view.bins, (row + 1) * view.bins).reduce((sum, v) => sum + v, 0)
        );
        if (sums[0] || sums[1]) rows.push({ first: view.first + row * view.per_row, read: sums[0], write: sums[1] });
    }
    return table(
        [
            { label: byRank ? 'Ranks' : 'Offsets', get: (row) => row.first, show: (v) => panels[0].showRows(v) },
            { label: 'Read', get: (row) => row.read, show: bytes },
            { label: 'Written', get: (row) => row.write, show: bytes },
        ],
        rows,
        { caption: byRank ? 'Traced bytes by rank' : 'Traced bytes by offset in ' + visible(view.file), sort: 0 }
    );
}

// Operations one by one: [module, is it a write, file, rank, offset, length, start, duration], in nanoseconds.
function exactViews(traces) {
    const found = [];
    for (const module of [0, 1]) {
        const mine = traces.segments.filter((segment) => segment[0] === module);
        if (!mine.length) continue;
        const layer = layerOfModule[traces.modules[module]];
        found.push({ module, file: null, label: layer + ': all files, by rank' });
        const moved = new Map();
        for (const segment of mine) moved.set(segment[2], (moved.get(segment[2]) || 0) + segment[5]);
        for (const [file] of [...moved].sort((a, b) => b[1] - a[1]).slice(0, 20))
            found.push({ module, file, label: layer + ': offsets in ' + shortened(visible(traces.files[file]), 60) });
    }
    return found;
}

function exactPanels(traces, view, nprocs) {
    const mine = traces.segments.filter(
        (segment) => segment[0] === view.module && (view.file === null || segment[2] === view.file)
    );
    const byRank = view.file === null;
    const last = Math.max(nprocs, ...mine.map((segment) => segment[3] + 1));
    const low = byRank ? -0.5 : Math.min(...mine.map((segment) => Math.max(0, segment[4])));
    const high = byRank ? last - 0.5 : Math.max(low + 1, ...mine.map((segment) => segment[4] + segment[5]));
    const panel = (name, shade, isWrite) => {
        const segments = mine.filter((segment) => segment[1] === isWrite && (byRank || segment[4] >= 0));
        return {
            kind: 'boxes',
            name,
            colour: shade,
            low,
            high,
            offset: byRank ? 1 : 0,
            showRow: byRank ? String : bytes,
            boxes: segments.map(([, , , rank, offset, length, start, duration]) =>
                byRank
                    ? [start / 1e9, (start + duration) / 1e9, rank - 0.4, rank + 0.4]
                    : [start / 1e9, (start + duration) / 1e9, offset, offset + length]
            ),
            describe: (i) => operationTip(traces, segments[i]),
        };
    };
    return [
        panel(byRank ? 'Read, by rank' : 'Read, by offset', 'read', 0),
        panel(byRank ? 'Write, by rank' : 'Write, by offset', 'write', 1),
    ];
}

function operationTip(traces, [, isWrite, file, rank, offset, length, start, duration]) {
    return tip((isWrite ? 'Write' : 'Read') + ' of rank ' + rank, [
        ['File', shortened(traces.files[file], 60), null],
        ['Offset', offset < 0 ? 'not known' : count(offset), null],
        ['Length', bytes(length), null],
        ['Began', seconds(start / 1e9), null],
        ['Took', seconds(duration / 1e9), null],
    ]);
}

function segmentTable(traces) {
    return table(
        [
            { label: 'Began', get: (segment) => segment[6], show: (v) => seconds(v / 1e9) },
            { label: 'Took', get: (segment) => segment[7], show: (v) => seconds(v / 1e9) },
            {
                label: 'Operation',
                get: (segment) => layerOfModule[traces.modules[segment[0]]] + (segment[1] ? ' write' : ' read'),
                text: true,
            },
            { label: 'Rank', get: (segment) => segment[3] },
            { label: 'Offset', get: (segment) => segment[4] },
            { label: 'Length', get: (segment) => segment[5], show: bytes },
            { label: 'File', get: (segment) => traces.files[segment[2]], show: pathText, text: true },
        ],
        traces.segments,
        {
            caption: 'Traced operations',
            sort: 0,
            search: (segment) => traces.files[segment[2]] + ' rank ' + segment[3],
            label: 'Search files and ranks',
        }
    );
}

// ------------------------------------------------------------------ phases

function phaseSection(phases) {
    if (!phases) return absent('phases', 'they are found in heat maps and traces');
    const cycles = phases.cycles.length
        ? cycleTable(phases.cycles)
        : note('No sequence of bursts recurs three times or more.');
    return section(
        'phases',
        'Phases and cycles',
        note(
            'I/O came in ' + plural(phases.nbursts, 'burst') + ', parted by pauses',
            phases.threshold > 0 ? ' of at least ' + seconds(phases.threshold) : '',
            phases.resolution > 0
                ? ', as far as the heat map tells: it resolves ' + seconds(phases.resolution) + '. '
                : '. ',
            phases.cycles.length
                ? share(phases.regularity) +
                      ' of all ' +
                      (phases.resolution > 0 ? 'bursts' : 'operations') +
                      ' are in cycles. '
                : '',
            phases.anchors > 1
                ? 'The largest piece of work recurs ' +
                      plural(phases.anchors, 'time') +
                      ', typically every ' +
                      seconds(phases.interval) +
                      '.'
                : ''
        ),
        cycles,
        folded(
            phases.bursts.length < phases.nbursts ? 'The ' + phases.bursts.length + ' largest bursts' : 'Bursts',
            burstTable(phases)
        )
    );
}

function cycleTable(cycles) {
    return table(
        [
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
            { label: 'Bursts in each', get: (cycle) => cycle.bursts },
            { label: 'Read in each', get: (cycle) => cycle.bytes_read / cycle.repeats, show: bytes },
            { label: 'Written in each', get: (cycle) => cycle.bytes_written / cycle.repeats, show: bytes },
        ],
        cycles,
        { caption: 'Cycles: sequences of bursts that recur', sort: 0 }
    );
}

function burstTable(phases) {
    return table(
        [
            { label: 'Burst', get: (burst) => burst.number },
            { label: 'From', get: (burst) => burst.start, show: seconds },
            { label: 'Lasted', get: (burst) => burst.end - burst.start, show: seconds },
            { label: phases.resolution > 0 ? 'Intervals' : 'Operations', get: (burst) => burst.operations },
            { label: 'Read', get: (burst) => burst.bytes_read, show: bytes },
            { label: 'Written', get: (burst) => burst.bytes_written, show: bytes },
            {
                label: 'Kind',
                get: (burst) => burst.kind,
                title: 'bursts of one kind are made of the same operations on the same files',
            },
        ],
        phases.bursts,
        { caption: 'Bursts of I/O', sort: 0 }
    );
}
