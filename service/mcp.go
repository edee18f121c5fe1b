package service

import (
	"strings"
	"sync"

	"github.com/rodata/rodata/mcp"
)

// MCP returns the channel for language models with the settings AllowedOrigins, MaxBody and Timeout of the options. It
// is created for the first request that needs it, and kept until the service is closed.
func (s *Service) MCP(o mcp.Options) *mcp.Handler {
	m, key := &s.mcp, [...]any{strings.Join(o.AllowedOrigins, " "), o.MaxBody, o.Timeout}
	m.mu.Lock()
	defer m.mu.Unlock()
	if handler := m.open[key]; handler != nil {
		return handler
	}
	if m.open == nil {
		m.open = make(map[[3]any]*mcp.Handler)
	}

	o.Gateway, o.Operations, o.BaseURL, o.Address = s.gateway, s.operations, s.Config.URL, s.Config.Address
	o.Changes, o.Logger = s.watching.feeds(), s.gateway.Logger
	if s.oauth != nil {
		o.Challenge = s.oauth.Challenge()
	}

	handler := mcp.New(o)
	if m.closed {
		handler.Close()
	}

	m.open[key] = handler
	return handler
}

// mcpHandlers are the MCP channels of a service, one for each set of settings. The zero value is ready for use.
type mcpHandlers struct {
	mu     sync.Mutex
	open   map[[3]any]*mcp.Handler
	closed bool
}

// close ends all streams, which would otherwise count as requests in flight for minutes.
func (m *mcpHandlers) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, handler := range m.open {
		handler.Close()
	}
}

// recheckStreams makes the streams of an account end if their keys, tokens or sessions have been revoked.
func (s *Service) recheckStreams(account string) {
	s.streams.Recheck(account)
	s.mcp.mu.Lock()
	defer s.mcp.mu.Unlock()
	for _, handler := range s.mcp.open {
		handler.Recheck(account)
	}
}
