package mcp

import (
	"sync/atomic"

	"github.com/rodata/rodata/api"
)

// renderings keeps the parts of tool results that depend on the document alone, so that a call for a stored answer copies
// them. It is a hash table without chains: a document replaces another at the same place. It holds 512 documents of at
// most 4 KiB, each with its text, in less than 8 MiB.
type renderings [512]atomic.Pointer[rendering]

// rendering is a document with its text. The text is nil until the document is sent for the second time, because most
// documents that are made for one call are never sent again.
type rendering struct {
	document *api.Document
	text     []byte
}

// renderedDocument is the size in bytes above which a document is not kept.
const renderedDocument = 4 << 10

// of returns the text for a document; nil if it is not kept.
func (r *renderings) of(d *api.Document) []byte {
	tag := d.ETag() // ends in a hash
	if len(d.JSON) > renderedDocument || len(tag) < 4 {
		return nil
	}

	place := &r[(int(tag[len(tag)-2])*61+int(tag[len(tag)-3])*127+int(tag[len(tag)-4]))%len(r)]
	kept := place.Load()
	if kept == nil || kept.document != d {
		place.Store(&rendering{document: d})
		return nil
	}
	if kept.text == nil {
		kept = &rendering{d, appendContent(make([]byte, 0, 3*len(d.JSON)), d.JSON)}
		place.Store(kept)
	}
	return kept.text
}

// appendContent writes the members of a tool's result that hold a document, with a comma before each.
func appendContent(b, document []byte) []byte {
	b = append(b, `,"structuredContent":`...)
	start := len(b)
	b = appendLean(b, document)
	text := b[start:]
	b = append(b, `,"content":[{"type":"text","text":`...)
	return append(appendText(b, text), "}]"...)
}
