// places.js - lines of the program that make its calls
// SPDX-License-Identifier: BSD-3-Clause

function placeSection(report) {
    const { call_sites: sites, job } = report;
    if (!sites) return null;
    const unknown = 'not looked at';
    const reasons = [...new Set(sites.rows.map((row) => row.no_line_because).filter(Boolean))];
    return section(
        'lines',
        'Lines of the program',
        note(
            'Which lines of the program make its calls, directly or through libraries' +
                (job.ranks > 1 ? spoken('; times are sums over the ranks') : '') +
                (report.gpudirect_storage ? '. Calls of cuFile are not among them' : '') +
                '. Of very short calls only some are looked at: their numbers are estimates.' +
                (reasons.length ? ' Where no line is known: ' + reasons.join('; ') + '.' : '')
        ),
        table(
            [
                { label: 'Line', get: (row) => row.where || unknown, show: (v, row) => make('span', { class: 'place', title: row.no_line_because }, visible(v)), text: true },
                { label: 'Time', get: (row) => row.seconds, show: seconds, title: 'in calls: of streams, and of the layer with most of the others' },
                { label: 'Share', get: (row) => row.share, show: share, title: 'of the time of all of them' },
                { label: 'Reads', get: (row) => row.work.reads },
                { label: 'Read', get: (row) => row.work.bytes_read, show: bytes },
                { label: 'Writes', get: (row) => row.work.writes },
                { label: 'Written', get: (row) => row.work.bytes_written, show: bytes },
                { label: 'Metadata calls', get: (row) => row.metadata_calls },
                { label: 'Files', get: (row) => row.files },
                { label: 'Most time on', get: (row) => row.file || '', show: (v) => (v ? pathText(v) : ''), text: true },
            ],
            sites.rows,
            { caption: 'Lines that make calls, at storage', search: (row) => row.where || unknown, label: 'Search lines' }
        ),
        folded(
            'Chains of calls',
            make(
                'ul',
                { class: 'chains' },
                sites.rows
                    .filter(({ stack }) => stack.length)
                    .map(({ where, stack }) =>
                        make(
                            'li',
                            null,
                            make('strong', null, visible(where)),
                            make('ol', null, stack.map((frame) => make('li', { class: frame.is_own ? 'own' : 'of-library' }, visible(frame.where))))
                        )
                    )
            )
        )
    );
}
