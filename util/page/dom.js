// dom.js - elements of the page; data of a log is always inserted as text, never as markup
// SPDX-License-Identifier: BSD-3-Clause

// make('p', { class: 'note' }, 'text', element...): children that are null or false are ignored.
function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
    return element;
}

// Control characters, invisible ones and bidirectional controls could make a name look like another one.
function visible(name) {
    // eslint-disable-next-line no-control-regex
    return String(name).replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');
}

const contents = [];

// A section with its heading; the table of contents has its first word, or all of it.
const BY_FIRST_WORD = ['sharing', 'mounts', 'phases', 'quality'];
function section(id, title, ...children) {
    contents.push({ id, title: BY_FIRST_WORD.includes(id) ? title.split(' ')[0] : title });
    return make(
        'section',
        { id, 'aria-labelledby': id + '-title' },
        make('h2', { id: id + '-title' }, title),
        ...children
    );
}

// Without data in the log there is no section, but an entry in one line: "trace (to get one ...)".
const missing = [];
function absent(what, why) {
    missing.push(why ? what + ' (' + why + ')' : what);
    return null;
}

function absentLine() {
    return missing.length
        ? make('p', { class: 'note', id: 'absent' }, 'Not in this log: ' + missing.join('; ') + '.')
        : null;
}

function note(...children) {
    return make('p', { class: 'note' }, ...children);
}

// Pairs of a name and a value, and 'wide' if the value may be long; pairs with the value null are omitted.
function facts(pairs) {
    const list = make('dl', { class: 'facts' });
    for (const [name, value, width] of pairs)
        if (value !== null && value !== undefined && value !== '')
            list.append(make('div', { class: width }, make('dt', null, name), make('dd', null, value)));
    return list;
}

// A name that may be broken anywhere; a very long one is shortened, with a tooltip.
function pathText(name) {
    const text = visible(name);
    return make('span', { class: 'path', title: text.length > 300 ? text : null }, shortened(text, 300));
}

let nextId = 0;
function freshId(prefix) {
    nextId++;
    return prefix + '-' + nextId;
}

function button(label, title, action) {
    return make('button', { type: 'button', title, 'aria-label': title, onclick: action }, label);
}

// A file for the reader: the browser asks where, or puts it where downloads go.
function save(address, name) {
    make('a', { href: address, download: name }).click();
}

function fileName(label) {
    return visible(label).replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60);
}

function saver(...kinds) {
    return make('p', { class: 'saver' }, kinds.map(([label, title, action]) => button(label, 'save ' + title, action)));
}

// A label and a drop-down list.
function choice(label, options, chosen, action) {
    const id = freshId('choice');
    const list = make(
        'select',
        { id, onchange: (event) => action(event.target.value) },
        options.map(([value, text]) => make('option', { value, selected: value === chosen }, text))
    );
    return make('span', { class: 'choice' }, make('label', { for: id }, label), list);
}

// Collapsed on the screen, but printed if it is short.
function folded(summary, ...children) {
    return make('details', null, make('summary', null, summary), ...children);
}
