package search

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"runtime"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/mmap-go"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// Figures are the figures in the yearly statements of an index's firms, for one year. They are immutable, and safe for
// concurrent use. They take 48 bytes for each firm with a statement and 3 for each firm of the index, in memory that
// the garbage collector does not manage, because it would reserve as much again for garbage.
type Figures struct {
	*figureTable
	// absent are the firms whose statement for the year is missing. It is nil until WithAbsent.
	absent *roaring.Bitmap
}

// Year is the year of the statements.
func (f *Figures) Year() int { return f.year }

// KnowsAbsent reports whether the firms whose statement is missing are known.
func (f *Figures) KnowsAbsent() bool { return f.absent != nil }

// figureTable has the figures by firm and by value.
type figureTable struct {
	year  int
	filed *roaring.Bitmap // the firms with a statement
	by    [company.FigureCount]figureOrder
}

// figureOrder sorts the firms with a statement that states a figure by that figure. The positions are by row: see
// [order]. A firm whose statement does not state it has the position nowhere.
type figureOrder struct {
	order
	values []byte          // the figures by position, 8 bytes each
	tiles  []byte          // for each of some positions, the docs before it: a bit for each doc of the index
	stated *roaring.Bitmap // the firms in the order
}

func (o *figureOrder) value(position int) int64 {
	return int64(binary.LittleEndian.Uint64(o.values[8*position:]))
}

// of returns the figures of a firm.
func (t *figureTable) of(doc uint32) (all company.Figures) {
	if !t.filed.Contains(doc) {
		return all
	}

	for i := range t.by {
		if position := t.by[i].position(doc); position != int(nowhere) {
			all[i] = new(t.by[i].value(position))
		}
	}

	return all
}

// StatementFigures are the figures in a company's statement.
type StatementFigures struct {
	TaxID   ro.CUI
	Figures company.Figures
}

// NewFigures returns the figures of a year. The first sequence has the companies with a statement, and the second one
// their figures. If the latter has a company several times, the first one counts. NewFigures returns the first error of
// a sequence.
func (x *Index) NewFigures(year int, filed iter.Seq2[ro.CUI, error],
	figures iter.Seq2[StatementFigures, error]) (f *Figures, err error) {
	t := &figureTable{year: year, filed: roaring.New()}
	for id, err := range filed {
		if err != nil {
			return nil, err
		}
		for doc := range x.taxIDs.docs(uint64(id)) {
			t.filed.Add(doc)
		}
	}

	n := int(t.filed.GetCardinality())
	marks := make([]uint64, x.Len()/64+1)
	if err := t.allocate(n, 8*tiles*len(marks)); err != nil {
		return nil, err
	}

	rows := newRanks(t.filed, x.Len())
	seen := make([]bool, n)
	for s, err := range figures {
		if err != nil {
			return nil, err
		}
		for doc := range x.taxIDs.docs(uint64(s.TaxID)) {
			if row, ok := rows.find(doc); ok && !seen[row] {
				seen[row] = true
				t.set(row, doc, &s.Figures)
			}
		}
	}

	docs, values, sorted := t.filed.ToArray(), make([]int64, n), make([]uint32, 0, n)
	for i := range t.by {
		t.by[i].rows = rows
		t.by[i].sort(docs, values, sorted)
		t.by[i].setTiles(marks)
	}

	return &Figures{figureTable: t}, nil
}

// allocate reserves memory for a number of rows, and for the tiles of an order. It is released with the table.
func (t *figureTable) allocate(rows, tiles int) error {
	each := (8+4+4)*rows + tiles
	memory, err := mmap.MapRegion(nil, max(1, int(company.FigureCount)*each), mmap.COPY, mmap.ANON, 0)
	if err != nil {
		return fmt.Errorf("allocating memory for the figures of %d firms: %w", rows, err)
	}

	runtime.AddCleanup(t, func(m mmap.MMap) { m.Unmap() }, memory)
	for i := range t.by {
		o, rest := &t.by[i], memory[i*each:(i+1)*each]
		o.values, rest = rest[:8*rows], rest[8*rows:]
		o.docs, rest = rest[:4*rows], rest[4*rows:]
		o.positions, o.tiles = rest[:4*rows], rest[4*rows:]
		o.stated = roaring.New()
	}

	return nil
}

