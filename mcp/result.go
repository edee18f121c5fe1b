package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/op"
)

// outcome is the result of an invocation, to be written in the form of the message's revision.
type outcome struct {
	*op.Reply
	document []byte // as REST sends it: the answer, or the problem
	rendered []byte // for a tool call; nil if the document is not kept
	modern   bool
}

// serverInfo is the server's name and version. In the newer revisions, every result contains it.
var serverInfo = mustEncode(protocol.Implementation{
	Name: serverName, Title: serverTitle, Version: api.Version, Description: serverDescription,
})

// appendToolResult appends the result of a tool call. A problem is sent as text only, because clients check
// structured content against the output schema even in errors.
func (o *outcome) appendToolResult(b []byte) []byte {
	b = o.appendMeta(append(b, '{'))
	b = o.appendType(b)
	switch {
	case o.Problem != nil:
		b = append(b, `,"isError":true,"content":[{"type":"text","text":`...)
		b = append(appendText(b, o.document), "}]"...)
	case o.rendered != nil:
		b = append(b, o.rendered...)
	default:
		b = appendContent(b, o.document)
	}

	return append(b, '}')
}

// appendContents appends the result of reading a resource.
func (o *outcome) appendContents(b []byte, uri json.RawMessage) []byte {
	b = o.appendMeta(append(b, '{'))
	b = o.appendType(b)
	if o.modern { // required there
		b = strconv.AppendInt(append(b, `,"ttlMs":`...), o.ttl(time.Now()).Milliseconds(), 10)
		b = append(append(append(b, `,"cacheScope":"`...), o.scope()...), '"')
	}

	b = append(append(b, `,"contents":[{"uri":`...), uri...)
	b = append(b, `,"mimeType":"application/json","text":`...)
	return append(appendText(b, o.document), "}]}"...)
}

// resourceFault is the error of reading a resource. The newer revisions have the same code for nonexistent and invalid
// resources.
func (o *outcome) resourceFault(uri json.RawMessage) *fault {
	code := protocol.INTERNAL_ERROR
	switch o.Status {
	case http.StatusNotFound:
		code = protocol.RESOURCE_NOT_FOUND
	case http.StatusBadRequest:
		code = protocol.INVALID_PARAMS
	}

	if o.modern && code == protocol.RESOURCE_NOT_FOUND {
		code = protocol.INVALID_PARAMS
	}

	return &fault{code, o.Problem.Detail, mustEncode(struct {
		URI     json.RawMessage `json:"uri"`
		Problem json.RawMessage `json:"problem"`
		Retry   int             `json:"retryAfterSeconds,omitempty"`
	}{uri, o.document, o.RetrySeconds()})}
}

// appendMeta appends _meta, with the facts that REST sends as headers.
func (o *outcome) appendMeta(b []byte) []byte {
	b = append(b, `"_meta":{`...)
	if o.modern {
		b = append(append(append(b, `"`+protocol.MetaKeyServerInfo+`":`...), serverInfo...), ',')
	}
	if o.Problem == nil && o.Cache != "" {
		b = append(append(append(b, `"ro.rodata/cache":"`...), o.Cache...), `",`...)
	}

	b = strconv.AppendInt(append(b, `"ro.rodata/creditsCost":`...), int64(o.Cost), 10)
	if o.Credits >= 0 {
		b = strconv.AppendInt(append(b, `,"ro.rodata/creditsRemaining":`...), o.Credits, 10)
	}
	if o.Problem != nil {
		b = append(append(b, `,"ro.rodata/problem":`...), o.document...)
	}

	if rate := o.Allowance.Rate; rate.N > 0 {
		b = strconv.AppendInt(append(b, `,"ro.rodata/rateLimit":{"limit":`...), int64(rate.N), 10)
		b = strconv.AppendInt(append(b, `,"remaining":`...), int64(o.Allowance.Remaining), 10)
		b = append(b, '}')
	}

	if q := o.Quota; q.Limit > 0 {
		b = append(append(append(b, `,"ro.rodata/allowance":{"name":"`...), o.QuotaName()...), `","limit":`...)
		b = append(strconv.AppendInt(b, int64(q.Limit), 10), `,"remaining":`...)
		b = append(strconv.AppendInt(b, int64(q.Remaining), 10), `,"resetSeconds":`...)
		b = append(strconv.AppendInt(b, int64(o.QuotaSeconds()), 10), '}')
	}

	if s := o.RetrySeconds(); s > 0 {
		b = strconv.AppendInt(append(b, `,"ro.rodata/retryAfterSeconds":`...), int64(s), 10)
	}

	b = strconv.AppendInt(append(b, `,"ro.rodata/status":`...), int64(o.Status), 10)
	return append(b, '}')
}

func (o *outcome) appendType(b []byte) []byte {
	if o.modern {
		b = append(b, `,"resultType":"complete"`...)
	}
	return b
}

// ttl is the time for which a client may cache the content.
func (o *outcome) ttl(now time.Time) time.Duration {
	ttl := o.MaxAge
	if !o.FreshUntil.IsZero() {
		ttl = min(ttl, o.FreshUntil.Sub(now))
	}
	return max(0, ttl)
}

func (o *outcome) scope() protocol.CacheScope {
	if o.Private || o.Personal {
		return protocol.CacheScopePrivate
	}
	return protocol.CacheScopePublic
}

// appendText appends a JSON document as a JSON string. Only quotes and backslashes need escaping, because a document
// contains no control characters.
func appendText(b, document []byte) []byte {
	b = append(b, '"')
	from := 0
	for i, c := range document {
		if c == '"' || c == '\\' {
			b = append(append(b, document[from:i]...), '\\')
			from = i
		}
	}

	return append(append(b, document[from:]...), '"')
}

// mustEncode encodes a value whose encoding cannot fail.
func mustEncode(v any) json.RawMessage {
	doc, err := op.EncodeDocument(v)
	if err != nil {
		panic(err)
	}
	return doc.JSON
}
