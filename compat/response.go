package compat

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Header values shared by all answers. They must not be changed. The content type of JSON
// has no charset: clients compare it byte for byte.
var (
	jsonType  = []string{"application/json"}
	plainText = []string{"text/plain; charset=utf-8"}
	noStore   = []string{"no-store"}
	noSniff   = []string{"nosniff"}
)

// write sends a reply: a document with its media type, or a problem as a sentence.
func (x *exchange) write(reply *op.Reply) {
	h := x.w.Header()
	reply.WriteHeader(h)
	if reply.Problem != nil {
		x.send(reply.Status, plainText, []byte(sentence(reply.Problem)))
		return
	}

	file := reply.Document.File
	if !file.Modified.IsZero() {
		h["Last-Modified"] = []string{file.Modified.UTC().Format(http.TimeFormat)}
	}

	status := reply.Status
	if status == http.StatusOK && x.isUnmodified(file) {
		status = http.StatusNotModified
	}
	if status == http.StatusNotModified {
		x.send(status, nil, nil)
		return
	}

	h["Content-Length"] = reply.Document.LengthValue()
	x.send(status, file.Type, reply.Document.JSON)
}

// writeAnswer sends a reply: an answer in the registry's format, or a problem as a sentence.
func (x *exchange) writeAnswer(reply *op.Reply, a *answer, status int) {
	if reply.Problem != nil {
		x.write(reply)
		return
	}

	h := x.w.Header()
	reply.WriteHeader(h)
	a.writeHeader(h)
	x.send(status, jsonType, a.body)
}

// isUnmodified reports whether the client already has the file, by its date. An entity tag takes precedence (RFC 9110,
// section 13.1.3).
func (x *exchange) isUnmodified(file *op.File) bool {
	since, err := http.ParseTime(x.r.Header.Get("If-Modified-Since"))
	return err == nil && x.r.Header.Get("If-None-Match") == "" && !file.Modified.IsZero() &&
		file.Modified.Unix() <= since.Unix()
}

// refuse sends a problem for a request that reached no operation.
func (x *exchange) refuse(p *problem.Problem) {
	x.write(&op.Reply{Status: p.Status(), Problem: p, Credits: -1})
}

// writeHeader writes the headers common to all answers.
func writeHeader(h http.Header, r *http.Request) {
	delete(h, "Server")
	h["X-Content-Type-Options"] = noSniff
	web.AllowAnyPage(h)
	if op.RequestID(r.Header) != "" {
		h["X-Request-Id"] = r.Header["X-Request-Id"]
	}
}

// send sends an answer; its body is omitted if the method is HEAD.
func (x *exchange) send(status int, contentType []string, body []byte) {
	if contentType != nil {
		x.w.Header()["Content-Type"] = contentType
	}

	x.wrote = true
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		x.w.Write(body) // a disconnected client is not an error
	}
}

// sentence returns a problem as plain text for a person, without angle brackets, which a program may take for markup.
// The name of a parameter at its start stays unchanged, since names are case-sensitive.
func sentence(p *problem.Problem) string {
	text := strings.NewReplacer("<", "", ">", "").Replace(strings.TrimSuffix(p.Detail, "."))
	for _, e := range p.Errors {
		if rest, ok := strings.CutPrefix(text, e.Parameter); ok && e.Parameter != "" &&
			strings.HasPrefix(strings.TrimPrefix(rest, ":"), " ") {
			return text + ".\n"
		}
	}

	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:] + ".\n"
}
