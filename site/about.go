package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"

	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/op/problem"
)

// About contains the deployment's own content for the pages below /about.
type About struct {
	// Operator is the name of the person or company that runs the deployment; empty if it is not stated.
	Operator string
	// Terms and Privacy are the operator's own texts, in Markdown that begins with a title. Default: general texts
	// about the software.
	Terms, Privacy Text
}

// Text is a text in English and Romanian. Without a translation, both are equal.
type Text [languages]string

//go:embed about
var aboutFiles embed.FS

// readAbout renders an operator's text, or the default text of a name.
func readAbout(name string, own Text, operator string) *guide {
	page := new(guide)
	for l, ending := range [languages]string{".md", ".ro.md"} {
		source := []byte(own[l])
		if own == (Text{}) {
			source = must(aboutFiles.ReadFile("about/" + name + ending))
			source = bytes.ReplaceAll(source, []byte("{operator}"), []byte(words{language(l)}.operator(operator)))
		}

		page.read(language(l), source)
	}

	return page
}

// operator returns a sentence that names the operator.
func (w words) operator(name string) string {
	if name == "" {
		return w.say("about.noOperator")
	}
	return w.say("about.operator", "name", strings.NewReplacer("<", "&lt;", "&", "&amp;").Replace(name))
}

// addAbout adds the terms of use and the privacy statement, and the form to write to the operator.
func (s *Site) addAbout(v view) {
	terms := readAbout("terms", v.About.Terms, v.About.Operator)
	privacy := readAbout("privacy", v.About.Privacy, v.About.Operator)
	s.shell.Terms = versionOf(terms, privacy)
	v.Script = "page.js"
	for path, page := range map[string]*guide{"/about/terms": terms, "/about/privacy": privacy} {
		v.Path, v.Data = path, page
		s.addPage("about", v)
	}

	s.mux.HandleFunc("GET /about/contact", s.serveContact)
	s.mux.HandleFunc("POST "+contactPath, s.takeContact)
}

// versionOf returns a hash of the texts that users accept at sign-up, to record which version they accepted.
func versionOf(pages ...*guide) string {
	sum := sha256.New()
	for _, p := range pages {
		for _, html := range p.html {
			sum.Write([]byte(html))
			sum.Write([]byte{0})
		}
	}

	return hex.EncodeToString(sum.Sum(nil)[:8])
}

const (
	contactPath = "/about/contact"
	maxForm     = 64 << 10 // bytes
)

// contactForm is the data of the page with which visitors write to the operator.
type contactForm struct {
	Operator             string
	Name, Email, Message string
	// Wrong maps the names of fields to their errors.
	Wrong map[string]wrongInput
	// Problem explains why the message was rejected, if the reason is not an error of a field; otherwise nil.
	Problem *problemPage
	// Sent reports that the message was accepted.
	Sent bool
}

// serveContact shows the form, or thanks for a message.
func (s *Site) serveContact(w http.ResponseWriter, r *http.Request) {
	s.writeContact(w, r, http.StatusOK, contactForm{Sent: r.URL.Query().Has("sent")})
}

// takeContact accepts a message from the form by calling the operation send_contact.
func (s *Site) takeContact(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.ServeProblem(w, r, unreadable(err))
		return
	}

	form := contactForm{Name: r.PostForm.Get("name"), Email: r.PostForm.Get("email"),
		Message: r.PostForm.Get("message")}
	if p := s.send(r, form); p != nil {
		s.writeContact(w, r, p.Status(), words{preferredLanguage(r)}.refusedForm(form, p))
		return
	}

	http.Redirect(w, r, contactPath+"?sent", http.StatusSeeOther) // a reload sends nothing again
}

// send calls the operation for a message.
func (s *Site) send(r *http.Request, f contactForm) *problem.Problem {
	base := s.URL(r)
	reply := s.Gateway.Do(r.Context(), s.operations["send_contact"], &op.Call{
		Channel: Channel, Address: s.Address(r), RequestID: op.RequestID(r.Header), BaseURL: base,
		Origin: r.Header.Get("Origin"), FetchSite: r.Header.Get("Sec-Fetch-Site"), Site: web.Origin(base),
		Args: op.Args{
			{Name: "name", Text: f.Name}, {Name: "email", Text: f.Email}, {Name: "message", Text: f.Message},
			{Name: "website", Text: r.PostForm.Get("website")},
		},
	})
	return reply.Problem
}

// refusedForm returns the form with the problem of a message described beside its fields.
func (w words) refusedForm(f contactForm, p *problem.Problem) contactForm {
	f.Wrong = make(map[string]wrongInput)
	for _, e := range p.Errors {
		switch e.Parameter {
		case "name", "email", "message":
			f.Wrong[e.Parameter] = w.wrong(e)
		}
	}

	if len(f.Wrong) == 0 || len(f.Wrong) < len(p.Errors) {
		about := w.problem(p)
		f.Problem = &about
	}

	return f
}

func unreadable(err error) *problem.Problem {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem.Problem{Kind: problem.PayloadTooLarge}
	}
	return problem.Invalid(&problem.InputError{Code: problem.Malformed, Accepted: "a form"})
}

func (s *Site) writeContact(w http.ResponseWriter, r *http.Request, status int, f contactForm) {
	lang := preferredLanguage(r)
	f.Operator = s.shell.About.Operator
	body := must(s.renderView("contact", s.viewFor(r, lang, "page.js", f)))
	s.writeUncached(w, r, lang, status, body)
}

// TakesForm reports whether a request sends a form of the site.
func (s *Site) TakesForm(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == contactPath
}