// set sets the figures of a row. Until they are sorted, the values are by row.
func (t *figureTable) set(row int, doc uint32, figures *company.Figures) {
	for i, value := range figures {
		if value != nil {
			binary.LittleEndian.PutUint64(t.by[i].values[8*row:], uint64(*value))
			t.by[i].stated.Add(doc)
		}
	}
}

// sort sorts the values, which are still by row. docs are the docs by row; values and sorted are buffers with room for
// all rows.
func (o *figureOrder) sort(docs []uint32, values []int64, sorted []uint32) {
	o.known = int(o.stated.GetCardinality())
	for row := range docs {
		values[row] = o.value(row)
		binary.LittleEndian.PutUint32(o.positions[4*row:], nowhere)
		if o.stated.Contains(docs[row]) {
			sorted = append(sorted, uint32(row))
		}
	}

	slices.SortStableFunc(sorted, func(a, b uint32) int { // rows are in the order of names
		return cmp.Compare(values[a], values[b])
	})

	for position, row := range sorted {
		binary.LittleEndian.PutUint64(o.values[8*position:], uint64(values[row]))
		binary.LittleEndian.PutUint32(o.docs[4*position:], docs[row])
		binary.LittleEndian.PutUint32(o.positions[4*row:], uint32(position))
	}

	o.values, o.docs = o.values[:8*o.known], o.docs[:4*o.known]
}

// WithAbsent returns the figures with the firms whose statement is missing. The sequence has the companies with earlier
// statements. For each of their firms that has no statement for the year, the function decides. WithAbsent returns the
// first error of the two.
func (x *Index) WithAbsent(f *Figures, filedBefore iter.Seq2[ro.CUI, error],
	isAbsent func(*Firm) (bool, error)) (with *Figures, err error) {
	defer recoverDamage(&err, "reading the firms without a statement")
	absent := roaring.New()
	for id, err := range filedBefore {
		if err != nil {
			return nil, err
		}
		for doc := range x.taxIDs.docs(uint64(id)) {
			absent.Add(doc)
		}
	}

	absent.AndNot(f.filed)
	for _, doc := range absent.ToArray() {
		firm := x.At(doc)
		is, err := isAbsent(&firm)
		if err != nil {
			return nil, err
		}
		if !is {
			absent.Remove(doc)
		}
	}

	return &Figures{f.figureTable, absent}, nil
}

// testedDocs is the size of a set up to which comparing the position of each doc is faster than intersecting it with
// the docs of the ranges. It was measured with 4.2 million firms.
const testedDocs = 8192

// filterByFigures returns the docs with statements and figures that match the query.
func (x *Index) filterByFigures(all *roaring.Bitmap, q *Query) *roaring.Bitmap {
	switch q.Statement {
	case company.StatementFiled:
		all = roaring.And(all, q.Figures.filed)
	case company.StatementNotInFiles:
		all = roaring.And(all, q.Figures.absent)
	}

	var spans []figureSpan
	for i := range q.Ranges {
		if q.Ranges[i] != (company.FigureRange{}) {
			spans = append(spans, q.Figures.by[i].span(&q.Ranges[i]))
		}
	}

	switch {
	case len(spans) == 0:
		return all
	case slices.ContainsFunc(spans, func(s figureSpan) bool { return s.from >= s.before }):
		return roaring.New()
	case all.GetCardinality() > testedDocs:
		return x.inSpans(all, spans)
	}

	docs := slices.DeleteFunc(all.ToArray(), func(doc uint32) bool {
		return slices.ContainsFunc(spans, func(s figureSpan) bool { return !s.contains(doc) })
	})
	return roaring.BitmapOf(docs...)
}

// figureSpan is the part of an order with the figures in a range: the positions [from, before).
type figureSpan struct {
	*figureOrder
	from, before int
}

func (o *figureOrder) span(r *company.FigureRange) figureSpan {
	s := figureSpan{o, 0, o.known}
	if r.Min != nil {
		s.from = sort.Search(o.known, func(i int) bool { return o.value(i) >= *r.Min })
	}
	if r.Max != nil {
		s.before = sort.Search(o.known, func(i int) bool { return o.value(i) > *r.Max })
	}
	return s
}

func (s figureSpan) contains(doc uint32) bool {
	if !s.stated.Contains(doc) {
		return false
	}
	position := s.position(doc)
	return s.from <= position && position < s.before
}

