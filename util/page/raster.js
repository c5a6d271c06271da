// raster.js - amounts over time in rows and bins, as images that can be zoomed
// SPDX-License-Identifier: BSD-3-Clause

const DECADES = 4; // that the colours of a picture span, at most

// Decodes cells: see dsn_matrix_write().
function decode(text, rows, bins) {
    const cells = new Float64Array(rows * bins);
    const raw = atob(text);
    const code = (i) => raw.charCodeAt(i) | (raw.charCodeAt(i + 1) << 8);
    for (let i = 0, at = 0; i + 1 < raw.length; i += 2) {
        const c = code(i);
        if (c === 0) {
            i += 2;
            at += code(i);
        } else cells[at++] = Math.pow(2, (c - 1) / 1024 - 14);
    }
    return cells;
}

function largest(cells) {
    let most = 0;
    for (const v of cells) if (v > most) most = v;
    return most;
}

function smallest(cells, floor) {
    let least = Infinity;
    for (const v of cells) if (v > 0 && v < least) least = v;
    return Math.max(least, floor);
}

// Colour scale from minimum to maximum, 256 colours as 32-bit pixels.
function ramp(name) {
    const stops = ['low', 'mid', 'high'].map((end) => {
        const hex = colour(name + '-' + end);
        return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    });
    const pixels = new Uint32Array(256);
    for (let i = 0; i < 256; i++) {
        const at = (2 * i) / 255,
            from = stops[at < 1 ? 0 : 1],
            to = stops[at < 1 ? 1 : 2],
            t = at < 1 ? at : at - 1;
        const [r, g, b] = [0, 1, 2].map((k) => Math.round(from[k] + (to[k] - from[k]) * t));
        pixels[i] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
    return pixels;
}

// The cells covered by each pixel of a line: the first, and the one after the last.
function covered(pixels, from, to, n) {
    const first = new Int32Array(pixels),
        end = new Int32Array(pixels);
    for (let i = 0; i < pixels; i++) {
        const a = from + ((to - from) * i) / pixels,
            b = from + ((to - from) * (i + 1)) / pixels;
        first[i] = Math.max(0, Math.floor(Math.min(a, b)));
        end[i] = Math.min(n, Math.max(Math.ceil(Math.max(a, b)), first[i] + 1));
    }
    return { first, end };
}

// Where the colours begin: they span a decade at least, so that what is nearly the same looks so.
function leastShown({ most, least }) {
    return Math.min(Math.max(least, most / Math.pow(10, DECADES)), most / 10);
}

// The visible part of a panel. A pixel that covers several cells shows their maximum, so that a single operation in an
// idle job remains visible.
function paint(panel, box, across, up) {
    const scale = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(box.width * scale)),
        height = Math.max(1, Math.round(box.height * scale));
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d');
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const xs = covered(width, across[0], across[1], panel.bins),
        ys = covered(height, up[0], up[1], panel.rows);
    const least = leastShown(panel) * (panel.per || 1);
    const colours = ramp(panel.colour),
        span = Math.log(panel.most / leastShown(panel));
    const shade = (v) => Math.max(0, Math.min(255, Math.round((255 * Math.log(v / least)) / span)));
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            let v = 0;
            for (let row = ys.first[y]; row < ys.end[y]; row++)
                for (let bin = xs.first[x]; bin < xs.end[x]; bin++)
                    v = Math.max(v, panel.cells[row * panel.bins + bin]);
            if (v > 0) pixels[y * width + x] = colours[shade(v)];
        }
    context.putImageData(image, 0, 0);
    return canvas;
}

// A panel as one image: `paintAt(box, coord)` draws the visible part of the panel, which starts at `corner`.
function imageSeries(panel, i, corner, paintAt) {
    return {
        type: 'custom',
        name: panel.name,
        xAxisIndex: i,
        yAxisIndex: i,
        clip: !panel.together,
        silent: true,
        data: [corner],
        renderItem: ({ coordSys: box }, api) => {
            const { image, beside } = paintAt(box, api.coord);
            return {
                type: 'group',
                children: [
                    { type: 'image', style: { image, x: box.x, y: box.y, width: box.width, height: box.height } },
                    ...(beside || []),
                ],
            };
        },
    };
}

