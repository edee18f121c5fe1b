package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rodata/rodata/op"
)

// Router finds the operation for a REST request.
type Router struct {
	exact    map[string]*Route
	patterns []*Route
}

// Route is one path with the operations of its methods.
type Route struct {
	// Pattern is the path as in the operations, with its {arguments}.
	Pattern string
	// Allow is the value of the Allow header.
	Allow string

	literals   []string // around the arguments: one more than there are names
	names      []string // of the arguments
	operations []*op.Operation
}

// noRoute is the route of unknown paths.
var noRoute = new(Route)

// NewRouter returns a router over the operations' methods and paths.
func NewRouter(ops []*op.Operation) *Router {
	r := &Router{exact: make(map[string]*Route)}
	for _, o := range ops {
		rt := r.route(o.Path)
		rt.operations = append(rt.operations, o)
		rt.Allow = rt.methods()
	}

	return r
}

// route finds or creates the route of a path.
func (r *Router) route(path string) *Route {
	literals, names := splitPath(path)
	if len(names) == 0 {
		if r.exact[path] == nil {
			r.exact[path] = &Route{Pattern: path, literals: literals}
		}
		return r.exact[path]
	}

	for _, rt := range r.patterns {
		if slices.Equal(rt.literals, literals) {
			return rt
		}
	}

	rt := &Route{Pattern: path, literals: literals, names: names}
	r.patterns = append(r.patterns, rt)
	return rt
}

// splitPath splits a path with {arguments}.
func splitPath(path string) (literals, names []string) {
	rest := path
	for {
		literal, pattern, found := strings.Cut(rest, "{")
		literals = append(literals, literal)
		if !found {
			break
		}

		var name string
		name, rest, _ = strings.Cut(pattern, "}")
		names = append(names, name)
	}

	if len(names) > len(op.PathArgs{}) {
		panic("rest: too many arguments in the path " + path)
	}

	return literals, names
}

func (rt *Route) methods() string {
	var methods []string
	for _, o := range rt.operations {
		methods = append(methods, o.Method)
		if o.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}

	slices.Sort(methods)
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

// escapedSlash stands for a slash of an argument in a route path. No argument that an operation accepts contains it.
const escapedSlash = "\x00%2F"

// routePath returns the unescaped path that a router matches. A slash that the client escaped (J12%2F101%2F2012) is
// part of an argument.
func routePath(r *http.Request) string {
	if !strings.Contains(strings.ToUpper(r.URL.RawPath), "%2F") {
		return r.URL.Path
	}

	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, segment := range segments {
		segment, _ = url.PathUnescape(segment) // EscapedPath is valid
		segments[i] = strings.ReplaceAll(segment, "/", escapedSlash)
	}

	return strings.Join(segments, "/")
}

// Match finds the operation for a method and the routePath of a request, the arguments in the path, and the route, an
// empty one for an unknown path. HEAD matches GET.
func (r *Router) Match(method, path string) (o *op.Operation, inPath op.PathArgs, found *Route) {
	found, inPath = r.find(path)
	if method == http.MethodHead {
		method = http.MethodGet
	}

	for _, o := range found.operations {
		if o.Method == method {
			return o, inPath, found
		}
	}

	return nil, op.PathArgs{}, found
}

func (r *Router) find(path string) (*Route, op.PathArgs) {
	if rt := r.exact[path]; rt != nil {
		return rt, op.PathArgs{}
	}

	for _, rt := range r.patterns {
		if inPath, ok := rt.match(path); ok {
			return rt, inPath
		}
	}

	return noRoute, op.PathArgs{}
}

// match parses the arguments in a path. An argument contains no slash.
func (rt *Route) match(path string) (inPath op.PathArgs, ok bool) {
	rest, ok := strings.CutPrefix(path, rt.literals[0])
	for i, name := range rt.names {
		var value string
		switch literal := rt.literals[i+1]; {
		case !ok:
			return op.PathArgs{}, false
		case i == len(rt.names)-1:
			value, ok = strings.CutSuffix(rest, literal)
		default:
			value, rest, ok = strings.Cut(rest, literal)
		}

		if strings.Contains(value, "/") {
			return op.PathArgs{}, false
		}

		inPath[i] = op.Arg{Name: name, Text: strings.ReplaceAll(value, escapedSlash, "/")}
	}

	return inPath, ok
}
