package site

import (
	"errors"

	"github.com/rodata/rodata/api/problem"
)

// inputNames are the names of inputs, as text.json has them, by the parameter of the operation that gets them.
type inputNames map[string]string

// rename returns an error whose problem is about the inputs of a page. An operation's parameter may have another name,
// or be another page's input: "from" is a currency of a conversion and the first day of a history.
func (n inputNames) rename(err error) error {
	var p *problem.Problem
	if !errors.As(err, &p) || len(p.Errors) == 0 {
		return err
	}

	renamed := *p
	renamed.Errors = make([]*problem.InputError, len(p.Errors))
	for i, e := range p.Errors {
		input := *e
		if name, ok := n[e.Parameter]; ok {
			input.Parameter = name
		}
		renamed.Errors[i] = &input
	}
	return &renamed
}
