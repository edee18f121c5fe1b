package mcp

import (
	"github.com/rodata/rodata/internal/recent"
	"github.com/rodata/rodata/op"
)

// renderings are the parts of tool results that depend only on the document, so that repeated calls copy them instead
// of rendering them again. A text is nil until its document is sent for the second time, because most documents are
// sent only once.
type renderings = recent.Memory[*op.Document, []byte]

const (
	// maxRenderings and maxRendered bound the number of documents and the size of each in bytes. With their texts, they
	// take less than 8 MiB.
	maxRenderings = 512
	maxRendered   = 4 << 10
)

// renderedText returns the known text of a document. It returns nil for large documents and on the first call for a
// document; the caller then renders the text itself.
func renderedText(known *renderings, d *op.Document) []byte {
	if len(d.JSON) > maxRendered {
		return nil
	}

	text, ok := known.Get(d)
	if text == nil {
		if ok {
			text = appendContent(make([]byte, 0, 3*len(d.JSON)), d.JSON)
		}
		known.Put(d, text)
	}

	return text
}

// appendContent appends the members structuredContent and content of a tool result, each preceded by a comma.
func appendContent(b, document []byte) []byte {
	b = append(append(b, `,"structuredContent":`...), document...)
	b = append(b, `,"content":[{"type":"text","text":`...)
	return append(appendText(b, document), "}]"...)
}