// Bars as one outline: [pixel, height] of the largest value that each pixel covers.
function outline(values, pixels, [from, to], room) {
    const { first, end } = covered(pixels, from, to, values.length);
    const most = largest(values);
    const points = [[0, 0]];
    for (let i = 0; i < pixels; i++) {
        const high = (room * largest(values.subarray(first[i], end[i]))) / most;
        points.push([i, high], [i + 1, high]);
    }
    return points.concat([[pixels, 0]]);
}

// The sums of rows at a panel's right, and those of all rows above it. Their lengths are those of the whole run, however
// much of it is seen.
function sumsAround(panel, box, across, up) {
    const shape = (points) => ({ type: 'polygon', shape: { points }, style: { fill: colour(panel.colour) } });
    const label = (text, x, y, align) => ({
        type: 'text',
        style: { text, x, y, align, verticalAlign: 'bottom', fill: colour('muted'), fontSize: 11 },
    });
    const right = box.x + box.width + BESIDE;
    return [
        ...(panel.sums
            ? [
                  shape(outline(panel.sums, Math.round(box.height), up, sideWidth()).map(([i, v]) => [right + v, box.y + i])),
                  label(panel.showSum(largest(panel.sums)), right + sideWidth(), box.y - 2, 'right'),
              ]
            : []),
        ...(panel.strip
            ? [
                  shape(outline(panel.together, Math.round(box.width), across, STRIP - 4).map(([i, v]) => [box.x + i, box.y - 3 - v])),
                  label(panel.showBin(largest(panel.together)), box.x - 6, box.y - STRIP + 12, 'right'),
              ]
            : []),
    ];
}

function pictureSeries(panel, i) {
    return imageSeries(panel, i, [panel.start, panel.first], (box, coord) => {
        const zero = coord([panel.start, panel.first - 0.5 * panel.offset]);
        const end = coord([
            panel.start + panel.bins * panel.width,
            panel.first + panel.rows * panel.perRow - 0.5 * panel.offset,
        ]);
        const bin = (x) => ((x - zero[0]) / (end[0] - zero[0])) * panel.bins;
        const row = (y) => ((y - zero[1]) / (end[1] - zero[1])) * panel.rows;
        const across = [bin(box.x), bin(box.x + box.width)],
            up = [row(box.y), row(box.y + box.height)];
        return { image: paint(panel, box, across, up), beside: panel.together && sumsAround(panel, box, across, up) };
    });
}

function lineSeries(panel, i) {
    return panel.lines.map((line) => ({
        type: 'line',
        name: line.name,
        xAxisIndex: i,
        yAxisIndex: i,
        step: 'end',
        symbol: 'none',
        silent: true,
        color: colour(line.colour),
        lineStyle: { width: 1.5 },
        areaStyle: { opacity: 0.18 },
        data: line.values,
    }));
}

const TOP = 26; // pixels above the first panel, for its name
const GAP = 36; // between panels
const LEFT = 76; // of the panels, for their axes
const BESIDE = 8; // between a panel and the sums at its right
const STRIP = 26; // for the sums above a panel
const sideWidth = () => (window.innerWidth < 600 ? 40 : 90);

// Height according to the rows, within limits.
function heightOf(panel) {
    if (panel.kind === 'lines') return 90;
    return panel.offset
        ? Math.min(panel.strip ? 110 : 250, Math.max(panel.strip ? 24 : 60, (panel.kind === 'operations' ? panel.high - panel.low : panel.rows) * 15))
        : 220;
}

