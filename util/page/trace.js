// trace.js - the operations of a trace: individually, and aggregated
// SPDX-License-Identifier: BSD-3-Clause

const layerOfModule = { DXT_POSIX: 'POSIX', DXT_MPIIO: 'MPI-IO' };
const TRACED_FILES = 20; // of each module, that can be shown by offset

// ------------------------------------------------------------------ single operations, as columns

function emptyColumns(n) {
    return {
        n,
        module: new Uint8Array(n),
        write: new Uint8Array(n),
        file: new Uint32Array(n),
        rank: new Float64Array(n),
        offset: new Float64Array(n),
        length: new Float64Array(n),
        start: new Float64Array(n), // seconds
        took: new Float64Array(n),
    };
}

// For short traces: [module, is it a write, file, rank, offset, length, start, duration], in nanoseconds.
function columnsOfSegments(segments) {
    const ops = emptyColumns(segments.length);
    segments.forEach(([module, isWrite, file, rank, offset, length, start, took], i) => {
        ops.module[i] = module;
        ops.write[i] = isWrite;
        ops.file[i] = file;
        ops.rank[i] = rank;
        ops.offset[i] = offset;
        ops.length[i] = length;
        ops.start[i] = start / 1e9;
        ops.took[i] = took / 1e9;
    });
    return ops;
}

