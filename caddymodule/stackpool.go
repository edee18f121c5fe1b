package caddymodule

import (
	"net/http"
	"runtime"
	"sync"
)

// A stackPool serves requests on goroutines whose stacks have grown before.
//
// Go's HTTP/2 and HTTP/3 servers start a goroutine for each request. Its stack has 8 KB, of which Caddy's handlers fill
// 5 KB, so that the rest of a cached answer has to grow it: 7 % of the CPU of such a request. Handing the request over
// to a goroutine that waits for it costs less. A request that finds no idle goroutine is served where it is.
type stackPool struct {
	requests chan *handoff
	closed   chan struct{}
	handoffs sync.Pool
}

// A handoff is a request that another goroutine may serve.
type handoff struct {
	handler http.Handler
	w       http.ResponseWriter
	r       *http.Request
	outcome chan any // what the handler panicked with, or nil
}

// stacksPerProcessor is the number of goroutines per processor. They are for answers from memory; a handler that waits
// keeps its goroutine.
const stacksPerProcessor = 8

// newStackPool returns a pool without goroutines, which serves each request where it is.
func newStackPool() *stackPool {
	return &stackPool{
		requests: make(chan *handoff),
		closed:   make(chan struct{}),
		handoffs: sync.Pool{New: func() any { return &handoff{outcome: make(chan any, 1)} }},
	}
}

// start starts the goroutines. They run until close is called.
func (p *stackPool) start() {
	for range stacksPerProcessor * runtime.GOMAXPROCS(0) {
		go p.work()
	}
}

// close ends each goroutine once it has served its request. The pool still serves requests afterwards.
func (p *stackPool) close() { close(p.closed) }

func (p *stackPool) work() {
	for {
		select {
		case h := <-p.requests:
			h.outcome <- h.serve()
		case <-p.closed:
			return
		}
	}
}

// serve lets a handler answer a request. A panic of the handler reaches the caller, as without the pool.
func (p *stackPool) serve(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	h := p.handoffs.Get().(*handoff)
	h.handler, h.w, h.r = handler, w, r

	var panicked any
	select {
	case p.requests <- h:
		panicked = <-h.outcome
	default:
		panicked = h.serve()
	}

	h.handler, h.w, h.r = nil, nil, nil
	p.handoffs.Put(h)
	if panicked != nil {
		panic(panicked)
	}
}

func (h *handoff) serve() (panicked any) {
	defer func() { panicked = recover() }()
	h.handler.ServeHTTP(h.w, h.r)
	return nil
}
