package ro

import (
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// YesNo is an optional boolean: true, false or empty.
type YesNo string

// The values other than absent.
const (
	Yes YesNo = "true"
	No  YesNo = "false"
)

// UnmarshalText parses true or false.
func (y *YesNo) UnmarshalText(text []byte) error {
	*y = YesNo(text)
	if *y != Yes && *y != No {
		return &problem.InputError{Code: problem.NotOneOf, Accepted: "true or false"}
	}
	return nil
}

// Schema lists the values.
func (YesNo) Schema() jsonschema.Schema { return jsonschema.Enum(Yes, No) }
