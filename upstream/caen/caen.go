// Package caen is CAEN Rev.3, the Romanian classification of activities, embedded in the program. data/PROVENANCE.md
// names its sources.
package caen

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/internal/tsv"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/search/words"
)

//go:embed data/rev3.tsv
var rev3Table string

//go:embed data/rev2_rev3.tsv
var replacedTable string

//go:embed data/synonyms.tsv
var synonymTable string

// Registry is the classification in memory. It is immutable, and therefore safe for concurrent use.
type Registry struct {
	entries []entry
	byCode  map[reference.CAENCode]int
	// replacing maps a Rev.2 code to the entries of the same level that replace it, in the order of the classification.
	replacing map[reference.Rev2Code][]int
	index     *words.Index
	details   []atomic.Pointer[op.Answer[reference.ActivityDetail]] // created on first use
}

type entry struct {
	reference.Activity
	parent   int // -1 for a section
	children []int
}

// Load returns the classification. The first call parses it, which takes about 50 ms; all calls return the same one.
var Load = sync.OnceValue(func() *Registry {
	r, err := read(rev3Table, replacedTable, synonymTable)
	if err != nil { // the tables are part of the program and tested
		panic(fmt.Sprintf("caen: reading the embedded classification: %v", err))
	}
	return r
})

// read parses three tables: the entries of Rev.3, the Rev.2 classes that its classes replace, and synonyms.
func read(rev3, replaced, synonyms string) (*Registry, error) {
	rows, err := tsv.Rows(rev3, "code", "parent", "name_ro", "name_en")
	if err != nil {
		return nil, fmt.Errorf("rev3.tsv: %w", err)
	}

	r := &Registry{
		byCode:    make(map[reference.CAENCode]int, len(rows)),
		replacing: map[reference.Rev2Code][]int{},
		details:   make([]atomic.Pointer[op.Answer[reference.ActivityDetail]], len(rows)),
		entries:   make([]entry, 0, len(rows)), // children point into it
	}
	for _, row := range rows {
		if err := r.add(reference.CAENCode(row[0]), reference.CAENCode(row[1]), row[2], row[3]); err != nil {
			return nil, fmt.Errorf("rev3.tsv: %w", err)
		}
	}

	pairs, err := tsv.Rows(replaced, "rev2", "rev3")
	if err != nil {
		return nil, fmt.Errorf("rev2_rev3.tsv: %w", err)
	}

	for _, pair := range pairs {
		if err := r.replace(pair[0], reference.CAENCode(pair[1])); err != nil {
			return nil, fmt.Errorf("rev2_rev3.tsv: %w", err)
		}
	}

	for _, e := range r.entries {
		slices.Sort(e.ReplacesRev2Codes)
	}

	for _, entries := range r.replacing {
		slices.Sort(entries)
	}

	phrases, err := r.readSynonyms(synonyms)
	if err != nil {
		return nil, fmt.Errorf("synonyms.tsv: %w", err)
	}

	r.index = r.newIndex(phrases)
	return r, nil
}

// add adds an entry below its parent. The parent is empty for a section.
func (r *Registry) add(code, parent reference.CAENCode, name, nameEn string) error {
	if code == "" || len(code) > 4 {
		return fmt.Errorf("%q is not a code", code)
	}

	i := len(r.entries)
	e := entry{parent: -1, Activity: reference.Activity{
		Code: code, Name: name, NameEn: nameEn, Type: code.Level(), ReplacesRev2Codes: []int{}}}
	if parent != "" {
		up, ok := r.byCode[parent]
		if !ok {
			return fmt.Errorf("the parent %s of %s does not precede it", parent, code)
		}

		above := &r.entries[up]
		above.children = append(above.children, i)
		e.parent, e.ParentCode = up, &above.Code
	}

	r.entries = append(r.entries, e)
	r.byCode[code] = i
	return nil
}

// replace records that a Rev.3 class replaces a Rev.2 class, and that their groups and divisions do so as well.
func (r *Registry) replace(rev2 string, class reference.CAENCode) error {
	if _, ok := r.byCode[class]; !ok || len(class) != 4 || len(rev2) != 4 {
		return fmt.Errorf("%s and %s are not classes of the two revisions", rev2, class)
	}

	for level := 2; level <= len(rev2); level++ {
		i, old := r.byCode[class[:level]], reference.Rev2Code(rev2[:level])
		if slices.Contains(r.replacing[old], i) {
			continue
		}

		number, err := strconv.Atoi(rev2[:level])
		if err != nil {
			return fmt.Errorf("%s replaces %q, which is not a code", class, rev2)
		}

		r.replacing[old] = append(r.replacing[old], i)
		r.entries[i].ReplacesRev2Codes = append(r.entries[i].ReplacesRev2Codes, number)
	}

	return nil
}
