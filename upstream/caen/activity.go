package caen

import (
	"github.com/rodata/rodata/api/reference"
	"github.com/rodata/rodata/op"
)

// Activity returns the entry of a code, with its ancestors and children. It reports false if Rev.3 has no such code.
func (r *Registry) Activity(code reference.CAENCode) (op.Answer[reference.ActivityDetail], bool) {
	i, ok := r.byCode[code]
	if !ok {
		return op.Answer[reference.ActivityDetail]{}, false
	}

	answer := r.details[i].Load()
	if answer == nil { // two callers may both create it, with the same result
		answer = r.detail(i)
		r.details[i].Store(answer)
	}

	return *answer, true
}

func (r *Registry) detail(i int) *op.Answer[reference.ActivityDetail] {
	e := &r.entries[i]
	d := reference.ActivityDetail{Activity: e.Activity, Parents: []reference.Activity{},
		Children: []reference.Activity{}}
	for up := e.parent; up >= 0; up = r.entries[up].parent {
		d.Parents = append([]reference.Activity{r.entries[up].Activity}, d.Parents...)
	}

	for _, child := range e.children {
		d.Children = append(d.Children, r.entries[child].Activity)
	}

	doc, err := op.EncodeDocument(d)
	if err != nil { // texts and numbers always encode
		panic(err)
	}

	return &op.Answer[reference.ActivityDetail]{Value: d, Document: doc}
}

// Revision returns the revision, 2 or 3, of a class without one: that of the two that has the class, or 3 if it means
// the same in both. It returns 0 for a class that means different activities, and for one that neither has.
func (r *Registry) Revision(class reference.CAENCode) int {
	i, kept := r.byCode[class]
	successors := r.replacing[reference.Rev2Code(class)]
	switch {
	case len(successors) == 0 && kept:
		return 3
	case len(successors) > 0 && !kept:
		return 2
	case len(successors) == 1 && successors[0] == i && len(r.entries[i].ReplacesRev2Codes) == 1:
		return 3
	}

	return 0
}

// Successors returns the Rev.3 codes that replace a Rev.2 code, if Rev.3 does not have that code. They are of the same
// level. For any other code there are none. The successors of a class are official. The successors of a group or
// division are the groups and divisions of its classes' successors.
func (r *Registry) Successors(code reference.CAENCode) []reference.Successor {
	if _, kept := r.byCode[code]; kept {
		return nil
	}

	var successors []reference.Successor
	for _, i := range r.replacing[reference.Rev2Code(code)] {
		e := &r.entries[i]
		successors = append(successors,
			reference.Successor{Code: string(e.Code), Name: e.Name, NameEn: e.NameEn, Type: e.Type})
	}

	return successors
}
