package standin_test

import (
	"encoding/xml"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

type dataSet struct {
	XMLName   xml.Name
	Published string `xml:"Header>PublishingDate"`
	Cubes     []struct {
		Date  string `xml:"date,attr"`
		Rates []struct {
			Currency   string `xml:"currency,attr"`
			Multiplier int    `xml:"multiplier,attr"`
			Value      string `xml:",chardata"`
		} `xml:"Rate"`
	} `xml:"Body>Cube"`
}

func fixings(t *testing.T, url string) dataSet {
	t.Helper()
	a := get(t, url)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/xml" {
		t.Fatalf("%s: %d %v", url, a.status, a.header)
	}

	var d dataSet
	if err := xml.Unmarshal([]byte(a.body), &d); err != nil {
		t.Fatalf("%s: %v", url, err)
	}

	return d
}

func (d dataSet) rates(day string) map[string]string {
	rates := map[string]string{}
	for _, cube := range d.Cubes {
		if cube.Date == day {
			for _, r := range cube.Rates {
				rates[r.Currency] = r.Value
			}
		}
	}

	return rates
}

const years = "/files/xml/years/nbrfxrates"

// TestRecordedFixings checks every recorded rate, to the last decimal.
func TestRecordedFixings(t *testing.T) {
	text, err := os.ReadFile("fixings.txt")
	testkit.NoError(t, err)

	r := start(t, standin.Options{})
	files, checked := map[string]dataSet{}, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}

		day, year := words[0], words[0][:4]
		if _, ok := files[year]; !ok {
			files[year] = fixings(t, r.BNR.URL+years+year+".xml")
		}

		rates := files[year].rates(day)
		for i := 1; i < len(words); i += 2 {
			if rates[words[i]] != words[i+1] {
				t.Errorf("%s on %s: %q, but the bank published %s", words[i], day, rates[words[i]], words[i+1])
			}
			checked++
		}
	}

	if checked < 1300 {
		t.Errorf("only %d rates recorded", checked)
	}
	if rates := files["2026"].rates("2026-06-10"); rates["EUR"] != "5.2344" || rates["USD"] != "4.5286" {
		t.Errorf("2026-06-10: EUR %s, USD %s", rates["EUR"], rates["USD"])
	}
}

// TestYears checks the format of the year files over time.
func TestYears(t *testing.T) {
	r := start(t, standin.Options{})
	for _, c := range []struct {
		year, namespace, first, last string
		currencies                   int // on the last day
		quoted, notQuoted            string
	}{
		{"2005", "http://www.bnr.ro/xsd", "2005-01-03", "2005-12-30", 31, "HRK", "THB"},
		{"2018", "http://www.bnr.ro/xsd", "2018-01-03", "2018-12-31", 32, "THB", "HKD"},
		{"2022", "http://www.bnr.ro/xsd", "2022-01-03", "2022-12-30", 32, "HRK", "HKD"},
		{"2023", "http://www.bnr.ro/xsd", "2023-01-03", "2023-12-29", 31, "BGN", "HRK"},
		{"2026", "https://www.bnr.ro/xsd", "2026-01-05", "2026-11-19", 37, "HKD", "BGN"},
	} {
		t.Run(c.year, func(t *testing.T) {
			d := fixings(t, r.BNR.URL+years+c.year+".xml")
			first, last := d.Cubes[0], d.Cubes[len(d.Cubes)-1]
			if d.XMLName.Space != c.namespace || first.Date != c.first || last.Date != c.last ||
				len(last.Rates) != c.currencies {
				t.Errorf("namespace %s, %s to %s, %d currencies", d.XMLName.Space, first.Date, last.Date,
					len(last.Rates))
			}

			rates := d.rates(last.Date)
			if rates[c.quoted] == "" || rates[c.notQuoted] != "" {
				t.Errorf("%s %q, %s %q", c.quoted, rates[c.quoted], c.notQuoted, rates[c.notQuoted])
			}

			for _, rate := range last.Rates {
				hundred := strings.Contains("HUF IDR ISK JPY KRW", rate.Currency)
				if _, decimals, _ := strings.Cut(rate.Value, "."); len(decimals) != 4 ||
					hundred != (rate.Multiplier == 100) {
					t.Errorf("%+v", rate)
				}
			}
		})
	}

	for _, year := range []string{"2004", "2027", "26", "x"} {
		if a := get(t, r.BNR.URL+years+year+".xml"); a.status != http.StatusNotFound {
			t.Errorf("year %s: status %d", year, a.status)
		}
	}
}

