package caddymodule

import (
	"log/slog"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// live is the log of state that survives reloads.
var live = newLiveLog(func() zapcore.Core { return caddy.Log().Core() })

// newLiveLog returns a log that writes each entry to the core that is current when the entry is logged.
func newLiveLog(current func() zapcore.Core) *slog.Logger {
	return slog.New(zapslog.NewHandler(liveCore{current: current}, zapslog.WithName("rodata"),
		zapslog.AddStacktraceAt(slog.Level(127))))
}

// liveCore is the zapcore.Core of a live log.
type liveCore struct {
	current func() zapcore.Core
	fields  []zapcore.Field // of each entry
}

func (c liveCore) core() zapcore.Core { return c.current().With(c.fields) }

func (c liveCore) Enabled(level zapcore.Level) bool { return c.current().Enabled(level) }

func (c liveCore) With(fields []zapcore.Field) zapcore.Core {
	return liveCore{c.current, slices.Concat(c.fields, fields)}
}

func (c liveCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return c.core().Check(e, checked)
}

func (c liveCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	return c.core().Write(e, fields)
}

func (c liveCore) Sync() error { return c.current().Sync() }
