package standin

import (
	_ "embed"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/ro"
)

//go:embed fixings.txt
var fixingsText string

// quote is a published rate in ten-thousandths of a RON, because all rates have four decimals.
type quote int64

func (q quote) String() string { return fmt.Sprintf("%d.%04d", q/10000, q%10000) }

func parseQuote(text string) (quote, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || len(fraction) != 4 || n <= 0 {
		return 0, fmt.Errorf("%q is not a rate of four decimals", text)
	}

	return quote(n), nil
}

// recordedRate is a currency's rate on a recorded day.
type recordedRate struct {
	day  ro.Date
	rate quote
}

// series holds the recorded rates of each currency, by day.
type series map[string][]recordedRate

// fixings are the recorded rates, which all stand-ins of a process share.
var fixings = sync.OnceValues(readSeries)

func readSeries() (series, error) {
	s := series{}
	for line := range strings.Lines(fixingsText) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}

		day, err := ro.ParseDate(words[0])
		if err != nil || len(words)%2 == 0 {
			return nil, fmt.Errorf("reading fixings.txt: line of %s: want a day and pairs of currency and rate",
				words[0])
		}

		for pair := range slices.Chunk(words[1:], 2) {
			rate, err := parseQuote(pair[1])
			if err != nil {
				return nil, fmt.Errorf("reading fixings.txt: %s on %s: %w", pair[0], day, err)
			}

			s[pair[0]] = append(s[pair[0]], recordedRate{day, rate})
		}
	}

	return s, nil
}

// currencies returns all codes ever quoted, sorted.
func (s series) currencies() []string { return slices.Sorted(maps.Keys(s)) }

// rateOn returns the currency's rate on a day with a fixing: the recorded rate, or else a rate derived from the nearest
// recorded ones. It is 0 if the currency was not quoted then.
func (s series) rateOn(currency string, day ro.Date) quote {
	if from, to := quotedPeriod(currency); day < from || day > to {
		return 0
	}

	points := s[currency]
	i, exact := slices.BinarySearchFunc(points, day, func(r recordedRate, d ro.Date) int { return int(r.day - d) })
	switch {
	case exact:
		return points[i].rate
	case i == 0:
		return wobble(points[0].rate, currency, day)
	case i == len(points):
		return wobble(points[i-1].rate, currency, day)
	}

	before, after := points[i-1], points[i]
	passed, span := quote(day-before.day), quote(after.day-before.day)
	return max(1, (2*(before.rate*(span-passed)+after.rate*passed)+span)/(2*span))
}

// wobble changes a rate by at most a thousandth. The change depends only on the currency and the day.
func wobble(rate quote, currency string, day ro.Date) quote {
	seed := uint64(day)
	for _, c := range []byte(currency) {
		seed = seed<<8 ^ uint64(c)
	}

	shift := quote(rand.New(rand.NewPCG(seed, 0)).IntN(21) - 10)
	return max(1, rate+rate*shift/10_000)
}

// quotedPeriod returns the first and the last day on which a currency is quoted. HRK and BGN ended when their countries
// adopted the euro. It is not known on which days other currencies joined: THB came between 2016 and 2018, and the
// seven new ones between 2024 and 2026.
func quotedPeriod(currency string) (from, to ro.Date) {
	from, to = firstFixing, ro.NewDate(9999, time.December, 31)
	switch currency {
	case "HRK":
		to = ro.NewDate(2022, time.December, 31)
	case "BGN":
		to = ro.NewDate(2025, time.December, 31)
	case "THB":
		from = ro.NewDate(2018, time.January, 1)
	case "HKD", "IDR", "ILS", "ISK", "MYR", "PHP", "SGD":
		from = ro.NewDate(2026, time.January, 1)
	}

	return from, to
}

// multiplier returns the number of units to which a currency's rate applies.
func multiplier(currency string) int {
	switch currency {
	case "HUF", "IDR", "ISK", "JPY", "KRW":
		return 100
	}
	return 1
}
