"""The PivotTables of a workbook, for check-workbook: whether cache, records,
tables, charts and cells tell one and the same story. Computes every shown
value anew from the cells of the source."""

import math
import re

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
RID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def children(element, path):
    found = element
    for name in path.split("/"):
        found = None if found is None else found.find(MAIN + name)
    return [] if found is None else list(found)


def counted(book, where, element, path):
    """The children of a list, whose count must be told truly."""
    parent = element
    for name in path.split("/"):
        parent = None if parent is None else parent.find(MAIN + name)
    found = [] if parent is None else list(parent)
    if parent is not None and parent.get("count") != str(len(found)):
        book.say("%s: %s says %s for %d", where, path, parent.get("count"),
                 len(found))
    return found


def item_value(item):
    """As a cell says it: a number, a text with Excel's escapes, or None."""
    if item.tag == MAIN + "n":
        return float(item.get("v"))
    return item.get("v") if item.tag == MAIN + "s" else None


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-8)
    return a == b


class Cache:
    def __init__(self, book, part, tables):
        self.part = part
        root = book.xml[part]
        self.fields = counted(book, part, root, "cacheFields")
        self.names = [f.get("name") for f in self.fields]
        self.shared = [self.read_shared(book, f) for f in self.fields]
        self.rows = []
        source = root.find("%scacheSource/%sworksheetSource" % (MAIN, MAIN))
        name = None if source is None else source.get("name")
        if name not in tables:
            book.say("%s: its source '%s' is no table", part, name)
            return
        sheet, (row, column, last_row, last_column) = tables[name]
        cells = [[sheet.cells.get((r, c))
                  for c in range(column, last_column + 1)]
                 for r in range(row, last_row + 1)]
        self.rows = cells[1:]
        if cells[0] != self.names:
            book.say("%s: fields %s are not the columns %s of its source",
                     part, self.names, cells[0])
        self.check_records(book, root)
        self.check_spans(book)

    def read_shared(self, book, field):
        where = "%s, field '%s'" % (self.part, field.get("name"))
        shared = field.find(MAIN + "sharedItems")
        if not len(shared):
            return None
        values = [item_value(i)
                  for i in counted(book, where, field, "sharedItems")]
        alike = {v.casefold() if isinstance(v, str) else v for v in values}
        if len(alike) != len(values):
            book.say("%s: two items are alike", where)
        return values

    def check_records(self, book, root):
        part = book.rels(self.part).get(root.get(RID))
        if part is None:
            book.say("%s: has no records", self.part)
            return
        records = list(book.xml[part])
        if {root.get("recordCount"), book.xml[part].get("count"),
                str(len(self.rows))} != {str(len(records))}:
            book.say("%s: %d records for %d rows, told as %s and %s", part,
                     len(records), len(self.rows), root.get("recordCount"),
                     book.xml[part].get("count"))
        for number, (record, row) in enumerate(zip(records, self.rows)):
            values = [self.record_value(i, v) for i, v in enumerate(record)]
            if len(values) != len(row) or \
                    not all(same(a, b) for a, b in zip(values, row)):
                book.say("%s: record %d is %s, its row %s", part, number + 1,
                         values, row)
                return

    def record_value(self, field, item):
        if item.tag != MAIN + "x":
            return item_value(item)
        shared = self.shared[field] if field < len(self.shared) else None
        index = int(item.get("v"))
        return shared[index] if shared and index < len(shared) else "?"

    def check_spans(self, book):
        for i, field in enumerate(self.fields):
            shared = field.find(MAIN + "sharedItems")
            values = [r[i] for r in self.rows]
            numbers = [v for v in values if isinstance(v, float)]
            told = [shared.get(n) for n in ("minValue", "maxValue")]
            if told != [None, None] or numbers:
                ends = [min(numbers, default=None), max(numbers, default=None)]
                if None in told or None in ends or \
                        not all(same(float(t), e) for t, e in zip(told, ends)):
                    book.say("%s, field '%s': from %s to %s, its cells are %s",
                             self.part, self.names[i], *told, ends)
            if (shared.get("containsBlank") == "1") != (None in values):
                book.say("%s, field '%s': is wrong about blanks", self.part,
                         self.names[i])


