-- filter.lua - makes a page of the documentation site: links, anchors, tables for phones, and what the search finds
-- SPDX-License-Identifier: BSD-3-Clause
--
-- Run by build.sh with pandoc. Environment: SITE_ADDRESSES, a file with a line "source address" for each page;
-- SITE_SOURCE, the source of this page as it stands there; SITE_INDEX, a file to which entries of the search are appended.

local source = os.getenv('SITE_SOURCE')
local manual, section = source:match('([^/]*)%.(%d)$')
local stringify = pandoc.utils.stringify

-- ------------------------------------------------------------------ which pages there are

local address, by_name, manuals = {}, {}, {}
for line in io.lines(os.getenv('SITE_ADDRESSES')) do
    local path, to = line:match('^(%S+) (%S+)$')
    address[path] = to
    by_name[path:match('[^/]*$')] = to
    local name, number = path:match('([^/]*)%.(%d)$')
    if name then manuals[name .. '(' .. number .. ')'] = to end
end
local here = address[source]

local function page_of(path)
    path = path:gsub('^%.%./', '')
    return address[path] or address['doc/' .. path] or by_name[path:match('^doc/(.*)') or path]
end

-- ------------------------------------------------------------------ links

local function link(content, to)
    if to == here then return nil end
    return pandoc.Link(content, to)
end

-- A document that is named, as `doc/trace.md`
local function name_of_document(code)
    local to = code.text:match('%.md$') and page_of(code.text)
    return to and link({ code }, to)
end

-- A link of the sources: to another document, whose page it becomes
local function link_of_sources(element)
    local path, anchor = element.target:match('^([^#:]+)(#?.*)$')
    if path and page_of(path) then element.target = page_of(path) .. anchor end
    return element
end

-- darshan-top(1) in a text, with what stands before and behind it
local function name_of_manual(word)
    local before, name, after = word.text:match('^(%W*)([%w-]+%(%d%))(.*)$')
    local to = name and manuals[name]
    if not to or to == here then return nil end
    return { pandoc.Str(before), pandoc.Link({ pandoc.Str(name) }, to), pandoc.Str(after) }
end

-- The same in manual pages: the name is bold, (1) is not
local function names_of_manuals(inlines)
    for i = #inlines - 1, 1, -1 do
        local first, second = inlines[i], inlines[i + 1]
        local number, after
        if (first.t == 'Strong' or first.t == 'Emph') and second.t == 'Str' then
            number, after = second.text:match('^(%(%d%))(.*)$')
        end
        local to = number and manuals[stringify(first) .. number]
        if to and to ~= here then
            inlines[i] = pandoc.Link({ pandoc.Str(stringify(first) .. number) }, to)
            inlines[i + 1] = pandoc.Str(after)
        end
    end
    return inlines
end

-- ------------------------------------------------------------------ what the search finds

-- Pages with tables whose rows are looked for
local generated = { ['doc/counters.md'] = true, ['doc/calls.md'] = true }

local entries = {}
local title = ''

local function quoted(text)
    return '"' .. text:gsub('[%c"\\]', function(c) return string.format('\\u%04x', c:byte()) end) .. '"'
end

local function plain(blocks)
    local text = pandoc.write(pandoc.Pandoc(blocks), 'plain', { wrap_text = 'wrap-none' })
    return (text:gsub('%-%-%-+', ' '):gsub('%s+', ' '))
end

