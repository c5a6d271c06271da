// format.js - formats bytes, seconds and shares as in the text report
// SPDX-License-Identifier: BSD-3-Clause

const known = (v) => typeof v === 'number' && Number.isFinite(v);

// Placeholder for unknown figures.
const UNKNOWN = '\u2013';
const NBSP = '\u00a0'; // a number and its unit stay on one line

function capital(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

function digits(v) {
    const size = Math.abs(v);
    return size >= 1000
        ? count(v)
        : size >= 100 || v === 0
          ? v.toFixed(0)
          : size >= 10
            ? v.toFixed(1)
            : size >= 0.01
              ? v.toFixed(2)
              : v.toPrecision(2);
}

function count(v) {
    return known(v) ? Math.round(v).toLocaleString('en-US') : UNKNOWN;
}

function bytes(v) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    let unit = 0;
    if (!known(v) || v < 0) return UNKNOWN;
    for (; v >= 1023.95 && unit + 1 < units.length; unit++) v /= 1024;
    return (
        (unit === 0 ? v.toFixed(0) : v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2)) +
        NBSP +
        units[unit]
    );
}

function rate(v) {
    return known(v) ? bytes(v) + '/s' : UNKNOWN;
}

function seconds(v) {
    if (!known(v) || v < 0) return UNKNOWN;
    if (v === 0) return '0' + NBSP + 's';
    if (v < 0.9995e-3) return digits(v * 1e6) + NBSP + '\u00b5s';
    if (v < 0.9995) return digits(v * 1e3) + NBSP + 'ms';
    if (v < 1e5) return digits(v) + NBSP + 's';
    return (v / 3600).toFixed(1) + NBSP + 'h';
}

// Estimates have two digits, without trailing zeros.
function about(v) {
    const text = seconds(v > 0 ? Number(v.toPrecision(2)) : v);
    return text.replace(/(\.\d*?)0+(?=\D*$)/, '$1').replace(/\.(?=\D*$)/, '');
}

function unitOfTime(v) {
    return v < 1e-3 ? [1e6, '\u00b5s'] : v < 1 ? [1e3, 'ms'] : [1, 's'];
}

// A label on a time axis, with all digits. If there are too many, such as at the end of a zoomed range, there is no
// label.
function tick(v, most = 7) {
    const [factor, unit] = unitOfTime(v);
    const text = String(Number((v * factor).toPrecision(10)));
    return v === 0 ? '0' + NBSP + 's' : text.replace('.', '').length > most ? '' : text + NBSP + unit;
}

// Start and duration, with enough digits to distinguish both ends.
function interval(from, length) {
    const [factor, unit] = unitOfTime(from + length);
    const digitsOf = Math.min(9, Math.max(0, Math.ceil(1 - Math.log10(length * factor))));
    const show = (v) => (v * factor).toFixed(digitsOf) + NBSP + unit;
    return show(from) + ' to ' + show(from + length);
}

function share(v) {
    if (!known(v) || v < 0) return UNKNOWN;
    if (v === 0) return '0' + NBSP + '%';
    if (v < 0.0005) return '<' + NBSP + '0.1' + NBSP + '%';
    if (v >= 0.995 && v < 1) return '>' + NBSP + '99' + NBSP + '%';
    return (v < 0.0995 ? (100 * v).toFixed(1) : (100 * v).toFixed(0)) + NBSP + '%';
}

function ratio(v) {
    return known(v) && v >= 0 ? digits(v) : UNKNOWN;
}

function plural(n, one, more) {
    return count(n) + ' ' + (n === 1 ? one : more || one + 's');
}

// What the whole job is, for texts about sums; set by main.js.
let everyone = 'all ranks';

function nameEveryone(job) {
    everyone = job.ranks === 1 ? 'the process' : job.ranks_are_processes ? 'all processes' : 'all ranks';
}

// Our own words, never a log's: a job without MPI has processes, no ranks.
function spoken(text) {
    if (everyone === 'all ranks') return text;
    const as = (word) => (match) => (match[0] < 'a' ? capital(word) : word);
    return text
        .replace(/\bslowest(?= ranks?\b)/gi, as('busiest'))
        .replace(/\branks\b/gi, as('processes'))
        .replace(/\brank\b/gi, as('process'));
}

const ofEveryone = () => (everyone === 'the process' ? '' : ', ' + everyone);

// The ranks of a row: "rank 7", "ranks 8 to 11".
function ranks(first, n, nprocs) {
    const last = Math.min(first + n, nprocs) - 1;
    return spoken(last > first ? 'ranks ' + first + ' to ' + last : 'rank ' + first);
}

// Shortens a path to its start and its end.
function shortened(path, n) {
    return path.length <= n
        ? path
        : path.slice(0, Math.floor(n / 3)) + '\u2026' + path.slice(path.length - Math.ceil((2 * n) / 3) + 1);
}