class Table:
    def __init__(self, book, sheet, part, cache, span):
        self.book, self.sheet, self.cache = book, sheet, cache
        self.root = book.xml[part]
        self.name = self.root.get("name")
        self.where = "%s, pivot %s" % (sheet.name, self.name)
        self.fields = counted(book, self.where, self.root, "pivotFields")
        self.items = [self.read_items(i, f) for i, f in enumerate(self.fields)]
        if len(self.fields) != len(cache.fields):
            self.say("%d fields for %d of the cache", len(self.fields),
                     len(cache.fields))
        self.rows = [int(f.get("x")) for f in self.counted("rowFields")]
        self.pages = [(int(f.get("fld")), int(f.get("item", -1)))
                      for f in self.counted("pageFields")]
        self.data = self.counted("dataFields")
        location = self.root.find(MAIN + "location")
        self.span = span(location.get("ref"))
        self.first_row = self.span[0] + int(location.get("firstDataRow"))
        self.first_column = self.span[1] + int(location.get("firstDataCol"))
        self.check_axes()
        self.check_pages(location)
        self.check_columns(location)
        self.check_lines()
        self.formats = {(f.get("chart"), f.get("format"))
                        for f in self.counted("chartFormats")}

    def say(self, text, *values):
        self.book.say("%s: " + text, self.where, *values)

    def counted(self, path):
        return counted(self.book, self.where, self.root, path)

    def read_items(self, number, field):
        if field.find(MAIN + "items") is None:
            return None
        indices = [int(i.get("x")) for i in
                   counted(self.book, self.where, field, "items")]
        shared = self.cache.shared[number] or []
        if sorted(indices) != list(range(len(shared))):
            self.say("the items of field %d are not those of the cache",
                     number)
            return None
        return [shared[i] for i in indices]

    def check_axes(self):
        axes = {"axisRow": set(self.rows),
                "axisPage": {p for p, _ in self.pages}}
        for number, field in enumerate(self.fields):
            axis = field.get("axis")
            for name, members in axes.items():
                if (axis == name) != (number in members):
                    self.say("field %d is on %s", number, axis)
            if (field.get("dataField") == "1") != \
                    (number in {int(d.get("fld")) for d in self.data}):
                self.say("field %d is wrong about being data", number)
        taken = {n.casefold() for n in self.cache.names}
        for data in self.data:
            if data.get("name").casefold() in taken:
                self.say("'%s' is the name of a field too", data.get("name"))

    def check_pages(self, location):
        if int(location.get("rowPageCount", 0)) != len(self.pages):
            self.say("%s filters for %d", location.get("rowPageCount"),
                     len(self.pages))
        row = self.span[0] - 1 - len(self.pages)
        for i, (field, item) in enumerate(self.pages):
            items = self.items[field] or []
            shown = [self.sheet.cells.get((row + i, self.span[1] + k))
                     for k in (0, 1)]
            if not 0 <= item < len(items) or \
                    shown != [self.cache.names[field], items[item]]:
                self.say("filter %d shows %s", i, shown)

    def check_columns(self, location):
        above = self.first_row - 1
        heads = [self.cache.names[f] for f in self.rows] + \
            [d.get("name") for d in self.data]
        shown = [self.sheet.cells.get((above, c))
                 for c in range(self.span[1], self.span[3] + 1)]
        if shown != heads:
            self.say("headers are %s, not %s", shown, heads)
        if self.first_column - self.span[1] != len(self.rows):
            self.say("firstDataCol %s for %d row fields",
                     location.get("firstDataCol"), len(self.rows))
        columns = [[int(x.get("v", 0)) for x in i]
                   for i in self.counted("colItems")]
        several = len(self.data) > 1
        if columns != ([[i] for i in range(len(self.data))] if several
                       else [[]]):
            self.say("columns are %s", columns)
        if [f.get("x") for f in self.counted("colFields")] != \
                (["-2"] if several else []):
            self.say("the measures are not the columns")

    def lines(self):
        """The items of each line, from what it repeats of the one before."""
        before = []
        for item in self.counted("rowItems"):
            before = before[:int(item.get("r", 0))] + \
                [int(x.get("v", 0)) for x in item]
            yield tuple(before)

    def expected(self):
        """Values by the items of their line, from the cells of the source."""
        found = {}
        for row in self.cache.rows:
            if any(row[f] != self.items[f][i] for f, i in self.pages):
                continue
            if any(row[f] not in self.items[f] for f in self.rows):
                continue  # told by the records
            key = tuple(self.items[f].index(row[f]) for f in self.rows)
            found.setdefault(key, []).append(row)
        return {key: [mean([r[int(d.get("fld"))] for r in rows])
                      for d in self.data] for key, rows in found.items()}

    def check_lines(self):
        if None in [self.items[f] for f in self.rows] or \
                any(i >= len(self.items[f] or []) for f, i in self.pages):
            return  # told before
        lines = list(self.lines())
        expected = self.expected()
        if lines != sorted(expected):
            self.say("its lines are not those of the records: %s",
                     sorted(set(lines) ^ set(expected))[:3])
            return
        if self.span[2] - self.first_row + 1 != len(lines) or \
                self.span[3] - self.first_column + 1 != len(self.data):
            self.say("%d lines do not fit its place", len(lines))
        before = ()
        for number, line in enumerate(lines):
            row = self.first_row + number
            shown = [self.sheet.cells.get((row, c))
                     for c in range(self.span[1], self.span[3] + 1)]
            labels = [None if line[:i + 1] == before[:i + 1]
                      else self.items[f][line[i]]
                      for i, f in enumerate(self.rows)]
            if not all(same(a, b)
                       for a, b in zip(shown, labels + expected[line])):
                self.say("row %d shows %s, not %s", row + 1, shown,
                         labels + expected[line])
                return
            before = line


