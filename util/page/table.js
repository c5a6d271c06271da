// table.js - tables that can be sorted and searched
// SPDX-License-Identifier: BSD-3-Clause

const ROWS_AT_FIRST = 25;
const CARDS_AT_FIRST = 6; // on a telephone, where a row is a card

// Columns are { label, get, show, title, text }: get(row) is the sort key, show(value, row) the content (a text or an
// element; default: the value); columns are numeric unless `text` is set. Options: caption; sort: the initial column,
// negative numbers (-1 - column) for descending; search: row => text; label: name of the search field; plain: not
// sortable.
function table(columns, rows, options) {
    const first = columns.length > 3 && window.innerWidth <= 600 ? CARDS_AT_FIRST : ROWS_AT_FIRST;
    const state = { column: null, descending: false, query: '', shown: first };
    const body = make('tbody');
    const status = make('p', { class: 'status', role: 'status' });
    const more = make('div', { class: 'more' });
    const heads = columns.map((column, i) => headOf(column, i));
    const element = make(
        'table',
        { class: columns.length > 12 ? 'cards many' : columns.length > 3 ? 'cards' : null },
        make('caption', null, options.caption),
        make('thead', null, make('tr', null, heads)),
        body
    );

    function headOf(column, i) {
        const label = spoken(column.label);
        const sorter =
            rows.length > 1 && !options.plain ? make('button', { type: 'button', onclick: () => sortBy(i) }, label) : label;
        return make('th', { scope: 'col', class: column.text ? null : 'number', title: column.title && spoken(column.title) }, sorter);
    }

    function sortBy(i, descending) {
        const again = state.column === i;
        state.descending = descending !== undefined ? descending : again ? !state.descending : i !== null && !columns[i].text;
        state.column = i;
        heads.forEach((head, k) => {
            if (k === i) head.setAttribute('aria-sort', state.descending ? 'descending' : 'ascending');
            else head.removeAttribute('aria-sort');
        });
        draw();
    }

    function chosen() {
        const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
        const found = words.length
            ? rows.filter((row) => words.every((word) => options.search(row).toLowerCase().includes(word)))
            : rows.slice();
        if (state.column !== null) {
            const { get } = columns[state.column];
            found.sort((a, b) => (state.descending ? -1 : 1) * compare(get(a), get(b)));
        }
        return found;
    }

    function draw() {
        const found = chosen();
        const part = found.slice(0, state.shown);
        body.replaceChildren(
            ...part.map((row) =>
                make(
                    'tr',
                    null,
                    columns.map((column, i) => cellOf(column, row, i))
                )
            )
        );
        if (!part.length)
            body.append(
                make('tr', null, make('td', { colspan: columns.length }, state.query ? 'Nothing matches.' : 'Nothing.'))
            );
        const left = found.length - part.length;
        more.replaceChildren();
        if (left > 0)
            more.append(
                button('Show ' + Math.min(left, 4 * ROWS_AT_FIRST) + ' more', 'show more rows', () =>
                    showMore(4 * ROWS_AT_FIRST)
                ),
                button('Show all ' + count(found.length), 'show all rows', () => showMore(found.length))
            );
        status.textContent = state.query ? plural(found.length, 'row matches', 'rows match') : '';
    }

    function showMore(n) {
        state.shown += n;
        draw();
    }

    const search =
        options.search &&
        searchField(options.label, (text) => {
            state.query = text;
            state.shown = first;
            draw();
        });
    // if rows are displayed as cards (page.css), there are no headings to click
    const order =
        columns.length > 3 && rows.length > 1 && !options.plain
            ? make(
                  'p',
                  { class: 'controls sorter' },
                  choice(
                      'Sort by',
                      (options.sort === undefined ? [['', 'as listed']] : []).concat(columns.map(({ label }, i) => [String(i), spoken(label)])),
                      options.sort === undefined ? '' : String(options.sort < 0 ? -1 - options.sort : options.sort),
                      (i) => sortBy(i === '' ? null : Number(i))
                  )
              )
            : null;
    if (options.sort === undefined) draw();
    else sortBy(options.sort < 0 ? -1 - options.sort : options.sort, options.sort < 0);
    // scrollable regions must be accessible by keyboard
    const scroll = make(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': options.caption },
        element
    );
    // all rows that match, in the order shown; values as numbers, with what reads as a formula in quotation marks
    const quoted = (v) => (typeof v === 'number' ? String(v) : '"' + visible(v === null || v === undefined ? '' : v).replace(/"/g, '""').replace(/^[=+@-]/, "'$&") + '"');
    const asText = () =>
        [columns.map(({ label }) => quoted(label))]
            .concat(chosen().map((row) => columns.map(({ get }) => quoted(get(row)))))
            .map((cells) => cells.join(',') + '\r\n')
            .join('');
    const saved = rows.length
        ? saver([
              'CSV',
              'the table, all ' + plural(rows.length, 'row'),
              () => save('data:text/csv;charset=utf-8,' + encodeURIComponent(asText()), fileName(options.caption) + '.csv'),
          ])
        : null;
    return make('div', { class: 'table' }, search, order, status, scroll, more, saved);
}

function cellOf(column, row, i) {
    const value = column.get(row);
    const text = column.show
        ? column.show(value, row)
        : known(value)
          ? count(value)
          : value === null || value === undefined
            ? UNKNOWN
            : visible(value);
    const attributes = { class: column.text ? null : 'number', 'data-label': spoken(column.label) };
    return i === 0 && column.text
        ? make('th', Object.assign({ scope: 'row' }, attributes), text)
        : make('td', attributes, text);
}

// Numbers by value, texts alphabetically, unknown values last.
function compare(a, b) {
    const none = (v) => v === null || v === undefined || v === -1;
    if (none(a) || none(b)) return none(a) - none(b);
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return String(a).localeCompare(String(b), 'en', { numeric: true });
}

function searchField(label, action) {
    const id = freshId('search');
    return make(
        'p',
        { class: 'search' },
        make('label', { for: id }, label),
        make('input', {
            id,
            type: 'search',
            autocomplete: 'off',
            spellcheck: 'false',
            oninput: (event) => action(event.target.value),
        })
    );
}
