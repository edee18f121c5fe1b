package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/rodata/rodata/api/lists"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// answerByRow runs an operation that answers row by row. It works on a copy of the exchange, because a stream would
// move the exchanges of all other calls to the heap.
func (x *exchange) answerByRow(o *op.Operation) {
	own := new(*x)
	defer func() { x.wrote = own.wrote }()
	var call op.Call
	own.read(&call, o)
	var stream *rowStream
	if o.HasBody() { // otherwise it has one form
		stream = own.readForm(&call)
	}

	reply := own.Gateway.Do(own.r.Context(), o, &call)
	if stream != nil && own.wrote {
		stream.end(reply)
		return
	}

	own.write(reply)
}

// readForm determines the form of the rows: one object, a table or a stream. It returns the stream, or nil for the
// other forms.
func (x *exchange) readForm(call *op.Call) *rowStream {
	call.BaseURL = x.baseURL(x.r)
	call.IdempotencyKey = x.idempotencyKey()
	x.w.Header()["Vary"] = varyAccept
	order, delimiter, err := rowsQuery(x.r.URL.RawQuery)
	if err != nil {
		call.Malformed = err
		return nil
	}

	switch x.preferredType(rowForms) {
	case "text/csv":
		call.Form = lists.CSV{Delimiter: delimiter}
	case op.NDJSONType:
		stream := &rowStream{exchange: x, problems: call.BaseURL}
		call.Rows, call.InOrder = stream, order == "input"
		return stream
	}

	return nil
}

// idempotencyKey returns the Idempotency-Key header; empty if absent.
func (x *exchange) idempotencyKey() string {
	keys, sent := x.r.Header["Idempotency-Key"]
	switch {
	case !sent:
		return ""
	case len(keys) > 1 || keys[0] == "":
		return `""` // it is rejected
	}

	return keys[0]
}

// rowForms are the media types of rows, the default first.
var rowForms = []string{"application/json", op.NDJSONType, "text/csv"}

// delimiters are the separators of a table's cells, by their parameter values.
var delimiters = map[string]rune{"": ',', ",": ',', ";": ';', "tab": '\t', "\t": '\t'}

// rowsQuery parses the parameters of the rows' form. A semicolon need not be encoded.
func rowsQuery(rawQuery string) (order string, delimiter rune, err error) {
	query, err := url.ParseQuery(strings.ReplaceAll(rawQuery, ";", "%3B"))
	if err != nil {
		return "", 0, problem.Invalid(&problem.InputError{Code: problem.Malformed,
			Accepted: "?order=input&delimiter=%3B",
			Reason:   "the query is not well encoded; write it as ?order=input&delimiter=%3B"})
	}

	for name, values := range query {
		if err := misplacedKey(name); err != nil {
			return "", 0, err
		}

		if name != "order" && name != "delimiter" {
			return "", 0, problem.Invalid(&problem.InputError{Parameter: name, Code: problem.Misplaced,
				Accepted: bodyForm,
				Reason: "it was sent in the address, which takes only order and delimiter; send it in the JSON " +
					"object in the body"})
		}

		if len(values) > 1 {
			return "", 0, problem.Invalid(&problem.InputError{Parameter: name, Code: problem.Repeated,
				Accepted: "one value", Reason: "it was sent more than once; send it once"})
		}
	}

	order = query.Get("order")
	if order != "" && order != "known" && order != "input" {
		return "", 0, wrongForm("order", order, "known or input")
	}

	delimiter, ok := delimiters[query.Get("delimiter")]
	if !ok {
		return "", 0, wrongForm("delimiter", query.Get("delimiter"), "a comma, a semicolon, or tab")
	}

	return order, delimiter, nil
}

func wrongForm(parameter, received, accepted string) error {
	return problem.Invalid(&problem.InputError{Parameter: parameter, Code: problem.NotOneOf,
		Received: problem.Excerpt(received), Accepted: accepted})
}

// rowStream sends rows as lines of JSON. It implements op.RowWriter.
type rowStream struct {
	*exchange
	problems string // base URL of the problem types
	lines    []byte
}

// Begin implements op.RowWriter.
func (s *rowStream) Begin(reply *op.Reply) {
	h := s.w.Header()
	reply.WriteHeader(h)
	delete(h, "x-credits-cost") // the summary has it
	delete(h, "x-credits-remaining")
	s.beginStream(reply.Status, ndjsonType)
}

// Write implements op.RowWriter.
func (s *rowStream) Write(rows []op.Row) error {
	s.lines = s.lines[:0]
	for _, row := range rows {
		s.lines = append(row.AppendJSON(s.lines, s.problems), '\n')
	}
	if len(rows) == 0 {
		s.lines = append(s.lines, '\n')
	}

	return s.push(s.lines)
}

// end sends the summary. Without one, the connection is aborted, so that the client notices.
func (s *rowStream) end(reply *op.Reply) {
	if reply.Problem != nil {
		panic(http.ErrAbortHandler)
	}

	s.lines = append(append(append(s.lines[:0], `{"summary":`...), reply.Document.JSON...), "}\n"...)
	_ = s.push(s.lines) // a disconnected client is not an error
}
