package op

import (
	"io"

	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// BodyFile is an argument that is the whole body of a request, received in a file. It is nil if the body is of another
// media type.
type BodyFile struct {
	*io.SectionReader
	// Name is the name of the file; empty if none was sent.
	Name string
}

// UnmarshalText refuses a text: the gateway sets the field from the body.
func (*BodyFile) UnmarshalText([]byte) error {
	return &problem.InputError{Code: problem.Misplaced, Accepted: "the file as the body, with its Content-Type",
		Reason: "it is a file, and was sent as a parameter; send it as the body, with its Content-Type"}
}

// Schema describes bytes.
func (BodyFile) Schema() jsonschema.Schema { return Binary{}.Schema() }
