// main.js - puts the page together
// SPDX-License-Identifier: BSD-3-Clause

// ------------------------------------------------------------------ light and dark

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
        element.textContent = theme ? (theme === 'dark' ? 'Dark' : 'Light') : 'Auto';
        element.setAttribute('aria-label', 'Colours: ' + element.textContent);
    };
    function choose() {
        theme = theme === null ? 'dark' : theme === 'dark' ? 'light' : null;
        label();
        showTheme();
    }
    label();
    return element;
}

// Paper is white, shows all charts, and has no pointer to unfold tables with: short ones are unfolded.
function printAll() {
    for (const entry of charts) showChart(entry);
    for (const details of document.querySelectorAll('details'))
        if (!details.open && details.querySelectorAll('tr').length <= 26) {
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
    showTheme();
}

// ------------------------------------------------------------------ the page

function read(id) {
    return JSON.parse(document.getElementById(id).textContent);
}

function fill() {
    const report = read('report'),
        series = read('series');
    const sections = sectionsOf(report, series);
    const title = titleOf(report);
    document.title = 'I/O of ' + visible(title.name);
    const links = contents.map(({ id, title: name }) => make('li', null, make('a', { href: '#' + id }, name)));
    document.body.append(
        make('a', { class: 'skip', href: '#answer' }, 'To the answer'),
        make(
            'header',
            { class: 'wrap' },
            make('h1', null, 'I/O of ' + visible(title.name)),
            make('p', { class: 'byline' }, title.byline)
        ),
        make(
            'nav',
            { 'aria-label': 'Sections' },
            make('div', { class: 'wrap' }, make('ul', null, links), themeButton())
        ),
        make(
            'main',
            { class: 'wrap' },
            sections,
            canDraw ? null : note('This page was made without charts: their tables are shown instead.')
        ),
        make('footer', { class: 'wrap' }, footerOf(report))
    );
}

document.documentElement.dataset.theme = systemIsDark.matches ? 'dark' : 'light';
fill();
watchCharts();
systemIsDark.addEventListener('change', showTheme);
window.addEventListener('beforeprint', printAll);
window.addEventListener('afterprint', printed);
