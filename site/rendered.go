package site

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// renderedPage is the HTML of a live page. It is compressed once, and not for each request as the
// web server would.
type renderedPage struct {
	body           []byte
	etag, gzipETag []string // values of the header
	compressed     func() []byte
}

func newRenderedPage(body []byte) *renderedPage {
	tag := etagOf(body)
	return &renderedPage{
		body: body, etag: []string{tag}, gzipETag: []string{strings.TrimSuffix(tag, `"`) + `-gzip"`},
		compressed: sync.OnceValue(func() []byte { return compress(body) }),
	}
}

func compress(body []byte) []byte {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	w.Write(body) // a buffer takes everything
	w.Close()
	return compressed.Bytes()
}

// acceptsGzip reports whether a request accepts gzip (RFC 9110, section 12.5.3).
func acceptsGzip(h http.Header) bool {
	for _, accepted := range h["Accept-Encoding"] {
		for coding := range strings.SplitSeq(accepted, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				return !refuses.MatchString(weight)
			}
		}
	}
	return false
}

// refuses matches a weight of zero.
var refuses = regexp.MustCompile(`^\s*[qQ]=0(\.0*)?\s*$`)

// renderedPages keeps rendered pages by key, in two generations: when the young one is full, it
// replaces the old one. So memory is bounded, and pages in use stay.
type renderedPages struct {
	limit int // bytes of a generation

	mu         sync.Mutex
	young, old map[string]*renderedPage
	size       int // bytes of the young generation
}

// mostRendered bounds both generations together, in bytes.
const mostRendered = 16 << 20

func newRenderedPages() *renderedPages {
	return &renderedPages{limit: mostRendered / 2, young: make(map[string]*renderedPage)}
}

// through returns the page of a key, which it renders if it has none. Callers who come at the same
// time may render it twice.
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
	size := len(key) + len(page.body)*5/4 // with the compressed body, a quarter at most
	if p.size+size > p.limit {
		p.old, p.young, p.size = p.young, make(map[string]*renderedPage), 0
	}
	p.young[key] = page
	p.size += size
}
