package vatcollection

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

const company ro.CUI = 9_900_000_010

// tableOf parses lines without the column of the tax id, for a single company.
func tableOf(t *testing.T, lines ...string) *table {
	t.Helper()
	var rows []row
	for _, line := range lines {
		id, rest, _ := strings.Cut(line, "#")
		r, err := parseRow([]byte(id + "#" + company.String() + "#" + rest))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}

		rows = append(rows, r)
	}

	return newTable(rows)
}

// brief formats a period as from–to, with the days of its record.
func brief(p Period) string {
	text := func(d ro.Date) string {
		if d == 0 {
			return "-"
		}
		return d.UTC().Format("060102")
	}
	return text(p.From) + ">" + text(p.To) + " " + text(p.Recorded) + ">" + text(p.Replaced)
}

// TestPeriods compares the periods of lines with testdata/periods.txt: below its lines, without the tax id, each case
// has the periods in valid time and in transaction time, the newest line's first.
func TestPeriods(t *testing.T) {
	for name, text := range testkit.Blocks(t, "testdata/periods.txt") {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(text, "\n")
			first := slices.IndexFunc(append(lines, "= "), func(line string) bool { return line[0] == '=' })
			var got []string
			for _, p := range periodsOf(tableOf(t, lines[:first]...).rowsOf(company)) {
				got = append(got, "= "+brief(p))
			}
			if !slices.Equal(got, lines[first:]) {
				t.Errorf("got %q, want %q", got, lines[first:])
			}
		})
	}
}

// TestKnownOnADay checks the statuses on days, as known on days.
func TestKnownOnADay(t *testing.T) {
	periods := periodsOf(tableOf(t,
		"1#20200101##20191228#20191227#I", "2#20200101#20210301#20210420#20210405#D",
	).rowsOf(company))
	d := func(text string) ro.Date {
		day, err := ro.ParseDate(text)
		testkit.NoError(t, err)
		return day
	}

	for _, c := range []struct {
		name, day, known string
		want             bool
	}{
		{"the first day", "2020-01-01", "2020-01-01", true},
		{"the day before", "2019-12-31", "2020-01-01", false},
		{"announced", "2020-01-01", "2019-12-28", true},
		{"entered, and not yet published", "2020-01-01", "2019-12-27", false},
		{"ended, and not yet published", "2021-03-15", "2021-04-19", true},
		{"ended", "2021-03-15", "2021-04-20", false},
		{"the last day", "2021-02-28", "2026-01-01", true},
		{"the end itself", "2021-03-01", "2026-01-01", false},
	} {
		if got := onCollection(periods, d(c.day), d(c.known)); got != c.want {
			t.Errorf("%s: %s as known on %s is %t", c.name, c.day, c.known, got)
		}
	}
}

func onCollection(periods []Period, day, known ro.Date) bool {
	return slices.ContainsFunc(periods, func(p Period) bool { return isShownOn(p, known) && holds(p, day) })
}

// TestKnownUsesNothingLater compares the knowledge of a day with a register without later lines. In this test, lines
// are recorded on the day of their entry, so that the order of entry equals the order of knowledge.
func TestKnownUsesNothingLater(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 4))
	base := uint16(ro.NewDate(2020, 1, 1) - dayBase)
	pick := func(optional bool) uint16 {
		if optional && random.IntN(3) == 0 {
			return 0
		}
		return base + uint16(random.IntN(40))
	}

	held := 0
	for range 2000 {
		var rows []row
		for id := range 1 + random.IntN(6) {
			r := row{id: uint32(id), start: pick(false), end: pick(true), entered: pick(false)}
			r.key = companyOf(company)<<kindBits | uint32(random.IntN(3))
			rows = append(rows, r)
		}

		all := newTable(rows)
		periods := periodsOf(all.rowsOf(company))

		for known := base; known < base+40; known++ {
			before := slices.DeleteFunc(slices.Clone(all.rows), func(r row) bool { return r.entered > known })
			standing := periodsOf(before)
			for on := base; on < base+40; on += 3 {
				got := onCollection(periods, dayOf(on), dayOf(known))
				want := slices.ContainsFunc(standing, func(p Period) bool {
					return p.Replaced == 0 && holds(p, dayOf(on))
				})
				if got != want {
					t.Fatalf("%v\n%s as known on %s is %t", all.rows, dayOf(on), dayOf(known), got)
				}
				if got {
					held++
				}
			}
		}
	}

	if held == 0 {
		t.Error("no period ever held")
	}
}

// holds reports whether a day is in a period.
func holds(p Period, day ro.Date) bool { return p.From <= day && (p.To == 0 || day < p.To) }

// isShownOn reports whether the register showed a period in this form at the end of a day.
func isShownOn(p Period, day ro.Date) bool {
	return p.Recorded <= day && (p.Replaced == 0 || day < p.Replaced)
}
