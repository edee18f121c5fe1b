package site

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/ro"
)

// problemPage is the data of the page about a problem.
type problemPage struct {
	// Means is empty if the title says as much.
	Slug, Title, Means, Remedy string
	// Wait is a sentence about when to try again; empty if a retry does not help.
	Wait string
	// ID identifies an internal error in the log.
	ID string
	// Wrong holds a sentence for each invalid input.
	Wrong []wrongInput
	// Searches reports that the page has a search box, with the text Query.
	Searches bool
	Query    string
}

// wrongInput describes the error of an input.
type wrongInput struct {
	Sentence string
	// Accepted describes the accepted values. It is empty if the sentence says as much.
	Accepted   string
	Suggestion string
	// LikelyCUI is a mistyped tax id with the right check digit; empty for other errors.
	LikelyCUI string
}

// longestRefresh is the longest wait, in seconds, after which the page about the rate limit reloads itself. A daily
// limit has longer waits.
const longestRefresh = 10

// ServeProblem answers a browser's request with a page about a problem.
func (s *Site) ServeProblem(w http.ResponseWriter, r *http.Request, p *problem.Problem) {
	lang := preferredLanguage(r)
	body := s.renderProblem(r, lang, p)
	h := w.Header()
	if wait := p.RetrySeconds(); wait > 0 {
		h["Retry-After"] = []string{strconv.Itoa(wait)}
		if p.Kind == problem.RateLimited && wait <= longestRefresh && r.Method == http.MethodGet {
			h["Refresh"] = h["Retry-After"] // makes the browser reload the page
		}
	}

	s.writeUncached(w, r, lang, p.Status(), body)
}

// writeUncached answers with a page that must not be stored.
func (s *Site) writeUncached(w http.ResponseWriter, r *http.Request, lang language, status int, body []byte) {
	s.writeLanguage(w, r, lang)
	h := w.Header()
	writeSecurity(h)
	h.Set("Content-Type", htmlType)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) // the visitor may have left
	}
}

// missing maps the values in the paths of pages to the title and the explanation for one that does not exist.
var missing = map[string][2]string{
	"cui":    {"problem.noCompany", "problem.noCompanyMeans"},
	"code":   {"problem.noActivity", "problem.noActivityMeans"},
	"siruta": {"problem.noPlace", "problem.noPlaceMeans"}, "receipt": {"problem.noReceipt", "problem.noReceiptMeans"},
}

// renderProblem renders the page about a problem. It caches the page about the rate limit, because visitors over the
// limit can request it any number of times. That page depends on neither path nor parameters.
func (s *Site) renderProblem(r *http.Request, lang language, p *problem.Problem) []byte {
	if p.Kind == problem.RateLimited {
		key := fmt.Sprintf("refused\n%s\n%s\n%d", lang, s.URL(r), p.RetrySeconds())
		return must(s.renderOnce(key, func() ([]byte, error) {
			v := s.viewFor(r, lang, "page.js", words{lang}.problem(p))
			v.Path = "/"
			return s.renderView("problem", v)
		})).JSON
	}

	page := words{lang}.problem(p)
	// The digits of an activity that does not exist may be those of a company.
	if code, ok := strings.CutPrefix(r.URL.Path, "/caen/"); ok && page.Searches {
		if _, ok := (companySearch{Q: "RO" + code}).company(); ok {
			page.Query = "RO" + code
		}
	}

	for value, keys := range missing {
		if sought := r.PathValue(value); sought != "" && p.Kind == problem.NotFound && p.Errors == nil {
			w := words{lang}
			page.Title, page.Means = w.say(keys[0], value, sought), w.say(keys[1])
		}
	}

	v, query := s.viewFor(r, lang, "page.js", page), r.URL.Query()
	query.Del("lang")
	v.Query = encodeQuery(query)
	return must(s.renderView("problem", v))
}

// problem describes a problem for people.
func (w words) problem(p *problem.Problem) problemPage {
	slug := p.Kind.Slug
	page := problemPage{
		Slug: slug, Title: w.say("kind." + slug), Means: w.say("means." + slug), Remedy: w.say("remedy." + slug),
		Wait: w.wait(p.RetrySeconds()), ID: p.ID, Searches: p.Kind == problem.NotFound,
	}
	for _, e := range p.Errors {
		page.Wrong = append(page.Wrong, w.wrong(e))
		if e.Parameter == "cui" {
			page.Searches, page.Query = true, deref(e.Received)
		}
	}
	if len(p.Errors) == 1 && p.Errors[0].Parameter == "cui" && p.Errors[0].Received != nil {
		page.Title, page.Means = w.say("problem.wrongCUI", "received", *p.Errors[0].Received), ""
	}

	return page
}

