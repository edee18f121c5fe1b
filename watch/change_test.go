package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/history"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

func date(text string) ro.Date { return testkit.Must(ro.ParseDate(text)) }

// view builds a view from the statuses and texts of a record of one day.
func view(day ro.Date, statuses map[history.Status]bool, texts map[string]string) *history.View {
	v := &history.View{Day: day, At: day.UTC().Add(10 * time.Hour), Phone: texts["phone"]}
	for status, value := range statuses {
		v.Timelines[status].OnDay = new(value)
	}

	for _, field := range []string{"name", "seat", "fiscalDomicile", "mainNaceCode", "stateRegistration"} {
		v.Identity = append(v.Identity, history.Field{Name: field, Value: texts[field]})
	}

	return v
}

// line prints an event on one line: its kind and severity, then each change.
func line(e Event, ok bool) string {
	if !ok {
		return ""
	}

	text := func(v *company.FactValue) string {
		if v.Bool != nil {
			return fmt.Sprint(*v.Bool)
		}
		return v.Text
	}
	output := fmt.Sprintf("%s %s", e.Severity, e.Type)
	for _, c := range e.Changes {
		output += fmt.Sprintf("; %s %s -> %s", c.Field, text(c.Before), text(c.After))
		if c.ValidFrom != nil {
			output += " from " + c.ValidFrom.String()
		}
		if c.RecordedOn != nil {
			output += " recorded " + c.RecordedOn.String()
		}
	}

	return output
}

// record builds a view from the words of a record: vatPayer or !vatPayer for a status, name=... for a text.
func record(day ro.Date, words string) *history.View {
	statuses, texts := map[history.Status]bool{}, map[string]string{}
	for word := range strings.SplitSeq(words, "; ") {
		name, text, isText := strings.Cut(word, "=")
		if isText {
			texts[name] = text
			continue
		}
		for s := range history.StatusCount {
			if s.String() == strings.TrimPrefix(name, "!") {
				statuses[s] = name[0] != '!'
			}
		}
	}

	return view(day, statuses, texts)
}

func TestKindsOfChanges(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"!vatPayer", "vatPayer", "low company.vat.registered; vatPayer false -> true"},
		{"vatPayer", "!vatPayer", "high company.vat.cancelled; vatPayer true -> false"},
		{"!vatOnCollection", "vatOnCollection",
			"medium company.vat_on_collection.started; vatOnCollection false -> true"},
		{"vatOnCollection", "!vatOnCollection",
			"medium company.vat_on_collection.ended; vatOnCollection true -> false"},
		{"!inactive", "inactive", "high company.inactive.declared; inactive false -> true"},
		{"inactive", "!inactive", "low company.inactive.lifted; inactive true -> false"},
		{"!eInvoice", "eInvoice", "low company.e_invoice.registered; eInvoice false -> true"},
		{"eInvoice", "!eInvoice", "low company.e_invoice.removed; eInvoice true -> false"},
		{"vatSplit", "!vatSplit", ""}, // no kind of event exists for this status
		{"name=EXEMPLU SRL", "name=ALT EXEMPLU SRL",
			"medium company.name.changed; name EXEMPLU SRL -> ALT EXEMPLU SRL"},
		{"seat=Str. Lungă 5", "seat=Str. Scurtă 5",
			"medium company.seat.changed; seat Str. Lungă 5 -> Str. Scurtă 5"},
		{"fiscalDomicile=Str. Lungă 5", "fiscalDomicile=Str. Lungă 6",
			"low company.fiscal_domicile.changed; fiscalDomicile Str. Lungă 5 -> Str. Lungă 6"},
		{"mainNaceCode=0111", "mainNaceCode=6201", "low company.activity.changed; mainNaceCode 0111 -> 6201"},
		{"phone=0210000000", "phone=0210000001", "low company.contact.changed; phone 0210000000 -> 0210000001"},
		{"phone=0210000000", "phone=021 000.00.00", ""},
		{"", "vatPayer; name=EXEMPLU SRL", ""}, // unknown before
		{"vatPayer; seat=Str. Lungă 5", "", ""},
		{"vatPayer; eInvoice; name=A", "!vatPayer; !eInvoice; name=B",
			"high company.vat.cancelled; vatPayer true -> false; eInvoice true -> false; name A -> B"},
	} {
		e, ok := Compare(9900000010, record(1000, c.before), record(1001, c.after), LookSummary{})
		if got := line(e, ok); got != c.want {
			t.Errorf("%s, then %s: got  %q\nwant %q", c.before, c.after, got, c.want)
		}
	}
}

