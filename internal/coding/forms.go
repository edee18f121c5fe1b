package coding

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// Forms are the compressed forms of one immutable body. The zero value has none yet.
type Forms struct {
	slots [codings]atomic.Pointer[Form]
}

// Form is a body in a content coding, with the values of its headers, which are shared and must not be changed.
type Form struct {
	Body                   []byte
	Encoding, Length, ETag []string
}

// smallest is the length in bytes from which a body is compressed. Caddy's encode has the same limit.
const smallest = 512

// States of a slot without a form. Their bodies are nil.
var (
	wanted  = new(Form) // asked for once
	begun   = new(Form) // being compressed
	useless = new(Form) // not smaller than the body
)

// compressing is true while a body is being compressed: one at a time, so that requests keep the processors.
var compressing atomic.Bool

// In returns the body in a coding; nil if that would not be smaller. The first two requests get a form that is
// compressed quickly and not kept. A body that is requested twice is likely to be requested again, so a smaller form is
// then made in the background, and kept. The entity tag of all forms is derived from tag, the body's. All calls must
// have the same body and tag.
func (f *Forms) In(c Coding, body []byte, tag string) *Form {
	if c == Identity || len(body) < smallest {
		return nil
	}

	slot := &f.slots[c]
	switch form := slot.Load(); form {
	case nil:
		slot.CompareAndSwap(nil, wanted)
	case wanted:
		f.begin(c, body, tag)
	case begun:
	case useless:
		return nil
	default:
		return form
	}
	return newForm(c, quickly, body, tag)
}

// begin compresses the body in the background, unless another body is being compressed.
func (f *Forms) begin(c Coding, body []byte, tag string) {
	if !compressing.CompareAndSwap(false, true) {
		return
	}
	if !f.slots[c].CompareAndSwap(wanted, begun) {
		compressing.Store(false)
		return
	}
	go func() {
		defer compressing.Store(false)
		form := newForm(c, thoroughly, body, tag)
		if form == nil {
			form = useless
		}
		f.slots[c].Store(form)
	}()
}

// newForm compresses a body; it returns nil if that makes it no smaller. A weak tag is valid for all forms of a body, a
// strong one gets a suffix, as from Caddy's encode. A strong tag may thus have two compressions of one body, which only
// requests for a range could notice.
func newForm(c Coding, e effort, body []byte, tag string) *Form {
	form := &Form{Body: c.compress(e, body), Encoding: names[c]}
	if len(form.Body) >= len(body) {
		return nil
	}

	form.Length = []string{strconv.Itoa(len(form.Body))}
	form.ETag = []string{tag}
	if strong, ok := strings.CutSuffix(tag, `"`); ok && !strings.HasPrefix(tag, "W/") {
		form.ETag = []string{strong + "-" + names[c][0] + `"`}
	}
	return form
}
