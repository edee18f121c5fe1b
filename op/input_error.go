package op

import (
	"errors"
	"fmt"

	"github.com/rodata/rodata/op/problem"
)

// Malformed is the problem of a call that cannot be parsed.
func Malformed(code problem.InputCode, reason, accepted string, args ...any) *problem.Problem {
	return problem.Invalid(&problem.InputError{Code: code, Reason: fmt.Sprintf(reason, args...), Accepted: accepted})
}

// wrong returns the input error of a parameter for an error of its type. Arrays are not included in the message.
func (p *Param) wrong(err error, arg *Arg) *problem.InputError {
	e := problem.InputError{Code: problem.InvalidFormat, Reason: err.Error()}
	if found, ok := errors.AsType[*problem.InputError](err); ok {
		e = *found
	}

	e.Parameter = p.Name
	if e.Received == nil && (arg.JSON == "" || !p.form.list) {
		e.Received = problem.Excerpt(arg.Text)
	}

	return &e
}
