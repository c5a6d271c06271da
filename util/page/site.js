// site.js - the page of a site: a section for each question of its study
// SPDX-License-Identifier: BSD-3-Clause

function rowsOf(question) {
    return question.rows.map((row) => Object.fromEntries(question.columns.map((name, i) => [name, row[i]])));
}

function tableOf(question) {
    const isText = question.columns.map((_, i) => question.rows.some((row) => typeof row[i] === 'string'));
    return table(
        question.columns.map((name, i) => ({
            label: name.replace(/_/g, ' '),
            get: (row) => row[i],
            show: showBy(name),
            text: isText[i],
        })),
        question.rows,
        {
            caption: plural(question.rows.length, 'row'),
            label: 'Search in ' + question.name,
            search:
                question.rows.length > ROWS_AT_FIRST && isText.includes(true)
                    ? (row) => row.filter((v) => typeof v === 'string').join(' ')
                    : null,
        }
    );
}

// What is folded is unfolded by the link to it.
function linkTo(details, text) {
    return make('a', { href: '#' + details.id, onclick: () => (details.open = true) }, text);
}

function sectionOf(question) {
    const rows = rowsOf(question);
    const sql = folded('The query', make('pre', { tabindex: 0 }, question.sql));
    sql.id = 'query-' + question.name;
    contents.push({ id: question.name, title: question.name });
    const parts = [];
    if (!rows.length) {
        parts.push(note('Nothing in the database answers this. ', linkTo(sql, 'The query'), '.'));
    } else {
        const pictures = canDraw && PICTURES[question.name] ? PICTURES[question.name](rows) : [];
        const data = pictures.length ? folded('Table', tableOf(question)) : tableOf(question);
        data.id = 'data-' + question.name;
        parts.push(
            ...(pictures.length > 1 ? [make('div', { class: 'pair' }, pictures)] : pictures),
            note(
                pictures.length ? 'From ' : 'By ',
                linkTo(sql, 'query ' + question.name),
                pictures.length ? [', whose answer is the ', linkTo(data, 'table'), ' below'] : null,
                question.more ? '. Here are its first ' + plural(rows.length, 'row') + '; darshan-accounting prints all' : null,
                '.'
            ),
            data
        );
    }
    return make(
        'section',
        { id: question.name, 'aria-labelledby': question.name + '-title' },
        make('h2', { id: question.name + '-title' }, question.title),
        parts,
        sql
    );
}

function period({ from, to }) {
    return from === null && to === null
        ? 'All that the database holds'
        : (from === null ? 'Until ' : 'From ' + moment(from) + (to === null ? '' : ' to ')) +
              (to === null ? '' : moment(to)) +
              ' UTC';
}

function fill() {
    const study = read('study');
    const sections = study.questions.map(sectionOf);
    document.title = 'I/O of the site';
    document.body.append(
        make('a', { class: 'skip', href: '#' + contents[0].id }, 'To the first answer'),
        make(
            'header',
            { class: 'wrap' },
            make('h1', null, 'I/O of the site'),
            make('p', { class: 'byline' }, period(study) + '. Made on ' + moment(study.made) + ' UTC.'),
            make(
                'p',
                { class: 'byline' },
                'Figures of projects are of logs with ' +
                    plural(study.min_procs, 'process or more', 'processes or more') +
                    ' and ' +
                    digits(study.min_mib) +
                    ' MiB or more.'
            )
        ),
        make(
            'nav',
            { 'aria-label': 'Questions' },
            make(
                'div',
                { class: 'wrap' },
                make(
                    'ul',
                    null,
                    contents.map(({ id, title }) => make('li', null, make('a', { href: '#' + id }, title)))
                ),
                themeButton()
            )
        ),
        make(
            'main',
            { class: 'wrap' },
            sections,
            canDraw ? null : note('This page was made without charts: their tables are shown instead.')
        ),
        make('footer', { class: 'wrap' }, 'Made by darshan-accounting ' + visible(study.version) + '.')
    );
}

start(fill);
