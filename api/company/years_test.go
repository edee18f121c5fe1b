package company

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestYears runs on a clock that starts at midnight UTC on 2000-01-01: each case advances it to the end of 2026.
func TestYears(t *testing.T) {
	for _, c := range []struct {
		text string
		all  bool
		want []int
		err  string
	}{
		{text: "all", all: true},
		{text: "2021", want: []int{2021}},
		{text: "2014, 2025,2020,2014", want: []int{2025, 2020, 2014}},
		{text: "ALL", err: "all"},
		{text: "", err: "empty"},
		{text: "2020,", err: "empty"},
		{text: "2020;2021", err: "4 digits"},
		{text: "2020,all", err: "4 digits"},
		{text: "-2020", err: "4 digits"},
		{text: "20", err: "4 digits"},
		{text: "２０２０", err: "4 digits"},
		{text: "2008", err: "from 2009 to 2025"},
		{text: "2026", err: "from 2009 to 2025"},
		{text: "9999", err: "from 2009 to 2025"},
	} {
		t.Run(c.text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(time.Until(time.Date(2026, time.December, 31, 21, 0, 0, 0, time.UTC)))
				var y Years
				err := y.UnmarshalText([]byte(c.text))
				if c.err != "" {
					if err == nil || !strings.Contains(err.Error(), c.err) {
						t.Errorf("got %+v, %v; want an error with %q", y, err, c.err)
					}
					return
				}

				if err != nil || y.All != c.all || !slices.Equal(y.Named, c.want) {
					t.Errorf("got %+v, %v", y, err)
				}
			})
		})
	}
}

func TestLastFiledYearTurnsAtMidnightInBucharest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, time.December, 31, 21, 59, 59, 0, time.UTC)))
		before := LastFiledYear()
		<-time.After(time.Second)
		if before != 2025 || LastFiledYear() != 2026 {
			t.Errorf("%d, then %d", before, LastFiledYear())
		}
	})
}

// FuzzYears checks that accepted years are sorted, distinct, and may have statements.
func FuzzYears(f *testing.F) {
	for _, text := range []string{"all", "2020,2021", "2014 , 2014", "12345", ",", "2020,\u00a02021"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		var y Years
		if y.UnmarshalText([]byte(text)) != nil {
			return
		}
		if y.All == (len(y.Named) > 0) {
			t.Errorf("%q is read as %+v", text, y)
		}

		for i, year := range y.Named {
			if year < FirstFiledYear || year > LastFiledYear() || i > 0 && year >= y.Named[i-1] ||
				!strings.Contains(text, strconv.Itoa(year)) {
				t.Errorf("%q is read as %+v", text, y)
			}
		}
	})
}
