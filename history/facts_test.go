package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// listing formats facts, one on each line. It omits the day if all were learned on the same one.
func listing(facts []company.Fact) string {
	day := func(d *ro.Date) string {
		if d == nil {
			return "-"
		}
		return d.String()
	}
	var lines []string
	for _, f := range facts {
		value := f.Value.Text
		if f.Value.Bool != nil {
			value = fmt.Sprint(*f.Value.Bool)
		}

		line := fmt.Sprintf("%s=%s [%s,%s) recorded %s, learned %s", f.Field, value, day(f.ValidFrom), day(f.ValidTo),
			day(f.RecordedOn),
			f.LearnedAt.Format("2006-01-02"))
		if f.LostAt != nil {
			line += ", lost " + f.LostAt.Format("2006-01-02")
		}

		lines = append(lines, line)
	}

	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestFacts(t *testing.T) {
	day := func(text string) ro.Date { return date(text) }
	seen := func(on string, vat, inactive Timeline, name string) View {
		v := View{Day: day(on), At: noon(day(on)), Identity: []Field{{"name", name}, {"legalForm", ""}}}
		v.Timelines[VATPayer], v.Timelines[Inactive] = vat, inactive
		return v
	}

	open := Entry{From: day("2017-10-01"), FromRecorded: day("2017-10-01")}
	ended := open
	ended.To, ended.ToRecorded = day("2020-12-02"), day("2020-12-29")
	first := Entry{From: day("2019-01-01"), FromRecorded: day("2019-01-05"), To: day("2019-03-01"),
		ToRecorded: day("2019-03-01")}
	second := Entry{From: day("2020-12-02"), FromRecorded: day("2020-12-11")}
	active, again := Timeline{OnDay: new(false), Entries: []Entry{first}},
		Timeline{OnDay: new(true), Entries: []Entry{second}}
	pays := Timeline{Whole: true, OnDay: new(true), Entries: []Entry{open}}
	past := seen("2021-06-01", Timeline{Whole: true, OnDay: new(true)}, Timeline{OnDay: new(false)}, "EXEMPLU SRL")
	past.Day = day("2018-05-05")

	for name, test := range map[string]struct {
		views []View
		want  string
	}{
		"an end that was recorded": {
			[]View{
				seen("2020-12-05", pays, Timeline{}, "EXEMPLU SRL"),
				seen("2021-01-05", Timeline{Whole: true, OnDay: new(false), Entries: []Entry{ended}}, Timeline{},
					"EXEMPLU NOU SRL"),
			},
			`name=EXEMPLU NOU SRL [-,-) recorded -, learned 2021-01-05
name=EXEMPLU SRL [-,-) recorded -, learned 2020-12-05, lost 2021-01-05
vatPayer=true [2017-10-01,-) recorded 2017-10-01, learned 2020-12-05, lost 2021-01-05
vatPayer=true [2017-10-01,2020-12-02) recorded 2020-12-29, learned 2021-01-05`,
		},
		"a register that tells its last entry only": {
			[]View{seen("2020-01-05", Timeline{}, active, ""), seen("2021-01-05", Timeline{}, again, "")},
			`inactive=true [2019-01-01,2019-03-01) recorded 2019-03-01, learned 2020-01-05
inactive=true [2020-12-02,-) recorded 2020-12-11, learned 2021-01-05`,
		},
		"no entry, then one": {
			[]View{seen("2020-01-05", Timeline{}, Timeline{OnDay: new(false)}, ""),
				seen("2021-01-05", Timeline{}, again, "")},
			`inactive=false [-,-) recorded -, learned 2020-01-05, lost 2021-01-05
inactive=true [2020-12-02,-) recorded 2020-12-11, learned 2021-01-05`,
		},
		"a record that does not say takes nothing away": {
			[]View{seen("2020-01-05", pays, active, ""), seen("2021-01-05", Timeline{}, Timeline{}, "")},
			`inactive=true [2019-01-01,2019-03-01) recorded 2019-03-01, learned 2020-01-05
vatPayer=true [2017-10-01,-) recorded 2017-10-01, learned 2020-01-05`,
		},
		"nor does one of a past day": {
			[]View{seen("2020-01-05", pays, active, ""), past},
			`inactive=true [2019-01-01,2019-03-01) recorded 2019-03-01, learned 2020-01-05
vatPayer=true [2017-10-01,-) recorded 2017-10-01, learned 2020-01-05`,
		},
		"what was lost may come back": {
			[]View{seen("2020-01-05", pays, Timeline{}, ""),
				seen("2020-02-05", Timeline{Whole: true, OnDay: new(false)}, Timeline{}, ""),
				seen("2020-03-05", pays, Timeline{}, "")},
			`vatPayer=false [-,-) recorded -, learned 2020-02-05, lost 2020-03-05
vatPayer=true [2017-10-01,-) recorded 2017-10-01, learned 2020-01-05, lost 2020-02-05
vatPayer=true [2017-10-01,-) recorded 2017-10-01, learned 2020-03-05`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := listing(Facts("anaf", test.views)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
