package op

import (
	"context"
	"encoding"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// binding describes how an operation's arguments become its typed input. The tags of the input type's fields, and of
// those of the structs that it embeds, define it:
//
//	arg:"cui"          the name of the argument
//	in:"path"          the argument is in the path instead of the query or the body
//	required:"true"    the argument is required, as arguments in the path always are
//	default:"25"       the default, parsed like a value that was sent
//	max:"5000"         the maximum length in bytes, if it is above the usual limit
//	lines:"true"       the text may contain line breaks and tabs
//	empty:"true"       the text may be empty, which means the same as absent
//	doc:"..."          the description
//	example:"..."      an example
//	media:"text/csv"   the argument is the whole body if it has this media type; the others are then in the query
type binding struct {
	params   []Param
	fields   [][]int       // of the parameters, as reflect.Value.FieldByIndex takes them
	defaults reflect.Value // the input with all defaults set
	// exported maps the parameters that only the operation's export takes to the values of format that select it.
	exported map[string]string
}

// Param is a parameter of an operation.
type Param struct {
	Name     string
	InPath   bool
	Required bool
	Schema   jsonschema.Schema // with description, default and example
	// Media is the media type of a body that consists of this argument; empty for others.
	Media string
	form  form
}

// advice tells a caller who omitted the argument what to send.
func (p *Param) advice() string {
	what, _, _ := strings.Cut(strings.TrimSuffix(p.Schema.Description, "."), ". ")
	if len(what) > 1 && what[1] >= 'a' { // not an abbreviation
		what = strings.ToLower(what[:1]) + what[1:]
	}
	if p.Schema.Example != "" {
		what += ", for example " + p.Schema.Example
	}

	return "send " + what
}

// MaxBytes is the maximum length of its text.
func (p *Param) MaxBytes() int64 { return int64(p.form.maxBytes) }

// IsList reports whether the parameter is an array in a body.
func (p *Param) IsList() bool { return p.form.list }

// MayBeEmpty reports whether an empty text is a value, as opposed to an error.
func (p *Param) MayBeEmpty() bool { return p.form.empty }

func newBinding(t reflect.Type) binding {
	b := binding{defaults: reflect.New(t).Elem()}
	arguments := slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous })
	for _, f := range arguments {
		b.fields = append(b.fields, f.Index)
	}

	defaults := b.fieldsOf(b.defaults)
	for i, f := range arguments {
		name := f.Tag.Get("arg")
		if name == "" {
			panic("op: " + t.String() + "." + f.Name + " has no arg tag")
		}

		s := reflect.Zero(f.Type).Interface().(jsonschema.Describer).Schema()
		s.Description, s.Default, s.Example = f.Tag.Get("doc"), f.Tag.Get("default"), f.Tag.Get("example")
		p := Param{Name: name, InPath: f.Tag.Get("in") == "path", Schema: s, Media: f.Tag.Get("media")}
		p.Required = p.InPath && s.Default == "" || f.Tag.Get("required") != ""
		p.form = form{maxBytes: MaxArgBytes, lines: f.Tag.Get("lines") != "",
			empty: f.Tag.Get("empty") != "", list: s.Type == "array", example: s.Example}
		if most := f.Tag.Get("max"); most != "" {
			p.form.maxBytes, _ = strconv.Atoi(most)
		}

		if s.Default != "" {
			if err := defaults[i].UnmarshalText([]byte(s.Default)); err != nil {
				panic("op: default of " + t.String() + "." + f.Name + ": " + err.Error())
			}
		}

		b.params = append(b.params, p)
	}

	return b
}

// quoteTexts makes text parameters reject JSON numbers and booleans.
func (b *binding) quoteTexts() {
	for i := range b.params {
		b.params[i].form.quoted = b.params[i].Schema.Type == "string" && !b.params[i].InPath
	}
}

// fieldsOf returns the fields of a settable input as text unmarshalers, with those of the structs that it embeds.
func (b *binding) fieldsOf(input reflect.Value) []encoding.TextUnmarshaler {
	fields := make([]encoding.TextUnmarshaler, len(b.fields))
	for i, index := range b.fields {
		fields[i] = input.FieldByIndex(index).Addr().Interface().(encoding.TextUnmarshaler)
	}
	return fields
}

