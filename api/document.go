package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rodata/rodata/api/problem"
)

// Document is an answer's body, made once and never changed: a JSON text, or else a
// File.
type Document struct {
	// JSON is the text, without a final newline; or the content of the File.
	JSON []byte
	// File says what the content is when it is no JSON; nil when it is.
	File *File

	tagValue, lengthValue []string
	stamp                 atomic.Pointer[stamp]
}

// NewDocument wraps a JSON text. The text must not be changed afterwards.
func NewDocument(json []byte) *Document {
	return &Document{JSON: json, tagValue: []string{entityTag(json)}, lengthValue: []string{strconv.Itoa(len(json))}}
}

// File is a body that is no JSON, for the client to save.
type File struct {
	// Type is the value of the header Content-Type, and Disposition that of
	// Content-Disposition; both to share, not to change.
	Type, Disposition []string
}

// NewFile wraps content of a media type, to be saved under a name of ASCII letters,
// digits, dots and hyphens. The content must not be changed afterwards.
func NewFile(content []byte, mediaType, name string) *Document {
	d := NewDocument(content)
	d.File = &File{Type: []string{mediaType}, Disposition: []string{`attachment; filename="` + name + `"`}}
	return d
}

// EncodeDocument encodes a value as the service encodes all of its answers: no
// HTML escaping, no indentation.
func EncodeDocument(v any) (*Document, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return NewDocument(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// WithTag is the same text under the entity tag of another: of one that says the
// same in other words. The tag becomes a weak one.
func (d *Document) WithTag(same *Document) *Document {
	return &Document{JSON: d.JSON, lengthValue: d.lengthValue, tagValue: []string{"W/" + strings.TrimPrefix(same.ETag(), "W/")}}
}

// ProblemDocument is a problem as it is sent, its type a URL below baseURL.
func ProblemDocument(p *problem.Problem, baseURL string) *Document {
	return NewDocument(p.JSON(baseURL))
}

// ETag is the entity tag of the text, quotes included.
func (d *Document) ETag() string { return d.tagValue[0] }

// LengthValue is the value of the Content-Length header, to share, not to change.
func (d *Document) LengthValue() []string { return d.lengthValue }

// entityTag is 96 bits of the text's SHA-256: the same on every edge and after
// every restart.
func entityTag(json []byte) string {
	sum := sha256.Sum256(json)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
}
