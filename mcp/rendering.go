package mcp

import (
	"sync/atomic"

	"github.com/rodata/rodata/op"
)

// renderings caches the parts of tool results that depend only on the document, so that repeated calls copy them
// instead of rendering them again. It is a direct-mapped cache: each document has one slot, chosen by its entity tag,
// and replaces the document that was there before. It holds at most 512 documents of up to 4 KiB each, which take less
// than 8 MiB with their texts.
type renderings [512]atomic.Pointer[rendering]

// rendering is a document with its text. The text is nil until the document is sent for the second time, because most
// documents are sent only once.
type rendering struct {
	document *op.Document
	text     []byte
}

// maxRendered is the size of the largest document that is cached, in bytes.
const maxRendered = 4 << 10

// text returns the cached text of a document. It returns nil for large documents and on the first call for a document;
// the caller then renders the text itself.
func (r *renderings) text(d *op.Document) []byte {
	tag := d.ETag() // ends in a hash
	if len(d.JSON) > maxRendered || len(tag) < 4 {
		return nil
	}

	slot := &r[(int(tag[len(tag)-2])*61+int(tag[len(tag)-3])*127+int(tag[len(tag)-4]))%len(r)]
	kept := slot.Load()
	if kept == nil || kept.document != d {
		slot.Store(&rendering{document: d})
		return nil
	}
	if kept.text == nil {
		kept = &rendering{d, appendContent(make([]byte, 0, 3*len(d.JSON)), d.JSON)}
		slot.Store(kept)
	}

	return kept.text
}

// appendContent appends the members structuredContent and content of a tool result, each preceded by a comma.
func appendContent(b, document []byte) []byte {
	b = append(append(b, `,"structuredContent":`...), document...)
	b = append(b, `,"content":[{"type":"text","text":`...)
	return append(appendText(b, document), "}]"...)
}