def mean(values):
    known = [v for v in values if isinstance(v, float)]
    return sum(known) / len(known) if known else None


def check_pivot_chart(book, part, tables, resolve):
    """It is of a table that is there, and draws what that shows."""
    root = book.xml[part]
    source = root.find(CHART + "pivotSource")
    where = part
    match = re.fullmatch(r"\[[^\]]*\](.+)!([^!]+)",
                         source.findtext(CHART + "name"))
    table = tables.get(match.groups()) if match else None
    if table is None:
        book.say("%s: its source '%s' is no pivot", where,
                 source.findtext(CHART + "name"))
        return
    chart = source.find(CHART + "fmtId").get("val")
    path = "/".join(CHART + n for n in ("chart", "pivotFmts", "pivotFmt",
                                        "idx"))
    formats = {(chart, i.get("val")) for i in root.iterfind(path)}
    if formats != table.formats:
        book.say("%s: formats %s are not those of its pivot, %s", where,
                 sorted(formats), sorted(table.formats))
    series = list(root.iter(CHART + "ser"))
    if len(series) != len(table.data):
        book.say("%s: %d series for %d measures", where, len(series),
                 len(table.data))
    for number, one in enumerate(series):
        column = table.first_column + number
        wanted = {"tx": (table.first_row - 1, column, table.first_row - 1,
                         column),
                  "cat": (table.first_row, table.span[1], table.span[2],
                          table.first_column - 1),
                  "val": (table.first_row, column, table.span[2], column)}
        for name, cells in wanted.items():
            text = one.find(CHART + name).findtext(".//" + CHART + "f")
            target = resolve(book, text, where)
            if target is None or target[0] is not table.sheet or \
                    target[1] != cells:
                book.say("%s: %s of a series is %s, not where the pivot is",
                         where, name, text)


def check_levels(book, where, element, table):
    """Cached categories of several levels are what the cells say."""
    levels = list(element.iter(CHART + "lvl"))
    if len(levels) != len(table[0]):
        book.say("%s: %d levels for %d columns", where, len(levels),
                 len(table[0]))
        return
    for level, cells in zip(levels, reversed(list(zip(*table)))):
        points = {int(p.get("idx")): p.findtext(CHART + "v")
                  for p in level.iter(CHART + "pt")}
        for i, cell in enumerate(cells):
            have = points.get(i)
            if isinstance(cell, float):
                have = None if have is None else float(have)
            if have != cell:
                book.say("%s: a category says %s for %s", where, have, cell)
                return


def check_pivots(book, tables, span, resolve):
    """tables: sheet and place of each Excel table by name."""
    workbook = book.xml["xl/workbook.xml"]
    rels = book.rels("xl/workbook.xml")
    caches = {}
    order = [child.tag for child in workbook]
    if MAIN + "pivotCaches" in order and order.index(MAIN + "pivotCaches") < \
            order.index(MAIN + "calcPr"):
        book.say("xl/workbook.xml: pivotCaches stand before calcPr")
    for one in children(workbook, "pivotCaches"):
        part = rels.get(one.get(RID))
        if part not in book.xml:
            book.say("cache %s is not there", one.get("cacheId"))
        else:
            caches[one.get("cacheId")] = Cache(book, part, tables)
    pivots = {}
    for sheet in book.sheets.values():
        for part in book.rels(sheet.part).values():
            if not part or not part.startswith("xl/pivotTables/"):
                continue
            cache = caches.get(book.xml[part].get("cacheId"))
            if cache is None or \
                    cache.part not in book.rels(part).values():
                book.say("%s: its cache is not one of the book's", part)
                continue
            table = Table(book, sheet, part, cache, span)
            pivots[(sheet.name, table.name)] = table
    for part, root in book.xml.items():
        if root.find(CHART + "pivotSource") is not None:
            check_pivot_chart(book, part, pivots, resolve)
    return pivots
