package lists

import (
	"strconv"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// WaitSeconds is the maximum time that a caller waits: 1 to 25 seconds.
type WaitSeconds int

const maxWaitSeconds = 25

// UnmarshalText parses a whole number.
func (w *WaitSeconds) UnmarshalText(text []byte) error {
	n, ok := op.Count(text, 2)
	if !ok || n < 1 || n > maxWaitSeconds {
		return &problem.InputError{Code: problem.OutOfRange,
			Accepted: "a whole number from 1 to " + strconv.Itoa(maxWaitSeconds)}
	}

	*w = WaitSeconds(n)
	return nil
}

func (w WaitSeconds) Duration() time.Duration { return time.Duration(w) * time.Second }

// Schema describes the number.
func (WaitSeconds) Schema() jsonschema.Schema {
	return jsonschema.Schema{Type: "integer", Minimum: new(1), Maximum: new(maxWaitSeconds)}
}