// wrong describes an invalid input for people, by its parameter and code. The API's own words are English, for
// programs. assets/wrong.js does the same in scripts.
func (w words) wrong(e *problem.InputError) wrongInput {
	name := w.say("said.parameter", "parameter", e.Parameter)
	if known := "param." + e.Parameter; hasText(known) {
		name = w.say(known)
	} else if e.Parameter == "" {
		name = w.say("said.whole")
	}

	key, code := "input."+string(e.Code), e.Code
	if whole := key + "." + e.Parameter; hasText(whole) {
		key, code = whole, "" // says what is accepted
	}

	input := wrongInput{Sentence: capitalize(w.say(key, "name", name)) + w.place(e)}
	if e.Suggestion != "" {
		input.Suggestion = w.say("said.suggestion", "suggestion", e.Suggestion)
	}
	if right := rightCUI(e); right != "" && e.Parameter == "cui" {
		input.LikelyCUI = right
		input.Accepted = w.say("said.checkDigit", "begin", right[:len(right)-1], "digit", right[len(right)-1:])
		return input
	}
	if accepted := "accepts." + e.Parameter; code.AboutValue() && hasText(accepted) {
		input.Accepted = w.say("said.accepted", "accepted", w.say(accepted))
	}

	return input
}

// rightCUI returns a mistyped tax id with the right check digit; empty if the error is another one.
func rightCUI(e *problem.InputError) string {
	digits, ok := ro.CUIDigits(deref(e.Received))
	if !ok || e.Code != problem.CheckDigit {
		return ""
	}

	number, _ := strconv.Atoi(digits)
	return fmt.Sprintf("%d%d", number/10, ro.CUI(number).ControlDigit())
}

// place returns a sentence about the row and the column of an error in a file; empty for other errors.
func (w words) place(e *problem.InputError) string {
	var parts []string
	if e.Row > 0 {
		parts = append(parts, w.say("said.row", "row", e.Row))
	}
	if e.Column != "" {
		parts = append(parts, w.say("said.column", "column", e.Column))
	}
	if parts == nil {
		return ""
	}

	return " " + w.say("said.place", "place", strings.Join(parts, ", "))
}

// wait returns a sentence about when to try again, in the largest suitable unit of time.
func (w words) wait(seconds int) string {
	switch {
	case seconds <= 0:
		return ""
	case seconds < 2*60:
		return must(w.plural("wait.seconds", seconds))
	case seconds < 2*60*60:
		return must(w.plural("wait.minutes", (seconds+59)/60))
	}

	return must(w.plural("wait.hours", (seconds+3599)/3600))
}

// fail answers a request for a page that could not be loaded: with a redirect, or with a page about the problem. It
// logs internal errors with an ID.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if moved, ok := errors.AsType[*redirect](err); ok {
		moved.follow(w, r)
		return
	}

	p, ok := errors.AsType[*problem.Problem](err)
	if !ok {
		p = op.InternalError(r, s.Logger, err, slog.String("path", r.URL.Path))
	}

	s.ServeProblem(w, r, p)
}

// inputNames maps parameters of an operation to the page's names of the inputs, which are keys in text.json.
type inputNames map[string]string

// rename replaces the parameters in an error with the inputs of the page. A parameter may have another name on the
// page, or the same name may mean different inputs: "from" is a currency in a conversion and the first day in a
// history.
func (n inputNames) rename(err error) error {
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || len(p.Errors) == 0 {
		return err
	}

	renamed := *p
	renamed.Errors = make([]*problem.InputError, len(p.Errors))
	for i, e := range p.Errors {
		input := *e
		input.Parameter = cmp.Or(n[e.Parameter], e.Parameter)
		renamed.Errors[i] = &input
	}

	return &renamed
}

// redirect is the error of a page that is at another address.
type redirect struct{ to string }

func (m *redirect) Error() string { return "the page is at " + m.to }

// canonical returns a redirect to the canonical form of the page's path, with the same parameters.
func (v *visit) canonical(path string) *redirect {
	if query := v.r.URL.RawQuery; query != "" {
		path += "?" + query
	}
	return &redirect{path}
}

// follow answers with the redirect. A language in the address stays in the new address, because the redirect itself
// sets no cookie.
func (m *redirect) follow(w http.ResponseWriter, r *http.Request) {
	to := m.to
	if l, ok := parseLanguage(r.URL.Query().Get("lang")); ok && !strings.Contains(to, "?") {
		to += "?lang=" + l.String()
	}

	http.Redirect(w, r, to, http.StatusPermanentRedirect)
}