// inSpans returns the docs of a set that are in all spans. It works on marks and converts only the result to a bitmap,
// because a conversion takes longer than all other steps.
func (x *Index) inSpans(all *roaring.Bitmap, spans []figureSpan) *roaring.Bitmap {
	marks := x.dense.Get().(*[]uint64)
	defer x.dense.Put(marks)
	clear(*marks)
	all.WriteDenseTo(*marks)
	for _, s := range spans {
		s.unmarkOthers(*marks)
	}

	return roaring.FromDense(*marks, true)
}

// tiles is the number of parts of an order after each of which the docs so far are stored.
const tiles = 8

// tileEnd returns the position of the end of a tile, from 1; 0 for tile 0.
func (o *figureOrder) tileEnd(n int) int { return o.known * n / tiles }

// setTiles stores the docs up to the end of each tile. The marks are scratch space.
func (o *figureOrder) setTiles(marks []uint64) {
	clear(marks)
	for n := range tiles {
		for docs := o.docs[4*o.tileEnd(n) : 4*o.tileEnd(n+1)]; len(docs) >= 4; docs = docs[4:] {
			doc := binary.LittleEndian.Uint32(docs)
			marks[doc/64] |= 1 << (doc % 64)
		}
		for i, word := range marks {
			binary.LittleEndian.PutUint64(o.tiles[8*(n*len(marks)+i):], word)
		}
	}
}

// unmarkOthers removes the marks of the docs outside of a span: first those outside of the tiles that the span's ends
// are in, then the others in these tiles, one by one.
func (s figureSpan) unmarkOthers(marks []uint64) {
	last := 1
	for s.tileEnd(last) < s.before {
		last++
	}

	for i, stored := 0, s.tiles[8*(last-1)*len(marks):]; i < len(marks); i++ {
		marks[i] &= binary.LittleEndian.Uint64(stored[8*i:])
	}
	unmark(marks, s.docs[4*s.before:4*s.tileEnd(last)])

	first := 0
	for first < tiles && s.tileEnd(first+1) <= s.from {
		first++
	}

	if first > 0 {
		for i, stored := 0, s.tiles[8*(first-1)*len(marks):]; i < len(marks); i++ {
			marks[i] &^= binary.LittleEndian.Uint64(stored[8*i:])
		}
	}
	unmark(marks, s.docs[4*s.tileEnd(first):4*s.from])
}

// unmark removes the marks of docs.
func unmark(marks []uint64, docs []byte) {
	for ; len(docs) >= 4; docs = docs[4:] {
		doc := binary.LittleEndian.Uint32(docs)
		marks[doc/64] &^= 1 << (doc % 64)
	}
}

// byFigure returns the docs at positions [from, before) of a set sorted by a figure. Docs without the figure are last,
// in the order of names.
func (x *Index) byFigure(set *roaring.Bitmap, o *figureOrder, direction company.SortDirection,
	from, before int) (docs []uint32) {
	sorted := roaring.And(set, o.stated)
	n := int(sorted.GetCardinality())
	if from < n {
		docs = x.inOrder(o.inDirection(direction), sorted, n, from, min(before, n))
	}
	if before > n {
		docs = appendSpan(docs, roaring.AndNot(set, o.stated), max(from-n, 0), before-n)
	}

	return docs
}

// ranks numbers the docs of a set, in ascending order from 0. It takes 1 MB for 4.2 million docs.
type ranks struct {
	words  []uint64 // a bit for each doc
	before []uint32 // the number of docs before each word
}

func newRanks(set *roaring.Bitmap, docs int) *ranks {
	r := &ranks{words: make([]uint64, docs/64+1), before: make([]uint32, docs/64+1)}
	set.WriteDenseTo(r.words)
	n := 0
	for i, word := range r.words {
		r.before[i] = uint32(n)
		n += bits.OnesCount64(word)
	}

	return r
}

// of returns the number of a doc in the set.
func (r *ranks) of(doc uint32) int {
	word := r.words[doc/64] & (1<<(doc%64) - 1)
	return int(r.before[doc/64]) + bits.OnesCount64(word)
}

// find returns the number of a doc, and reports whether it is in the set.
func (r *ranks) find(doc uint32) (int, bool) { return r.of(doc), r.words[doc/64]>>(doc%64)&1 == 1 }
