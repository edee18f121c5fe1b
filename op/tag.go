package op

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
)

// ETag returns the entity tag of the answer, including the quotes; empty for an answer without one. After a 304 it is
// the tag that the caller named.
func (r *Reply) ETag() string {
	if r.tag == nil {
		return ""
	}
	return r.tag[0]
}

// tag returns the value of the ETag header for a document that answers a call; nil for none.
//
// The tags of priced answers are keyed with the deployment's secret, because a 304 is free and tells the answer to
// whoever can compute its tag. The content of a document that calls share says what it is about. A document that was
// made for the call may not, such as a single value, so its tag also depends on the call's arguments.
func (g *Gateway) tag(op *Operation, call *Call, d *Document, shared bool) []string {
	switch {
	case op.Cost == 0 || d.tagValue == nil:
		return d.tagValue
	case !shared:
		return g.keyedTag(d, op, call)
	}

	tag := d.keyed.Load()
	if tag == nil {
		made := g.keyedTag(d, op, new(Call))
		tag = &made
		d.keyed.Store(tag)
	}

	return *tag
}

// keyedTag returns a document's tag, keyed with the secret. It is weak if the document's own is.
func (g *Gateway) keyedTag(d *Document, op *Operation, call *Call) []string {
	mac := hmac.New(sha256.New, g.Secret)
	fmt.Fprintf(mac, "entity tag %q %q", op.Name, d.ETag())
	for _, args := range []Args{call.InPath[:], call.Args} {
		for i := range args {
			fmt.Fprintf(mac, " %q=%q", args[i].Name, args[i].Text)
		}
	}

	weak := ""
	if strings.HasPrefix(d.ETag(), "W/") {
		weak = "W/"
	}

	return []string{weak + quotedTag(mac.Sum(nil))}
}

// entityTag returns an entity tag of a text. It is the same on every edge and after every restart.
func entityTag(json []byte) string {
	sum := sha256.Sum256(json)
	return quotedTag(sum[:])
}

// quotedTag returns an entity tag with 96 bits of a hash.
func quotedTag(sum []byte) string { return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"` }

// unchangedTag returns the value of the ETag header if the caller already has the document with this tag; otherwise
// nil. A client that names any document need not have one, so "*" matches free answers only.
func unchangedTag(op *Operation, call *Call, tag []string) []string {
	if call.IfNoneMatch == "" || tag == nil || op.Cost > 0 && strings.TrimSpace(call.IfNoneMatch) == "*" {
		return nil
	}
	if named := NamedTag(call.IfNoneMatch, tag[0]); named != "" {
		return []string{named}
	}
	return nil
}

// NamedTag returns the entity tag of an If-None-Match header, its values joined with commas, that is a document's tag
// or, for a strong one, the tag of a compressed form of the document; empty if there is none. Weak and strong tags are
// equal (RFC 9110, section 13.1.2), and the result is weak if the document's is.
func NamedTag(ifNoneMatch, tag string) string {
	if strings.TrimSpace(ifNoneMatch) == "*" {
		return tag
	}

	weak, strong := "", tag
	if rest, ok := strings.CutPrefix(tag, "W/"); ok {
		weak, strong = "W/", rest
	}

	for candidate := range strings.SplitSeq(ifNoneMatch, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		// Compressed answers have other tags: "tag" becomes "tag-gzip".
		if candidate == strong || strings.HasPrefix(candidate, strings.TrimSuffix(strong, `"`)+"-") {
			return weak + candidate
		}
	}

	return ""
}
