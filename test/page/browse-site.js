// browse-site.js - opens pages of darshan-accounting in a browser and uses them: browse-site.js MODULES PAGE...
// SPDX-License-Identifier: BSD-3-Clause
//
// MODULES is where npm has put playwright-core. Prints TAP. A page may have a file PAGE.json beside it, {"names": [text
// that must be seen], "drawn": [questions that must have a picture]}.
'use strict';
const fs = require('fs');
const path = require('path');
const { check, need, open, showAll, inkOfCharts, background, picture, fits, paper, launch } = require('./browser.js');

const [modules, ...pages] = process.argv.slice(2);

async function sections(page, wanted) {
    const study = await page.evaluate(() => JSON.parse(document.getElementById('study').textContent));
    const ids = await page.evaluate(() =>
        Array.from(document.querySelectorAll('main section.question'), (section) => section.id)
    );
    need(ids.slice().sort().join() === study.questions.map((question) => question.name).sort().join(), 'sections: ' + ids.join());
    need(ids.length >= 25, ids.length + ' sections');
    const topics = await page.evaluate(() => Array.from(document.querySelectorAll('nav a'), (a) => a.getAttribute('href').slice(1)));
    const order = ['topic-head', 'topic-coverage', 'topic-waiting', 'topic-use', 'topic-jobs', 'topic-devices', 'topic-growth', 'topic-programs', 'unanswered'];
    need(topics.join() === order.filter((id) => topics.includes(id)).join() && topics.length >= 2, 'topics: ' + topics.join());
    const heads = await page.evaluate(() => Array.from(document.querySelectorAll('main thead th'), (th) => th.textContent));
    need(!heads.some((text) => /_|^(nprocs|uid|upto|k)$/.test(text)), 'a heading is no words: ' + heads.filter((t) => /_/.test(t)));
    const folded = page.locator('#unanswered > details > summary');
    if (await folded.count()) {
        need(!(await page.locator('#unanswered section').first().isVisible()), 'questions without an answer are not folded');
        await folded.click();
        need(/^It takes: \w/.test(await page.locator('#unanswered .note').first().innerText()), 'what it takes is not said');
    }
    for (const question of study.questions) {
        const text = await page.locator('#' + question.name).innerText();
        need(text.startsWith(question.title), question.name + ' has no title');
        need(!/undefined|NaN|\[object|Infinity/.test(text), 'section ' + question.name + ': ' + text);
    }
    const lead = await page.locator('#summary .lead').allInnerTexts();
    const best = lead.length ? lead[lead.length - 1] : 'Nothing was found'; // of an empty database
    need(/^Nothing was found|^Nor is it known/.test(best) || /node hours, (<\s)?[0-9.]+\s% of all\.$/.test(best), 'what would help most has no share: ' + best);
    for (const chart of await inkOfCharts(page))
        need(chart.ink > 500, 'a chart of ' + chart.id + ' has ' + chart.ink + ' pixels');
    for (const id of wanted.drawn || [])
        need((await page.locator('#' + id + ' canvas').count()) > 0, id + ' has no picture');
}

// Behind every answer there is its query and, behind pictures, a table with all rows.
async function sources(page) {
    const study = await page.evaluate(() => JSON.parse(document.getElementById('study').textContent));
    for (const { name, sql, rows, columns } of study.questions) {
        const answered = (await page.locator('#unanswered #' + name).count()) === 0;
        const link = page.locator('#' + name + ' .note a', { hasText: /uery/ }).first();
        await link.click();
        need(await page.locator('#query-' + name + ' pre').isVisible(), 'the link of ' + name + ' does not show its query');
        need((await page.locator('#query-' + name + ' pre').innerText()) === sql, name + ' has another query');
        if (!answered) continue;
        if (await page.locator('#' + name + ' canvas').count())
            await page.locator('#' + name + ' .note a', { hasText: 'table' }).click();
        const heads = await page.locator('#' + name + ' thead th').count();
        // numbers of logs stand in tables only where files are not named, and what no row says does not
        const named = columns.some((column) => /^(.*_)?path$/.test(column));
        const wanted = columns.filter(
            (column, i) => !(named && /^(log_id|slow_log|fast_log)$/.test(column)) && rows.some((row) => row[i] !== null && row[i] !== '')
        );
        need(heads === wanted.length, name + ' has ' + heads + ' columns instead of ' + wanted.length);
        const all = page.locator('#' + name + ' .more button').last();
        if (rows.length < 500 && (await all.count())) await all.click();
        const shown = await page.locator('#' + name + ' tbody tr').count();
        need(shown === rows.length || rows.length >= 500, name + ': ' + shown + ' of ' + rows.length + ' rows are shown');
    }
}

// No table is cut off at the edge, of the window or of paper, with all of them open (as `sources` leaves them).
async function edges(page) {
    const wide = () =>
        page.evaluate(() =>
            Array.from(document.querySelectorAll('.scroll'), (one) => [one.closest('section').id, one.scrollWidth - one.clientWidth])
                .filter(([, more]) => more > 0)
                .join(' ')
        );
    need((await wide()) === '', 'wider than the window: ' + (await wide()));
    await page.setViewportSize({ width: 940, height: 900 }); // what is printed
    await page.emulateMedia({ media: 'print' });
    const printed = await wide();
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize({ width: 1280, height: 900 });
    need(printed === '', 'wider than paper: ' + printed);
}

async function names(page, wanted) {
    const text = await page.locator('main').innerText();
    for (const name of wanted.names || []) need(text.includes(name), name + ' is not seen');
    const made = await page.evaluate(
        () => document.querySelectorAll('img, iframe, object, embed, form, base, svg, script[src], link').length
    );
    need(made === 0, made + ' elements that a name has made');
    need(await page.evaluate(() => window.broken === undefined), 'a name was run');
}

async function themes(page) {
    const light = await background(page);
    const drawn = await page.locator('main section.question:has(canvas)').first().getAttribute('id');
    const before = await picture(page, '#' + drawn);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    need((await background(page)) !== light, 'dark is as light');
    need((await picture(page, '#' + drawn)) !== before, 'the charts stayed light');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
}

async function checkPage(browser, file) {
    const label = path.basename(file, '.html');
    const beside = file.replace(/html$/, 'json');
    const wanted = fs.existsSync(beside) ? JSON.parse(fs.readFileSync(beside)) : {};
    const { page, trouble, close } = await open(browser, file, {
        viewport: { width: 1280, height: 900 },
        colorScheme: 'light',
    });
    await showAll(page);
    await check(label + ': every question has its section', () => sections(page, wanted));
    await check(label + ': light and dark', () => themes(page));
    await check(label + ': the query and the table behind every answer', () => sources(page));
    await check(label + ': no table is cut off', () => edges(page));
    await check(label + ': names are text', () => names(page, wanted));
    await check(label + ': prints', () => paper(page));
    await check(label + ': no wider than a telephone', async () => {
        await page.setViewportSize({ width: 390, height: 800 });
        await fits(page);
    });
    await check(label + ': no message, no request', () => need(trouble.length === 0, trouble.join('\n')));
    await close();
}

launch(modules, async (browser) => {
    for (const file of pages) await checkPage(browser, path.resolve(file));
});
