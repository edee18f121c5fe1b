package site

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// Channel is the channel's name in logs and metrics.
const Channel = "site"

// visit is one view of a live page. Its calls count against the visitor's limits as one call of
// the API: see api.Call.Admitted.
type visit struct {
	*Site
	r        *http.Request
	lang     language
	base     string
	admitted bool            // a call of the view has taken the token of the rate limit
	used     strings.Builder // everything that the page depends on

	query     url.Values // the parameters that the page has read
	outdated  bool       // an answer was past its time
	bySession bool       // calls are made with the visitor's session, and may be charged to the account
	private   bool       // the page is for this visitor alone: it is not kept anywhere
}

func (s *Site) visit(r *http.Request) *visit {
	v := &visit{Site: s, r: r, lang: preferred(r), base: s.url(r), query: make(url.Values)}
	// A page may depend on today's date: whether a release is out of date, the default of a form.
	fmt.Fprintf(&v.used, "%s\n%s\n%s\n%s\n", r.URL.Path, v.lang, v.base, time.Now().In(bucharest).Format(time.DateOnly))
	return v
}

// key identifies the rendered page: equal keys mean equal pages. It is complete once the page is
// loaded.
func (v *visit) key() string { return v.used.String() }

// param returns a parameter of the address, on which the page then depends.
func (v *visit) param(name string) string {
	value := strings.TrimSpace(v.r.URL.Query().Get(name))
	fmt.Fprintf(&v.used, "%s=%q\n", name, value)
	if value != "" {
		v.query.Set(name, value)
	}
	return value
}

// call calls an operation for the visitor, with arguments given as name and value in turn; empty
// values are left out. Its errors are the operation's problems.
func (v *visit) call(operation string, nameValue ...string) (*api.Document, error) {
	return v.do(v.r.Context(), operation, nameValue)
}

// callWithin is call with a deadline.
func (v *visit) callWithin(patience time.Duration, operation string, nameValue ...string) (*api.Document, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), patience)
	defer cancel()
	return v.do(ctx, operation, nameValue)
}

func (v *visit) do(ctx context.Context, operation string, nameValue []string) (*api.Document, error) {
	call := api.Call{
		Channel: Channel, Address: v.address(v.r), OwnPage: true, Admitted: v.admitted,
		RequestID: api.RequestID(v.r.Header), BaseURL: v.base,
	}
	if v.bySession {
		call.BySession, call.Cookie = true, v.r.Header.Get("Cookie")
	}
	for i := 0; i+1 < len(nameValue); i += 2 {
		if nameValue[i+1] != "" {
			call.Args = append(call.Args, api.Arg{Name: nameValue[i], Text: nameValue[i+1]})
		}
	}

	reply := v.gateway.Do(ctx, v.operations[operation], &call)
	v.admitted = true
	if reply.Problem != nil {
		// Pages say what went wrong. That may differ from view to view: each internal error has another ID.
		fmt.Fprintf(&v.used, "%s: %s %d %q\n", operation, reply.Problem.Kind.Slug, reply.Problem.RetrySeconds(), reply.Problem.Detail)
		return nil, reply.Problem
	}
	old := !reply.FreshUntil.IsZero() && time.Now().After(reply.FreshUntil)
	v.outdated = v.outdated || old
	fmt.Fprintf(&v.used, "%s: %s %t\n", operation, contentTag(reply.Document), old)
	return reply.Document, nil
}

// contentTag identifies the content of an answer. It leaves out how long a search took, which differs each time and is
// on no page.
func contentTag(d *api.Document) string {
	took := tookMs.FindIndex(d.JSON)
	if took == nil {
		return d.ETag()
	}
	return etagOf(slices.Concat(d.JSON[:took[0]], d.JSON[took[1]:]))
}

// tookMs matches the member itself: within a text, its quotes would be escaped.
var tookMs = regexp.MustCompile(`"tookMs":\d+,`)

// usedSince returns what the page came to depend on after a length of used.
func (v *visit) usedSince(length int) string { return v.used.String()[length:] }

// decode reads a document into one of the types of the Go client.
func decode[T any](d *api.Document) (*T, error) {
	value := new(T)
	if err := json.Unmarshal(d.JSON, value); err != nil {
		return nil, fmt.Errorf("reading an answer of the gateway: %w", err)
	}
	return value, nil
}

// writeLanguage writes the headers of a page that depends on the visitor's language, and
// remembers a choice.
func (v *visit) writeLanguage(w http.ResponseWriter) {
	writeLanguage(w, v.r, v.lang)
}
