// site.js - the page of a site: a section for each query of the study
// SPDX-License-Identifier: BSD-3-Clause

function rowsOf(question) {
    return question.rows.map((row) => Object.fromEntries(question.columns.map((name, i) => [name, row[i]])));
}

// Names of columns are kept once they are released; those of programs have a rate that is no MiB/s per compute node.
function heading(question, column) {
    return inWords(question.topic === 'programs' ? column.replace(/(^|_)rate$/, '$1megabytes_a_CPU_second') : column);
}

function tableOf(question) {
    const isText = question.columns.map((_, i) => question.rows.some((row) => typeof row[i] === 'string'));
    return table(
        question.columns.map((name, i) => ({
            label: heading(question, name),
            get: (row) => row[i],
            show: showBy(question.kinds[i]),
            text: isText[i],
        })),
        question.rows,
        {
            caption: plural(question.rows.length, 'row'),
            label: 'Search in ' + question.title,
            search:
                question.rows.length > ROWS_AT_FIRST && isText.includes(true)
                    ? (row) => row.filter((v) => typeof v === 'string').join(' ')
                    : null,
        }
    );
}

// A link to a collapsed element expands it.
function linkTo(details, text) {
    return make('a', { href: '#' + details.id, onclick: () => (details.open = true) }, text);
}

function queryOf(question) {
    const sql = folded('The query', make('pre', { tabindex: 0 }, question.sql));
    sql.id = 'query-' + question.name;
    return sql;
}

// A single row without any count is no answer.
function hasAnswer(question) {
    return question.rows.length > 1 || question.rows.some((row) => row.some((v) => v !== null && v !== 0));
}

function sectionOf(question) {
    const rows = rowsOf(question);
    const sql = queryOf(question);
    const pictures = canDraw && PICTURES[question.name] ? PICTURES[question.name](rows) : [];
    const data = pictures.length ? folded('Table', tableOf(question)) : tableOf(question);
    data.id = 'data-' + question.name;
    return make(
        'section',
        { id: question.name, class: 'question', 'aria-labelledby': question.name + '-title' },
        make('h3', { id: question.name + '-title' }, question.title),
        ...(pictures.length > 1 ? [make('div', { class: 'pair' }, pictures)] : pictures),
        note(
            pictures.length ? 'From ' : 'By ',
            linkTo(sql, 'query ' + question.name),
            pictures.length ? [', whose answer is the ', linkTo(data, 'table'), ' below'] : null,
            question.more ? '. Here are its first ' + plural(rows.length, 'row') + '; darshan-accounting prints all' : null,
            '.'
        ),
        data,
        sql
    );
}

// In the order of interest to an administrator.
const TOPICS = [
    ['use', 'Who uses how much'],
    ['jobs', 'Which jobs suffer'],
    ['devices', 'Devices and storage targets'],
    ['growth', 'Growth of file systems'],
    ['programs', 'Process accounting'],
    ['coverage', 'Coverage'],
];

function topicOf([topic, title], questions) {
    const answered = questions.filter((question) => question.topic === topic && hasAnswer(question));
    if (!answered.length) return null;
    contents.push({ id: 'topic-' + topic, title });
    return make(
        'section',
        { id: 'topic-' + topic, class: 'topic', 'aria-labelledby': 'topic-' + topic + '-title' },
        make('h2', { id: 'topic-' + topic + '-title' }, title),
        answered.map(sectionOf)
    );
}

// Queries without an answer, and the data they require.
function unanswered(questions) {
    const without = questions.filter((question) => !hasAnswer(question));
    if (!without.length) return null;
    contents.push({ id: 'unanswered', title: 'Not answered' });
    const list = folded(
        plural(without.length, 'question has', 'questions have') + ' no answer in this database',
        without.map((question) => {
            const sql = queryOf(question);
            return make(
                'section',
                { id: question.name, class: 'question', 'aria-labelledby': question.name + '-title' },
                make('h3', { id: question.name + '-title' }, question.title),
                note('It takes: ', question.takes || 'ingest', '. ', linkTo(sql, 'The query ' + question.name), '.'),
                sql
            );
        })
    );
    return make(
        'section',
        { id: 'unanswered', class: 'topic', 'aria-labelledby': 'unanswered-title' },
        make('h2', { id: 'unanswered-title' }, 'Not answered'),
        list
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
    const sections = TOPICS.map((topic) => topicOf(topic, study.questions)).concat(unanswered(study.questions));
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
            { 'aria-label': 'Topics' },
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