async function inflate(text) {
    const raw = atob(text);
    const packed = Uint8Array.from(raw, (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
    const parts = [];
    let size = 0;
    for (const reader = stream.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        parts.push(value);
        size += value.length;
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

// Decodes the numbers of a column: see operations.h.
function numbersOf(bytesOf, from) {
    let at = from;
    const next = () => {
        let v = 0,
            unit = 1,
            byte;
        do {
            byte = bytesOf[at++];
            v += (byte & 127) * unit;
            unit *= 128;
        } while (byte > 127);
        return v;
    };
    const signed = () => {
        const v = next();
        return v % 2 ? -(v + 1) / 2 : v / 2;
    };
    return { next, signed };
}

function unpackColumns(bytesOf, { operations, records, tick: unit, sizes }) {
    let at = 0;
    const [heads, starts, durations, offsets, lengths] = sizes.map((size) => {
        const column = numbersOf(bytesOf, at);
        at += size;
        return column;
    });
    const ops = emptyColumns(operations);
    let i = 0;
    for (let record = 0; record < records; record++) {
        const module = heads.next(),
            file = heads.next(),
            rank = heads.signed(),
            writes = heads.next(),
            end = Math.min(operations, i + writes + heads.next());
        let start = 0,
            lastEnd = 0,
            length = 0;
        for (let k = 0; i < end; i++, k++) {
            start += starts.signed();
            const offset = lastEnd + offsets.signed();
            length += lengths.signed();
            ops.module[i] = module;
            ops.write[i] = k < writes ? 1 : 0;
            ops.file[i] = file;
            ops.rank[i] = rank;
            ops.offset[i] = offset;
            ops.length[i] = length;
            ops.start[i] = start * unit;
            ops.took[i] = durations.next() * unit;
            lastEnd = offset < 0 ? offset : offset + length;
        }
    }
    return ops;
}

const canInflate = typeof DecompressionStream === 'function';

// ------------------------------------------------------------------ how they are coloured

const COLOURS = [
    ['kind', 'read and write'],
    ['size', 'size'],
    ['duration', 'duration'],
    ['target', 'storage target'],
];
const TARGET_SHADES = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e0a800', '#56b4e9', '#7a5cc2', '#8c6d31'];

// The storage target of an operation's first byte; -1: unknown.
function targetOf(layouts, ops, i) {
    const layout = layouts && layouts[ops.file[i]];
    const offset = ops.offset[i];
    if (!layout || offset < 0) return -1;
    const part = layout.find(([from, to, size]) => size > 0 && offset >= from && (to === -1 || offset < to));
    return part ? part[3][Math.floor((offset - part[0]) / part[2]) % part[3].length] : -1;
}

const pixelOf = (hex) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
};

// { weight(i): of several operations at one place, the one with the highest is shown, pixel(i), scale: [min, max] }.
function colouring(traces, ops, list, by, shade) {
    const log = (v) => Math.log2(Math.max(v, 1e-9));
    if (by === 'size' || by === 'duration') {
        const of = by === 'size' ? ops.length : ops.took;
        let least = Infinity,
            most = 0;
        for (const i of list) {
            if (of[i] > 0 && of[i] < least) least = of[i];
            if (of[i] > most) most = of[i];
        }
        least = Math.min(least, most);
        const colours = ramp(shade),
            span = log(most) - log(least);
        const at = (i) => (span > 0 ? Math.max(0, Math.min(255, Math.round((255 * (log(of[i]) - log(least))) / span))) : 255);
        return { weight: (i) => of[i], pixel: (i) => colours[at(i)], scale: [least, most] };
    }
    if (by === 'target') {
        const shades = TARGET_SHADES.map(pixelOf),
            none = pixelOf(colour('other'));
        return {
            weight: (i) => ops.took[i],
            pixel: (i) => {
                const target = targetOf(traces.layouts, ops, i);
                return target < 0 ? none : shades[target % shades.length];
            },
        };
    }
    const plain = pixelOf(colour(shade));
    return { weight: () => 1, pixel: () => plain };
}

// ------------------------------------------------------------------ drawing

// The rectangle of an operation in pixels, where x and y map times and rows; at least one pixel in each direction.
function placeOf({ ops, byRank }, i, x, y) {
    const left = x(ops.start[i]),
        right = x(ops.start[i] + ops.took[i]);
    // ranks are separated by a gap if there is space
    const half = byRank && Math.abs(y(1) - y(0)) >= 6 ? 0.42 : 0.5;
    const low = byRank ? ops.rank[i] - half : ops.offset[i],
        high = byRank ? ops.rank[i] + half : ops.offset[i] + ops.length[i];
    const top = y(high),
        bottom = y(low);
    return { left, right: Math.max(right, left + 1), top, bottom: Math.max(bottom, top + 1) };
}

function paintOperations(panel, box, x, y) {
    const scale = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(box.width * scale)),
        height = Math.max(1, Math.round(box.height * scale));
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const weights = new Float64Array(width * height);
    const { weight, pixel } = panel.colours;
    for (const i of panel.list) {
        const at = placeOf(panel, i, (v) => (x(v) - box.x) * scale, (v) => (y(v) - box.y) * scale);
        if (at.right < 0 || at.left >= width || at.bottom < 0 || at.top >= height) continue;
        const left = Math.max(0, Math.floor(at.left)),
            right = Math.min(width, Math.max(left + 1, Math.round(at.right))),
            top = Math.max(0, Math.floor(at.top)),
            bottom = Math.min(height, Math.max(top + 1, Math.round(at.bottom)));
        const w = weight(i) + 1e-12,
            p = pixel(i);
        for (let row = top; row < bottom; row++)
            for (let k = row * width + left; k < row * width + right; k++)
                if (w > weights[k]) {
                    weights[k] = w;
                    pixels[k] = p;
                }
    }
    context.putImageData(image, 0, 0);
    return canvas;
}

function operationSeries(panel, i) {
    return imageSeries(panel, i, [panel.from, panel.low], (box, coord) => {
        const [x0, y0] = coord([panel.from, panel.low]),
            [x1, y1] = coord([panel.to, panel.high]);
        const x = (v) => x0 + ((v - panel.from) / (panel.to - panel.from)) * (x1 - x0),
            y = (v) => y0 + ((v - panel.low) / (panel.high - panel.low)) * (y1 - y0);
        return { image: paintOperations(panel, box, x, y) };
    });
}

// The operation at a pixel: of several, the one with the nearest centre.
function operationTip(chart, panel, gridIndex, pixel) {
    if (!chart.containPixel({ gridIndex }, pixel)) return null;
    const zero = chart.convertToPixel({ gridIndex }, [panel.from, panel.low]),
        end = chart.convertToPixel({ gridIndex }, [panel.to, panel.high]);
    const x = (v) => zero[0] + ((v - panel.from) / (panel.to - panel.from)) * (end[0] - zero[0]),
        y = (v) => zero[1] + ((v - panel.low) / (panel.high - panel.low)) * (end[1] - zero[1]);
    let found = -1,
        nearest = Infinity;
    for (const i of panel.list) {
        const at = placeOf(panel, i, x, y);
        if (pixel[0] < at.left - 1 || pixel[0] > at.right + 1 || pixel[1] < at.top - 1 || pixel[1] > at.bottom + 1)
            continue;
        const far = Math.abs(pixel[0] - (at.left + at.right) / 2) + Math.abs(pixel[1] - (at.top + at.bottom) / 2);
        if (far < nearest) {
            nearest = far;
            found = i;
        }
    }
    if (found < 0) return null;
    const { ops, traces } = panel;
    const target = targetOf(traces.layouts, ops, found);
    return tip((ops.write[found] ? 'Write' : 'Read') + spoken(' of rank ') + ops.rank[found], [
        ['File', shortened(traces.files[ops.file[found]] || 'one whose name is not in this page', 60), null],
        ['Offset', ops.offset[found] < 0 ? 'not known' : count(ops.offset[found]), null],
        ['Length', bytes(ops.length[found]), null],
        ['Began', seconds(ops.start[found]), null],
        ['Took', seconds(ops.took[found]), null],
        ...(target < 0 ? [] : [['Storage target', 'OST ' + target, null]]),
    ]);
}

function operationScale(panel) {
    if (panel.targets)
        return make('span', { class: 'scale' }, panel.name + ': a colour a storage target, eight in turn; grey: not known');
    if (!panel.scale) return make('span', { class: 'scale' }, panel.name + ': ' + plural(panel.list.length, 'operation'));
    return make(
        'span',
        { class: 'scale' },
        panel.name + ' ',
        panel.showValue(panel.scale[0]),
        make('span', { class: 'ramp ' + panel.colour, 'aria-hidden': 'true' }),
        panel.showValue(panel.scale[1])
    );
}

// ------------------------------------------------------------------ what can be shown

// Individual operations by rank, and by offset for the files with the most bytes; and aggregated views.
function tracedViews(traces, ops) {
    const found = [];
    for (const module of [0, 1]) {
        if (!ops) break;
        const moved = new Map();
        for (let i = 0; i < ops.n; i++)
            if (ops.module[i] === module) moved.set(ops.file[i], (moved.get(ops.file[i]) || 0) + ops.length[i]);
        if (!moved.size) continue;
        const layer = layerOfModule[module ? 'DXT_MPIIO' : 'DXT_POSIX'] + ', single operations: ';
        found.push({ module, file: null, label: layer + spoken('all files, by rank') });
        for (const [file] of [...moved].sort((a, b) => b[1] - a[1]).slice(0, TRACED_FILES))
            found.push({ module, file, label: layer + 'offsets in ' + shortened(visible(traces.files[file]), 60) });
    }
    const views = (traces.views || []).map((view) => ({
        view,
        label:
            layerOfModule[view.module] +
            ', added up: ' +
            (view.kind === 'ranks' ? spoken('all files, by rank') : 'offsets in ' + shortened(visible(view.file), 60)),
    }));
    return ops && ops.n < traces.operations ? views.concat(found) : found.concat(views);
}

function operationPanels(traces, ops, { module, file }, by, nprocs, span) {
    const byRank = file === null;
    const lists = [[], []];
    let last = nprocs,
        low = Infinity,
        high = 0;
    for (let i = 0; i < ops.n; i++) {
        if (ops.module[i] !== module || (!byRank && (ops.file[i] !== file || ops.offset[i] < 0))) continue;
        lists[ops.write[i]].push(i);
        if (ops.rank[i] >= last) last = ops.rank[i] + 1;
        if (ops.offset[i] < low) low = ops.offset[i];
        if (ops.offset[i] + ops.length[i] > high) high = ops.offset[i] + ops.length[i];
    }
    const kinds = [
        ['Read', 'read', lists[0]],
        ['Write', 'write', lists[1]],
    ];
    const some = kinds.filter(([, , list]) => list.length);
    return (some.length ? some : kinds).map(([name, shade, list]) => {
        const colours = colouring(traces, ops, list, list.length ? by : 'kind', shade);
        return {
            kind: 'operations',
            name: name + (byRank ? spoken(', by rank') : ', by offset') + (list.length ? '' : ': none'),
            colour: shade,
            traces,
            ops,
            list,
            byRank,
            colours,
            from: span[0],
            to: span[1],
            low: byRank ? -0.5 : Number.isFinite(low) ? low : 0,
            high: byRank ? last - 0.5 : Math.max(low + 1, high, 1),
            offset: byRank ? 1 : 0,
            showRow: byRank ? String : bytes,
            scale: colours.scale,
            showValue: by === 'size' ? bytes : seconds,
            targets: by === 'target',
        };
    });
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
        rowName: byRank ? spoken('Ranks') : 'Offsets',
        showRow: byRank ? (v) => (v >= 0 && v < last ? String(v) : '') : bytes,
        showRows: byRank
            ? (v) => ranks(v, view.per_row, Math.max(nprocs, last))
            : (v) => bytes(v) + ' to ' + bytes(v + view.per_row),
        showCell: (v) => bytes(v) + (v > 0 ? ' (' + rate(v / view.width) + ')' : ''),
        showValue: (v) => rate(v / view.width),
    });
    const both = [
        picture(byRank ? spoken('Read, by rank') : 'Read, by offset', 'read', view.cells.read),
        picture(byRank ? spoken('Write, by rank') : 'Write, by offset', 'write', view.cells.write),
    ];
    const some = both.filter((panel) => panel.most > 0);
    return some.length ? some : both;
}