// bind sets the fields of an input that has the defaults, and reports all invalid arguments. The buffer is scratch
// space for texts.
func (b *binding) bind(fields []encoding.TextUnmarshaler, args Args, buffer []byte) error {
	var wrong []*problem.InputError
	known := 0
	for i := range b.params {
		p := &b.params[i]
		arg, times := args.get(p.Name)
		known += times
		switch {
		case times > 1:
			wrong = append(wrong, &problem.InputError{Parameter: p.Name, Code: problem.Repeated, Accepted: "one value",
				Reason: "it was sent more than once; send it once"})
		case arg == nil && p.Required:
			wrong = append(wrong, &problem.InputError{Parameter: p.Name, Code: problem.Required, Accepted: p.advice(),
				Reason: "it is missing"})
		case arg == nil, arg.Text == "" && p.form.empty:
		default:
			err := p.form.check(arg)
			if file, isFile := fields[i].(*BodyFile); isFile && arg.File != nil {
				file.SectionReader, file.Name = arg.File, arg.Text
			} else if err == nil {
				err = fields[i].UnmarshalText(append(buffer[:0], arg.value()...))
			}
			if err != nil {
				wrong = append(wrong, p.wrong(err, arg))
			}
		}
	}

	if known < len(args) {
		wrong = append(wrong, b.unknown(args)...)
	}
	if wrong != nil {
		return problem.Invalid(wrong...)
	}

	return nil
}

// unknown reports the arguments that the operation does not define.
func (b *binding) unknown(args Args) (wrong []*problem.InputError) {
	names := make([]string, len(b.params))
	for i := range b.params {
		names[i] = b.params[i].Name
	}

	accepted := strings.Join(names, ", ")
	if len(names) == 0 {
		accepted = "no parameters"
	}

	for _, a := range args {
		switch formats := b.exported[a.Name]; {
		case b.takes(a.Name):
		case formats != "":
			wrong = append(wrong, &problem.InputError{
				Parameter: a.Name, Code: problem.Conflict, Accepted: "only with format=" + formats,
				Reason: "leave it out; it works only over REST, together with format=" + formats,
			})
		default:
			wrong = append(wrong, &problem.InputError{
				Parameter: *problem.Excerpt(a.Name), Code: problem.UnknownParameter, Received: problem.Excerpt(a.Name),
				Accepted: accepted, Suggestion: b.suggestion(a.Name, names),
			})
		}
	}

	return wrong
}

// otherNames maps parameter names of other services to ours.
var otherNames = map[string]string{
	"caen": "naceCode", "query": "q", "search": "q", "name": "q", "page": "offset", "skip": "offset", "size": "limit",
	"per_page": "limit", "pagesize": "limit",
	"judet": "county", "localitate": "city", "oras": "city", "order": "sortDirection", "symbol": "currency",
	"valuta": "currency", "suma": "amount", "offset": "after",
}

// suggestion returns the parameter that an unknown name probably refers to; empty for none.
func (b *binding) suggestion(name string, names []string) string {
	if other := otherNames[strings.ToLower(name)]; b.takes(other) {
		return other
	}
	return spelling.Nearest(name, names)
}

func (b *binding) takes(name string) bool {
	return slices.ContainsFunc(b.params, func(p Param) bool { return p.Name == name })
}

// read parses the arguments of a call, and its body if there is one.
func (g *Gateway) read(ctx context.Context, op *Operation, call *Call, seen *Observation) (in any, err error) {
	if call.Malformed != nil {
		return nil, call.Malformed
	}

	if call.Body != nil {
		body := Arg{}
		seen.envelope.Upload, err = g.Uploads.receive(ctx, seen.Caller.Bucket(), func(to io.Writer) (err error) {
			body.Name, body.Text, err = call.Body(to)
			return err
		})
		if err != nil {
			return nil, err
		}

		body.File = seen.envelope.Upload.content()
		call.Args = append(call.Args, body)
	}

	return op.bind(call.InPath, call.Args)
}
