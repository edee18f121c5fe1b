package api

import "github.com/rodata/rodata/api/problem"

// YesNo is a truth value that may be left out: true, false or empty.
type YesNo string

// The values that can be asked for.
const (
	Yes YesNo = "true"
	No  YesNo = "false"
)

// UnmarshalText reads true or false.
func (y *YesNo) UnmarshalText(text []byte) error {
	*y = YesNo(text)
	if *y != Yes && *y != No {
		return &problem.InputError{Code: problem.NotOneOf, Accepted: "true or false"}
	}
	return nil
}

// Schema lists the values.
func (YesNo) Schema() Schema { return Schema{Type: "string", Enum: []string{string(Yes), string(No)}} }
