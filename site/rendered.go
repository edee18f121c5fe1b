package site

import (
	"github.com/rodata/rodata/internal/coding"
	"github.com/rodata/rodata/internal/recent"
)

// renderedPage is the HTML of a live page, with its compressed forms.
type renderedPage struct {
	body  []byte
	etag  []string // value of the header
	forms coding.Forms
}

func newRenderedPage(body []byte) *renderedPage {
	return &renderedPage{body: body, etag: []string{etagOf(body)}}
}

// encode returns the page in a content coding, with the entity tag and the value of the header Content-Encoding.
func (p *renderedPage) encode(c coding.Coding) (body []byte, etag, encoding []string) {
	form := p.forms.In(c, p.body, p.etag[0])
	if form == nil {
		return p.body, p.etag, nil
	}
	return form.Body, form.ETag, form.Encoding
}

// maxRendered is the maximum size of the cached pages, in bytes.
const maxRendered = 16 << 20

// renderedPages caches pages by the inputs that they depend on.
type renderedPages struct {
	*recent.Memory[string, *renderedPage]
}

func newRenderedPages() renderedPages {
	return renderedPages{recent.NewSized(maxRendered, func(key string, page *renderedPage) int {
		return len(key) + len(page.body)*3/2 // with two compressed forms, a quarter each at most
	})}
}

// through returns the cached page of a key. If there is none, it renders and caches the page. Concurrent callers may
// render the same page twice.
func (p renderedPages) through(key string, render func() ([]byte, error)) (*renderedPage, error) {
	if page, ok := p.Get(key); ok {
		return page, nil
	}

	body, err := render()
	if err != nil {
		return nil, err
	}

	page := newRenderedPage(body)
	p.Put(key, page)
	return page, nil
}
