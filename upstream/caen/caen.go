// Package caen is CAEN Rev.3, the Romanian classification of activities, embedded in
// the program. data/PROVENANCE.md names its sources.
package caen

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream/internal/words"
)

//go:generate go run ../internal/generate caen data caen.txt

//go:embed caen.txt
var embedded string

// Registry is the classification in memory. It is immutable, so safe for concurrent use.
type Registry struct {
	entries []entry
	byCode  map[api.CAENCode]int
	// replacing maps a Rev.2 code to the entries of its level that replace it, in the
	// order of the classification.
	replacing map[api.Rev2Code][]int
	index     *words.Index
	details   []atomic.Pointer[api.Answer[api.ActivityDetail]] // made when first asked for
}

type entry struct {
	api.Activity
	parent   int // -1 for a section
	children []int
}

// Load is the classification. The first call reads it, which takes a few
// milliseconds; all calls give the same one.
var Load = sync.OnceValue(func() *Registry {
	r, err := read(embedded)
	if err != nil { // the text is part of the program and tested
		panic(fmt.Sprintf("caen: reading the embedded classification: %v", err))
	}
	return r
})

// read understands the lines that the generator makes: a code, its Romanian and
// its English name, and for a class the Rev.2 classes that it replaces.
func read(text string) (*Registry, error) {
	n := strings.Count(text, "\n")
	r := &Registry{
		entries:   make([]entry, 0, n),
		byCode:    make(map[api.CAENCode]int, n),
		replacing: map[api.Rev2Code][]int{},
		details:   make([]atomic.Pointer[api.Answer[api.ActivityDetail]], n),
	}

	section := -1
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 4 || fields[0] == "" || len(fields[0]) > 4 {
			return nil, fmt.Errorf("line %q does not begin with a code and have four fields", line)
		}

		code, parent := api.CAENCode(fields[0]), section
		switch len(code) {
		case 1:
			section, parent = len(r.entries), -1
		case 3, 4:
			var ok bool
			if parent, ok = r.byCode[code[:len(code)-1]]; !ok {
				return nil, fmt.Errorf("nothing stands above %s", code)
			}
		}

		r.add(code, parent, fields[1], fields[2])
		if err := r.replace(code, fields[3]); err != nil {
			return nil, err
		}
	}

	for _, e := range r.entries {
		slices.Sort(e.ReplacesRev2Codes)
	}
	r.index = r.newIndex()
	return r, nil
}

func (r *Registry) add(code api.CAENCode, parent int, name, nameEn string) {
	i := len(r.entries)
	e := entry{parent: parent, Activity: api.Activity{
		Code: code, Name: name, NameEn: nameEn, Type: code.Level(), ReplacesRev2Codes: []int{}}}
	if parent >= 0 {
		above := &r.entries[parent]
		above.children = append(above.children, i)
		e.ParentCode = &above.Code
	}

	r.entries = append(r.entries, e)
	r.byCode[code] = i
}

// replace takes in which Rev.2 classes a class replaces, and so which groups and
// divisions those above it do.
func (r *Registry) replace(class api.CAENCode, field string) error {
	if len(class) != 4 || field == "-" {
		return nil
	}
	if field == "" {
		field = string(class)
	}

	for rev2 := range strings.SplitSeq(field, ",") {
		for level := 2; level <= len(rev2); level++ {
			i, old := r.byCode[class[:level]], api.Rev2Code(rev2[:level])
			if slices.Contains(r.replacing[old], i) {
				continue
			}

			r.replacing[old] = append(r.replacing[old], i)
			number, err := strconv.Atoi(rev2[:level])
			if err != nil {
				return fmt.Errorf("%s replaces %q, which is no code", class, rev2)
			}

			r.entries[i].ReplacesRev2Codes = append(r.entries[i].ReplacesRev2Codes, number)
		}
	}

	return nil
}

func (r *Registry) newIndex() *words.Index {
	entries := make([]words.Entry, len(r.entries))
	for i := range r.entries {
		e := &r.entries[i]
		entries[i].Names = []string{string(e.Code), e.Name, e.NameEn}
	}
	return words.NewIndex(entries)
}
