package watch

import (
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"slices"
	"strings"
	texttemplate "text/template"

	"github.com/rodata/rodata/account/mail"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/ro"
)

// message renders the digest as a mail. In a digest in both languages, Romanian comes first. It shows the given events,
// out of total. Readers unsubscribe at the given address; without one, as without a site, the mail has no links.
func (d *Digest) message(site, unsubscribe string, events []monitoring.Event, total int) (mail.Message, error) {
	letter := &letter{Digest: d, Site: site, End: unsubscribe, Total: total, More: total - len(events),
		Companies: byCompany(events)}

	var text, html strings.Builder
	var counts []string
	for _, words := range d.languages() {
		letter.words = words
		counts = append(counts, words.Count(total))
		if err := textMail.Execute(&text, letter); err != nil {
			return mail.Message{}, err
		}
		if err := htmlMail.Execute(&html, letter); err != nil {
			return mail.Message{}, err
		}
	}

	return mail.Message{
		Subject: truncate(d.Name) + ": " + strings.Join(counts, " / "),
		Text:    strings.TrimSuffix(text.String(), "\n--\n\n"), HTML: strings.TrimSuffix(html.String(), "<hr>\n"),
		Unsubscribe: unsubscribe,
	}, nil
}

// languages returns the languages in which the digest is written.
func (d *Digest) languages() []*words {
	switch d.Language {
	case monitoring.RomanianDigest:
		return []*words{romanian}
	case monitoring.EnglishDigest:
		return []*words{english}
	}

	return []*words{romanian, english}
}

// truncate keeps the start of a long text.
func truncate(name string) string {
	if runes := []rune(name); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return name
}

// companyEvents are the events of a digest about one company, or about the watch-list itself.
type companyEvents struct {
	of     ro.CUI // 0 for the watch-list
	Title  string
	Events []monitoring.Event
}

// byCompany groups events by company, in the order in which the companies first occur.
func byCompany(events []monitoring.Event) []*companyEvents {
	var all []*companyEvents
	for _, e := range events {
		var of ro.CUI
		if e.Data.TaxID != nil {
			of = *e.Data.TaxID
		}

		i := slices.IndexFunc(all, func(c *companyEvents) bool { return c.of == of })
		if i < 0 {
			i, all = len(all), append(all, &companyEvents{of: of, Title: title(of, &e.Data)})
		}

		all[i].Events = append(all[i].Events, e)
	}

	return all
}

// title names a company: its name, its number and the account's reference.
func title(of ro.CUI, e *monitoring.EventData) string {
	if of == 0 {
		return ""
	}

	parts := []string{"CUI " + of.String()}
	if e.Name != nil && *e.Name != "" {
		parts = slices.Insert(parts, 0, *e.Name)
	}
	if e.Reference != nil && *e.Reference != "" {
		parts = append(parts, *e.Reference)
	}

	return strings.Join(parts, ", ")
}

// letter is a digest in one language.
type letter struct {
	*words
	*Digest
	Site        string
	End         string // the address at which readers unsubscribe
	Total, More int
	Companies   []*companyEvents
}

// Opening returns the opening sentence of a digest.
func (l *letter) Opening() string {
	return fmt.Sprintf(l.opening, l.Name, l.From.In(ro.Bucharest).Format(l.date),
		l.Due.In(ro.Bucharest).Format(l.date), l.Count(l.Total))
}

// Lines describe an event, one line for each change.
func (w *words) Lines(e monitoring.Event) []string {
	if len(e.Data.Changes) == 0 {
		line := w.kind(e.Type)
		if s := e.Data.Statement; s != nil {
			line += ": " + fmt.Sprintf(w.statement, s.Year, s.LastFiled)
		}

		return []string{line}
	}

	lines := make([]string, len(e.Data.Changes))
	for i := range e.Data.Changes {
		lines[i] = w.change(&e.Data.Changes[i])
	}

	return lines
}

func (w *words) change(c *monitoring.EventChange) string {
	line := fmt.Sprintf("%s: %s → %s", w.kind(c.Type), w.value(c.Before), w.value(c.After))
	if c.ValidFrom != nil {
		line += ", " + w.from + " " + c.ValidFrom.UTC().Format(w.date)
	}
	if c.RecordedOn != nil {
		line += ", " + w.recorded + " " + c.RecordedOn.UTC().Format(w.date)
	}

	return line
}

// value renders a value in words.
func (w *words) value(v *company.FactValue) string {
	switch {
	case v == nil, v.Bool == nil && v.Text == "":
		return w.unknown
	case v.Bool != nil && *v.Bool:
		return w.yes
	case v.Bool != nil:
		return w.no
	}

	if word := stateTexts[v.Text][w.texts]; word != "" {
		return word
	}
	return truncate(v.Text)
}

// kind names a kind of event.
func (w *words) kind(k monitoring.EventKind) string {
	if word := kindTexts[k][w.texts]; word != "" {
		return word
	}
	return string(k)
}

// Grade names a severity.
func (w *words) Grade(s monitoring.Severity) string { return w.grades[s] }

// Dashboard returns the URL of the watch-list's page. It is empty if the address of the site is unknown.
func (l *letter) Dashboard() string {
	if l.Site == "" {
		return ""
	}
	return l.Site + "/dashboard/monitoring?list=" + url.QueryEscape(l.ID)
}

const textLayout = `{{.Hello}}

{{.Opening}}
{{range .Companies}}
{{with .Title}}{{.}}{{else}}{{$.TheList}}{{end}}
{{range .Events}}{{$e := .}}{{range $.Lines .}}  - [{{$.Grade $e.Data.Severity}}] {{.}}
{{end}}{{end}}{{end}}{{if .More}}
{{.AndMore .More}}
{{end}}{{with .Dashboard}}
{{$.See}}: {{.}}
{{$.SwitchOff}}: {{$.End}}&lang={{$.Lang}}
{{end}}
--

`

const htmlLayout = `<div lang="{{.Lang}}" style="font-family:sans-serif;max-width:40em">
<p>{{.Hello}}</p>
<p>{{.Opening}}</p>
{{range .Companies}}<h2 style="font-size:1em;margin:1.2em 0 0.3em">{{with .Title}}{{.}}{{else}}{{$.TheList}}{{end}}</h2>
<ul style="margin:0">{{range .Events}}{{$e := .}}{{range $.Lines .}}
<li><b>{{$.Grade $e.Data.Severity}}</b>: {{.}}</li>{{end}}{{end}}
</ul>
{{end}}{{if .More}}<p>{{.AndMore .More}}</p>
{{end}}{{with .Dashboard}}<p><a href="{{.}}">{{$.See}}</a> · <a href="{{$.End}}&amp;lang={{$.Lang}}">{{$.SwitchOff}}</a></p>
{{end}}</div>
<hr>
`

var (
	textMail = texttemplate.Must(texttemplate.New("digest").Parse(textLayout))
	htmlMail = htmltemplate.Must(htmltemplate.New("digest").Parse(htmlLayout))
)
