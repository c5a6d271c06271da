// ranks.js - seconds and bytes per rank: in rank order, sorted, and as percentiles
// SPDX-License-Identifier: BSD-3-Clause

const RANK_VIEWS = [
    ['rank', 'in rank order'],
    ['sorted', 'sorted, the most first'],
    ['percentiles', 'as percentiles'],
];

// The data: { label, show, parts: [{ name, colour, values }] stacked, quantiles: [{ name, colour, values }] }. Bounds
// have two parts: the lower bound, and the difference to the upper one.
function rankQuantities(all) {
    const { bins, quantiles } = all;
    const least = bins.waited_at_least_seconds,
        most = bins.waited_at_most_seconds;
    const exact = all.seconds_confidence === 'exact';
    const found = [
        exact
            ? {
                  label: 'I/O seconds',
                  show: seconds,
                  parts: WORK.map(([name, shade, key]) => ({ name, colour: shade, values: bins[key] })),
                  quantiles: [{ name: 'I/O seconds', colour: 'first', values: quantiles.seconds }],
              }
            : {
                  label: spoken('Seconds that ranks waited for I/O'),
                  show: seconds,
                  parts: [
                      { name: 'At least', colour: 'first', values: least },
                      { name: 'Up to (bound)', colour: 'bound', values: most.map((v, i) => Math.max(0, v - least[i])) },
                  ],
                  quantiles: [
                      { name: 'At least', colour: 'first', values: quantiles.waited_at_least_seconds },
                      { name: 'At most', colour: 'second', values: quantiles.waited_at_most_seconds },
                  ],
              },
    ];
    if (all.bytes_confidence === 'exact')
        found.push({
            label: 'Bytes',
            show: bytes,
            parts: [
                { name: 'Read', colour: 'read', values: bins.bytes_read },
                { name: 'Written', colour: 'write', values: bins.bytes_written },
            ],
            quantiles: [{ name: 'Bytes', colour: 'third', values: quantiles.bytes }],
        });
    return found;
}

// Series over a number axis, { name, colour, points: [[x, value]] } each; from(i) is the item of point i.
function rankSeries(quantity, view, all, name) {
    const { parts } = quantity;
    const per = all.ranks_per_bin;
    if (view === 'percentiles')
        return {
            stacked: false,
            x: { name: spoken('percent of the ranks that have so much or less'), end: 100, interval: 25, show: (v) => v + ' %' },
            from: (i) => i + spoken(' % of the ranks have so much or less'),
            series: quantity.quantiles.map((one) =>
                Object.assign({}, one, { points: one.values.map((v, i) => [i, v]) })
            ),
        };
    const sum = (i) => parts.reduce((all_of, one) => all_of + one.values[i], 0);
    const order = parts[0].values.map((v, i) => i);
    if (view === 'sorted') order.sort((a, b) => sum(b) - sum(a) || a - b);
    const points = stackedSteps(
        parts.map((one) => order.map((at) => one.values[at])),
        (i) => i * per,
        (i) => Math.min((i + 1) * per, all.ranks)
    );
    return {
        stacked: true,
        x: {
            name: view === 'sorted' ? spoken('ranks, those with most first') : spoken('rank'),
            end: all.ranks,
            interval: roundStep(all.ranks / (window.innerWidth < 600 ? 4 : 8)),
            show: (v) => (Number.isInteger(v) && v < all.ranks ? String(v) : ''),
        },
        from: (i) => name(order[i >> 1]),
        series: parts.map((one, i) => Object.assign({}, one, { points: points[i] })),
    };
}

function rankOptions(quantity, shown) {
    const { x, series, stacked, from } = shown;
    const { show } = quantity;
    const top = Math.max(...series.flatMap((one) => one.points.map((point) => point[1])));
    const interval = show === bytes && top > 0 ? binaryStep(top / 5) : undefined;
    return Object.assign(common(), {
        legend: Object.assign(common().legend, { data: series.map((one) => ({ name: one.name })) }),
        grid: { left: 8, right: 22, top: 34, bottom: 22, containLabel: true },
        xAxis: axis({
            type: 'value',
            min: 0,
            max: x.end,
            interval: x.interval,
            name: x.name,
            nameLocation: 'middle',
            nameGap: 26,
            splitLine: { show: false },
            axisLabel: { color: colour('muted'), fontSize: 12, formatter: x.show, hideOverlap: true },
        }),
        yAxis: axis({
            type: 'value',
            min: 0,
            interval,
            max: interval ? interval * Math.ceil(top / interval) : undefined,
            axisLabel: { color: colour('muted'), fontSize: 12, formatter: show },
        }),
        tooltip: Object.assign(common().tooltip, {
            trigger: 'axis',
            axisPointer: { type: 'line' },
            formatter: (points) =>
                tip(
                    from(points[0].dataIndex),
                    points.map((point) => [point.seriesName, show(point.value[stacked ? 2 : 1]), point.color])
                ),
        }),
        series: stacked
            ? areaSeries(series)
            : series.map((one) => ({
                  type: 'line',
                  name: one.name,
                  data: one.points,
                  symbol: 'none',
                  color: colour(one.colour),
                  lineStyle: { width: 2 },
              })),
    });
}

function rankFigures(all, name) {
    const state = { view: 'rank' };
    const entries = [];
    const drawn = rankQuantities(all).map((quantity) => {
        if (!Math.max(...quantity.parts.flatMap((one) => one.values)))
            return note(quantity.label + ': all are 0.');
        const draw = () => rankOptions(quantity, rankSeries(quantity, state.view, all, name));
        const box = figure(quantity.label + spoken(' by rank'), 270, draw);
        if (canDraw) entries.push({ entry: charts[charts.length - 1], box, quantity });
        return box;
    });
    if (!canDraw) return null;
    const pick = choice(spoken('Ranks'), RANK_VIEWS.map(([key, text]) => [key, spoken(text)]), 'rank', (view) => {
        state.view = view;
        for (const { entry, box, quantity } of entries) {
            box.querySelector('figcaption').textContent =
                quantity.label + (view === 'rank' ? spoken(' by rank') : spoken(', ranks ' + RANK_VIEWS.find(([key]) => key === view)[1]));
            entry.place.dataset.view = view;
            if (entry.chart) entry.chart.setOption(entry.options(), true);
        }
    });
    return [make('p', { class: 'controls' }, pick), make('div', { class: drawn.length > 1 ? 'pair' : null }, drawn)];
}