// A status that one look omits is compared with its last known value.
func TestStatusesAcrossGaps(t *testing.T) {
	known := LookSummary{Statuses: history.Statuses(0).With(history.VATPayer, new(true)), Found: true}
	kept, _ := known.After(&history.Finding{Statuses: history.Statuses(0).With(history.EInvoice, new(false))})
	if got := line(Compare(9900000010, record(1000, "!eInvoice"), record(1001, "!vatPayer"), kept)); got !=
		"high company.vat.cancelled; vatPayer true -> false" {
		t.Errorf("got %q", got)
	}
}

// A change has the days of the register's entry, even if these are weeks ago.
func TestDaysOfChanges(t *testing.T) {
	entry := history.Entry{From: date("2017-10-01"), FromRecorded: date("2017-10-03")}
	ended := entry
	ended.To, ended.ToRecorded = date("2020-12-02"), date("2020-12-29")
	pays := view(date("2020-12-28"), map[history.Status]bool{history.VATPayer: true}, nil)
	pays.Timelines[history.VATPayer].Entries = []history.Entry{entry}
	cancelled := view(date("2020-12-30"), map[history.Status]bool{history.VATPayer: false}, nil)
	cancelled.Timelines[history.VATPayer].Entries = []history.Entry{ended}
	before := view(date("2017-10-02"), map[history.Status]bool{history.VATPayer: false}, nil)
	unexplained := view(date("2020-12-30"), map[history.Status]bool{history.VATPayer: false}, nil)
	unexplained.Timelines[history.VATPayer].Entries = []history.Entry{entry}

	for name, c := range map[string]struct {
		before, after *history.View
		want          string
	}{
		"an end": {pays, cancelled,
			"high company.vat.cancelled; vatPayer true -> false from 2020-12-02 recorded 2020-12-29"},
		"a beginning": {before, pays, "low company.vat.registered; vatPayer false -> true from 2017-10-01 recorded " +
			"2017-10-03"},
		"not explained": {pays, unexplained, "high company.vat.cancelled; vatPayer true -> false"},
	} {
		if got := line(Compare(9900000010, c.before, c.after, LookSummary{})); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}

	last := LookSummary{At: pays.At.Add(7 * time.Hour)}
	if e, _ := Compare(9900000010, pays, cancelled, last); !e.Observed.Before.Equal(last.At) ||
		!e.Observed.After.Equal(cancelled.At) || *e.Source.AsOf != date("2020-12-30") {
		t.Errorf("the event was observed between %+v, with the source %+v", e.Observed, e.Source)
	}
}

func TestSpellingIsNoChange(t *testing.T) {
	for field, pairs := range map[string][][2]string{
		"name": {
			{"ŞTEFĂNEŞTI ŢIGLĂ SRL", "Ștefănești  Țiglă S.R.L."}, {"EXEMPLU S.R.L.", "EXEMPLU SRL"},
			{"A &amp; B SRL", "A & B SRL"},
			{"TÂRGU EXEMPLU SA", "TÎRGU EXEMPLU SA"}, {"TÂRGU EXEMPLU SA", "Targu Exemplu S.A."},
			{"FIT-LAB SRL", "FITLAB SRL"},
		},
		"seat": {
			{"STR. LUNGĂ, NR. 5, BRAŞOV", "Strada Lungă 5, Brașov"}, {"Lungă, 5, Brașov, 500123", "Lungă, 5, Brașov"},
			{"Brașov, Str. Lungă nr.5", "Str. Lungă 5 Mun. Brașov"},
			{"Sector 3, Bdul Unirii 7, Bl.A1", "BD. UNIRII 7, BLOC A1, SECTORUL 3"},
			{"Jud. Argeș, Com. Lerești, Sat Lerești", "ARGEȘ, LEREȘTI, LEREȘTI, ROMÂNIA"},
		},
		"fiscalDomicile": {{"JUD. CLUJ, MUN. CLUJ-NAPOCA", "Județul Cluj, Municipiul Cluj Napoca"}},
		"phone":          {{"+40 21 000 00 00", "+40210000000"}},
	} {
		for _, pair := range pairs {
			before := view(1000, nil, map[string]string{field: pair[0]})
			after := view(1001, nil, map[string]string{field: pair[1]})
			for _, pair := range [][2]*history.View{{before, after}, {after, before}} {
				if e := line(Compare(9900000010, pair[0], pair[1], LookSummary{})); e != "" {
					t.Errorf("a different spelling caused an event: %s", e)
				}
			}
		}
	}

	for field, pairs := range map[string][][2]string{
		"name": {{"ALFA BETA SRL", "BETA ALFA SRL"}, {"EXEMPLU SRL", "EXEMPLU SA"}},
		"seat": {{"Str. Lungă 5", "Str. Lungă 15"}, {"Str. Lungă 5, Bl. A", "Str. Lungă 5, Bl. B"},
			{"Sector 3", "Sector 4"}},
	} {
		for _, pair := range pairs {
			before := view(1000, nil, map[string]string{field: pair[0]})
			after := view(1001, nil, map[string]string{field: pair[1]})
			if line(Compare(9900000010, before, after, LookSummary{})) == "" {
				t.Errorf("%s: %q became %q without an event", field, pair[0], pair[1])
			}
		}
	}
}

