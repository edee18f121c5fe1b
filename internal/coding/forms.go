package coding

import (
	"strconv"
	"strings"
	"sync/atomic"
)

// Forms holds the compressed forms of one immutable body. The zero value is empty and ready to use.
type Forms struct {
	slots [codings]atomic.Pointer[Form]
}

// Form is a compressed body with the values of its headers. The values are shared and must not be modified.
type Form struct {
	Body                   []byte
	Encoding, Length, ETag []string
}

// smallest is the minimum length of a body that is compressed, in bytes. Caddy's encode has the same limit.
const smallest = 512

// States of a slot without a form. Their bodies are nil.
var (
	wanted  = new(Form) // requested once
	begun   = new(Form) // being compressed
	useless = new(Form) // compression did not make the body smaller
)

// compressing is true while a body is being compressed in the background. Only one is compressed at a time, to leave
// CPU time for requests.
var compressing atomic.Bool

// In returns the body compressed with coding c, or nil if compression does not make it smaller. The first two requests
// get a form that is compressed quickly and then discarded. The second request also starts a thorough compression in
// the background, because a body that is requested twice is likely to be requested again. Later requests share the
// result. The entity tag of each form is derived from tag, the entity tag of the body. Every call must pass the same
// body and tag.
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

// begin starts compressing the body in the background, unless another body is being compressed. In that case, the next
// request tries again.
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

// newForm compresses a body. It returns nil if the result is not smaller. A weak entity tag applies to all forms of a
// body; a strong one gets a suffix, as with Caddy's encode. The quick and the thorough compression of a body have the
// same strong tag although their bytes differ. Only range requests could notice this, and compressed forms are never
// sent in ranges.
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
