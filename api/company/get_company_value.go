package company

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

type companyValueInput struct {
	CUI    ro.CUI      `arg:"cui" in:"path"`
	Date   ro.Date     `arg:"date"`
	Fields SingleField `arg:"fields" doc:"With format=text only: the profile field to return, which has a single value, with dots for nested ones: seat.city." example:"name"`
}

// GetValue returns the second form of get_company: one value of the profile as plain text, for spreadsheet
// formulas.
func GetValue(companies Companies, registers TaxRegisters, judge Judge) *op.Operation {
	return op.Define(op.Spec{
		Name: "get_company_value", Title: "Get one value of a company", Cost: 1,
		Description: "text: only the value of the field named by fields, for spreadsheet formulas such as " +
			"WEBSERVICE. A value that no register provides is unknown.",
		Alternates: []op.Alternate{{Type: "text/plain", Format: "text", ByFormat: true,
			Description: "The value of the field, such as true or 2012-04-04; unknown if no register provides it."}},
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in companyValueInput) (op.Answer[Value], error) {
		if in.Fields == "" {
			return op.Answer[Value]{}, problem.Invalid(&problem.InputError{
				Parameter: "fields", Code: problem.Required,
				Accepted: "with format=text, send the name of one field, for example fields=name",
				Reason:   "it is missing",
			})
		}

		if in.Date != 0 {
			if err := CheckStatusDay("date", in.Date); err != nil {
				return op.Answer[Value]{}, err
			}
		}

		answer, err := knownCompany(ctx, companies, ro.CompanyDay{CUI: in.CUI, Day: in.Date})
		if part := in.Fields.part(); err == nil && part != "" {
			parts := embedding{companies: companies, registers: registers, judge: judge}
			whole := &getCompanyInput{CUI: in.CUI, Date: in.Date, Include: op.List[Include]{part}}
			answer, err = parts.embed(ctx, whole, answer)
		}
		if err != nil {
			return op.Answer[Value]{}, err
		}

		value := in.Fields.of(answer)
		return op.Answer[Value]{Value: value, Renderer: value, Freshness: answer.Freshness}, nil
	})
}

// Value is one value of a profile as a text.
type Value string

const unknownValue Value = "unknown"

// Schema describes a text.
func (Value) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

// Render implements Renderer.
func (v Value) Render(context.Context, string, string) (*op.Document, error) {
	d := op.NewDocument([]byte(v))
	d.File = &op.File{Type: []string{"text/plain; charset=utf-8"}}
	return d, nil
}

// SingleField is the path of a profile field with a single value: neither an object nor a list.
type SingleField string

const singleFieldForm = "one field with a single value, such as name, vatPayer or seat.city"

// singleFields are the paths of all such fields.
var singleFields = singlesOf("", jsonschema.Of(reflect.TypeFor[Company]()))

func singlesOf(prefix string, s jsonschema.Schema) (paths []string) {
	for _, p := range s.Properties {
		switch {
		case p.Schema.Items != nil:
		case len(p.Schema.Properties) > 0:
			paths = append(paths, singlesOf(prefix+p.Name+".", p.Schema)...)
		default:
			paths = append(paths, prefix+p.Name)
		}
	}

	return paths
}

// UnmarshalText parses the path of one field.
func (f *SingleField) UnmarshalText(text []byte) error {
	name := string(text)
	switch {
	case slices.Contains(singleFields, name):
		*f = SingleField(name)
		return nil
	case strings.Contains(name, ","):
		return &problem.InputError{Code: problem.TooMany, Accepted: singleFieldForm,
			Reason: "it names several fields, but format=text returns one value; send one, or leave out fields and " +
				"format for the profile as JSON"}
	case slices.Contains(fieldNames, name):
		return &problem.InputError{Code: problem.InvalidType, Accepted: singleFieldForm,
			Reason: "it has more than one value, but format=text returns one; choose a field inside it, or leave " +
				"out fields and format for the profile as JSON"}
	}

	return &problem.InputError{Code: problem.NotOneOf, Accepted: singleFieldForm,
		Suggestion: spelling.Nearest(name, singleFields)}
}

// Schema describes a path.
func (SingleField) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string"} }

// part returns the part of the profile to embed for the field; empty for none.
func (f SingleField) part() Include {
	name, _, _ := strings.Cut(string(f), ".")
	if part := Include(name); slices.Contains(Includes, part) {
		return part
	}
	return ""
}

// of returns the field's value in a profile.
func (f SingleField) of(answer op.Answer[*Company]) Value {
	var profile []byte
	if answer.Document != nil {
		profile = answer.Document.JSON
	} else {
		profile = jsontext.MustEncode(answer.Value)
	}

	if value := cell(newObjectReader(profile).at(string(f))); value != "" {
		return Value(value)
	}

	return unknownValue
}
