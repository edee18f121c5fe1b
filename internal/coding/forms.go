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

// In returns the body in a coding, or nil if there is no such form yet. A body that is asked for a second time is likely
// to be asked for again, so it is then compressed in the background. The form's entity tag is derived from tag, the
// body's. All calls must have the same body and tag.
func (f *Forms) In(c Coding, body []byte, tag string) *Form {
	if c == Identity || len(body) < smallest {
		return nil
	}

	slot := &f.slots[c]
	form := slot.Load()
	switch form {
	case nil:
		slot.CompareAndSwap(nil, wanted)
		return nil
	case wanted:
		f.begin(c, body, tag)
		return nil
	case begun, useless:
		return nil
	}
	return form
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
		f.slots[c].Store(newForm(c, body, tag))
	}()
}

// Now returns the body in a coding like In, but compresses it first if necessary.
func (f *Forms) Now(c Coding, body []byte, tag string) *Form {
	if form := f.In(c, body, tag); form != nil || c == Identity || len(body) < smallest {
		return form
	}
	form := newForm(c, body, tag)
	f.slots[c].Store(form)
	if form == useless {
		return nil
	}
	return form
}

// newForm compresses a body; it returns useless if that makes it no smaller. Its tag is the same as from Caddy's encode,
// which compresses the first answers: a weak tag is valid for all forms of a body, a strong one gets a suffix. A strong
// tag may thus have two compressions of one body, which only requests for a range could notice.
func newForm(c Coding, body []byte, tag string) *Form {
	form := &Form{Body: c.compress(body), Encoding: names[c]}
	if len(form.Body) >= len(body) {
		return useless
	}

	form.Length = []string{strconv.Itoa(len(form.Body))}
	form.ETag = []string{tag}
	if strong, ok := strings.CutSuffix(tag, `"`); ok && !strings.HasPrefix(tag, "W/") {
		form.ETag = []string{strong + "-" + names[c][0] + `"`}
	}
	return form
}