// On random records, applying an event's changes to the older record gives the newer one, except for fields that one of
// them omits. Records that differ only in spelling cause no changes.
func TestChangesLeadFromBeforeToAfter(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	values := map[string][]string{
		"name":              {"", "EXEMPLU SRL", "ȘTEFĂNEȘTI SA", "ALFA BETA SRL"},
		"seat":              {"", "Str. Lungă nr. 5, Brașov", "Calea Țării 7, Sector 3"},
		"fiscalDomicile":    {"", "MUN. BRAȘOV, STR. LUNGĂ", "SECTOR 3, CALEA ȚĂRII"},
		"mainNaceCode":      {"", "0111", "6201"},
		"stateRegistration": {"unknown", "in_operation", "dissolved", "struck_off"},
		"phone":             {"", "0210000000", "0210000001"},
	}
	world := func() (map[history.Status]bool, map[string]string) {
		statuses, texts := map[history.Status]bool{}, map[string]string{}
		for s := range history.StatusCount {
			if random.IntN(3) > 0 {
				statuses[s] = random.IntN(2) == 0
			}
		}

		for _, field := range slices.Sorted(maps.Keys(values)) {
			texts[field] = values[field][random.IntN(len(values[field]))]
		}

		return statuses, texts
	}
	otherwise := strings.NewReplacer("ș", "ş", "Ț", "Ţ", " ", "  ", "Str.", "STRADA", "A", "a")

	for range 5000 {
		statusesWas, textsWas := world()
		statusesIs, textsIs := world()
		before, after := view(1000, statusesWas, textsWas), view(1001, statusesIs, textsIs)
		e, ok := Compare(9900000010, before, after, LookSummary{})
		if ok != (len(e.Changes) > 0) {
			t.Fatal("an event without changes")
		}

		for _, c := range e.Changes {
			if c.After.Bool != nil {
				var s history.Status
				for s.String() != c.Field {
					s++
				}
				if statusesWas[s] != *c.Before.Bool {
					t.Fatalf("%s was not %t", c.Field, *c.Before.Bool)
				}

				statusesWas[s] = *c.After.Bool
				continue
			}

			if textsWas[c.Field] != c.Before.Text {
				t.Fatalf("%s was %q, not %q", c.Field, textsWas[c.Field], c.Before.Text)
			}

			textsWas[c.Field] = c.After.Text
		}

		for s, is := range statusesIs {
			if was, known := statusesWas[s]; known && was != is && s != history.VATSplit {
				t.Fatalf("%s is %t, but the event does not have this change: %s", s, is, line(e, ok))
			}
		}

		for field, is := range textsIs {
			if was := textsWas[field]; was != is && was != "" && is != "" && was != "unknown" && is != "unknown" {
				t.Fatalf("%s is %q, but the event does not have this change: %s", field, is, line(e, ok))
			}
		}

		same := map[string]string{}
		for field, text := range textsIs {
			if same[field] = text; field != "stateRegistration" {
				same[field] = otherwise.Replace(text)
			}
		}

		if e, ok := Compare(9900000010, after, view(1002, statusesIs, same), LookSummary{}); ok {
			t.Fatalf("a different spelling caused an event: %s", line(e, ok))
		}
	}
}
