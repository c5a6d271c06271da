// browser.js - what checks of pages in a browser share; prints TAP
// SPDX-License-Identifier: BSD-3-Clause
'use strict';
const path = require('path');

let tests = 0;
let failures = 0;

function result(ok, what, why) {
    tests++;
    if (!ok) failures++;
    console.log((ok ? 'ok ' : 'not ok ') + tests + ' - ' + what);
    if (!ok) console.log('# ' + String(why).replace(/\n/g, '\n# '));
}

// A check throws if it fails.
async function check(what, action) {
    try {
        await action();
        result(true, what);
    } catch (error) {
        result(false, what, error.stack);
    }
}

function need(condition, why) {
    if (!condition) throw new Error(why);
}

// What the page must never do is noted from its first moment on.
async function open(browser, file, options) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const trouble = [];
    page.on('console', (message) => trouble.push('console: ' + message.text()));
    page.on('pageerror', (error) => trouble.push('error: ' + error.stack));
    page.on('dialog', (dialog) => trouble.push('dialog: ' + dialog.message()));
    page.on('request', (request) => {
        if (request.url() !== 'file://' + file && !request.url().startsWith('blob:'))
            trouble.push('request: ' + request.url());
    });
    await page.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) =>
            console.log('violation: ' + event.violatedDirective)
        );
    });
    await page.goto('file://' + file);
    return { page, trouble, close: () => context.close() };
}

async function showAll(page) {
    for (const chart of await page.locator('.chart').all()) {
        await chart.scrollIntoViewIfNeeded();
        await chart.locator('canvas').first().waitFor();
    }
}

// Of each chart: its section and how many of its pixels are not transparent.
function inkOfCharts(page) {
    return page.evaluate(() =>
        Array.from(document.querySelectorAll('.chart'), (chart) => {
            const { width, height } = chart.querySelector('canvas');
            const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
            // reading the page's own canvas is remarked on by the browser
            context.drawImage(chart.querySelector('canvas'), 0, 0);
            const { data } = context.getImageData(0, 0, width, height);
            let ink = 0;
            for (let i = 3; i < data.length; i += 4) ink += data[i] > 0;
            return { id: chart.closest('section').id, ink };
        })
    );
}

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const picture = (page, place) =>
    page
        .locator(place + ' .chart canvas')
        .first()
        .evaluate((canvas) => canvas.toDataURL());

// Charts follow the size of the window a moment later.
async function fits(page) {
    const tooWide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    let wide = await page.evaluate(tooWide);
    for (let i = 0; i < 50 && wide > 0; i++) {
        await page.waitForTimeout(100);
        wide = await page.evaluate(tooWide);
    }
    need(wide <= 0, wide + ' pixels too wide');
}

// No chart is cut off by the paper's edge, and afterwards all are as they were.
async function paper(page) {
    const widths = () =>
        page.evaluate(() => Array.from(document.querySelectorAll('.chart canvas'), (canvas) => canvas.clientWidth));
    const before = await widths();
    await page.emulateMedia({ media: 'print' });
    need(!(await page.locator('nav').isVisible()), 'the links are printed');
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    const printed = Math.max(0, ...(await widths()));
    need(printed <= 940, 'a chart is ' + printed + ' pixels wide, what is printed 940');
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    const pdf = await page.pdf({ format: 'A4' });
    need(pdf.length > 20000, 'only ' + pdf.length + ' bytes are printed');
    await page.emulateMedia({ media: 'screen' });
    const after = await widths();
    need(after.join() === before.join(), 'charts are ' + after + ' wide instead of ' + before);
}

// MODULES is where npm has put playwright-core.
async function launch(modules, use) {
    const { chromium } = require(path.resolve(modules, 'node_modules', 'playwright-core'));
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM || 'chromium',
        args: process.getuid() === 0 ? ['--no-sandbox'] : [],
    });
    await use(browser);
    await browser.close();
    console.log('1..' + tests);
    process.exit(failures ? 1 : 0);
}

module.exports = { check, need, open, showAll, inkOfCharts, background, picture, fits, paper, launch };
