package fleettest

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

// wire is the network between an edge and a server, as a proxy.
type wire struct {
	address, server string

	mu      sync.Mutex
	state   state
	changed chan struct{} // closed when the state changes
	open    map[*net.TCPConn]bool
	running sync.WaitGroup
}

// state is the state of a network.
type state struct {
	cut    bool          // connections are reset, including new ones
	silent bool          // nothing arrives in either direction until this ends
	delay  time.Duration // delay of all data, in each direction
}

// newWire creates a working network to a server, for the duration of the test.
func newWire(t *testing.T, server string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)

	w := &wire{address: l.Addr().String(), server: server, changed: make(chan struct{}),
		open: make(map[*net.TCPConn]bool)}
	w.running.Go(func() { w.accept(l.(*net.TCPListener)) })
	t.Cleanup(func() {
		l.Close()
		w.set(state{cut: true})
		w.running.Wait()
	})
	return w
}

// set changes the state of the network; the zero state is a working network. Data dropped before arrives once the
// network works, as with TCP.
func (w *wire) set(s state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state = s
	close(w.changed)
	w.changed = make(chan struct{})
	if s.cut {
		for c := range w.open {
			c.SetLinger(0)
			c.Close()
		}

		clear(w.open)
	}
}

func (w *wire) accept(l *net.TCPListener) {
	for {
		client, err := l.AcceptTCP()
		if err != nil {
			return
		}

		w.running.Go(func() { w.connect(client) })
	}
}

// connect forwards a connection to the server, until both ends have closed it.
func (w *wire) connect(client *net.TCPConn) {
	conn, err := net.Dial("tcp", w.server)
	if err != nil {
		client.SetLinger(0) // so that it is reset
		client.Close()
		return
	}

	server := conn.(*net.TCPConn)
	if w.enter(client, server) {
		var carrying sync.WaitGroup
		carrying.Go(func() { w.carry(server, client) })
		carrying.Go(func() { w.carry(client, server) })
		carrying.Wait()
	}

	w.leave(client, server)
}

// enter registers the ends of a connection, unless the network is cut.
func (w *wire) enter(ends ...*net.TCPConn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.cut {
		return false
	}

	for _, c := range ends {
		w.open[c] = true
	}

	return true
}

// leave closes a connection, or resets it if the network is cut.
func (w *wire) leave(ends ...*net.TCPConn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range ends {
		if w.state.cut {
			c.SetLinger(0)
		}

		c.Close()
		delete(w.open, c)
	}
}

// parcel is a part of a stream in transit; the last one is empty.
type parcel struct {
	bytes []byte
	sent  time.Time
}

// carry forwards the data of one end to the other, and then the end of the data.
func (w *wire) carry(to, from *net.TCPConn) {
	parcels := make(chan parcel, 1024)
	w.running.Go(func() {
		defer close(parcels)
		for {
			buffer := make([]byte, 32<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				parcels <- parcel{buffer[:n], time.Now()}
			}
			if err != nil {
				return
			}
		}
	})
	for p := range parcels {
		if !w.arrive(p) {
			continue
		}
		if _, err := to.Write(p.bytes); err != nil {
			from.Close()
		}
	}

	w.arrive(parcel{sent: time.Now()})
	to.CloseWrite()
}

// arrive waits until a parcel arrives. It returns false if the connection is reset first.
func (w *wire) arrive(p parcel) bool {
	for {
		w.mu.Lock()
		s, changed := w.state, w.changed
		w.mu.Unlock()
		var due <-chan time.Time
		switch wait := s.delay - time.Since(p.sent); {
		case s.cut:
			return false
		case s.silent:
		case wait <= 0:
			return true
		default:
			due = time.After(wait)
		}

		select {
		case <-due:
			return true
		case <-changed:
		}
	}
}
