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
	exact    map[string]*route
	patterns []*route
}

// route is one path with the operations of its methods.
type route struct {
	path       string   // as in the operations, with its {arguments}
	literals   []string // around the arguments: one more than there are names
	names      []string // of the arguments
	operations []*op.Operation
	allow      string // the Allow header
}

// NewRouter returns a router over the operations' methods and paths.
func NewRouter(ops []*op.Operation) *Router {
	r := &Router{exact: make(map[string]*route)}
	for _, o := range ops {
		rt := r.route(o.Path)
		rt.operations = append(rt.operations, o)
		rt.allow = rt.methods()
	}

	return r
}

// route finds or creates the route of a path.
func (r *Router) route(path string) *route {
	literals, names := splitPath(path)
	if len(names) == 0 {
		if r.exact[path] == nil {
			r.exact[path] = &route{path: path, literals: literals}
		}
		return r.exact[path]
	}

	for _, rt := range r.patterns {
		if slices.Equal(rt.literals, literals) {
			return rt
		}
	}

	rt := &route{path: path, literals: literals, names: names}
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

func (rt *route) methods() string {
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

// Match finds the operation for a method and the routePath of a request, and the arguments in the path. HEAD matches
// GET. Without an operation, allow lists the path's methods; it is empty for an unknown path.
func (r *Router) Match(method, path string) (o *op.Operation, inPath op.PathArgs, allow string) {
	rt, inPath := r.find(path)
	if rt == nil {
		return nil, op.PathArgs{}, ""
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}

	for _, o := range rt.operations {
		if o.Method == method {
			return o, inPath, rt.allow
		}
	}

	return nil, op.PathArgs{}, rt.allow
}

// Pattern returns the pattern of a path, as /v1/companies/{cui}; empty if the path is unknown.
func (r *Router) Pattern(path string) string {
	rt, _ := r.find(path)
	if rt == nil {
		return ""
	}
	return rt.path
}

func (r *Router) find(path string) (*route, op.PathArgs) {
	if rt := r.exact[path]; rt != nil {
		return rt, op.PathArgs{}
	}

	for _, rt := range r.patterns {
		if inPath, ok := rt.match(path); ok {
			return rt, inPath
		}
	}

	return nil, op.PathArgs{}
}

// match parses the arguments in a path. An argument contains no slash.
func (rt *route) match(path string) (inPath op.PathArgs, ok bool) {
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