function viewTable(view) {
    const [{ showRows }] = viewPanels(view, 0);
    const byRank = view.kind === 'ranks';
    const rows = [];
    for (let row = 0; row < view.rows; row++) {
        const sums = [view.cells.read, view.cells.write].map((cells) =>
            cells.subarray(row * view.bins, (row + 1) * view.bins).reduce((sum, v) => sum + v, 0)
        );
        if (sums[0] || sums[1]) rows.push({ first: view.first + row * view.per_row, read: sums[0], write: sums[1] });
    }
    return table(
        [
            { label: byRank ? spoken('Ranks') : 'Offsets', get: (row) => row.first, show: showRows },
            { label: 'Read', get: (row) => row.read, show: bytes },
            { label: 'Written', get: (row) => row.write, show: bytes },
        ],
        rows,
        { caption: byRank ? spoken('Traced bytes by rank') : 'Traced bytes by offset in ' + visible(view.file), sort: 0 }
    );
}

// ------------------------------------------------------------------ the section

// What was traced, and, once single operations are there, the longest of them, which a page always has.
function traceSentence(traces, ops, nprocs) {
    const moved = traces.segments
        ? traces.segments.map((segment) => [traces.modules[segment[0]], segment[1] ? 1 : 0, segment[5]])
        : traces.views
              .filter((view) => view.kind === 'ranks')
              .flatMap((view) => viewPanels(view, 0).map((panel) => [view.module, panel.colour === 'write' ? 1 : 0, panel.cells.reduce((sum, v) => sum + v, 0)]));
    const sums = new Map();
    for (const [module, direction, amount] of moved) {
        if (!sums.has(module)) sums.set(module, [0, 0]);
        sums.get(module)[direction] += amount;
    }
    const layers = [...sums].map(
        ([module, [read, written]]) =>
            layerOfModule[module] +
            ([read > 0 ? ' read ' + bytes(read) : '', written > 0 ? ' wrote ' + bytes(written) : ''].filter(Boolean).join(' and') || ' moved nothing')
    );
    const last = ops ? ops.took.reduce((at, v, i) => (v > ops.took[at] ? i : at), 0) : null;
    return (
        'From ' + seconds(traces.start) + ' to ' + seconds(traces.end) + ' of the run, ' + layers.join('; ') + '.' +
        (ops && ops.n
            ? ' The longest call took ' + seconds(ops.took[last]) + ': a ' + (ops.write[last] ? 'write' : 'read') + ' of ' +
              bytes(ops.length[last]) + (nprocs > 1 ? spoken(' by rank ') + ops.rank[last] : '') + ', at ' + seconds(ops.start[last]) +
              (traces.files[ops.file[last]] ? ', of ' + shortened(visible(traces.files[ops.file[last]]), 60) : '') + '.'
            : '')
    );
}

