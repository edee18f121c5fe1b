package op

import (
	"fmt"

	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// OutOfRange is the error of a day outside the accepted range.
func OutOfRange(name string, day ro.Date, accepted, reason string) *problem.Problem {
	return problem.Invalid(&problem.InputError{Parameter: name, Code: problem.OutOfRange,
		Received: problem.Excerpt(day.String()), Accepted: accepted, Reason: reason})
}

// EndsBeforeItBegins is the error of a range whose end is before its start.
func EndsBeforeItBegins(from, to ro.Date) *problem.Problem {
	return problem.Invalid(&problem.InputError{
		Parameter: "from", Code: problem.Conflict, Received: problem.Excerpt(from.String()),
		Accepted: fmt.Sprintf("a day that is not after to, %s", to),
		Reason:   fmt.Sprintf("%s is after to, %s", from, to),
	})
}

// TooLongRange is the error of a range with more days than an answer may have.
func TooLongRange(from, to, most, earliest ro.Date) *problem.Problem {
	return problem.Invalid(&problem.InputError{
		Parameter: "from", Code: problem.OutOfRange, Received: problem.Excerpt(from.String()),
		Accepted: fmt.Sprintf("a day from %s to %s", earliest, to),
		Reason: fmt.Sprintf("the range from %s to %s has %d days, more than the maximum of %d: with this to, the "+
			"earliest from is %s", from, to, to-from, most, earliest),
	})
}
