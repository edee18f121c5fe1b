package caddymodule

import (
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// Header values that are the same in every answer: shared, never changed.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	noSniff     = []string{"nosniff"}
)

// write sends a reply.
func (x *exchange) write(reply *api.Reply) {
	h := x.w.Header()
	reply.WriteHeader(h)
	if reply.Problem != nil {
		x.send(reply.Status, problemType, api.ProblemDocument(reply.Problem, x.app.URL(x.r)))
		return
	}
	if doc := reply.Document; doc != nil && doc.File != nil {
		h["Content-Disposition"] = doc.File.Disposition
		x.send(reply.Status, doc.File.Type, doc)
		return
	}
	x.send(reply.Status, jsonType, reply.Document)
}

// refuse sends a problem that no operation is behind. Retry seconds of 0 give no
// advice.
func (x *exchange) refuse(p *problem.Problem, retrySeconds int) {
	p.RetryAfter = time.Duration(retrySeconds) * time.Second
	x.write(&api.Reply{Status: p.Status(), Problem: p, Credits: -1})
}

// send writes the header that all answers share, and the document, if there is
// one and the method and the status let it be sent.
//
// Headers are what an answer from the cache costs most. Beyond 14 the map of them
// grows once more, in the server also that of its copy, which takes a tenth of all the
// time, so the two that can be spared are: the name of the server, and the length
// where the server counts by itself.
func (x *exchange) send(status int, contentType []string, doc *api.Document) {
	h := x.w.Header()
	delete(h, "Server")
	h["X-Content-Type-Options"] = noSniff
	x.writeCORS(h)
	if x.id != "" {
		h["X-Request-Id"] = x.r.Header["X-Request-Id"]
	}
	hasBody := doc != nil && status != http.StatusNotModified
	sendsBody := hasBody && x.r.Method != http.MethodHead
	if hasBody {
		h["Content-Type"] = contentType
	}
	if hasBody && (!sendsBody || len(doc.JSON) > countedBody) {
		h["Content-Length"] = doc.LengthValue()
	}
	x.wrote = true
	x.w.WriteHeader(status)
	if sendsBody {
		x.w.Write(doc.JSON) // a client that has gone is nobody's error
	}
}

// countedBody is the largest body, in bytes, of which Go's servers send the length
// unasked: they wait until the handler has ended or a buffer is full, which over
// HTTP/1.1 has 2 KiB, and 4 over HTTP/2 and 3.
const countedBody = 2 << 10

// writeDescription sends the OpenAPI description.
func (x *exchange) writeDescription(s *service) {
	doc := s.openapi.At(x.app.URL(x.r))
	h := x.w.Header()
	h["Etag"] = []string{doc.ETag()}
	h["Cache-Control"] = []string{"public, max-age=300"}
	status := http.StatusOK
	if api.NamesTag(strings.Join(x.r.Header["If-None-Match"], ","), doc.ETag()) {
		status = http.StatusNotModified
	}
	x.send(status, jsonType, doc)
}
