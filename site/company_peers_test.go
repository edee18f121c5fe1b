package site

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// sector is a company with a statement of the last year in complete files, and peers with the figures 0, 10, 20 ...
type sector struct {
	filer
	n    int
	asks int
	err  error
}

func newSector(n int, sheet company.BalanceSheet) *sector {
	s := &sector{filer: *newFiler(), n: n}
	sheet.Year, sheet.Form = company.LastFiledYear(), company.SmallForm
	s.sheets = []company.BalanceSheet{sheet}
	return s
}

func (s *sector) Filings(ctx context.Context, cui ro.CUI, year int) (*company.Filings, error) {
	f, err := s.filer.Filings(ctx, cui, year)
	f.Files = []company.StatementFile{{Form: company.SmallForm, Coverage: company.FileLoaded},
		{Form: company.LargeForm, Coverage: company.FileLoaded}}
	return f, err
}

func (s *sector) PeerFigures(context.Context, int, string) (*company.PeerFigures, error) {
	s.asks++
	var d company.Distribution
	for i := range s.n {
		d = append(d, int64(i*10))
	}
	return &company.PeerFigures{Turnover: d, NetResult: d, Employees: d}, s.err
}

// The page compares each figure with the peers in a sentence, and draws them. It draws nothing for a figure that no
// peer states.
func TestPeers(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	s := newSector(40, company.BalanceSheet{CAENCode: new("6210"), Turnover: n(390), NetResult: n(0)})
	site := liveSite(t, api.Registries{Companies: s}, unlimited)
	page := get(site, "/companies/9900000010")
	has(t, page, "Rank 1 of 40 companies of the CAEN class 6210 in ", "; median 190.", "Rank 40 of 40 companies",
		"Median of 40 companies", "10th percentile 30, 25th 90, median 190, 75th 290, 90th 350",
		"The band has the middle 80%")
	if n := strings.Count(page.Body.String(), `<svg class="peers"`); n != 3 {
		t.Errorf("%d bands are drawn", n)
	}

	first := s.asks
	get(site, "/companies/9900000010")
	if s.asks != first {
		t.Errorf("another view at once asked for the peers again, %d times", s.asks-first)
	}
	has(t, get(site, "/companies/9900000010?lang=ro"), "Locul 1 din 40 de firme din clasa CAEN 6210 în ")
}

// Marks are on the scale of the band, or at its end with a sign.
func TestBand(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	class, code := company.PeerClass, "6210"
	of := func(value, low, high int64) *peerBand {
		f := company.PeerFigure{Value: &value, Level: &class, Code: &code, P10: &low, P25: &low, P50: &low, P75: &high,
			P90: &high, Rank: new(1), N: 30}
		p := &companyPage{words: words{english}, Peers: &company.Peers{Year: 2025, Turnover: f}}
		return p.band(0)
	}
	for _, c := range []struct {
		name             string
		value, low, high *int64
		own, sign        string
	}{
		{"in the band", n(50), n(0), n(100), "50.00%", ""},
		{"at its start", n(0), n(0), n(100), "14.00%", ""},
		{"below it", n(-10), n(0), n(100), "6.80%", ""},
		{"beyond the scale", n(1e15), n(0), n(100), "97.00%", "›"},
		{"before the scale", n(-1e15), n(0), n(100), "3.00%", "‹"},
		{"all are equal", n(7), n(7), n(7), "50.00%", ""},
		{"all others are equal", n(8), n(7), n(7), "97.00%", "›"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if b := of(*c.value, *c.low, *c.high); b.Own != c.own || b.Beyond != c.sign {
				t.Errorf("%s %q, want %s %q", b.Own, b.Beyond, c.own, c.sign)
			}
		})
	}
}

// Without peers, the page says why.
func TestNoPeers(t *testing.T) {
	withoutCode := newSector(40, company.BalanceSheet{})
	broken := newSector(40, company.BalanceSheet{CAENCode: new("6210")})
	broken.err = errors.New("the files cannot be read")
	notLoaded := newFiler(company.LastFiledYear())
	for name, c := range map[string]struct {
		companies company.Companies
		says      string
	}{
		"no activity":          {withoutCode, ": the statement has no CAEN code."},
		"an error":             {broken, "The comparison with companies of the same activity is not available right now."},
		"files are not loaded": {notLoaded, ": the files of the year are not loaded here."},
	} {
		t.Run(name, func(t *testing.T) {
			page := get(liveSite(t, api.Registries{Companies: c.companies}, unlimited), "/companies/9900000010")
			has(t, page, c.says)
			if strings.Contains(page.Body.String(), `class="peers"`) {
				t.Error("a band is drawn")
			}
		})
	}
}
