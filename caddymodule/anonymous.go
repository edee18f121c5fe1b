package caddymodule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/rest"
)

// Anonymous is what callers without a key may do, for each address.
type Anonymous struct {
	// Rate is how often they may call. Default: 1 a second, 10 at once.
	Rate
	// Companies is how many company calls an address may make in a day (UTC): those that
	// cost credits with a key. Default: no limit.
	Companies int `json:"companies_per_day,omitempty"`
	// Pages is how many of them the pages of the site may make for the visitors at an
	// address, which do not count as its own. Default: 200, beside companies_per_day.
	Pages int `json:"pages_per_day,omitempty"`
}

// defaultPages is the default of Anonymous.Pages: a company on the front page takes
// two calls.
const defaultPages = 200

// read reads the option: anonymous 1 10, or a block.
func (a *Anonymous) read(d *caddyfile.Dispenser) error {
	if d.CountRemainingArgs() > 0 {
		return a.Rate.read(d)
	}
	return options{
		"rate":      a.Rate.read,
		"companies": value(&a.Companies, parseDaily),
		"pages":     value(&a.Pages, parseDaily),
	}.parse(d)
}

// maxDaily is the most that an allowance may be: as good as none.
const maxDaily = 1_000_000

func parseDaily(s string) (int, error) {
	number, daily := strings.CutSuffix(s, "/day")
	n, err := strconv.Atoi(number)
	if err != nil || !daily || n < 1 || n > maxDaily {
		return 0, fmt.Errorf("%q is not a number of calls a day from 1 to %d, as 200/day", s, maxDaily)
	}
	return n, nil
}

// rate is the configured one, or the default.
func (a *Anonymous) rate() metering.Rate {
	if a.Rate == (Rate{}) {
		return metering.Anonymous
	}
	return a.metering()
}

func (a *Anonymous) validate() error {
	switch {
	case a.Companies < 0 || a.Companies > maxDaily || a.Pages < 0 || a.Pages > maxDaily:
		return fmt.Errorf("companies and pages: give numbers of calls a day from 1 to %d, or leave them out", maxDaily)
	case a.Pages > 0 && a.Companies == 0:
		return errors.New("pages: what the pages look up is counted apart only beside a limit of companies; add one, or leave pages out")
	}
	return a.rate().Valid()
}

// limitDays limits the calls of a day without a key, where the settings say so.
func (s *service) limitDays(a *App) error {
	if a.Anonymous.Companies == 0 {
		return nil
	}
	secret, err := account.LoadSecret(a.Secret, a.DataDir)
	if err != nil {
		return err
	}
	s.visitors = rest.NewVisitors(secret)
	s.gateway.Daily = api.Daily{Companies: a.Anonymous.Companies, Pages: a.Anonymous.Pages}
	if s.gateway.Daily.Pages == 0 {
		s.gateway.Daily.Pages = defaultPages
	}
	s.gateway.Allowances = s.core.days
	if s.fleet != nil {
		s.gateway.Allowances = metering.NewFleetDays(s.fleet, s.core.days, s.fleet.Edges())
	}
	return nil
}
