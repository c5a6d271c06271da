// site.js - the page of a site: a section for each query of the study
// SPDX-License-Identifier: BSD-3-Clause

function rowsOf(question) {
    return question.rows.map((row) => Object.fromEntries(question.columns.map((name, i) => [name, row[i]])));
}

// Names of columns are kept once they are released; those of programs have a rate that is no MiB/s per compute node.
function heading(question, column) {
    return inWords(question.topic === 'programs' ? column.replace(/(^|_)rate$/, '$1megabytes_a_CPU_second') : column);
}

let reports = {}; // of logs, by path
let findings = {}; // titles by id

const findingOf = (id) => (id === null ? UNKNOWN : Object.hasOwn(findings, id) ? findings[id] : visible(id));

// A log's file, and the report of its job, or how to make it.
function logOf(path) {
    if (typeof path !== 'string') return UNKNOWN;
    const text = shortened(visible(path).replace(/.*\//, '').replace(/\.darshan$/, ''), 40);
    return Object.hasOwn(reports, path)
        ? make('a', { class: 'log', href: reports[path], title: 'Report of ' + visible(path) }, text)
        : make('span', { class: 'log', title: 'darshan-job-summary -o report.html ' + visible(path) }, text);
}

// Whether any row says something there: the machine of a site that has one has no name, and may be none.
const isUsed = (question, i) => question.rows.some((row) => row[i] !== null && row[i] !== '');

function tableOf(question) {
    const isText = question.columns.map((_, i) => question.rows.some((row) => typeof row[i] === 'string'));
    const hasPath = question.columns.some((name) => name === 'path' || name.endsWith('_path'));
    return table(
        question.columns
            .map((name, i) => ({
                name,
                label: heading(question, name),
                get: (row) => row[i],
                show:
                    name === 'path' || name.endsWith('_path') ? logOf : name.endsWith('finding') ? findingOf : showBy(question.kinds[i]),
                text: isText[i],
                used: isUsed(question, i),
            }))
            .filter(({ name, used }) => used && (!hasPath || !/^(log_id|slow_log|fast_log)$/.test(name))), // files have names
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

// A link to a collapsed element expands it.
function linkTo(details, text) {
    return make('a', { href: '#' + details.id, onclick: () => (details.open = true) }, text);
}

function queryOf(question) {
    const sql = folded('The query', make('pre', { tabindex: 0 }, question.sql));
    sql.id = 'query-' + question.name;
    return sql;
}

// A single row without any count is no answer, nor is the only machine.
function hasAnswer(question) {
    if (question.name === 'waits-by-machine' && question.rows.length < 2) return false;
    return question.rows.length > 1 || question.rows.some((row) => row.some((v) => v !== null && v !== 0));
}

function sectionOf(question) {
    const rows = rowsOf(question);
    const sql = queryOf(question);
    const pictures = canDraw && PICTURES[question.name] ? PICTURES[question.name](rows) : [];
    const sentences = question.name === 'summary' ? sentencesOf(rows[0]) : [];
    const data = pictures.length || sentences.length ? folded('Table', tableOf(question)) : tableOf(question);
    data.id = 'data-' + question.name;
    return make(
        'section',
        { id: question.name, class: 'question', 'aria-labelledby': question.name + '-title' },
        make('h3', { id: question.name + '-title' }, question.title),
        sentences.map((text) => make('p', { class: 'lead' }, text)),
        ...(pictures.length > 1 ? [make('div', { class: 'pair' }, pictures)] : pictures),
        note(
            pictures.length || sentences.length ? 'From ' : 'By ',
            linkTo(sql, 'query ' + question.name),
            pictures.length || sentences.length ? [', whose answer is the ', linkTo(data, 'table'), ' below'] : null,
            question.more ? '. Here are its first ' + plural(rows.length, 'row') + '; darshan-accounting prints all' : null,
            '.'
        ),
        data,
        sql
    );
}

const unbroken = (day) => day.replace(/-/g, '\u2011');
const hours = (v) => (v >= 10 ? count(v) : digits(v)) + NBSP + 'node hours';

// How much is known, how much waits, what would help most.
function sentencesOf(row) {
    const change =
        known(row.waited_percent_of_last_month) && known(row.waited_percent_of_month_before)
            ? ' In ' + unbroken(row.last_month) + ' (until ' + unbroken(row.last_day) + ') it was ' +
              percent(row.waited_percent_of_last_month) + ', in ' + unbroken(row.month_before) + ' ' +
              percent(row.waited_percent_of_month_before) + '.'
            : '';
    const left = [
        row.logs_without_nodes ? plural(row.logs_without_nodes, 'log does', 'logs do') + ' not tell the number of nodes' : '',
        row.partial_logs ? plural(row.partial_logs, 'log is', 'logs are') + ' incomplete: their numbers of files are lower bounds' : '',
    ].filter((text) => text);
    return [
        (known(row.covered_percent_of_core_hours)
            ? percent(row.covered_percent_of_core_hours) + ' of the core hours that the scheduler gave out left logs'
            : 'How much of the machine these ' + plural(row.logs, 'log covers', 'logs cover') + ' is not known without the list of jobs') +
            (left.length ? '; ' + left.join('; ') : '') + '.',
        (known(row.waited_node_hours)
            ? percent(row.waited_percent) +
              ' of ' +
              hours(row.node_hours) +
              ' were lost waiting for I/O: ' +
              hours(row.waited_node_hours) +
              (row.its_waited_node_hours > 0 ? ', most by ' + visible(row.most_waiting_program) + ': ' + hours(row.its_waited_node_hours) : '') +
              '.'
            : 'How many node hours wait for I/O is not known without the numbers of nodes.') + change,
        bestOf(row),
    ];
}

const MATTERS = 0.5; // percent of all node hours

function bestOf(row) {
    if (!known(row.node_hours)) return 'Nor is it known what would help most.';
    if (!(row.best_saves_node_hours > 0)) return 'Nothing was found that would be worth fixing.';
    const what =
        '\u201c' + findingOf(row.best_finding) + '\u201d in ' + plural(row.best_logs, 'run', 'runs') + ' of ' + visible(row.best_program) +
        ' costs up to ' + hours(row.best_saves_node_hours) + ', ' + percent(row.best_saves_percent) + ' of all.';
    return row.best_saves_percent < MATTERS
        ? 'Nothing that was found matters to the machine as a whole. The most: ' + what
        : 'What would help most: ' + what;
}

// First what has to be decided, then what qualifies it, then the rest in the order of interest to an administrator.
const TOPICS = [
    ['head', 'In short', 'What waits for I/O, and what is most worth fixing, in node hours.'],
    ['coverage', 'Coverage', 'Everything on this page is about jobs that left logs: this is how many of all.'],
    ['waiting', 'Who waits', 'A job\u2019s nodes wait while its slowest rank does: whose node hours are lost to I/O, and when.'],
    ['use', 'Who uses how much', 'Bytes and files by user, project, interface and size of the job.'],
    ['jobs', 'Which jobs suffer', 'Jobs that get less from the file system than others, and in what they differ.'],
    ['devices', 'Devices and storage targets', 'What the file servers\u2019 devices moved, when they were idle, and what of it logs explain.'],
    ['growth', 'Growth of file systems', 'How many files there are, how large and how old, and who makes more of them.'],
    ['programs', 'Process accounting', 'All programs, also those without logs, by what they read and write for their CPU time.'],
];

function topicOf([topic, title, sentence], questions) {
    const answered = questions.filter((question) => question.topic === topic && hasAnswer(question));
    if (!answered.length) return null;
    contents.push({ id: 'topic-' + topic, title });
    return make(
        'section',
        { id: 'topic-' + topic, class: 'topic', 'aria-labelledby': 'topic-' + topic + '-title' },
        make('h2', { id: 'topic-' + topic + '-title' }, title),
        make('p', { class: 'topic-sentence' }, sentence),
        answered.map(sectionOf)
    );
}

// "ingest" and "import KIND", as commands.
function commandsOf(takes) {
    return takes
        .split(/(\bingest\b|\bimport [a-z]+)/)
        .map((part, i) => (i % 2 ? make('code', null, 'darshan-accounting ' + part + (part === 'ingest' ? ' DIRECTORY' : ' FILE')) : part));
}

// Queries without an answer, in a line each, and the command that would answer it.
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
                { id: question.name, class: 'question unanswered', 'aria-labelledby': question.name + '-title' },
                make('h3', { id: question.name + '-title' }, question.title),
                note('It takes: ', commandsOf(question.takes || 'ingest'), '. ', linkTo(sql, 'The query ' + question.name), '.'),
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

function period({ from, to, machine }) {
    return (machine ? 'Machine ' + visible(machine) + '. ' : '') + when(from, to);
}

function when(from, to) {
    return from === null && to === null
        ? 'All that the database holds'
        : (from === null ? 'Until ' : 'From ' + moment(from) + (to === null ? '' : ' to ')) +
              (to === null ? '' : moment(to)) +
              ' (' + zone + ')';
}

function fill() {
    const study = read('study');
    setZone(study.zone);
    reports = study.reports;
    findings = study.findings;
    document.body.classList.add('site');
    const sections = TOPICS.map((topic) => topicOf(topic, study.questions)).concat(unanswered(study.questions));
    document.title = 'I/O of the site';
    document.body.append(
        make('a', { class: 'skip', href: '#' + contents[0].id }, 'To the first answer'),
        make(
            'header',
            { class: 'wrap' },
            make('h1', null, 'I/O of the site'),
            make('p', { class: 'byline' }, period(study) + '. Made on ' + moment(study.made) + '; times and days are of the time zone ' + zone + '.'),
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
