// shapes.js - lines, points and boxes
// SPDX-License-Identifier: BSD-3-Clause

const GRID = { left: 8, right: 20, top: 34, bottom: 24, containLabel: true };

const DASHES = 'path://M0 4h5v4h-5Z M7 4h5v4h-5Z';
// Of a time axis: a label that has no room is left out, so that each says of which day it is.
const TIMES = { year: '{yyyy}-{MM}-{dd}', month: '{yyyy}-{MM}-{dd}', day: '{MM}-{dd}', hour: '{HH}:{mm}\n{MM}-{dd}', minute: '{HH}:{mm}\n{MM}-{dd}' };

function plainLegend(series) {
    return Object.assign(common().legend, {
        data: series.map(({ name, dashed }) => ({ name: visible(name), icon: dashed ? DASHES : undefined })),
        type: 'scroll',
        pageIconColor: colour('link'),
        pageTextStyle: { color: colour('muted') },
    });
}

// Axes: { name, show(value), log: the base or true, time, category: [labels], most }.
function axisOf(wanted, isX) {
    return axis({
        type: wanted.category ? 'category' : wanted.time ? 'time' : wanted.log ? 'log' : 'value',
        data: wanted.category,
        logBase: wanted.log === true ? 10 : wanted.log,
        name: wanted.name,
        nameLocation: isX ? 'middle' : 'end',
        nameGap: isX ? 28 : 8,
        nameTextStyle: { color: colour('muted'), fontSize: 12, align: isX ? 'center' : 'left' },
        min: wanted.least,
        max: wanted.most,
        interval: wanted.step,
        scale: Boolean(wanted.log),
        splitLine: { show: !isX, lineStyle: { color: colour('line'), opacity: 0.6 } },
        axisLabel: {
            color: colour('muted'),
            fontSize: 12,
            hideOverlap: true,
            lineHeight: wanted.time ? 15 : undefined,
            formatter: wanted.time ? TIMES : wanted.category ? undefined : wanted.show,
        },
    });
}

// What lies between two bounds, behind the lines: the points of `band` are [x, low, high].
function bandSeries(one) {
    return {
        type: 'custom',
        name: visible(one.name),
        data: one.band,
        encode: { x: 0, y: [1, 2] },
        silent: true,
        z: 1,
        color: colour(one.colour),
        renderItem: (params, api) =>
            params.dataIndex
                ? null
                : {
                      type: 'polygon',
                      shape: {
                          points: one.band
                              .map(([x, low]) => api.coord([x, low]))
                              .concat(one.band.slice().reverse().map(([x, , high]) => api.coord([x, high]))),
                      },
                      style: { fill: colour(one.colour), opacity: 0.16 },
                  },
    };
}

// series: [{ name, colour, dashed, area, steps, band, points: [[x, y]...] }]; with categories, x is the index.
function lines(label, series, x, y, height, apart) {
    const draw = () =>
        Object.assign(common(), {
            useUTC: true,
            legend: plainLegend(series),
            grid: Object.assign({}, GRID, { top: y.name ? 56 : 34 }),
            xAxis: axisOf(x, true),
            yAxis: axisOf(y, false),
            tooltip: Object.assign(common().tooltip, {
                trigger: 'axis',
                formatter: (points) =>
                    tip(
                        x.category ? x.category[points[0].value[0]] : x.show(points[0].value[0]),
                        points
                            .filter((point) => point.seriesType === 'line')
                            .map((point) => {
                                const { band } = series.find(({ name }) => visible(name) === point.seriesName);
                                const range = band ? ' (' + y.show(band[point.dataIndex][1]) + ' to ' + y.show(band[point.dataIndex][2]) + ')' : '';
                                return [point.seriesName, y.show(point.value[1]) + range, point.color];
                            })
                    ),
            }),
            series: series.filter(({ band }) => band).map(bandSeries).concat(series.map((one) => ({
                type: 'line',
                name: visible(one.name),
                data: one.points,
                showSymbol: apart || one.points.length < 40,
                symbolSize: 5,
                step: one.steps ? 'end' : false,
                sampling: 'lttb',
                color: colour(one.colour),
                // of a year of hours, lines on areas would hide what is below them
                lineStyle: { width: one.area || apart ? 0 : 1.5, type: one.dashed ? 'dashed' : 'solid' },
                areaStyle: one.area ? { opacity: 1 } : undefined,
                stack: one.area ? 'all' : undefined,
            }))),
        });
    return figure(label, height || 280, draw);
}

