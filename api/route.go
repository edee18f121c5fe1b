package api

import (
	"net/http"
	"slices"
	"strings"
)

// Router finds the operation that a REST request asks for.
type Router struct {
	exact    map[string]*route
	patterns []*route
}

// route is one path with the operations of its methods.
type route struct {
	prefix, argument, suffix string // prefix{argument}suffix
	operations               []*Operation
	allow                    string // the Allow header
}

// NewRouter returns a router over the operations' methods and paths.
func NewRouter(ops []*Operation) *Router {
	r := &Router{exact: make(map[string]*route)}
	for _, op := range ops {
		rt := r.route(op.Path)
		rt.operations = append(rt.operations, op)
		rt.allow = rt.methods()
	}
	return r
}

// route finds or makes the route of a path.
func (r *Router) route(path string) *route {
	prefix, rest, patterned := strings.Cut(path, "{")
	if !patterned {
		if r.exact[path] == nil {
			r.exact[path] = &route{prefix: path}
		}
		return r.exact[path]
	}

	argument, suffix, _ := strings.Cut(rest, "}")
	for _, rt := range r.patterns {
		if rt.prefix == prefix && rt.suffix == suffix {
			return rt
		}
	}

	rt := &route{prefix: prefix, argument: argument, suffix: suffix}
	r.patterns = append(r.patterns, rt)
	return rt
}

func (rt *route) methods() string {
	var methods []string
	for _, op := range rt.operations {
		methods = append(methods, op.Method)
		if op.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}

	slices.Sort(methods)
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

// Match finds the operation for a method and an unescaped path, and the argument in the path,
// whose name is empty when there is none. HEAD matches GET. Without an operation, allow lists
// the path's methods; it is empty when there is no such path.
func (r *Router) Match(method, path string) (op *Operation, inPath Arg, allow string) {
	rt, inPath := r.find(path)
	if rt == nil {
		return nil, Arg{}, ""
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}

	for _, op := range rt.operations {
		if op.Method == method {
			return op, inPath, rt.allow
		}
	}

	return nil, Arg{}, rt.allow
}

func (r *Router) find(path string) (*route, Arg) {
	if rt := r.exact[path]; rt != nil {
		return rt, Arg{}
	}
	for _, rt := range r.patterns {
		rest, ok := strings.CutPrefix(path, rt.prefix)
		if !ok {
			continue
		}

		value, ok := strings.CutSuffix(rest, rt.suffix)
		if ok && !strings.Contains(value, "/") {
			return rt, Arg{Name: rt.argument, Text: value}
		}
	}

	return nil, Arg{}
}
