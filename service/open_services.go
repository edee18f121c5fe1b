package service

import (
	"slices"
	"sync"
)

// openServices lists the open services, the newest last: the current configuration's, and during a reload also the next
// one's. The newest one answers requests to a configuration that is already closed. It also answers requests of
// operators, because the web server may hand these to a new configuration before the configuration is known to work,
// and not hand them back.
var openServices struct {
	sync.Mutex
	open []*Service
}

// Enter registers a request with the newest open service and returns the service. It returns nil if no service is open.
// The caller must call [Service.Leave] when the request has been answered.
func Enter() *Service {
	openServices.Lock()
	defer openServices.Unlock()
	for _, s := range slices.Backward(openServices.open) {
		if s.Enter() {
			return s
		}
	}

	return nil
}

// list adds the service to those that serve.
func (s *Service) list() {
	openServices.Lock()
	defer openServices.Unlock()
	openServices.open = append(openServices.open, s)
}

// unlist removes the service from those that serve.
func (s *Service) unlist() {
	openServices.Lock()
	defer openServices.Unlock()
	openServices.open = slices.DeleteFunc(openServices.open, func(o *Service) bool { return o == s })
}
