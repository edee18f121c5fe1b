package site

import (
	"sync"

	"github.com/rodata/rodata/internal/coding"
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

// renderedPages is a cache of rendered pages with two generations: when the young generation is full, it replaces the
// old one. This bounds the memory and keeps the pages in use.
type renderedPages struct {
	limit int // bytes of a generation

	mu         sync.Mutex
	young, old map[string]*renderedPage
	size       int // bytes of the young generation
}

// maxRendered is the maximum size of both generations together, in bytes.
const maxRendered = 16 << 20

func newRenderedPages() *renderedPages {
	return &renderedPages{limit: maxRendered / 2, young: make(map[string]*renderedPage)}
}

// through returns the cached page of a key. If there is none, it renders and caches the page. Concurrent callers may
// render the same page twice.
func (p *renderedPages) through(key string, render func() ([]byte, error)) (*renderedPage, error) {
	if page := p.get(key); page != nil {
		return page, nil
	}

	body, err := render()
	if err != nil {
		return nil, err
	}

	page := newRenderedPage(body)
	p.put(key, page)
	return page, nil
}

func (p *renderedPages) get(key string) *renderedPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	if page, ok := p.young[key]; ok {
		return page
	}

	page, ok := p.old[key]
	if ok {
		p.add(key, page)
	}

	return page
}

func (p *renderedPages) put(key string, page *renderedPage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(key, page)
}

// add adds a page to the young generation. The caller holds the lock.
func (p *renderedPages) add(key string, page *renderedPage) {
	size := len(key) + len(page.body)*3/2 // with two compressed forms, a quarter each at most
	if p.size+size > p.limit {
		p.old, p.young, p.size = p.young, make(map[string]*renderedPage), 0
	}

	p.young[key] = page
	p.size += size
}