// The chart: panels below each other with a common time axis.
//   kind 'lines'    { lines: [{ name, colour, values: [[time, amount]] }], showValue }
//   kind 'picture'  { colour, cells, rows, bins, first, perRow, offset, start, width, showValue(cell), showRow(first) }
//   kind 'operations'  see trace.js
// `offset` is 1 if rows are ranks, which are centred on their number, and 0 if they are ranges.
function timeFigure(label, getPanels, options) {
    const layout = () => {
        let top = TOP;
        return getPanels().map((panel) => {
            const here = { top: top + (panel.strip ? STRIP : 0), height: heightOf(panel) };
            top = here.top + here.height + GAP;
            return here;
        });
    };
    const total = () => layout().reduce((end, one) => one.top + one.height + GAP, TOP) + 26;
    const zoom = zoomState();

    const draw = () => {
        const panels = getPanels(),
            places = layout();
        const { muted, text, line } = ink();
        const all = panels.map((panel, i) => i);
        const rows = all.filter((i) => panels[i].kind !== 'lines');
        const right = 40 + (panels.some((panel) => panel.sums) ? BESIDE + sideWidth() : 0);
        const slider = {
            type: 'slider',
            filterMode: 'none',
            showDataShadow: false,
            showDetail: false,
            brushSelect: false,
            borderColor: line,
            fillerColor: colour('shade'),
        };
        return Object.assign(common(), {
            legend: { show: false },
            title: undefined,
            grid: places.map(({ top, height }) => ({ left: LEFT, right, top, height })),
            xAxis: panels.map((panel, i) =>
                axis({
                    type: 'value',
                    gridIndex: i,
                    min: options.from,
                    max: options.to,
                    axisLine: { onZero: false, lineStyle: { color: line } },
                    splitLine: { show: false },
                    axisLabel: {
                        show: i === panels.length - 1,
                        color: muted,
                        formatter: (v) => tick(v, zoom.time.end - zoom.time.start < 5 ? 11 : 5),
                        hideOverlap: true,
                        showMinLabel: true,
                    },
                })
            ),
            yAxis: panels.map((panel, i) => yAxisOf(panel, i, text)),
            dataZoom: [
                {
                    type: 'inside',
                    xAxisIndex: all,
                    filterMode: 'none',
                    zoomOnMouseWheel: 'ctrl',
                    moveOnMouseWheel: false,
                    start: zoom.time.start,
                    end: zoom.time.end,
                },
                Object.assign({}, slider, {
                    xAxisIndex: all,
                    height: 18,
                    bottom: 4,
                    left: LEFT,
                    right,
                    start: zoom.time.start,
                    end: zoom.time.end,
                }),
                ...(rows.length
                    ? [
                          {
                              type: 'inside',
                              yAxisIndex: rows,
                              filterMode: 'none',
                              zoomOnMouseWheel: 'shift',
                              moveOnMouseWheel: false,
                              moveOnMouseMove: false,
                              start: zoom.rows.start,
                              end: zoom.rows.end,
                          },
                          Object.assign({}, slider, {
                              yAxisIndex: rows,
                              orient: 'vertical',
                              width: 14,
                              right: 8,
                              top: places[rows[0]].top,
                              height: places[rows[0]].height,
                              start: zoom.rows.start,
                              end: zoom.rows.end,
                          }),
                      ]
                    : []),
            ],
            series: panels.flatMap((panel, i) =>
                panel.kind === 'lines'
                    ? lineSeries(panel, i)
                    : panel.kind === 'operations'
                      ? [operationSeries(panel, i)]
                      : [pictureSeries(panel, i)]
            ),
            tooltip: { show: false },
        });
    };
    const box = figure(label, total(), draw, options.data, (chart, place) => {
        zoom.attach(chart, place);
        hover(chart, place, getPanels);
    });
    if (!canDraw) return { box, redraw: () => {} };
    const entry = charts[charts.length - 1];
    const scales = make('div', { class: 'scales' });
    const fillScales = () =>
        scales.replaceChildren(
            ...getPanels()
                .filter((panel, i, all) => panel.kind !== 'lines' && !all.slice(0, i).some((one) => sharesScale(one, panel)))
                .map((panel) => scaleOf(panel, getPanels().filter((one) => one === panel || sharesScale(one, panel))))
        );
    fillScales();
    entry.place.after(zoom.buttons(options.rowsName || spoken('Ranks')), scales);
    return {
        box,
        redraw: () => {
            fillScales();
            entry.place.style.height = total() + 'px';
            if (!entry.chart) return;
            entry.chart.resize();
            entry.chart.setOption(draw(), true);
        },
    };
}

