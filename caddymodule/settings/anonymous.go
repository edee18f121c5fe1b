package settings

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/caddymodule/internal/option"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
)

// Anonymous are the limits of each address without a key.
type Anonymous struct {
	// CallRate is the rate limit. Default: 1 request a second, 10 at once.
	CallRate
	// Companies is the number of calls a day (UTC) to operations that cost credits with a key. Default: no limit.
	Companies int `json:"companies_per_day,omitempty"`
	// Pages is the daily number of such calls by pages of the site on behalf of visitors at an address, counted
	// separately. Default: 200 if there is a limit of Companies.
	Pages int `json:"pages_per_day,omitempty"`
}

// defaultPages is the default of Pages: a company on the front page takes two calls.
const defaultPages = 200

// read reads the option: anonymous 1 10, or a block.
func (a *Anonymous) read(d *caddyfile.Dispenser) error {
	if d.CountRemainingArgs() > 0 {
		return a.CallRate.read(d)
	}
	return option.Table{
		"rate":      option.Read(a.CallRate.read),
		"companies": option.Value(&a.Companies, parseDaily),
		"pages":     option.Value(&a.Pages, parseDaily),
	}.Parse(d)
}

// maxDaily is the largest daily allowance.
const maxDaily = 1_000_000

func parseDaily(s string) (int, error) {
	number, daily := strings.CutSuffix(s, "/day")
	n, err := strconv.Atoi(number)
	if err != nil || !daily || n < 1 || n > maxDaily {
		return 0, fmt.Errorf("%q is not a number of calls a day from 1 to %d, such as 200/day", s, maxDaily)
	}

	return n, nil
}

// Limit returns the configured rate, or the default.
func (a *Anonymous) Limit() metering.Rate {
	if a.CallRate == (CallRate{}) {
		return metering.Anonymous
	}
	return a.metering()
}

func (a *Anonymous) validate() error {
	switch {
	case a.Companies < 0 || a.Companies > maxDaily || a.Pages < 0 || a.Pages > maxDaily:
		return fmt.Errorf("companies and pages: give numbers of calls a day from 1 to %d, or leave them out", maxDaily)
	case a.Pages > 0 && a.Companies == 0:
		return errors.New("pages: this allowance needs a limit of companies; add one, or leave pages out")
	}

	return a.Limit().Validate()
}

// Daily returns the daily allowances; zero if there are none.
func (a *Anonymous) Daily() op.Daily {
	if a.Companies == 0 {
		return op.Daily{}
	}
	return op.Daily{Companies: a.Companies, Pages: cmp.Or(a.Pages, defaultPages)}
}
