package site

import (
	"cmp"
	"errors"

	"github.com/rodata/rodata/op/problem"
)

// inputNames maps parameters of an operation to the page's names of the inputs, which are keys in text.json.
type inputNames map[string]string

// rename replaces the parameters in an error with the inputs of the page. A parameter may have another name on the
// page, or the same name may mean different inputs: "from" is a currency in a conversion and the first day in a
// history.
func (n inputNames) rename(err error) error {
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || len(p.Errors) == 0 {
		return err
	}

	renamed := *p
	renamed.Errors = make([]*problem.InputError, len(p.Errors))
	for i, e := range p.Errors {
		input := *e
		input.Parameter = cmp.Or(n[e.Parameter], e.Parameter)
		renamed.Errors[i] = &input
	}

	return &renamed
}
