package accesslog

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
)

func init() { caddy.RegisterModule(new(Handler)) }

// Handler is the Caddy handler http.handlers.rodata_log, which writes an access log with a line for each request. It
// must be first in a site's routes and also in its error routes, because Caddy answers errors there. The directive
// rodata_log adds it to both.
type Handler struct {
	// WriterRaw is the writer that receives the lines, a module in caddy.logging.writers. Default: standard error.
	WriterRaw json.RawMessage `json:"writer,omitempty" caddy:"namespace=caddy.logging.writers inline_key=output"`

	log *Log // nil if the lines are discarded
	key string
	// requests is read-locked by every request, and locked permanently once the configuration has been replaced.
	requests sync.RWMutex
}

// CaddyModule returns the handler's registration.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata_log", New: func() caddy.Module { return new(Handler) }}
}

// logs are the open logs, by the keys of their writers. A new configuration takes over logs that it has in common with
// the old one.
var logs = caddy.NewUsagePool()

// Provision opens the log.
func (h *Handler) Provision(ctx caddy.Context) error {
	var writer caddy.WriterOpener = caddy.StderrWriter{}
	if h.WriterRaw != nil {
		module, err := ctx.LoadModule(h, "WriterRaw")
		if err != nil {
			return fmt.Errorf("loading the writer of rodata_log: %w", err)
		}

		writer = module.(caddy.WriterOpener)
	}

	if _, discard := writer.(*caddy.DiscardWriter); discard {
		return nil
	}

	log, _, err := logs.LoadOrNew(writer.WriterKey(), func() (caddy.Destructor, error) {
		out, err := writer.OpenWriter()
		if err != nil {
			return nil, err
		}
		return NewLog(out), nil
	})
	if err != nil {
		return fmt.Errorf("opening %s for rodata_log: %w", writer, err)
	}

	h.log, h.key = log.(*Log), writer.WriterKey()
	return nil
}

// Cleanup closes the log once the requests in flight have ended, unless the next configuration uses the same log.
func (h *Handler) Cleanup() error {
	if h.log == nil {
		return nil
	}
	if h.requests.TryLock() || caddy.Exiting() {
		return h.release()
	}

	go func() {
		h.requests.Lock()
		if err := h.release(); err != nil {
			caddy.Log().Named("rodata").Error("closing the access log", zap.Error(err))
		}
	}()
	return nil
}

func (h *Handler) release() error {
	_, err := logs.Delete(h.key)
	return err
}

// ServeHTTP lets the next handlers answer and then writes the line. If they return an error, Caddy runs the error
// routes, and the handler there writes the line.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	vars, ok := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	if h.log == nil || !ok {
		return next.ServeHTTP(w, r)
	}

	if h.requests.TryRLock() { // fails once a reload has replaced the configuration
		defer h.requests.RUnlock()
	}

	e := beginEntry(w, r, vars)
	defer func() {
		if !e.toErrorRoutes {
			h.write(e, r, vars)
		}
	}()
	err := next.ServeHTTP(e, r)
	e.finish(err, r, vars)
	return err
}

// buffers are reused for encoding lines.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 512)) }}

// write writes the line of a request, unless log_skip excludes it.
func (h *Handler) write(e *entry, r *http.Request, vars map[string]any) {
	if skip, _ := vars[caddyhttp.LogSkipVar].(bool); skip {
		return
	}

	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = appendLine((*buffer)[:0], e, r, vars, time.Now())
	if !h.log.Append(*buffer) && !appendToAnother(*buffer) {
		dropped.Add(1)
	}
}

// appendToAnother adds a line to the log of the configuration that replaced the handler's, and reports whether there is
// one.
func appendToAnother(line []byte) (done bool) {
	logs.Range(func(_, log any) bool {
		done = log.(*Log).Append(line)
		return !done
	})
	return done
}

var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
