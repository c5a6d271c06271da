// draw.js - charts by Apache ECharts in the page's colours; without it there are only tables
// SPDX-License-Identifier: BSD-3-Clause

const canDraw = typeof globalThis.darshanCharts === 'object';
const charts = []; // { chart, options(): what it shows, in the colours of now }

function colour(name) {
    return getComputedStyle(document.documentElement)
        .getPropertyValue('--' + name)
        .trim();
}

function ink() {
    return { text: colour('text'), muted: colour('muted'), line: colour('line'), panel: colour('background') };
}

// Common options of charts.
function common() {
    const { text, muted, line, panel } = ink();
    return {
        animation: false,
        backgroundColor: 'transparent',
        textStyle: { fontFamily: getComputedStyle(document.body).fontFamily.replace(/"/g, "'"), color: text },
        tooltip: {
            confine: true,
            backgroundColor: panel,
            borderColor: line,
            textStyle: { color: text, fontSize: 13 },
            axisPointer: { type: 'shadow', shadowStyle: { color: muted, opacity: 0.12 } },
        },
        legend: { top: 0, left: 0, icon: 'rect', itemWidth: 12, itemHeight: 12, textStyle: { color: text } },
    };
}

function axis(more) {
    const { muted, line } = ink();
    return Object.assign(
        {
            axisLine: { lineStyle: { color: line } },
            axisTick: { lineStyle: { color: line } },
            splitLine: { lineStyle: { color: line, opacity: 0.6 } },
            axisLabel: { color: muted, fontSize: 12 },
            nameTextStyle: { color: muted, fontSize: 12 },
        },
        more
    );
}

// Lines of a tooltip: [name, value, colour]. Elements with text, so that names in a log cannot become markup.
function tip(title, lines) {
    const mark = (name) => {
        const dot = make('span', { class: 'dot' });
        dot.style.background = name;
        return dot;
    };
    return make(
        'div',
        { class: 'tip' },
        make('div', { class: 'tip-title' }, visible(title)),
        lines.map(([name, value, shade]) =>
            make('div', null, shade ? mark(shade) : null, visible(name) + ': ', make('b', null, visible(value)))
        )
    );
}

// A table of several figures.
function figures(table) {
    return canDraw ? folded('Table', table) : table;
}

// A chart, with a text alternative. `data` (its table) is collapsed below. options() is called again when colours
// change.
function figure(label, height, options, data, prepare, where) {
    if (!canDraw) return data || null;
    const caption = make('figcaption', null, label);
    const place = make('div', {
        class: 'chart',
        role: 'img',
        'aria-label': label + '. ' + (where || 'The table below has its figures.'),
    });
    place.style.height = height + 'px';
    const entry = { place, options, chart: null, prepare };
    const box = make('figure', null, caption, place, savers(entry, label), data ? folded('Table', data) : null);
    charts.push(entry);
    return box;
}

// SVG is drawn anew, as it is seen; heat maps are pictures in it.
function savers(entry, label) {
    const name = fileName(label);
    const ground = () => ({ backgroundColor: colour('background') });
    const png = () => {
        showChart(entry);
        save(entry.chart.getDataURL(Object.assign({ pixelRatio: 2 }, ground())), name + '.png');
    };
    const svg = () => {
        const { clientWidth: width, clientHeight: height } = entry.place;
        const chart = globalThis.darshanCharts.init(null, null, { renderer: 'svg', ssr: true, width, height });
        chart.setOption(Object.assign(entry.options(), ground()));
        save('data:image/svg+xml;charset=utf-8,' + encodeURIComponent(chart.renderToSVGString()), name + '.svg');
        chart.dispose();
    };
    return saver(['PNG', 'the chart as a picture', png], ['SVG', 'the chart as a drawing', svg]);
}

function showChart(entry) {
    if (entry.chart) return;
    entry.chart = globalThis.darshanCharts.init(entry.place);
    entry.chart.setOption(entry.options());
    if (entry.prepare) entry.prepare(entry.chart, entry.place);
}

function redraw() {
    for (const entry of charts) if (entry.chart) entry.chart.setOption(entry.options(), { replaceMerge: ['series'] });
}

// Visible charts are drawn first, and all others immediately afterwards, one at a time, so that a page with many opens
// quickly, and is complete when printed.
function watchCharts() {
    const size = new ResizeObserver((seen) => {
        for (const one of seen) {
            const entry = charts.find((candidate) => candidate.place === one.target);
            if (entry.chart) entry.chart.resize();
        }
    });
    const waiting = charts.slice();
    const next = () => {
        const entry = waiting.shift();
        if (!entry) return;
        showChart(entry);
        size.observe(entry.place);
        if (entry.place.getBoundingClientRect().top < window.innerHeight) next();
        else setTimeout(next);
    };
    next();
}

// Rounds v up: 1, 2, 5, 10, 20, 50...
function roundStep(v) {
    const unit = 10 ** Math.floor(Math.log10(Math.max(1, v)));
    return [1, 2, 5, 10].map((digit) => digit * unit).find((step) => step >= v) || 1;
}

// Stacked steps: from lists of values, each from(i) to(i), points [x, sum below and including it, same]. (ECharts
// cannot stack series with two values at the same x.) The first one is the lowest, and must be drawn last.
function stackedSteps(lists, from, to) {
    const below = lists.length ? Array.from(lists[0], () => 0) : [];
    return lists.map((values) =>
        Array.from(values, (v, i) => {
            below[i] += v;
            return [
                [from(i), below[i], v],
                [to(i), below[i], v],
            ];
        }).flat()
    );
}

function areaSeries(series) {
    return series
        .map((one) => ({
            type: 'line',
            name: one.name,
            data: one.points,
            symbol: 'none',
            color: colour(one.colour),
            lineStyle: { width: 0 },
            areaStyle: { opacity: 1 },
        }))
        .reverse();
}

// Rounds bytes up: 1, 2, 5, 10, 20, ... 500 of a unit.
function binaryStep(v) {
    let unit = 1;
    while (v > 512 * unit) unit *= 1024;
    for (const digit of [1, 2, 5, 10, 20, 50, 100, 200, 500]) if (v <= digit * unit) return digit * unit;
    return 1024 * unit;
}

function mostOf(series, stacked) {
    const lists = series.map((one) => one.values);
    const sums = lists.length
        ? lists[0].map((v, i) =>
              lists.reduce((sum, list) => (stacked ? sum + (list[i] || 0) : Math.max(sum, list[i] || 0)), 0)
          )
        : [];
    return Math.max(0, ...sums);
}

function markSeries({ name, symbol, size, values }, across) {
    const data = values.map((v, i) => (across ? [v, i] : [i, v])).filter((point) => known(point[0]) && known(point[1]));
    return {
        type: 'scatter',
        name,
        data,
        symbol,
        symbolSize: size,
        z: 5,
        itemStyle: { color: colour('text'), borderColor: colour('background'), borderWidth: 1 },
    };
}

// How labels fit into half of a page: horizontal, slanted, or not at all.
const roomOf = () => (window.innerWidth > 900 ? 440 : window.innerWidth - 100);
const longestOf = (categories) => Math.max(0, ...categories.map((name) => String(name).length));
function fitOf(categories) {
    const room = roomOf();
    const longest = longestOf(categories);
    return categories.length * (7 * longest + 10) < room ? 'flat' : categories.length * 17 < room ? 'slanted' : 'none';
}

// Bar chart with categories: series are [{ name, colour: 'read', values }], and markers [{ name, symbol, size, values
// }]. `limit`: end of the value axis; `labels`: their width; `some`: every so many bars have a label, as there is room for.
function bars(label, categories, series, show, options) {
    const { across, stacked, height, data, title, limit, labels, every, some } = Object.assign({ height: 260 }, options);
    const marks = ((options && options.marks) || []).filter((mark) => mark.values.some(known));
    // with `every`, all bars have a label, slanted if need be, or none has, and the axis says which the first and the last are
    const fit = every ? fitOf(categories) : null;
    const apart = Math.ceil((categories.length * (7 * longestOf(categories) + 10)) / roomOf());
    const slanted = every ? fit === 'slanted' : options && options.slanted;
    const most = mostOf(series, stacked);
    if (!(most > 0) && canDraw)
        return make(
            'figure',
            null,
            make('figcaption', null, label),
            note(series.some(({ values }) => values.some(known)) ? 'All of these are 0.' : 'None of these is known.'),
            data ? folded('Table', data) : null
        );
    const step = (show === bytes || show === rate) && most > 0 ? binaryStep(most / 5) : undefined;
    const named = series
        .map(({ name }) => ({ name }))
        .concat(marks.map(({ name, symbol }) => ({ name, icon: symbol })));
    const draw = () => {
        const values = axis({
            type: 'value',
            interval: step,
            minInterval: show === count ? 1 : undefined, // there is no half of what is counted
            max: step ? step * Math.ceil(most / step) : limit,
            axisLabel: { color: colour('muted'), formatter: show, hideOverlap: true },
        });
        const names = axis({
            type: 'category',
            data: categories,
            inverse: Boolean(across),
            name: fit === 'none' ? categories[0] + ' \u2013 ' + categories[categories.length - 1] : undefined,
            nameLocation: 'middle',
            axisLabel: {
                show: fit !== 'none',
                color: colour('muted'),
                fontSize: 12,
                interval: some ? apart - 1 : across || slanted || fit ? 0 : 'auto',
                rotate: slanted ? 40 : 0,
                hideOverlap: !slanted && !fit,
                width: labels || 120,
                overflow: 'truncate',
            },
            splitLine: { show: false },
        });
        return Object.assign(common(), {
            legend: Object.assign(common().legend, { data: named, type: named.length > 5 ? 'scroll' : 'plain' }),
            grid: {
                left: 8,
                right: 16,
                top: named.length > 3 && window.innerWidth < 600 ? 58 : 34,
                bottom: fit === 'none' ? 24 : 4,
                containLabel: true,
            },
            xAxis: across ? values : names,
            yAxis: across ? names : values,
            tooltip: Object.assign(common().tooltip, {
                trigger: 'axis',
                formatter: (points) =>
                    tip(
                        title ? title(points[0].dataIndex) : points[0].name,
                        points
                            .map((point) => [
                                point.seriesName,
                                Array.isArray(point.value) ? point.value[across ? 0 : 1] : point.value,
                                point.color,
                            ])
                            .map(([name, value, shade]) => [name, known(value) ? show(value) : UNKNOWN, shade])
                    ),
            }),
            series: series
                .map((one) => ({
                    type: 'bar',
                    name: one.name,
                    data: one.values,
                    stack: stacked ? 'all' : undefined,
                    barMaxWidth: 34,
                    color: colour(one.colour),
                }))
                .concat(marks.map((mark) => markSeries(mark, across))),
        });
    };
    return figure(label, height, draw, data);
}