function yAxisOf(panel, i, text) {
    const base = {
        type: 'value',
        gridIndex: i,
        name: panel.name,
        nameLocation: 'end',
        nameGap: 8 + (panel.strip ? STRIP : 0),
        nameTextStyle: { align: 'left', color: text, fontWeight: 600, fontSize: 12, padding: [0, 0, 4, -68] },
    };
    const label = (formatter, more) =>
        Object.assign({ color: colour('muted'), fontSize: 11, formatter, hideOverlap: true }, more);
    if (panel.kind === 'lines') {
        const step = binaryStep(Math.max(...panel.lines.flatMap((one) => one.values.map((point) => point[1]))) / 2);
        return axis(Object.assign(base, { interval: step, max: 2 * step, axisLabel: label(panel.showValue) }));
    }
    const single = panel.kind === 'operations';
    const low = single ? panel.low : panel.first - 0.5 * panel.offset;
    const high = single ? panel.high : panel.first + panel.rows * panel.perRow - 0.5 * panel.offset;
    return axis(
        Object.assign(base, {
            min: low,
            max: high,
            minInterval: 1,
            ...(panel.everyRow ? { interval: 0.5 } : { splitNumber: 4 }),
            splitLine: { show: false },
            axisLabel: label((v) => (panel.offset && !Number.isInteger(v) ? '' : panel.showRow(v)), {
                showMinLabel: !panel.offset,
                showMaxLabel: !panel.offset,
            }),
        })
    );
}

const sharesScale = (one, other) => Boolean(one.shades) && one.shades === other.shades;

// Of panels that share one, its colours are side by side.
function scaleOf(panel, sharing) {
    if (panel.kind === 'operations') return operationScale(panel);
    const name = panel.shades || panel.name;
    if (!(panel.most > 0)) return make('span', { class: 'scale' }, name + ': none');
    if (panel.least >= panel.most)
        return make('span', { class: 'scale' }, name + ': ' + panel.showValue(panel.most) + ' wherever there is any');
    return make(
        'span',
        { class: 'scale' },
        name + ' ',
        panel.showValue(leastShown(panel)),
        [...new Set(sharing.map((one) => one.colour))].map((shade) => make('span', { class: 'ramp ' + shade, 'aria-hidden': 'true' })),
        panel.showValue(panel.most)
    );
}

// What is under the pointer.
function hover(chart, place, getPanels) {
    const box = make('div', { class: 'hover', hidden: true });
    place.append(box);
    chart.getZr().on('mousemove', (event) => {
        const text = getPanels()
            .map((panel, i) => cellText(chart, panel, i, [event.offsetX, event.offsetY]))
            .find(Boolean);
        box.hidden = !text;
        if (!text) return;
        box.replaceChildren(text);
        const right = event.offsetX > place.clientWidth / 2;
        box.style.left = right ? 'auto' : event.offsetX + 14 + 'px';
        box.style.right = right ? place.clientWidth - event.offsetX + 14 + 'px' : 'auto';
        box.style.top = event.offsetY + 14 + 'px';
    });
    chart.getZr().on('globalout', () => {
        box.hidden = true;
    });
}

