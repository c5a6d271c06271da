// site.js - searches the documentation without a server: the words are in search-index.js, loaded at the first use
// SPDX-License-Identifier: BSD-3-Clause
'use strict';

const form = document.getElementById('search');
const input = form.elements.q;
const results = document.getElementById('results');
const most = 30; // results shown
let loading = null;

// From file:// a script can be loaded, other files cannot.
function load() {
    loading =
        loading ||
        new Promise((done, failed) => {
            const script = document.createElement('script');
            script.src = 'search-index.js';
            script.onload = done;
            script.onerror = failed;
            document.head.append(script);
        });
    return loading;
}

// How well an entry [address, page, heading, text] fits: each word must be in it; in a heading counts more. 0: not at all
function score([, page, heading, text], words) {
    let sum = 0;
    for (const word of words) {
        const head = heading.toLowerCase();
        if (head === word) sum += 60;
        else if (head.startsWith(word)) sum += 25;
        else if (head.includes(word)) sum += 15;
        else if (page.toLowerCase().includes(word)) sum += 6;
        else if (text.toLowerCase().includes(word)) sum += 1;
        else return 0;
    }
    return sum;
}

// The text around the first word that is in it
function excerpt(text, words) {
    const low = text.toLowerCase();
    const at = Math.min(...words.map((word) => low.indexOf(word)).filter((i) => i >= 0), low.length);
    const from = at >= low.length || at < 60 ? 0 : low.indexOf(' ', at - 60) + 1;
    return (from ? '\u2026 ' : '') + text.slice(from, from + 180) + (text.length > from + 180 ? ' \u2026' : '');
}

function show(words) {
    const found = window.darshanIndex
        .map((entry) => ({ entry, score: score(entry, words) }))
        .filter((candidate) => candidate.score > 0)
        .sort((a, b) => b.score - a.score);
    const list = document.createElement('ol');
    for (const { entry } of found.slice(0, most)) {
        const [address, page, heading, text] = entry;
        const link = document.createElement('a');
        link.href = address;
        link.textContent = heading === page ? page : page + ': ' + heading;
        link.addEventListener('click', () => (results.hidden = true));
        const line = document.createElement('p');
        line.textContent = excerpt(text, words);
        const item = document.createElement('li');
        item.append(link, line);
        list.append(item);
    }
    const count = document.createElement('p');
    count.textContent =
        found.length === 0 ? 'Nothing found: all words must be in one section.' : found.length > most ? 'The best ' + most + ' of ' + found.length : '';
    results.replaceChildren(list, count);
    results.hidden = false;
}

async function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.join('').length < 2) {
        results.hidden = true;
        return;
    }
    await load();
    show(words);
}

// The navigation is longer than most windows: it shows this page.
const current = document.querySelector('nav [aria-current]');
if (current && getComputedStyle(current.closest('nav')).position === 'sticky')
    current.closest('nav').scrollTop = current.offsetTop - innerHeight / 3;

form.hidden = false;
input.addEventListener('focus', load, { once: true });
input.addEventListener('input', search);
form.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = results.querySelector('a');
    if (first && !results.hidden) first.click();
});
document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') results.hidden = true;
    if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
        event.preventDefault();
        input.focus();
    }
});
document.addEventListener('click', (event) => {
    if (!results.contains(event.target) && !form.contains(event.target)) results.hidden = true;
});

// An address with ?q=WORDS shows what they find.
const asked = new URLSearchParams(location.search).get('q');
if (asked) {
    input.value = asked;
    search();
}
