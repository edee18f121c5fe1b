package api

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"
)

// binding is how an operation's arguments become its typed input: one row for
// each field of the input type, read from the field's tags:
//
//	arg:"cui"          the name of the argument
//	in:"path"          it stands in the path (else: in the query, or the body)
//	required:"true"    it cannot be left out (those in the path never can)
//	default:"25"       what stands for an absent one, read by the same rule
//	max:"5000"         its greatest length in bytes, when that is above the usual
//	lines:"true"       it may hold line breaks and tabs
//	empty:"true"       it may be empty, which is the same as absent
//	doc:"..."          its description
//	example:"..."      an example
type binding struct {
	params   []Param
	defaults reflect.Value // the input with all defaults set
}

// Param is a parameter of an operation.
type Param struct {
	Name     string
	InPath   bool
	Required bool
	Schema   Schema // with description, default and example
	form     form
}

func newBinding(t reflect.Type) binding {
	b := binding{defaults: reflect.New(t).Elem()}
	defaults := fieldsOf(b.defaults)
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("arg")
		if name == "" {
			panic("api: " + t.String() + "." + f.Name + " has no arg tag")
		}
		s := reflect.Zero(f.Type).Interface().(described).Schema()
		s.Description, s.Default, s.Example = f.Tag.Get("doc"), f.Tag.Get("default"), f.Tag.Get("example")
		p := Param{Name: name, InPath: f.Tag.Get("in") == "path", Schema: s}
		p.Required = p.InPath || f.Tag.Get("required") != ""
		p.form = form{maxBytes: maxArgBytes, lines: f.Tag.Get("lines") != "", empty: f.Tag.Get("empty") != ""}
		if most := f.Tag.Get("max"); most != "" {
			p.form.maxBytes, _ = strconv.Atoi(most)
		}
		if s.Default != "" {
			if err := defaults[i].UnmarshalText([]byte(s.Default)); err != nil {
				panic("api: default of " + t.String() + "." + f.Name + ": " + err.Error())
			}
		}
		b.params = append(b.params, p)
	}
	return b
}

// quoteTexts makes parameters that are texts refuse JSON numbers and booleans.
func (b *binding) quoteTexts() {
	for i := range b.params {
		b.params[i].form.quoted = b.params[i].Schema.Type == "string"
	}
}

// fieldsOf are the fields of a settable input, for their texts.
func fieldsOf(input reflect.Value) []encoding.TextUnmarshaler {
	fields := make([]encoding.TextUnmarshaler, input.NumField())
	for i := range fields {
		fields[i] = input.Field(i).Addr().Interface().(encoding.TextUnmarshaler)
	}
	return fields
}

// bind fills the fields of an input that has the defaults in it, and says of the
// first argument that is not accepted what is wrong with it. The buffer is room for
// an argument's text.
func (b *binding) bind(fields []encoding.TextUnmarshaler, args Args, buffer []byte) error {
	known := 0
	for i := range b.params {
		p := &b.params[i]
		arg, repeated := args.get(p.Name)
		switch {
		case repeated:
			return InvalidRequest.New("%s was sent more than once; send it once", p.Name)
		case arg == nil && p.Required:
			return InvalidRequest.New("%s is missing; %s", p.Name, p.Schema.Description)
		case arg == nil:
			continue
		}
		known++
		if arg.Text == "" && p.form.empty {
			continue
		}
		if err := p.form.check(arg); err != nil {
			return InvalidRequest.New("%s", err)
		}
		if err := fields[i].UnmarshalText(append(buffer[:0], arg.Text...)); err != nil {
			return InvalidRequest.New("%s: %s; received %s", p.Name, err, quoted(arg.Text))
		}
	}
	if known < len(args) {
		return b.unknown(args)
	}
	return nil
}

// unknown names the first argument that the operation does not take.
func (b *binding) unknown(args Args) error {
	for _, a := range args {
		if !b.takes(a.Name) {
			return InvalidRequest.New("unknown parameter %s; %s", quoted(a.Name), b.accepted())
		}
	}
	return nil
}

func (b *binding) takes(name string) bool {
	for i := range b.params {
		if b.params[i].Name == name {
			return true
		}
	}
	return false
}

func (b *binding) accepted() string {
	if len(b.params) == 0 {
		return "no parameters are accepted here"
	}
	var names []string
	for i := range b.params {
		names = append(names, b.params[i].Name)
	}
	return "accepted: " + strings.Join(names, ", ")
}
