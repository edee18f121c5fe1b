package caddymodule

import (
	"net/http"
	"runtime"
)

// A stackPool serves requests on goroutines whose stacks have grown before.
//
// Go's HTTP/2 and HTTP/3 servers start a goroutine for each request. Its stack has 8 KB, of which Caddy's handlers fill
// 5 KB, so that the rest of a cached answer has to grow it: 7 % of the CPU of such a request. Handing the request over
// to a goroutine that waits for it costs less. A request that finds no idle goroutine is served where it is.
type stackPool struct {
	answers chan func()
	closed  chan struct{}
}

// stacksPerProcessor is the number of goroutines per processor. They are for answers from memory; a handler that waits
// keeps its goroutine.
const stacksPerProcessor = 8

// newStackPool returns a pool without goroutines, which serves each request where it is.
func newStackPool() *stackPool {
	return &stackPool{answers: make(chan func()), closed: make(chan struct{})}
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
		case answer := <-p.answers:
			answer()
		case <-p.closed:
			return
		}
	}
}

// serve lets a handler answer a request. A panic of the handler reaches the caller, as without the pool.
func (p *stackPool) serve(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	outcome := make(chan any, 1) // what the handler panicked with, or nil
	answer := func() {
		defer func() { outcome <- recover() }()
		handler.ServeHTTP(w, r)
	}
	select {
	case p.answers <- answer:
	default:
		answer()
	}

	if panicked := <-outcome; panicked != nil {
		panic(panicked)
	}
}
