package rest

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op/problem"
)

// NothingAt returns the problem of an unknown path. It suggests the most similar path, and links to the API description
// at the base URL.
func (r *Router) NothingAt(path, baseURL string) *problem.Problem {
	p := problem.NotFound.New("there is nothing at this address; %s/openapi.json lists what there is", baseURL)
	e := &problem.InputError{Code: problem.UnknownPath, Received: problem.Excerpt(path),
		Accepted: "a path that /openapi.json lists", Suggestion: r.nearest(path)}
	if p.Errors = []*problem.InputError{e}; e.Suggestion != "" {
		p.Detail = "there is nothing at this address; did you mean " + e.Suggestion + "? " + baseURL +
			"/openapi.json lists what there is"
	}

	return p
}

// longestPath is the length of the longest path that may be mistyped, in bytes. A comparison takes time in proportion
// to its square.
const longestPath = 256

// nearest returns the operation path closest to a path, with its arguments filled in; empty if none is similar.
func (r *Router) nearest(path string) string {
	if len(path) > longestPath {
		return ""
	}

	segments := strings.Split(strings.Trim(path, "/"), "/")
	for len(segments) > 1 && slices.Contains([]string{"api", "v1", "v2"}, strings.ToLower(segments[0])) {
		segments = segments[1:]
	}

	segments = append([]string{"v1"}, segments...)
	best, least := "", 0
	for _, candidate := range r.paths() {
		found, ok := resembles(segments, strings.Split(strings.Trim(candidate, "/"), "/"))
		filled := "/" + strings.Join(found, "/")
		if !ok || !r.accepts(filled) {
			continue
		}

		distance := spelling.Distance(strings.ToLower("/"+strings.Join(segments, "/")), strings.ToLower(filled))
		if best == "" || distance < least {
			best, least = filled, distance
		}
	}

	return best
}

// accepts reports whether the arguments in a path are valid for its operation. In /v1/caen-codes/search, for example,
// "search" is not a valid code. Paths without a GET operation are not checked.
func (r *Router) accepts(path string) bool {
	op, inPath, _ := r.Match(http.MethodGet, path)
	if op == nil {
		return true
	}

	for _, p := range op.Params() {
		pattern, err := regexp.Compile(p.Schema.Pattern)
		for _, arg := range inPath {
			if err == nil && arg.Name == p.Name && !pattern.MatchString(arg.Text) {
				return false
			}
		}
	}

	return true
}

// paths returns the paths of all operations. Paths without parameters come first, because they are more specific.
func (r *Router) paths() []string {
	var patterns []string
	for _, rt := range r.patterns {
		patterns = append(patterns, rt.Pattern)
	}

	slices.Sort(patterns)
	return append(slices.Sorted(maps.Keys(r.exact)), patterns...)
}

// resembles reports whether every segment of a path is similar to the candidate's, and returns the candidate with its
// parameters filled in.
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
