package rest

import (
	"net/http"
	"strings"

	"github.com/rodata/rodata/internal/coding"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// Header values shared by all responses. They must not be modified.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{problem.ContentType}
	noSniff     = []string{"nosniff"}
)

// write sends a reply.
func (x *exchange) write(reply *op.Reply) {
	h := x.w.Header()
	x.head(reply.IsPublic())
	reply.WriteHeader(h)
	if reply.Problem != nil {
		x.send(reply.Status, problemType, op.ProblemDocument(reply.Problem, x.baseURL(x.r)))
		return
	}

	contentType := jsonType
	if doc := reply.Document; doc != nil && doc.File != nil {
		h["Content-Disposition"], contentType = doc.File.Disposition, doc.File.Type
		if doc.File.Path != "" {
			x.sendStored(doc)
			return
		}
	}

	x.send(reply.Status, contentType, reply.Document)
}

// linkNext adds a Link header (RFC 8288) with the URL of the next rows of an export.
func (x *exchange) linkNext(reply *op.Reply) {
	if reply.Next == "" || reply.Problem != nil {
		return
	}

	query := x.r.URL.Query()
	query.Set("after", reply.Next)
	address := x.baseURL(x.r) + x.r.URL.Path + "?" + query.Encode()
	x.w.Header()["Link"] = []string{"<" + address + `>; rel="next"`}
}

// refuse sends a problem for a request that reached no operation.
func (x *exchange) refuse(p *problem.Problem) {
	x.write(&op.Reply{Status: p.Status(), Problem: p, Credits: -1})
}

// send sends the headers and, if the method and the status allow it, the document.
//
// Headers are the largest part of the cost of a cache hit. A header map grows when it gets its 15th entry, and so does
// the server's copy of the map. Growing both takes a tenth of the total time. Therefore head removes Server before it
// adds any header, and send leaves Content-Length to net/http for short bodies.
func (x *exchange) send(status int, contentType []string, doc *op.Document) {
	h := x.w.Header()
	hasBody := doc != nil && status != http.StatusNotModified
	sendsBody := hasBody && x.r.Method != http.MethodHead
	body, length := x.encode(contentType, doc, hasBody)
	if hasBody {
		h["Content-Type"] = contentType
	}
	if hasBody && (!sendsBody || len(body) > countedBody) {
		h["Content-Length"] = length
	}

	x.wrote = true
	x.w.WriteHeader(status)
	if sendsBody {
		x.w.Write(body) // a disconnected client is not an error
	}
}

// encode returns the body and the Content-Length of a document in the coding that the client prefers, and sets
// Content-Encoding, ETag and Vary. A response without a body keeps its ETag, which the client has named.
func (x *exchange) encode(contentType []string, doc *op.Document, hasBody bool) (body []byte, length []string) {
	if doc == nil {
		return nil, nil
	}
	// Without Accept-Encoding, the response needs no Vary: every client accepts an uncompressed body.
	if x.r.Header["Accept-Encoding"] == nil || !isCompressible(contentType[0]) {
		return doc.JSON, doc.LengthValue()
	}

	h := x.w.Header()
	varyByEncoding(h)
	if !hasBody {
		return nil, nil
	}

	form := doc.In(coding.Negotiate(x.r.Header), first(h["Etag"]))
	if form == nil {
		return doc.JSON, doc.LengthValue()
	}

	if h["Etag"] != nil {
		h["Etag"] = form.ETag
	}

	h["Content-Encoding"] = form.Encoding
	return form.Body, form.Length
}

// isCompressible reports whether responses of a media type are worth compressing. Problems are too short, and the
// binary types of the API are compressed formats.
func isCompressible(mediaType string) bool {
	return mediaType != problem.ContentType &&
		(strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "json") ||
			strings.HasSuffix(mediaType, "+xml"))
}

// varyByEncoding adds Accept-Encoding to the Vary header if it is missing.
func varyByEncoding(h http.Header) {
	for _, names := range h["Vary"] {
		if strings.Contains(names, "Accept-Encoding") {
			return
		}
	}

	h["Vary"] = append(h["Vary"], "Accept-Encoding")
}

// head sets the headers that all responses have. public means that shared caches may store the response.
func (x *exchange) head(public bool) {
	h := x.w.Header()
	delete(h, "Server")
	h["X-Content-Type-Options"] = noSniff
	x.writeCORS(h, public)
	if x.id != "" {
		h["X-Request-Id"] = x.r.Header["X-Request-Id"]
	}
}

// countedBody is the largest body, in bytes, for which net/http computes Content-Length. Until the handler returns, it
// buffers 2 KiB over HTTP/1.1 and 4 KiB over HTTP/2 and HTTP/3.
const countedBody = 2 << 10

// writeDescription sends the OpenAPI description.
func (x *exchange) writeDescription() {
	doc := x.description.At(x.baseURL(x.r))
	h := x.w.Header()
	x.head(true)
	h["Etag"] = []string{doc.ETag()}
	h["Cache-Control"] = []string{"public, max-age=300"}
	h["Vary"] = append(h["Vary"], "Accept-Encoding")
	status := http.StatusOK
	if named := op.NamedTag(strings.Join(x.r.Header["If-None-Match"], ","), doc.ETag()); named != "" {
		h["Etag"], status = []string{named}, http.StatusNotModified
	}

	x.send(status, jsonType, doc)
}
