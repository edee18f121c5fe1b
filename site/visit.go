package site

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// Channel is the channel's name in logs and metrics.
const Channel = "site"

// visit is one view of a live page. All its calls together take one token from the visitor's rate limit: see
// op.Call.Admitted.
type visit struct {
	*Site
	r        *http.Request
	lang     language
	base     string
	admitted bool            // a call of the view has taken the token of the rate limit
	used     strings.Builder // the inputs that the page depends on: the cache key

	query     url.Values // the parameters that the page has read
	outdated  bool       // an answer was stale
	bySession bool       // calls are made with the visitor's session, and may be charged to the account
	private   bool       // the page is for this visitor only and must not be cached
}

func (s *Site) visit(r *http.Request) *visit {
	v := &visit{Site: s, r: r, lang: preferredLanguage(r), base: s.URL(r), query: make(url.Values)}
	// A page may depend on today's date, for example in the default of a form or in a notice about an old release.
	fmt.Fprintf(&v.used, "%s\n%s\n%s\n%s\n", r.URL.Path, v.lang, v.base, ro.Today())
	return v
}

// key returns the cache key of the rendered page: pages with equal keys are equal. The key is complete once load has
// returned.
func (v *visit) key() string { return v.used.String() }

// param returns a parameter of the address. It adds the parameter to the inputs that the page depends on.
func (v *visit) param(name string) string {
	value := strings.TrimSpace(v.r.URL.Query().Get(name))
	fmt.Fprintf(&v.used, "%s=%q\n", name, value)
	if value != "" {
		v.query.Set(name, value)
	}

	return value
}

// ask calls an operation for the visitor, with arguments as alternating names and values, and returns the value of its
// answer, which other calls may share. It leaves out empty arguments. An error is the problem of the operation.
func ask[T any](v *visit, operation string, nameValue ...string) (T, error) {
	return askIn[T](v.r.Context(), v, operation, nameValue...)
}

// askIn is like ask with another context.
func askIn[T any](ctx context.Context, v *visit, operation string, nameValue ...string) (value T, err error) {
	call := op.Call{
		Channel: Channel, Address: v.Address(v.r), OwnPage: true, Admitted: v.admitted,
		RequestID: op.RequestID(v.r.Header), BaseURL: v.base,
	}
	if v.bySession {
		call.BySession, call.Cookie, call.Site = true, v.r.Header.Get("Cookie"), web.Origin(v.base)
	}

	for i := 0; i+1 < len(nameValue); i += 2 {
		if nameValue[i+1] != "" {
			call.Args = append(call.Args, op.Arg{Name: nameValue[i], Text: nameValue[i+1]})
		}
	}

	reply := v.Gateway.Do(ctx, v.operations[operation], &call)
	v.admitted = true
	if reply.Problem != nil {
		// Pages describe the problem, so they depend on it. It may differ between views: each internal error has
		// another ID.
		fmt.Fprintf(&v.used, "%s: %s %d %q\n", operation, reply.Problem.Kind.Slug, reply.Problem.RetrySeconds(),
			reply.Problem.Detail)
		return value, reply.Problem
	}

	old := !reply.FreshUntil.IsZero() && time.Now().After(reply.FreshUntil)
	v.outdated = v.outdated || old
	fmt.Fprintf(&v.used, "%s: %s %t\n", operation, contentTag(reply), old)
	return reply.Value.(T), nil
}

// contentTag identifies the content of an answer. It ignores how long a search took, because this differs each time
// and no page shows it.
func contentTag(r *op.Reply) string {
	found, ok := r.Value.(company.Page)
	if !ok {
		return r.Document.ETag()
	}

	found.TookMs = 0
	return must(op.EncodeDocument(found)).ETag()
}

// usedSince returns the inputs that were added to used after it had the given length.
func (v *visit) usedSince(length int) string { return v.used.String()[length:] }