local function entry(anchor, heading, text)
    entries[#entries + 1] = '[' .. quoted(here .. (anchor ~= '' and '#' .. anchor or '')) .. ',' ..
        quoted(title) .. ',' .. quoted(heading) .. ',' .. quoted(text) .. '],\n'
end

-- ------------------------------------------------------------------ anchors

local taken = {}
local function anchor_for(text)
    local base = text:gsub('[^%w_]+', '-'):gsub('^%-+', ''):gsub('%-+$', '')
    if base == '' then base = 'item' end
    local id, n = base, 1
    while taken[id] do
        n = n + 1
        id = base .. '-' .. n
    end
    taken[id] = true
    return id
end

-- Each term of a list, such as an option
local function mark_terms(list)
    for _, item in ipairs(list.content) do
        local text = stringify(item[1])
        local id = anchor_for(text)
        item[1] = { pandoc.Span(item[1], pandoc.Attr(id)) }
        local definition = {}
        for _, blocks in ipairs(item[2]) do for _, block in ipairs(blocks) do definition[#definition + 1] = block end end
        entry(id, text, plain(definition))
    end
    return list
end

local function text_of_cell(cell)
    return plain(cell.contents)
end

-- Rows of generated tables begin with the name of a counter or with names of calls, which are searched for
local function mark_row(row)
    local first, text = nil, {}
    for _, cell in ipairs(row.cells) do
        text[#text + 1] = text_of_cell(cell)
        local inlines = cell.contents[1] and cell.contents[1].content
        if not first and inlines and inlines[1] and inlines[1].t == 'Code' then
            first = text[#text]
            local id = anchor_for(inlines[1].text)
            inlines[1] = pandoc.Span({ inlines[1] }, pandoc.Attr(id))
            entry(id, first, '')
        end
    end
    if first then entries[#entries] = entries[#entries]:gsub(',""%],\n$', function() return ',' .. quoted(table.concat(text, ' ')) .. '],\n' end) end
end

-- Tables may be wider than a phone: one of many columns becomes cards there, whose lines have the head's words before them
local function table_for_screens(element)
    local heads = {}
    for _, row in ipairs(element.head.rows) do
        for i, cell in ipairs(row.cells) do heads[i] = stringify(cell.contents) end
    end
    for i, spec in ipairs(element.colspecs) do element.colspecs[i] = { spec[1], nil } end
    local cards = #element.colspecs > 3
    for _, body in ipairs(element.bodies) do
        for _, row in ipairs(body.body) do
            if generated[source] then mark_row(row) end
            for i, cell in ipairs(row.cells) do
                if cards and heads[i] and heads[i] ~= '' then cell.attr.attributes['data-label'] = heads[i] end
            end
        end
    end
    if cards then element.attr.classes:insert('cards') end
    return { pandoc.RawBlock('html', '<div class="scroll" tabindex="0">'), element, pandoc.RawBlock('html', '</div>') }
end

-- ------------------------------------------------------------------ the page

-- Without the sources' comments; a manual page has no title of its own
local function as_page(blocks)
    local made = pandoc.List({})
    if manual then made:insert(pandoc.Header(1, manual .. '(' .. section .. ')')) end
    for _, block in ipairs(blocks) do
        if manual and block.t == 'Header' then
            local text = stringify(block):lower():gsub('^%l', string.upper)
            block = text ~= 'Name' and pandoc.Header(block.level + 1, text)
        end
        if block and not (block.t == 'RawBlock' and block.text:match('^<!%-%-')) then made:insert(block) end
    end
    return made
end

local function contents_link(header)
    local content = pandoc.Span(header.content):walk({ Link = function(l) return l.content end }).content
    return { pandoc.Plain({ pandoc.Link(content, '#' .. header.identifier) }) }
end

-- Sections: entries of the search, and a list of contents
local function sections(blocks)
    local contents, text, heading, id = {}, {}, nil, ''
    local function ended()
        if heading then entry(id, heading, plain(text)) end
        text = {}
    end
    for _, block in ipairs(blocks) do
        if block.t == 'Header' then
            ended()
            heading = stringify(block)
            if block.identifier == '' then block.identifier = heading:lower() end
            block.identifier = anchor_for(block.identifier)
            id = heading == title and '' or block.identifier
            if block.level == 2 or block.level == (generated[source] and 3 or 1) and heading ~= title then contents[#contents + 1] = contents_link(block) end
        elseif block.t ~= 'DefinitionList' and not (generated[source] and block.t == 'Table') then
            text[#text + 1] = block -- of the others each term or row is an entry
        end
    end
    ended()
    return contents
end

local function page(doc)
    local blocks = as_page(doc.blocks)
    for _, block in ipairs(blocks) do
        if block.t == 'Header' then
            title = stringify(block)
            break
        end
    end
    doc.meta.pagetitle = title
    local contents = sections(blocks)
    if #contents > 4 then
        blocks:insert(2, pandoc.RawBlock('html', '<details class="contents"><summary>On this page</summary>'))
        blocks:insert(3, pandoc.BulletList(contents))
        blocks:insert(4, pandoc.RawBlock('html', '</details>'))
    end
    return pandoc.Pandoc(blocks, doc.meta)
end

-- An option is not broken behind a hyphen
local function whole_option(strong)
    local text = stringify(strong)
    if manual and text:match('^%-') and #text < 25 then return pandoc.Span({ strong }, pandoc.Attr('', { 'option' })) end
end

-- What stands in a link is none itself
local function plain_link(element)
    local content = pandoc.Span(element.content):walk({ Link = function(l) return l.content end }).content
    element.content = content
    return element
end

local function save_entries(doc)
    local file = assert(io.open(os.getenv('SITE_INDEX'), 'a'))
    assert(file:write(table.concat(entries)))
    assert(file:close())
    return doc
end

return {
    { Pandoc = page },
    { Link = link_of_sources },
    { Inlines = names_of_manuals },
    { Code = name_of_document, Str = name_of_manual, DefinitionList = mark_terms, Table = table_for_screens },
    { Strong = whole_option, Link = plain_link },
    { Pandoc = save_entries }
}
