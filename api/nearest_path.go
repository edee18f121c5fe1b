package api

import (
	"slices"
	"strings"

	"github.com/rodata/rodata/api/problem"
	"github.com/rodata/rodata/internal/spelling"
)

// NothingAt is the problem of a path that leads nowhere; it names the path that was
// probably meant. The base URL is where the description is.
func (r *Router) NothingAt(path, baseURL string) *problem.Problem {
	p := problem.NotFound.New("there is nothing at this address; %s/openapi.json lists what there is", baseURL)
	e := &problem.InputError{Code: problem.UnknownPath, Received: problem.Shown(path), Accepted: "a path that /openapi.json lists", Suggestion: r.nearest(path)}
	if p.Errors = []*problem.InputError{e}; e.Suggestion != "" {
		p.Detail = "there is nothing at this address; did you mean " + e.Suggestion + "? " + baseURL + "/openapi.json lists what there is"
	}
	return p
}

// nearest is the path of an operation that a path probably stands for, with the
// values of its own in the holes; empty when none is near.
func (r *Router) nearest(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for len(segments) > 1 && slices.Contains([]string{"api", "v1", "v2"}, strings.ToLower(segments[0])) {
		segments = segments[1:]
	}
	segments = append([]string{"v1"}, segments...)
	for _, candidate := range r.paths() {
		if found, ok := resembles(segments, strings.Split(strings.Trim(candidate, "/"), "/")); ok {
			return "/" + strings.Join(found, "/")
		}
	}
	return ""
}

// paths are those of all operations, with {holes}: those without first, since they
// say more.
func (r *Router) paths() []string {
	var exact, patterns []string
	for path := range r.exact {
		exact = append(exact, path)
	}
	for _, rt := range r.patterns {
		patterns = append(patterns, rt.prefix+"{"+rt.argument+"}"+rt.suffix)
	}
	slices.Sort(exact)
	slices.Sort(patterns)
	return append(exact, patterns...)
}

// resembles reports whether every segment of a path is near that of a candidate, and
// gives the candidate with its holes filled.
func resembles(segments, candidate []string) (filled []string, ok bool) {
	if len(segments) != len(candidate) {
		return nil, false
	}
	for i, segment := range segments {
		switch {
		case strings.HasPrefix(candidate[i], "{") && segment != "":
			filled = append(filled, segment)
		case spelling.Nearest(segment, candidate[i:i+1]) != "":
			filled = append(filled, candidate[i])
		default:
			return nil, false
		}
	}
	return filled, true
}
