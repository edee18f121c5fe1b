package caddymodule

import (
	"context"
	"log/slog"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap/exp/zapslog"
)

// liveLog is the log handler for state that survives reloads. It writes each entry to the log of the current
// configuration.
type liveLog struct {
	with func(slog.Handler) slog.Handler // adds attributes and groups; nil for none
}

// live is the log of state that survives reloads.
var live = slog.New(liveLog{})

func (l liveLog) handler() slog.Handler {
	h := slog.Handler(zapslog.NewHandler(caddy.Log().Core(), zapslog.WithName("rodata"),
		zapslog.AddStacktraceAt(slog.Level(127))))
	if l.with != nil {
		h = l.with(h)
	}
	return h
}

// Enabled implements slog.Handler.
func (l liveLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.handler().Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (l liveLog) Handle(ctx context.Context, r slog.Record) error {
	return l.handler().Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l liveLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return l.then(func(h slog.Handler) slog.Handler { return h.WithAttrs(attrs) })
}

// WithGroup implements slog.Handler.
func (l liveLog) WithGroup(name string) slog.Handler {
	return l.then(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (l liveLog) then(next func(slog.Handler) slog.Handler) slog.Handler {
	before := l.with
	return liveLog{func(h slog.Handler) slog.Handler {
		if before != nil {
			h = before(h)
		}
		return next(h)
	}}
}
