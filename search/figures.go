package search

import (
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
// concurrent use. They take 48 bytes for each firm with a statement, in memory that the garbage collector does not
// manage, because it would reserve as much again for garbage.
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
	if err := t.allocate(n); err != nil {
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

	for i := range t.by {
		t.by[i].sort(t.filed, rows)
	}

	return &Figures{figureTable: t}, nil
}

// allocate reserves memory for a number of rows, which is released with the table.
func (t *figureTable) allocate(rows int) error {
	const perRow = 8 + 4 + 4
	memory, err := mmap.MapRegion(nil, max(1, int(company.FigureCount)*perRow*rows), mmap.RDWR, mmap.ANON, 0)
	if err != nil {
		return fmt.Errorf("allocating memory for the figures of %d firms: %w", rows, err)
	}

	runtime.AddCleanup(t, func(m mmap.MMap) { m.Unmap() }, memory)
	for i := range t.by {
		o, from := &t.by[i], i*perRow*rows
		o.values, o.docs, o.positions = memory[from:from+8*rows], memory[from+8*rows:from+12*rows],
			memory[from+12*rows:from+16*rows]
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

// sort sorts the values that are still by row.
func (o *figureOrder) sort(filed *roaring.Bitmap, rows *ranks) {
	o.rows, o.known = rows, int(o.stated.GetCardinality())
	docs, values, sorted := filed.ToArray(), make([]int64, filed.GetCardinality()), make([]uint32, 0, o.known)
	for row := range values {
		values[row] = o.value(row)
		binary.LittleEndian.PutUint32(o.positions[4*row:], nowhere)
		if o.stated.Contains(docs[row]) {
			sorted = append(sorted, uint32(row))
		}
	}

	slices.SortStableFunc(sorted, func(a, b uint32) int { // rows are in the order of names
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
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

// filterByFigures returns the docs with statements and figures that match the query.
func (x *Index) filterByFigures(all *roaring.Bitmap, q *Query) *roaring.Bitmap {
	switch q.Statement {
	case company.StatementFiled:
		all = roaring.And(all, q.Figures.filed)
	case company.StatementNotInFiles:
		all = roaring.And(all, q.Figures.absent)
	}

	for i := range q.Ranges {
		if q.Ranges[i] != (company.FigureRange{}) {
			all = x.inRange(all, &q.Figures.by[i], &q.Ranges[i])
		}
	}

	return all
}

// marksPerTest is the number of docs that can be marked in the time that comparing the position of one takes. It was
// measured with 4.2 million firms.
const marksPerTest = 4

// inRange returns the docs of a set whose figure is in a range. It compares the position of each doc in a small set
// with those of the range. Otherwise it marks the docs of the range, or those outside of it if they are fewer.
func (x *Index) inRange(all *roaring.Bitmap, o *figureOrder, r *company.FigureRange) *roaring.Bitmap {
	from, before := 0, o.known
	if r.Min != nil {
		from = sort.Search(o.known, func(i int) bool { return o.value(i) >= *r.Min })
	}
	if r.Max != nil {
		before = sort.Search(o.known, func(i int) bool { return o.value(i) > *r.Max })
	}

	inside := before - from
	switch {
	case inside <= 0:
		return roaring.New()
	case inside == o.known:
		return roaring.And(all, o.stated)
	}

	if int(all.GetCardinality()) < min(inside, o.known-inside)/marksPerTest {
		return o.between(all, from, before)
	}

	marks := x.dense.Get().(*[]uint64)
	defer x.dense.Put(marks)
	clear(*marks)
	if inside <= o.known/2 {
		flip(*marks, o.docs[4*from:4*before])
	} else {
		o.stated.WriteDenseTo(*marks)
		flip(*marks, o.docs[:4*from])
		flip(*marks, o.docs[4*before:])
	}

	return roaring.And(all, roaring.FromDense(*marks, false))
}

// between returns the docs of a set with positions in [from, before).
func (o *figureOrder) between(all *roaring.Bitmap, from, before int) *roaring.Bitmap {
	var docs []uint32
	for it := roaring.And(all, o.stated).Iterator(); it.HasNext(); {
		doc := it.Next()
		if position := o.position(doc); from <= position && position < before {
			docs = append(docs, doc)
		}
	}

	return roaring.BitmapOf(docs...)
}

// flip changes the marks of docs.
func flip(marks []uint64, docs []byte) {
	for ; len(docs) >= 4; docs = docs[4:] {
		doc := binary.LittleEndian.Uint32(docs)
		marks[doc/64] ^= 1 << (doc % 64)
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
