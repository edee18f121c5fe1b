package service

import (
	"slices"
	"sync"
)

// serving are the open services: the current configuration's, and during a reload also the next one's.
var serving services

// services is a list of open services, the newest last. The newest one answers requests to a configuration that is
// already closed. It also answers requests of operators, because the web server may hand these to a new configuration
// before the configuration is known to work, and not hand them back.
type services struct {
	mu   sync.Mutex
	open []*Service
}

// Enter registers a request with the newest open service and returns the service. It returns nil if no service is open.
// The caller must call [Service.Leave] when the request has been answered.
func Enter() *Service { return serving.enter() }

func (l *services) add(s *Service) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, s)
}

func (l *services) remove(s *Service) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(o *Service) bool { return o == s })
}

func (l *services) enter() *Service {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range slices.Backward(l.open) {
		if s.Enter() {
			return s
		}
	}

	return nil
}
