// main.js - assembles the page
// SPDX-License-Identifier: BSD-3-Clause

function fill() {
    const report = read('report'),
        series = read('series');
    nameEveryone(report.job);
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

start(fill);