function traceSection(traces, nprocs) {
    if (!traces) return absent('trace', 'DXT_ENABLE_IO_TRACE=1 records one');
    const state = { at: 0, by: 'kind', ops: traces.segments ? columnsOfSegments(traces.segments) : null };
    const { packed } = traces;
    const span = [traces.start, traces.start + Math.max(traces.end - traces.start, 1e-9)];
    let options = tracedViews(traces, state.ops);
    let panels = null; // they take a while to be made
    const panelsOf = () => {
        const shown = options[state.at];
        if (!panels)
            panels = shown.view
                ? viewPanels(shown.view, nprocs)
                : operationPanels(traces, state.ops, shown, state.by, nprocs, span);
        return panels;
    };
    const data = traces.segments ? segmentTable(traces) : make('div');
    const fill = () => traces.segments || data.replaceChildren(viewTable((options[state.at].view || traces.views[0])));
    fill();
    const figureOf = timeFigure('Traced operations over time', panelsOf, {
        from: span[0],
        to: span[1],
        data,
        rowsName: spoken('Ranks or offsets'),
    });
    const redo = () => {
        panels = null;
        fill();
        figureOf.redraw();
    };
    const controls = make('p', { class: 'controls' });
    const fillControls = () =>
        controls.replaceChildren(
            choice(
                'Show',
                options.map((one, i) => [String(i), one.label]),
                String(state.at),
                (i) => {
                    state.at = Number(i);
                    redo();
                }
            ),
            state.ops
                ? choice(
                      'Colour by',
                      COLOURS.filter(([by]) => by !== 'target' || (traces.layouts || []).some(Boolean)),
                      state.by,
                      (by) => {
                          state.by = by;
                          redo();
                      }
                  )
                : ''
        );
    fillControls();
    const sentence = make('p', null, traceSentence(traces, state.ops, nprocs));
    if (packed && packed.operations > 0 && canInflate && canDraw)
        setTimeout(async () => {
            state.ops = unpackColumns(await inflate(packed.data), packed);
            options = tracedViews(traces, state.ops);
            sentence.textContent = traceSentence(traces, state.ops, nprocs);
            fillControls();
            redo();
            controls.dataset.operations = String(state.ops.n);
        });
    return section(
        'trace',
        'Trace',
        sentence,
        note(
            plural(traces.operations, 'operation') + ' were traced',
            traces.left_out > 0 ? '; ' + plural(traces.left_out, 'further one') + ' found no room. ' : '. ',
            traces.segments || packed.operations === traces.operations
                ? 'Each is in this page. '
                : 'In this page are ' +
                      count(packed.operations) +
                      ' of them, those that took ' +
                      seconds(packed.least) +
                      ' and longer, one by one; all of them are added up in intervals of time. ' +
                      (packed.operations < 500000 ? 'A page with more of them: --full-trace. ' : ''),
            spoken('Zoom with the buttons, the sliders, or Ctrl and the wheel; in ranks with Shift and the wheel.')
        ),
        controls,
        figureOf.box
    );
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
            search: (segment) => traces.files[segment[2]] + spoken(' rank ') + segment[3],
            label: 'Search files and ranks',
        }
    );
}

