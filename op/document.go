package op

import (
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rodata/rodata/internal/coding"
	"github.com/rodata/rodata/internal/jsontext"
	"github.com/rodata/rodata/op/jsonschema"
	"github.com/rodata/rodata/op/problem"
)

// Document is the body of an answer, encoded once and immutable: JSON, or a File.
type Document struct {
	// JSON is the encoded text, without a final newline; or the content of the File.
	JSON []byte
	// File describes content that is not JSON; nil for JSON.
	File *File

	tagValue, lengthValue []string
	keyed                 atomic.Pointer[[]string] // see Gateway.tag
	stamp                 atomic.Pointer[stamp]
	forms                 coding.Forms
}

// NewDocument wraps a JSON text. The text must not be changed afterwards.
func NewDocument(json []byte) *Document {
	return &Document{JSON: json, tagValue: []string{entityTag(json)}, lengthValue: []string{strconv.Itoa(len(json))}}
}

// NewVariant wraps a JSON text with the entity tag of another representation of the same content, as a weak one.
func NewVariant(json []byte, tag string) *Document {
	d := newPosted(json)
	d.tagValue = []string{"W/" + strings.TrimPrefix(tag, "W/")}
	return d
}

// newPosted wraps a JSON text that answers a POST, which needs no entity tag.
func newPosted(json []byte) *Document {
	return &Document{JSON: json, lengthValue: []string{strconv.Itoa(len(json))}}
}

// File describes a body that is not JSON.
type File struct {
	// Type and Disposition are the values of Content-Type and Content-Disposition. Disposition is nil for a file that
	// browsers display instead of downloading. The values are shared and must not be modified.
	Type, Disposition []string
	// Modified is the time of the content's last change; zero if unknown.
	Modified time.Time
	// Path is the file on disk that has the content instead of Document.JSON. It is empty if the content is in memory.
	// Channels may send ranges of the file.
	Path string
}

// NewStoredFile wraps a file on disk with a media type, as a download whose name consists of ASCII letters, digits,
// dots and hyphens. The tag is an entity tag without quotes: a file with the same tag has the same bytes.
func NewStoredFile(path, mediaType, name, tag string, modified time.Time) *Document {
	return &Document{tagValue: []string{`"` + tag + `"`}, File: &File{
		Type: []string{mediaType}, Disposition: []string{`attachment; filename="` + name + `"`},
		Modified: modified, Path: path,
	}}
}

// NewFile wraps content with a media type, as a download whose name consists of ASCII letters, digits, dots and
// hyphens. The content must not be changed afterwards.
func NewFile(content []byte, mediaType, name string) *Document {
	d := NewDocument(content)
	d.File = &File{Type: []string{mediaType}, Disposition: []string{`attachment; filename="` + name + `"`}}
	return d
}

// Binary is an answer that consists of bytes: the Document of an Answer contains them.
type Binary struct{}

// Schema describes bytes.
func (Binary) Schema() jsonschema.Schema { return jsonschema.Schema{Type: "string", Format: "binary"} }

// EncodeDocument encodes a value like all answers: without HTML escaping or indentation.
func EncodeDocument(v any) (*Document, error) {
	text, err := jsontext.Encode(v)
	if err != nil {
		return nil, err
	}
	return NewDocument(text), nil
}

// ProblemDocument encodes a problem. The type of the problem is a URL below baseURL.
func ProblemDocument(p *problem.Problem, baseURL string) *Document {
	return NewDocument(p.JSON(baseURL))
}

// ETag returns the entity tag, including the quotes; empty for a document without one. Anyone who knows the content can
// compute it: an answer is sent with [Reply.ETag].
func (d *Document) ETag() string {
	if d.tagValue == nil {
		return ""
	}
	return d.tagValue[0]
}

// In returns the document compressed with a coding, or nil if compression does not make it smaller. Documents that are
// requested repeatedly keep their compressed form. The tag is the one with which the document is sent.
func (d *Document) In(c coding.Coding, tag string) *coding.Form { return d.forms.In(c, d.JSON, tag) }

// LengthValue returns the value of the Content-Length header. It is shared and must not be changed.
func (d *Document) LengthValue() []string { return d.lengthValue }
