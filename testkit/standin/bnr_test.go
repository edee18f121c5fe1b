package standin_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
)

// fixings returns the rates of a year by day and currency.
func fixings(t *testing.T, r *standin.Registries, year string) map[string]map[string]string {
	t.Helper()
	var document struct {
		Cubes []struct {
			Date  string `xml:"date,attr"`
			Rates []struct {
				Currency string `xml:"currency,attr"`
				Value    string `xml:",chardata"`
			} `xml:"Rate"`
		} `xml:"Body>Cube"`
	}
	testkit.NoError(t, xml.Unmarshal([]byte(get(t, r.BNR.URL+"/files/xml/years/nbrfxrates"+year+".xml")), &document))

	days := map[string]map[string]string{}
	for _, cube := range document.Cubes {
		days[cube.Date] = map[string]string{}
		for _, r := range cube.Rates {
			days[cube.Date][r.Currency] = r.Value
		}
	}

	return days
}

// TestRecordedFixings checks every recorded rate, to the last decimal.
func TestRecordedFixings(t *testing.T) {
	text, err := os.ReadFile("fixings.txt")
	testkit.NoError(t, err)

	r := start(t, standin.Options{})
	years, checked := map[string]map[string]map[string]string{}, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}

		day, year := words[0], words[0][:4]
		if years[year] == nil {
			years[year] = fixings(t, r, year)
		}

		for i := 1; i < len(words); i += 2 {
			if got := years[year][day][words[i]]; got != words[i+1] {
				t.Errorf("%s on %s: %q, but the bank published %s", words[i], day, got, words[i+1])
			}
			checked++
		}
	}

	if checked < 1300 {
		t.Errorf("only %d rates recorded", checked)
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
		days := fixings(t, r, fmt.Sprint(year))
		var off []string
		for day := ro.NewDate(year, 1, 1); day.Year() == year; day++ {
			if wd := day.Weekday(); wd != time.Saturday && wd != time.Sunday && len(days[day.String()]) == 0 {
				off = append(off, day.String()[5:])
			}
		}

		if got := strings.Join(off, " "); got != want {
			t.Errorf("%d: no fixing on %s, want %s", year, got, want)
		}
	}
}
