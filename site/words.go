package site

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/feature/plural"
	tags "golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// words provides the sentences of a language and formats numbers and dates in it. assets/text.js does the same for
// scripts.
type words struct{ lang language }

// functions are the functions of templates.
func (w words) functions() template.FuncMap {
	return template.FuncMap{
		"t": w.t, "plural": w.plural, "number": w.number, "day": w.day, "moment": w.moment, "rate": w.rate,
		"amount": w.amount, "exact": w.exact, "currency": w.currency, "named": w.activityName, "problem": w.problem,
		"breakable": breakable,
	}
}

// breakable returns a text in which a browser may break a line after dots and slashes, if it has no spaces.
func breakable(text string) template.HTML {
	escaped := template.HTMLEscapeString(text)
	if !strings.Contains(text, " ") {
		escaped = strings.NewReplacer(".", ".<wbr>", "/", "/<wbr>").Replace(escaped)
	}
	return template.HTML(escaped)
}

// t looks up a sentence and fills in its {placeholders}, given as alternating names and values.
func (w words) t(key string, nameValue ...any) (string, error) {
	text, ok := readTexts()[key]
	if !ok {
		return "", fmt.Errorf("text.json has no %q", key)
	}

	var filled []string
	for i := 0; i+1 < len(nameValue); i += 2 {
		filled = append(filled, fmt.Sprintf("{%v}", nameValue[i]), fmt.Sprint(nameValue[i+1]))
	}
	if filled == nil {
		return text[w.lang], nil
	}

	return strings.NewReplacer(filled...).Replace(text[w.lang]), nil
}

// say is like t, for keys in Go code. It panics on an unknown key; a test checks all keys.
func (w words) say(key string, nameValue ...any) string { return must(w.t(key, nameValue...)) }

// hasText reports whether there is a sentence for a key.
func hasText(key string) bool {
	_, ok := readTexts()[key]
	return ok
}

// plural picks key.one, key.few or key.other for a count, by the rules of the language.
func (w words) plural(key string, n int) (string, error) {
	suffixes := map[plural.Form]string{plural.One: ".one", plural.Few: ".few"}
	suffix := suffixes[plural.Cardinal.MatchPlural(w.tag(), n, 0, 0, 0, 0)]
	if suffix == "" || !hasText(key+suffix) {
		suffix = ".other"
	}

	return w.t(key+suffix, "n", w.number(n))
}

func (w words) tag() tags.Tag { return [languages]tags.Tag{tags.BritishEnglish, tags.Romanian}[w.lang] }

// activityName returns the name of an activity in the language.
func (w words) activityName(romanianName, englishName string) string {
	return [languages]string{englishName, romanianName}[w.lang]
}

// number formats a number with grouped digits and at most three decimals.
func (w words) number(n any) string {
	return message.NewPrinter(w.tag()).Sprint(number.Decimal(n))
}

var months = [languages][12]string{
	{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"},
	{"ianuarie", "februarie", "martie", "aprilie", "mai", "iunie", "iulie", "august", "septembrie", "octombrie",
		"noiembrie", "decembrie"},
}

// day formats a date as 10 June 2026. It accepts any value that prints as 2026-06-10.
func (w words) day(date any) (string, error) {
	d, err := time.Parse(time.DateOnly, fmt.Sprint(date))
	if err != nil {
		return "", err
	}
	return w.date(d), nil
}

// dayOf formats a day of an answer.
func (w words) dayOf(day *ro.Date) string { return must(w.day(day)) }

// sayDay is like say, for a sentence with a day as its only placeholder. It is empty if the day is not known.
func (w words) sayDay(key, name string, day *ro.Date) string {
	if day == nil {
		return ""
	}
	return w.say(key, name, w.dayOf(day))
}

func (w words) date(t time.Time) string {
	return fmt.Sprintf("%d %s %d", t.Day(), months[w.lang][t.Month()-1], t.Year())
}

// moment formats an instant in the registries' time zone: 10 June 2026, 14:05 EEST.
func (w words) moment(t time.Time) string {
	t = t.In(ro.Bucharest)
	return w.date(t) + t.Format(", 15:04 MST")
}

// rate formats an exchange rate with all its decimals, at least four.
func (w words) rate(d ro.Decimal) string { return w.decimal(d.Padded(4)) }

// amount formats an amount of money with all its decimals, at least two.
func (w words) amount(d ro.Decimal) string { return w.decimal(d.Padded(2)) }

// exact formats a number with all its decimals.
func (w words) exact(d ro.Decimal) string { return w.decimal(d.String()) }

// decimal formats the text of a decimal with grouped digits and the decimal separator of the language.
func (w words) decimal(text string) string {
	whole, fraction, pointed := strings.Cut(text, ".")
	group, mark := ",", "."
	if w.lang == romanian {
		group, mark = ".", ","
	}

	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}

	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if pointed {
		whole += mark + fraction
	}

	return sign + whole
}

// currency returns the name of a currency, or its code if it has no name.
func (w words) currency(c ro.Currency) string {
	name, err := w.t("currency." + string(c))
	if err != nil {
		return string(c)
	}

	return name
}

// addressLine formats an address on one line.
func addressLine(a *company.StructuredAddress) string {
	if a == nil {
		return ""
	}

	street := joinNonEmpty(" ", deref(a.Street), deref(a.Number))
	return joinNonEmpty(", ", street, deref(a.Details), deref(a.City), deref(a.County),
		deref(a.PostalCode), deref(a.Country))
}

// gap matches the parts of a register's address that say nothing, such as "-" and "NR.".
var gap = regexp.MustCompile(`(?i)^(?:(?:str|nr|bl|sc|et|ap|cam)\b)?[\s.-]*$`)

// withoutGaps returns an address on one line without the parts that say nothing.
func withoutGaps(line string) string {
	parts := strings.Split(line, ", ")
	return strings.Join(slices.DeleteFunc(parts, gap.MatchString), ", ")
}

// joinNonEmpty joins the texts that are not empty.
func joinNonEmpty(separator string, texts ...string) string {
	return strings.Join(withoutEmpty(texts...), separator)
}

func withoutEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// deref returns the value, or the zero value for nil.
func deref[T any](value *T) (v T) {
	if value != nil {
		v = *value
	}
	return v
}

// capitalize returns a text with its first letter in upper case.
func capitalize(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

// lowerFirst returns a text with its first letter in lower case.
func lowerFirst(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToLower(text[:size]) + text[size:]
}