// Points of integers on logarithmic scales to base 2, with 0 a step below 1 on the y axis: series are [{ name, colour,
// symbol, points: [{ x, y, weight, lines }] }].
function powers(label, series, x, y) {
    const all = series.flatMap((one) => one.points);
    const most = (key) => Math.ceil(Math.max(1, ...all.map((point) => Math.log2(Math.max(1, point[key])))));
    const heaviest = Math.log2(Math.max(1, ...all.map((point) => point.weight)));
    const step = (key) => Math.ceil(most(key) / 8);
    const zero = -step('y');
    const show = (v) => (v < zero ? '' : v < 0 ? '0' : count(2 ** v));
    const scale = (key, name, least) => ({ name, show, least, most: step(key) * Math.ceil(most(key) / step(key)), step: step(key) });
    const draw = () => {
        const yAxis = axisOf(scale('y', y, 2 * zero), false);
        return Object.assign(common(), {
            legend: plainLegend(series),
            grid: Object.assign({}, GRID, { top: 56 }),
            xAxis: axisOf(scale('x', x, 0), true),
            yAxis,
            tooltip: Object.assign(common().tooltip, {
                formatter: (point) => tip(point.seriesName, point.data.lines || []),
            }),
            series: series
                .map((one) => ({
                    type: 'scatter',
                    name: visible(one.name),
                    color: colour(one.colour),
                    symbol: one.symbol,
                    itemStyle: { opacity: 0.75 },
                    data: one.points.map((point) => ({
                        value: [Math.log2(point.x), point.y > 0 ? Math.log2(point.y) : zero],
                        symbolSize: 6 + (16 * Math.log2(point.weight)) / Math.max(8, heaviest),
                        lines: point.lines,
                    })),
                }))
                .concat({
                    type: 'line',
                    data: [
                        [0, 0],
                        [Math.min(most('x'), most('y')), Math.min(most('x'), most('y'))],
                    ],
                    showSymbol: false,
                    silent: true,
                    color: colour('muted'),
                    lineStyle: { type: 'dashed', width: 1 },
                }),
        });
    };
    return figure(label, 380, draw);
}

// Box plot with a box per category: { low, quartile1, median, quartile3, high }, on a logarithmic scale if possible.
function boxes(label, categories, five, show, unit) {
    const log = five.every((box) => box.low > 0);
    const draw = () =>
        Object.assign(common(), {
            legend: { show: false },
            grid: Object.assign({}, GRID, { top: 10 }),
            xAxis: axisOf({ name: unit, show, log }, true),
            yAxis: Object.assign(axisOf({ category: categories.map(visible) }, false), { inverse: true }),
            tooltip: Object.assign(common().tooltip, {
                formatter: (point) =>
                    tip(
                        point.name,
                        ['low', 'quartile1', 'median', 'quartile3', 'high'].map((key, i) => [
                            ['Lowest', 'Quartile 1', 'Median', 'Quartile 3', 'Highest'][i],
                            show(five[point.dataIndex][key]),
                        ])
                    ),
            }),
            series: [
                {
                    type: 'boxplot',
                    data: five.map((box) => [box.low, box.quartile1, box.median, box.quartile3, box.high]),
                    boxWidth: [6, 18],
                    itemStyle: { color: colour('read-low'), borderColor: colour('read') },
                },
            ],
        });
    return figure(label, 70 + 30 * categories.length, draw);
}
