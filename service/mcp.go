package service

import (
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/mcp"
)

// MCPSettings are the settings of an MCP channel.
type MCPSettings struct {
	// AllowedOrigins are the origins of web pages that may call, as https://app.example.ro; * allows all. Default: the
	// service's own host and loopback addresses, which are always allowed.
	AllowedOrigins []string
	// MaxBody is the maximum size of a request, in bytes. Default: 256 KiB.
	MaxBody int64
	// Timeout is the maximum duration of a tool call. Default: 30s.
	Timeout time.Duration
}

// MCP returns the channel for language models with the given settings. It is created for the first request that needs
// it, and kept until the service is closed.
func (s *Service) MCP(settings MCPSettings) *mcp.Handler {
	m, key := &s.mcp, mcpKey{strings.Join(settings.AllowedOrigins, " "), settings.MaxBody, settings.Timeout}
	m.mu.Lock()
	defer m.mu.Unlock()
	if handler := m.open[key]; handler != nil {
		return handler
	}
	if m.open == nil {
		m.open = make(map[mcpKey]*mcp.Handler)
	}

	handler := s.newMCP(settings)
	if m.closed {
		handler.Close()
	}

	m.open[key] = handler
	return handler
}

// mcpHandlers are the MCP channels of a service, one for each set of settings. The zero value is ready for use.
type mcpHandlers struct {
	mu     sync.Mutex
	open   map[mcpKey]*mcp.Handler
	closed bool
}

// mcpKey is MCPSettings in a comparable form.
type mcpKey struct {
	allowedOrigins string
	maxBody        int64
	timeout        time.Duration
}

func (s *Service) newMCP(settings MCPSettings) *mcp.Handler {
	o := mcp.Options{
		Gateway: s.gateway, Operations: s.operations, BaseURL: s.Config.URL, Address: s.Config.Address,
		AllowedOrigins: settings.AllowedOrigins, MaxBody: settings.MaxBody, Timeout: settings.Timeout,
		Changes: s.watching.feeds(), Logger: s.gateway.Logger,
	}
	if s.oauth != nil {
		o.Challenge = s.oauth.Challenge()
	}

	return mcp.New(o)
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