// TestHolidays verifies that there is a fixing on every business day and on no other day. On the omitted weekdays of
// two years, the bank published nothing.
func TestHolidays(t *testing.T) {
	r := start(t, standin.Options{})
	for year, want := range map[int]string{
		2022: "01-24 04-22 04-25 06-01 06-13 08-15 11-30 12-01 12-26",
		2023: "01-02 01-24 04-14 04-17 05-01 06-01 06-05 08-15 11-30 12-01 12-25 12-26",
	} {
		d := fixings(t, r.BNR.URL+years+ro.NewDate(year, 1, 1).String()[:4]+".xml")
		var off []string
		for day := ro.NewDate(year, 1, 1); day.Year() == year; day++ {
			if wd := day.Weekday(); wd != time.Saturday && wd != time.Sunday && len(d.rates(day.String())) == 0 {
				off = append(off, day.String()[5:])
			}
		}

		if got := strings.Join(off, " "); got != want {
			t.Errorf("%d: no fixing on %s, want %s", year, got, want)
		}
	}
}

// TestClock verifies that a fixing is published at 13:02:03 in Bucharest and not before.
func TestClock(t *testing.T) {
	at := func(text string) time.Time {
		when, err := time.ParseInLocation(time.DateTime, text, ro.Bucharest)
		testkit.NoError(t, err)
		return when
	}
	var now time.Time
	r := start(t, standin.Options{Now: func() time.Time { return now }})
	for _, c := range []struct{ name, now, newest, modified string }{
		{"a second too early", "2026-11-20 13:02:02", "2026-11-19", "Thu, 19 Nov 2026 11:02:03 GMT"},
		{"on time", "2026-11-20 13:02:03", "2026-11-20", "Fri, 20 Nov 2026 11:02:03 GMT"},
		{"in summer", "2026-08-19 18:00:00", "2026-08-19", "Wed, 19 Aug 2026 10:02:03 GMT"},
		{"at the weekend", "2026-11-22 18:00:00", "2026-11-20", "Fri, 20 Nov 2026 11:02:03 GMT"},
		{"over the holidays", "2026-01-04 18:00:00", "2025-12-31", "Wed, 31 Dec 2025 11:02:03 GMT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now = at(c.now)
			latest, ten := fixings(t, r.BNR.URL+"/nbrfxrates.xml"), fixings(t, r.BNR.URL+"/nbrfxrates10days.xml")
			if len(latest.Cubes) != 1 || latest.Cubes[0].Date != c.newest || latest.Published != c.newest {
				t.Errorf("latest: %+v", latest.Cubes)
			}
			if len(ten.Cubes) != 10 || ten.Cubes[0].Date != c.newest || ten.Cubes[9].Date >= ten.Cubes[8].Date {
				t.Errorf("ten days: %d, from %s", len(ten.Cubes), ten.Cubes[0].Date)
			}
			if got := get(t, r.BNR.URL+"/nbrfxrates.xml").header.Get("Last-Modified"); got != c.modified {
				t.Errorf("modified %s, want %s", got, c.modified)
			}
		})
	}

	now = at("2026-01-04 18:00:00")
	if a := get(t, r.BNR.URL+years+"2026.xml"); a.status != http.StatusNotFound {
		t.Errorf("the year's file before its first fixing: %d", a.status)
	}

	now = at("2026-04-26 10:00:00") // a Sunday
	if d := fixings(t, r.BNR.URL+years+"2026.xml"); d.Published != "2026-04-26" ||
		d.Cubes[len(d.Cubes)-1].Date != "2026-04-24" {
		t.Errorf("published %s, newest %s", d.Published, d.Cubes[len(d.Cubes)-1].Date)
	}
}