function cellText(chart, panel, i, pixel) {
    if (panel.kind === 'operations') return operationTip(chart, panel, i, pixel);
    if (panel.kind !== 'picture') return null;
    const inside = (at) => chart.containPixel({ gridIndex: i }, at);
    const within = inside(pixel),
        beside = panel.sums && !within && pixel[0] > LEFT && inside([LEFT + 1, pixel[1]]),
        above = panel.strip && !within && inside([pixel[0], pixel[1] + STRIP]);
    if (!within && !beside && !above) return null;
    const [x, y] = chart.convertFromPixel({ gridIndex: i }, pixel);
    const bin = Math.floor((x - panel.start) / panel.width),
        row = Math.floor((y - panel.first + 0.5 * panel.offset) / panel.perRow);
    const time = ['Time', interval(panel.start + bin * panel.width, panel.width), null],
        who = [panel.rowName, panel.showRows(panel.first + row * panel.perRow), null];
    if (beside) return row in panel.sums ? tip(panel.name, [who, ['Sum', panel.showSum(panel.sums[row]), null]]) : null;
    if (above)
        return bin in panel.together
            ? tip(panel.name, [time, [capital(everyone), panel.showBin(panel.together[bin]), null]])
            : null;
    if (bin < 0 || row < 0 || bin >= panel.bins || row >= panel.rows) return null;
    return tip(panel.name, [time, who, ['Amount', panel.showCell(panel.cells[row * panel.bins + bin]), null]]);
}

// ------------------------------------------------------------------ zoom

// In time, and in ranks or offsets: { start, end } in percent. A chart's first two zooms are of time, the others of
// rows.
function zoomState() {
    const state = { chart: null, time: { start: 0, end: 100 }, rows: { start: 0, end: 100 } };
    const INDEX = { time: 0, rows: 2 };

    function set(which, start, end) {
        const width = Math.min(100, Math.max(end - start, 1e-6));
        const from = Math.min(Math.max(start, 0), 100 - width);
        if (state.chart)
            state.chart.dispatchAction({
                type: 'dataZoom',
                dataZoomIndex: INDEX[which],
                start: from,
                end: from + width,
            });
    }
    const actionsOf = (which) => {
        const middle = () => (state[which].start + state[which].end) / 2;
        const width = () => state[which].end - state[which].start;
        return {
            in: () => set(which, middle() - width() / 4, middle() + width() / 4),
            out: () => set(which, middle() - width(), middle() + width()),
            less: () => set(which, state[which].start - width() / 2, state[which].end - width() / 2),
            more: () => set(which, state[which].start + width() / 2, state[which].end + width() / 2),
            all: () => set(which, 0, 100),
        };
    };
    const time = actionsOf('time'),
        rows = actionsOf('rows');
    const keys = {
        '+': time.in,
        '=': time.in,
        '-': time.out,
        ArrowLeft: time.less,
        ArrowRight: time.more,
        ArrowDown: rows.less,
        ArrowUp: rows.more,
        0: () => {
            time.all();
            rows.all();
        },
    };

    state.attach = (chart, place) => {
        state.chart = chart;
        chart.on('datazoom', () => {
            const zooms = chart.getOption().dataZoom;
            for (const which of ['time', 'rows']) {
                const zoom = zooms[INDEX[which]];
                if (!zoom) continue;
                state[which] = { start: zoom.start, end: zoom.end };
                place.dataset[which === 'time' ? 'zoom' : 'rows'] = zoom.start.toFixed(3) + ' ' + zoom.end.toFixed(3);
            }
        });
    };
    state.buttons = (rowsName) =>
        make(
            'div',
            {
                class: 'zoom',
                role: 'group',
                'aria-label': 'Zoom in time and in ' + rowsName.toLowerCase(),
                onkeydown: (event) => {
                    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
                    event.preventDefault();
                    keys[event.key]();
                },
            },
            make(
                'span',
                { class: 'zoom-part' },
                make('span', { class: 'zoom-name' }, 'Time'),
                button('\u2212', 'zoom out', time.out),
                button('+', 'zoom in', time.in),
                button('\u2190', 'earlier', time.less),
                button('\u2192', 'later', time.more),
                button('All', 'show all of it', time.all)
            ),
            make(
                'span',
                { class: 'zoom-part' },
                make('span', { class: 'zoom-name' }, rowsName),
                button('\u2212', 'more rows', rows.out),
                button('+', 'fewer rows', rows.in),
                button('\u2193', 'lower rows', rows.less),
                button('\u2191', 'higher rows', rows.more),
                button('All', 'show all rows', rows.all)
            )
        );
    return state;
}
