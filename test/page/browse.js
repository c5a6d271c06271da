// browse.js - opens pages in a browser and uses them: browse.js MODULES PAGE...
// SPDX-License-Identifier: BSD-3-Clause
//
// MODULES is where npm has put playwright-core. Prints TAP. A page may have a file PAGE.json beside it,
// {"names": [text that must be seen], "cycles": number, "drawn": [ids of sections that must have a picture]}.
'use strict';
const fs = require('fs');
const path = require('path');

const { check, need, open, showAll, inkOfCharts, background, picture, fits, paper, launch } = require('./browser.js');

const [modules, ...pages] = process.argv.slice(2);

// In this order; those with a word may be missing, if the line of what is not in the log has it.
const SECTIONS = [
    ['answer'],
    ['job'],
    ['time', 'time line'],
    ['named-phases'],
    ['lines'],
    ['layers', 'layers'],
    ['ranks', 'ranks'],
    ['modules'],
    ['sharing', 'sharing'],
    ['files', 'files'],
    ['mounts', 'mounts'],
    ['trace', 'trace'],
    ['phases', 'phases'],
    ['what-if', 'what if'],
    ['quality'],
    ['glossary'],
];
// ------------------------------------------------------------------ what is checked

async function sections(page, wanted) {
    const ids = await page.evaluate(() =>
        Array.from(document.querySelectorAll('main section'), (section) => section.id)
    );
    const { modules: counted, answer, file_patterns: patterns, named_phases: phases, call_sites: sites, targets, gpudirect_storage: gds } = await page.evaluate(() => JSON.parse(document.getElementById('report').textContent));
    need(
        Boolean(answer.in_turn_run) !== /Rate by the (slowest|busiest)/.test(await page.locator('main').innerText()) ||
            !counted.some((one) => one.mib_per_second > 0),
        'a rate by the busiest of processes in turn, or none by the slowest rank'
    );
    const missing = (await page.locator('#absent').count()) ? await page.locator('#absent').innerText() : '';
    const lacks = (word) =>
        missing
            .replace('Not in this log: ', '')
            .split('; ')
            .some((part) => part.startsWith(word));
    const idsOf = (id) => (id === 'modules' ? counted.map((one) => one.layer.toLowerCase().replace(/\W+/g, '-')) : [id]);
    const isWanted = ([id, word]) => (id === 'named-phases' ? Boolean(phases) : id === 'lines' ? Boolean(sites) : !word || ids.includes(id));
    const want = SECTIONS.filter(isWanted).flatMap(([id]) => idsOf(id));
    need(ids.join() === want.join(), 'sections: ' + ids.join() + ' instead of ' + want.join());
    for (const [id, word] of SECTIONS)
        need(!word || ids.includes(id) !== lacks(word), id + ' is not there, or is empty: ' + missing);
    for (const one of counted) {
        const text = await page.locator('#' + idsOf('modules')[counted.indexOf(one)]).innerText();
        need(text.includes(one.files.toLocaleString('en-US')), one.layer + ' does not tell its files: ' + text);
    }
    const named = await page.getByRole('region', { name: 'Phases that the program has named' }).locator('tbody tr').count();
    need(!phases || named === Math.min(phases.rows.length, 25) || named === 6, 'phases, of which ' + named + ' are seen');
    const moved = await page.getByRole('region', { name: 'GPUDirect Storage' }).locator('tbody tr').count();
    need((gds ? gds.largest.length : 0) === moved || moved === 6, 'files of GPUDirect Storage, of which ' + moved + ' are seen');
    const several = patterns.rows.filter((one) => one.files > 1 || one.further_files);
    const shown = await page.getByRole('region', { name: 'Patterns of files' }).locator('tbody tr').allInnerTexts();
    need(
        Math.min(several.length, 25) === shown.length || (shown.length === 6 && several.length > 6), // on a telephone
        several.length + ' patterns, and ' + shown.length + ' rows: ' + shown.join()
    );
    need(
        !targets || !targets.rows.length === !/targets hold the bytes of/.test(await page.locator('#mounts').innerText()),
        'storage targets, or none'
    );
    for (const id of ids) {
        const text = await page.locator('#' + id).innerText();
        need(text.split('\n').length > 1, 'section ' + id + ' is empty');
        need(!/undefined|NaN|\[object|Infinity/.test(text), 'section ' + id + ': ' + text);
    }
    const links = await page.evaluate(() =>
        Array.from(document.querySelectorAll('nav a'), (link) => link.hash.slice(1))
    );
    need(links.join() === ids.join(), 'links: ' + links.join());
    for (const chart of await inkOfCharts(page))
        need(chart.ink > 500, 'a chart of ' + chart.id + ' has ' + chart.ink + ' pixels');
    for (const id of wanted.drawn || [])
        need((await page.locator('#' + id + ' canvas').count()) > 0, id + ' has no picture');
    for (const chart of await page.locator('.chart').all())
        need((await chart.getAttribute('aria-label')).length > 10, 'a chart without a label');
    for (const figure of await page.locator('figure').all()) {
        const near = await figure.evaluate(
            (box) => box.querySelector('table') || box.closest('section').querySelector('table')
        );
        need(near, 'a chart without a table');
    }
}

// The answer's picture: as wide as the report's figures say, of what is not known no more than bounds, before findings.
async function firstScreen(page) {
    const { answer, job, findings } = await page.evaluate(() =>
        JSON.parse(document.getElementById('report').textContent)
    );
    for (const item of await page.locator('#answer .findings > li').all()) {
        const hidden = await item.evaluate((li) => Boolean(li.closest('details:not([open])')));
        const shown = await item.getAttribute('class');
        need(hidden === ['minor', 'note'].includes(shown), shown + (hidden ? ' is folded' : ' is not folded'));
    }
    need((await page.locator('#answer .findings > li').count()) === findings.length, 'findings are left out');
    const rows = page.locator('#answer .run-bar');
    if (answer.bound === 'none' || !(await rows.count())) {
        need(answer.bound === 'none' || !job.run_seconds, 'there is no bar of the run time');
        return;
    }
    const box = await rows.first().boundingBox();
    need(box.y + box.height < 600, 'the bar is at ' + box.y);
    // the first bar is that of processes in turn, if there are any
    const { slowest_run: slowest, in_turn_run: turn } = answer;
    const run = turn || answer.run;
    const wait = turn ? turn.waiting : run.waiting_to_open + run.waiting_to_read + run.waiting_to_write;
    const mean = { compute: run.compute, wait, read: run.read };
    Object.assign(mean, { write: run.write, meta: run.metadata });
    const total = Object.values(mean).reduce((sum, v) => sum + v, 0);
    const partsOf = (row) =>
        row.locator('.run-part').evaluateAll((parts) => parts.map((one) => [one.classList[1], one.offsetWidth]));
    const parts = Object.fromEntries(await partsOf(rows.first()));
    const width = Object.values(parts).reduce((sum, v) => sum + v, 0);
    for (const [name, v] of Object.entries(mean)) {
        const want = (v / total) * width;
        need(Math.abs((parts[name] || 0) - want) < 4, name + ' is ' + parts[name] + ' wide instead of ' + want);
    }
    if (job.ranks === 1 || slowest.read !== null) return;
    const bounds = (await partsOf(rows.nth(turn ? 2 : 1))).map(([name]) => name);
    need(bounds.every((name) => ['compute', 'open', 'io'].includes(name)), 'of bounds is made ' + bounds);
}

// Every figure's formula, counters and source; a source is a paper, a manual page, or a section of this page.
async function glossary(page) {
    const { definitions } = await page.evaluate(() => JSON.parse(document.getElementById('report').textContent));
    need(definitions.length > 20, 'only ' + definitions.length + ' definitions');
    const more = page.locator('#glossary > .table .more button').last();
    if (await more.count()) await more.click();
    const rows = await page
        .locator('#glossary > .table tbody tr')
        .evaluateAll((all) =>
            all.map((row) => [
                ...Array.from(row.children, (cell) => cell.textContent),
                (row.querySelector('a') || {}).href || '',
            ])
        );
    need(rows.length === definitions.length, rows.length + ' rows');
    definitions.forEach((one, i) => {
        const want = [one.figure, one.formula, one.counters, one.source, one.link];
        need(want.join('|') === rows[i].join('|'), rows[i].join('|') + ' instead of ' + want.join('|'));
        need(one.figure && one.formula && one.counters && one.source, one.figure + ' lacks something');
    });
}

async function themes(page) {
    const light = await background(page);
    const drawn = (await page.locator('#layers canvas').count()) ? await picture(page, '#layers') : null;
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    need((await background(page)) !== light, 'dark is as light');
    if (drawn) need((await picture(page, '#layers')) !== drawn, 'the charts stayed light');
    const button = page.locator('.theme');
    await button.click();
    await button.click();
    need((await background(page)) === light, 'the button does not make it light');
    await button.click();
    need((await background(page)) !== light, 'the button does not follow the system again');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
}

// A table as CSV, and a chart as a picture, as the browser would put them on disk
async function saves(page) {
    for (const kind of (await page.locator('figure canvas').count()) ? ['CSV', 'PNG', 'SVG'] : ['CSV']) {
        const button = page.locator('.saver button:visible', { hasText: kind }).first();
        need(await button.count(), 'nothing can be saved as ' + kind);
        const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
        const content = fs.readFileSync(await file.path());
        const name = file.suggestedFilename();
        need(name.endsWith('.' + kind.toLowerCase()), kind + ' is called ' + name);
        if (kind === 'SVG') {
            // the browser reads it as XML, beside the page, whose policy allows no style in elements
            const beside = await page.context().newPage();
            await file.saveAs(name);
            await beside.goto('file://' + path.resolve(name));
            const paths = await beside.evaluate(() =>
                document.querySelector('parsererror') ? 0 : document.querySelectorAll('svg path').length
            );
            need(paths > 5, name + ' is no drawing: ' + content);
            await beside.close();
        } else if (kind === 'PNG') need(content.subarray(1, 4).toString() === 'PNG', name + ' is no picture');
        else need(content.toString().split('\r\n').length > 2, name + ' has no rows: ' + content);
    }
}

async function tables(page) {
    const report = await page.evaluate(() => JSON.parse(document.getElementById('report').textContent));
    const column = report.files.columns.indexOf('bytes_read'),
        name = report.files.columns.indexOf('name'),
        id = report.files.columns.indexOf('id');
    if (report.files.rows.length < 2) return;
    const most = Math.max(...report.files.rows.map((row) => row[column]));
    const head = page.locator('#files thead th', { hasText: /^Read$/ });
    await head.locator('button').focus();
    await page.keyboard.press('Enter');
    need((await head.getAttribute('aria-sort')) === 'descending', 'not sorted');
    const first = await page.locator('#files tbody tr').first().locator('th').innerText();
    const at = report.files.rows.find((row) => (row[name] || 'record ' + row[id]) === first);
    need(!at || at[column] === most, 'the first file has ' + (at && at[column]) + ' bytes, the most are ' + most);
    await page.keyboard.press('Enter');
    need((await head.getAttribute('aria-sort')) === 'ascending', 'not sorted the other way');
    const names = report.files.rows.map((row) => row[name] || 'record ' + row[id]);
    const query = names[names.length - 1]
        .slice(-6)
        .replace(/[^\w.]/g, ' ')
        .trim();
    const hits = names.filter((text) =>
        query.split(' ').every((word) => text.toLowerCase().includes(word.toLowerCase()))
    ).length;
    await page.locator('#files input[type=search]').fill(query);
    const status = await page.locator('#files .status').innerText();
    need(
        parseInt(status.replace(/,/g, ''), 10) >= Math.max(1, hits),
        'searching ' + query + ': ' + status + ', but it stands in ' + hits + ' names'
    );
    await page.locator('#files input[type=search]').fill('no file has such a name');
    need((await page.locator('#files tbody').innerText()) === 'Nothing matches.', 'something matches');
    await page.locator('#files input[type=search]').fill('');
    for (const set of ['calls', 'place', 'time']) {
        await page.locator('#files .controls:not(.sorter) select').selectOption(set);
        need((await page.locator('#files tbody tr').count()) > 1, 'no rows in ' + set);
    }
}

async function zoom(page) {
    for (const id of ['time', 'trace']) {
        const chart = page.locator('#' + id + ' .chart').first();
        if (!(await chart.count())) continue;
        const before = await picture(page, '#' + id);
        await page.locator('#' + id + ' .zoom button[title="zoom in"]').click();
        const [from, to] = (await chart.getAttribute('data-zoom')).split(' ').map(Number);
        need(Math.abs(to - from - 50) < 0.01, 'zoomed to ' + from + ' to ' + to);
        for (let i = 0; i < 50 && (await picture(page, '#' + id)) === before; i++) await page.waitForTimeout(100);
        need((await picture(page, '#' + id)) !== before, 'the picture of ' + id + ' is as before');
        await page.keyboard.press('ArrowRight');
        need(Number((await chart.getAttribute('data-zoom')).split(' ')[0]) > from, 'the arrow does not move it');
        await page.keyboard.press('0');
        need((await chart.getAttribute('data-zoom')) === '0.000 100.000', 'not all of it is shown again');
        const select = page.locator('#' + id + ' .controls:not(.sorter) select').first();
        if (!(await select.count())) continue;
        for (const value of await select
            .locator('option')
            .evaluateAll((options) => options.map((option) => option.value))) {
            await select.selectOption(value);
            need(
                (await inkOfCharts(page)).every((one) => one.ink > 500),
                'choice ' + value + ' of ' + id + ' is empty'
            );
        }
    }
}

// All layers that moved something are seen at once, with the sums of their ranks beside them: bars as long as told, of
// which the sum is what the layer moved.
async function glance(page) {
    const { timeline } = await page.evaluate(() => JSON.parse(document.getElementById('series').textContent));
    const moved = timeline.lines.flatMap((line) =>
        ['read', 'write']
            .map((key) => ({ name: line.layer + ': ' + key, bytes: key === 'read' ? line.bytes_read : line.bytes_written }))
            .filter((one) => one.bytes > 0)
    );
    const layers = new Set(moved.map(({ name }) => name.split(':')[0]));
    if (layers.size < 2 || timeline.nprocs < 2) return;
    const chart = page.locator('#time .chart');
    await chart.scrollIntoViewIfNeeded();
    const bars = await chart.evaluate((place) => {
        const canvas = place.querySelector('canvas'),
            box = canvas.getBoundingClientRect(),
            from = box.width - 40 - 90;
        const context = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const found = new Map();
        for (let y = 30; y < box.height - 70; y++) {
            const at = { bubbles: true, clientX: box.left + from + 1, clientY: box.top + y };
            canvas.dispatchEvent(new PointerEvent('pointermove', at));
            canvas.dispatchEvent(new MouseEvent('mousemove', at));
            const tip = place.querySelector('.hover');
            if (!tip || tip.hidden || !tip.innerText.includes('Sum: ')) continue;
            const scale = canvas.width / box.width;
            const { data } = context.getImageData(from * scale, y * scale, 90 * scale, 1);
            const length = Array.from({ length: data.length / 4 }, (v, i) => data[4 * i + 3] > 128).filter(Boolean).length / scale;
            const rows = found.get(tip.innerText) || [];
            found.set(tip.innerText, rows.concat(length));
        }
        return [...found];
    });
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    for (const { name, bytes } of moved) {
        const rows = bars.filter(([text]) => text.startsWith(name));
        need(rows.length, name + ' has no sums beside it, but there are ' + bars.map(([text]) => text));
        if (timeline.nprocs > 7) continue;
        const sums = rows.map(([text]) => {
            const [, number, unit] = /Sum: ([0-9.,]+)\s(\w+)/.exec(text);
            return Number(number.replace(/,/g, '')) * 1024 ** units.indexOf(unit);
        });
        const all = sums.reduce((sum, v) => sum + v, 0);
        need(Math.abs(all - bytes) <= 0.01 * bytes + rows.length, name + ': ' + all + ' instead of ' + bytes);
        rows.forEach(([text, lengths], i) => {
            const want = (90 * sums[i]) / Math.max(...sums);
            const is = lengths[lengths.length >> 1];
            need(Math.abs(is - want) <= 2, text + ' is ' + is + ' long instead of ' + want);
        });
    }
}

// A job without MPI has processes, no ranks, in everything but the definitions of figures and the names of a log.
async function words(page) {
    const job = await page.evaluate(() => JSON.parse(document.getElementById('report').textContent).job);
    const found = await page.evaluate(() =>
        [...document.querySelectorAll('section:not(#glossary):not(#quality) :is(h2, p.note, figcaption, th, caption, dt, option)')]
            .map((one) => one.textContent)
            .filter((text) => /\branks?\b/i.test(text))
    );
    if (job.ranks > 1) need((found.length === 0) === job.ranks_are_processes, 'ranks: ' + found.slice(0, 5).join('; '));
}

// Operations of a trace one by one: coloured in each way, told under the pointer, zoomed in time and in ranks.
async function trace(page) {
    const { traces } = await page.evaluate(() => JSON.parse(document.getElementById('series').textContent));
    if (!traces) return;
    if (!traces.segments)
        await page.locator('#trace .controls[data-operations="' + traces.packed.operations + '"]').waitFor();
    const said = await page.locator('#trace > p').first().innerText();
    const [, number, unit] = /^From .* of the run, .*(?:read|wrote) .*\. The longest call took ([0-9.,]+)\s(\S+):/.exec(said) || [];
    need(number, 'the trace begins with: ' + said);
    if (traces.segments) {
        const longest = Math.max(...traces.segments.map((segment) => segment[7])) / 1e9;
        const told = Number(number.replace(/,/g, '')) * { s: 1, ms: 1e-3, '\u00b5s': 1e-6 }[unit];
        need(Math.abs(told - longest) <= 0.01 * longest, 'the longest took ' + longest + ': ' + said);
    }
    const single = page.locator('#trace .controls select').first();
    const first = await single
        .locator('option')
        .evaluateAll((all) => all.findIndex((one) => one.textContent.includes('single operations')));
    await single.selectOption(String(first));
    const colours = page.locator('#trace .controls select').nth(1);
    const seen = [];
    for (const by of await colours.locator('option').evaluateAll((all) => all.map((one) => one.value))) {
        await page.locator('#trace .controls select').nth(1).selectOption(by);
        await page.waitForTimeout(50);
        need((await inkOfCharts(page)).every((one) => one.ink > 500), 'coloured by ' + by + ' nothing is seen');
        seen.push(by);
    }
    need(seen.includes('size') && seen.includes('duration'), 'colours: ' + seen.join());
    need(seen.includes('target') === (traces.layouts || []).some(Boolean), 'storage targets: ' + seen.join());
    await page.locator('#trace .controls select').nth(1).selectOption('kind');
    const chart = page.locator('#trace .chart');
    await chart.scrollIntoViewIfNeeded();
    // every few pixels, in one go
    const tips = await chart.evaluate((place) => {
        const canvas = place.querySelector('canvas'),
            box = canvas.getBoundingClientRect();
        for (let y = 30; y < box.height - 70; y += 6)
            for (let x = 76; x < box.width - 40; x += 3) {
                const at = { bubbles: true, clientX: box.left + x, clientY: box.top + y };
                canvas.dispatchEvent(new PointerEvent('pointermove', at));
                canvas.dispatchEvent(new MouseEvent('mousemove', at));
                const tip = place.querySelector('.hover');
                if (tip && !tip.hidden && /^(Read|Write) of (rank|process)/.test(tip.innerText)) return tip.innerText;
            }
        return '';
    });
    need(/File[^]*Offset[^]*Length[^]*Began[^]*Took/.test(tips), 'no operation is told: ' + tips);
    const layout = (traces.layouts || [])[0];
    if (layout && traces.files.length === 1) {
        const offset = Number(/Offset: ([0-9,]+)/.exec(tips)[1].replace(/,/g, ''));
        const [[, , size, targets]] = layout;
        const want = 'Storage target: OST ' + targets[Math.floor(offset / size) % targets.length];
        need(tips.includes(want), want + ' is missing: ' + tips);
    }
    await page.locator('#trace .zoom button[title="fewer rows"]').click();
    const [from, to] = (await chart.getAttribute('data-rows')).split(' ').map(Number);
    need(Math.abs(to - from - 50) < 0.01, 'rows zoomed to ' + from + ' to ' + to);
    await page.keyboard.press('ArrowUp');
    need(Number((await chart.getAttribute('data-rows')).split(' ')[1]) === 100, 'the arrow does not move the rows');
    await page.keyboard.press('0');
    need((await chart.getAttribute('data-rows')) === '0.000 100.000', 'not all rows are shown again');
}

// Ranks in order, sorted and as percentiles; axes have round numbers.
async function rankViews(page) {
    const select = page.locator('#ranks > .controls select');
    if (!(await select.count())) return;
    const seen = [await picture(page, '#ranks')];
    for (const view of ['sorted', 'percentiles', 'rank']) {
        await select.selectOption(view);
        await page.locator('#ranks .chart[data-view=' + view + ']').first().waitFor();
        await page.waitForTimeout(100);
        need((await inkOfCharts(page)).every((one) => one.ink > 500), view + ' of ranks is empty');
        seen.push(await picture(page, '#ranks'));
    }
    need(seen[2] !== seen[1] && seen[2] !== seen[0], 'percentiles look like ranks');
}

// Nothing is cut off at a telephone's edge: rows of wide tables are cards there, links are in several lines.
async function telephone(page) {
    await page.setViewportSize({ width: 390, height: 800 });
    await fits(page);
    const cut = await page.evaluate(() =>
        Array.from(document.querySelectorAll('nav ul, .scroll'))
            .filter((box) => box.scrollWidth > box.clientWidth + 1)
            .map((box) => box.getAttribute('aria-label') || 'links')
    );
    need(!cut.length, 'cut off at the edge: ' + cut.join('; '));
}

// Whatever a name says, it is text.
async function names(page, wanted) {
    const text = await page.locator('main').innerText();
    for (const name of wanted.names || []) need(text.includes(name), name + ' is not seen');
    const made = await page.evaluate(
        () => document.querySelectorAll('img, iframe, object, embed, form, base, svg, script[src], link, main a:not([href^="https://doi.org/10."])').length
    );
    need(made === 0, made + ' elements that a name has made');
    need(await page.evaluate(() => window.broken === undefined), 'a name was run');
    if (wanted.cycles) need((await page.locator('#phases').innerText()).includes('Repeats'), 'no cycle was found');
}

async function checkPage(browser, file) {
    const label = path.basename(file, '.html');
    const beside = file.replace(/html$/, 'json');
    const wanted = fs.existsSync(beside) ? JSON.parse(fs.readFileSync(beside)) : {};
    const { page, trouble, close } = await open(browser, file, {
        viewport: { width: 1280, height: 900 },
        colorScheme: 'light',
    });
    await check(label + ': charts are there before one scrolls to them', async () => {
        await page.waitForFunction(
            () => document.querySelectorAll('.chart').length === document.querySelectorAll('.chart canvas').length,
            null,
            { timeout: 10000 }
        );
        need((await page.evaluate(() => window.scrollY)) === 0, 'the page has scrolled');
    });
    await showAll(page);
    await check(label + ': every section draws', () => sections(page, wanted));
    await check(label + ': the first screen', () => firstScreen(page));
    await check(label + ': names are text', () => names(page, wanted));
    await check(label + ': ranks or processes', () => words(page));
    await check(label + ': the glossary', () => glossary(page));
    await check(label + ': tables sort and search', () => tables(page));
    await check(label + ': all layers at a glance', () => glance(page));
    await check(label + ': pictures zoom', () => zoom(page));
    await check(label + ': single operations', () => trace(page));
    await check(label + ': views of ranks', () => rankViews(page));
    await check(label + ': light and dark', () => themes(page));
    await check(label + ': what can be saved', () => saves(page));
    await check(label + ': prints', () => paper(page));
    await check(label + ': no wider than a telephone', () => telephone(page));
    await check(label + ': no message, no request', () => need(trouble.length === 0, trouble.join('\n')));
    await close();
}

launch(modules, async (browser) => {
    for (const file of pages) await checkPage(browser, path.resolve(file));
});
