package settings

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/watch/mirror"
)

// Observe determines which companies the gateway looks at without a caller's request, and how much of the tax
// authority's ration it uses for this.
type Observe struct {
	// Companies selects the companies: watched (companies in watch-lists), seen (also companies requested in the last
	// 90 days), in_operation (watched companies and all companies in operation according to the trade register) or
	// all. Placeholders are resolved. Default: watched.
	Companies string `json:"companies,omitempty"`
	// Share is the part of the ration that the mirror may use, such as 10%. Callers always have priority. Placeholders
	// are resolved. Default: 10%.
	Share string `json:"share,omitempty"`
}

func (o *Observe) rows() option.Table {
	return option.Table{"companies": option.Text(&o.Companies, checkScope), "share": option.Text(&o.Share, checkShare)}
}

// Scope returns the companies.
func (o *Observe) Scope() mirror.Scope { return cmp.Or(mirror.Scope(o.Companies), mirror.Watched) }

// Fraction returns the part of the ration, at most 1.
func (o *Observe) Fraction() float64 { return fractionOf(o.Share, 0.1) }

func checkScope(name string) error {
	_, err := mirror.ParseScope(name)
	return err
}

func checkShare(text string) error {
	_, err := parseShare(text)
	return err
}

func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if err != nil || !percent || !(share > 0 && share <= 100) {
		return 0, fmt.Errorf("%q is not a part of the ration: give more than 0%% and at most 100%%, such as 10%%", text)
	}

	return share / 100, nil
}

// fractionOf returns a checked part of the ration, or the default.
func fractionOf(share string, usual float64) float64 {
	if share == "" {
		return usual
	}

	part, _ := parseShare(share)
	return part
}
