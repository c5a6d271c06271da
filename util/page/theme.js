// theme.js - light, dark and print themes; start of a page
// SPDX-License-Identifier: BSD-3-Clause

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const paper = matchMedia('print');
let theme = null; // what the reader chose; null: what the system says

function showTheme() {
    const dark = !paper.matches && (theme ? theme === 'dark' : systemIsDark.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    redraw();
}

function themeButton() {
    const element = make('button', { type: 'button', class: 'theme', onclick: choose });
    const label = () => {
        element.textContent = 'Colours: ' + (theme || 'as the system');
    };
    function choose() {
        theme = theme === null ? 'dark' : theme === 'dark' ? 'light' : null;
        label();
        showTheme();
    }
    label();
    return element;
}

const PAPER = 940; // pixels that browsers shrink to the width of A4 or Letter, as the style's main

// Printed pages are white, show all charts, as wide as the paper, and have no pointer to expand tables: short ones are
// expanded.
function printAll() {
    const part = Math.min(1, PAPER / document.querySelector('main').clientWidth);
    for (const entry of charts) {
        showChart(entry);
        entry.chart.resize({ width: part * entry.place.clientWidth });
    }
    for (const details of document.querySelectorAll('details'))
        if (!details.open && details.querySelector('tr') && details.querySelectorAll('tr').length <= 26) {
            details.open = true;
            details.dataset.folded = 'true';
        }
    showTheme();
}

function printed() {
    for (const details of document.querySelectorAll('details[data-folded]')) {
        details.open = false;
        delete details.dataset.folded;
    }
    for (const entry of charts) entry.chart.resize({ width: 'auto' });
    showTheme();
}

// ------------------------------------------------------------------ the beginning

function read(id) {
    return JSON.parse(document.getElementById(id).textContent);
}

// fill() inserts all elements into the page.
function start(fill) {
    document.documentElement.dataset.theme = systemIsDark.matches ? 'dark' : 'light';
    fill();
    watchCharts();
    systemIsDark.addEventListener('change', showTheme);
    window.addEventListener('beforeprint', printAll);
    window.addEventListener('afterprint', printed);
}
