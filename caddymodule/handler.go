package caddymodule

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/caddymodule/accesslog"
)

func init() { caddy.RegisterModule(new(Handler)) }

// Handler is the Caddy handler http.handlers.rodata: the REST channel. It
// answers everything under /v1, /api/auth and /problems, and /health and
// /openapi.json, with oauth on also what begins with /.well-known/oauth-, and passes
// on the rest. It has no options; its settings are the app's.
type Handler struct {
	app *App
}

// CaddyModule returns the handler's registration.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.rodata", New: func() caddy.Module { return new(Handler) }}
}

// Provision finds the app.
func (h *Handler) Provision(ctx caddy.Context) (err error) {
	if h.app, err = findApp(ctx); err != nil {
		return err
	}
	return h.app.announceStart(ctx)
}

// findApp loads the app; a configuration that does not name it gets the defaults.
func findApp(ctx caddy.Context) (*App, error) {
	app, err := ctx.App("rodata")
	if err != nil {
		return nil, err
	}
	return app.(*App), nil
}

// ServeHTTP answers a request for one of our addresses. It writes problems
// itself and returns no error once it has begun: Caddy would write a second body
// behind the first.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if !ours(r.URL.Path) && !h.app.grants(r.URL.Path) {
		return next.ServeHTTP(w, r)
	}
	x := exchange{app: h.app, w: w, r: r, id: api.RequestID(r.Header)}
	s := h.app.enter()
	if s == nil {
		x.refuse(problem.Unavailable.New("the service is restarting; try again in a second"), 1)
		return nil
	}
	defer s.leave()
	defer x.recover()
	x.serve(s)
	return nil
}

// ours reports whether a path is under our own addresses.
func ours(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "v1", "problems":
		return true
	}
	return path == "/health" || path == "/openapi.json" || forAuth(path)
}

// exchange is one request and its answer.
type exchange struct {
	app   *App
	w     http.ResponseWriter
	r     *http.Request
	id    string // the client's, to be repeated
	wrote bool

	personal bool   // the answer is about an account
	trusted  string // the trusted origin that may use a session; empty for none
}

// serve finds out what is asked for and answers.
func (x *exchange) serve(s *service) {
	if s.oauth != nil && s.oauth.Handles(x.r.URL.Path) {
		x.handOver(s.oauth)
		return
	}
	if forAuth(x.r.URL.Path) {
		x.handOver(s.auth)
		return
	}
	op, inPath, allow := s.router.Match(x.r.Method, x.r.URL.Path)
	x.admitPage(s, op)
	switch {
	case op != nil:
		call := api.Call{InPath: inPath}
		x.read(s, &call, op)
		call.OwnPage = s.visitors != nil && op.Cost > 0 && s.visitors.recognises(x.r)
		x.write(s.gateway.Do(x.r.Context(), op, &call))
	case allow != "":
		x.otherMethod(allow)
	case x.r.URL.Path == "/openapi.json":
		x.page(s, func() { x.writeDescription(s) })
	case strings.HasPrefix(x.r.URL.Path, "/problems/"):
		x.page(s, x.writeProblemPage)
	default:
		x.refuse(s.router.NothingAt(x.r.URL.Path, x.app.URL(x.r)), 0)
	}
}

// recover turns a panic into a problem, or, when an answer has begun, into an
// end of the connection that the client notices.
func (x *exchange) recover() {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler || x.wrote {
		panic(http.ErrAbortHandler)
	}
	id := rand.Text()
	path, _ := accesslog.HidePath(x.r.URL.Path)
	x.app.logger.Error("panic", "id", id, "request_id", x.id, "path", path, "error", fmt.Sprintf("%v\n%s", cause, debug.Stack()))
	p := problem.Internal.New("the service made a mistake; it is logged under the id %s", id)
	p.ID = id
	x.refuse(p, 0)
}

// lend has a handler answer that knows nothing of the exchange, which has to know
// whether an answer has begun, also when the handler panics.
func (x *exchange) lend(h http.Handler) {
	w := &lentWriter{ResponseWriter: x.w}
	defer func() { x.wrote = w.wrote }()
	h.ServeHTTP(w, x.r)
}

type lentWriter struct {
	http.ResponseWriter
	wrote bool
}

func (w *lentWriter) WriteHeader(status int) {
	w.wrote = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *lentWriter) Write(p []byte) (int, error) {
	w.wrote = true
	return w.ResponseWriter.Write(p)
}

// Unwrap is what http.ResponseController looks for.
func (w *lentWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
