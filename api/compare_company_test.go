package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit/gateway"
)

// sector is a company among peers whose turnovers are 1, 2, 3, ... One fewer states employees, and none equity.
type sector struct {
	filer
	peers    map[string]int // by code
	activity string
	coverage company.Coverage // of the large companies; loaded if empty
	kept     bool             // an older file of them is here
	requests []string
}

func (s *sector) Filings(ctx context.Context, cui ro.CUI, year int) (*company.Filings, error) {
	f, err := s.filer.Filings(ctx, cui, year)
	if err != nil {
		return nil, err
	}
	if s.coverage != "" {
		f.Files[1].Coverage = s.coverage
	}
	if s.coverage != "" && !s.kept {
		f.Files[1].AsOf = 0
	}
	if f.Sheet != nil {
		f.Sheet.Turnover, f.Sheet.NetResult = new(int64(15)), new(int64(-15))
		if s.activity != "" {
			f.Sheet.CAENCode = &s.activity
		}
	}

	return f, nil
}

func (s *sector) PeerFigures(_ context.Context, year int, code string) (*company.PeerFigures, error) {
	s.requests = append(s.requests, fmt.Sprint(year, " ", code))
	p := new(company.PeerFigures)
	for n := range s.peers[code] {
		p.Turnover, p.NetResult = append(p.Turnover, int64(n+1)), append(p.NetResult, -int64(s.peers[code]-n))
		if n > 0 {
			p.Employees = append(p.Employees, 7)
		}
	}

	return p, nil
}

func TestCompareCompany(t *testing.T) {
	const none = `{"value":null,"level":null,"code":null,"p10":null,"p25":null,"p50":null,"p75":null,"p90":null,` +
		`"rank":null,"n":0}`
	filed := filer{files: []int{2025, 2024}}
	without := func(reason string) string {
		return fmt.Sprintf(`"caenCode":null,"level":"class","reason":%q,"turnover":%s`, reason, none)
	}
	for name, c := range map[string]struct {
		query  string
		sector sector
		change func(*company.Company)
		want   string // status, cost and a part of the answer
		asked  []string
	}{
		"30 peers of the class": {"", sector{filer: filed, peers: map[string]int{"6210": 31, "621": 40, "62": 50}}, nil,
			`200 1 {"taxId":9900000010,"year":2025,"caenCode":"6210","level":"class","reason":null,"turnover":{"value":15,` +
				`"level":"class","code":"6210","p10":4,"p25":8,"p50":16,"p75":24,"p90":28,"rank":17,"n":31},"netResult":{` +
				`"value":-15,"level":"class","code":"6210","p10":-28,"p25":-24,"p50":-16,"p75":-8,"p90":-4,"rank":15,"n":31},` +
				`"employees":{"value":null,"level":"class","code":"6210","p10":7,"p25":7,"p50":7,"p75":7,"p90":7,"rank":null,` +
				`"n":30},"equity":{"value":null,"level":"division","code":"62","p10":null,"p25":null,"p50":null,"p75":null,` +
				`"p90":null,"rank":null,"n":0},"filesAsOf":"2026-06-18","sources":[{"name":"anaf-bilant","retrievedAt":null,` +
				`"asOf":"2026-06-18","cache":"HIT","stale":false}]}`, []string{"2025 6210", "2025 621", "2025 62"}},
		"30 state one figure, 29 another": {"", sector{filer: filed,
			peers: map[string]int{"6210": 30, "621": 31, "62": 50}}, nil, `200 1 "level":"class","code":"6210","p10":-28`, nil},
		"the other has the group": {"", sector{filer: filed, peers: map[string]int{"6210": 30, "621": 31, "62": 50}},
			nil, `200 1 "employees":{"value":null,"level":"group","code":"621","p10":7,"p25":7,"p50":7,"p75":7,"p90":7,` +
				`"rank":null,"n":30}`, nil},
		"29 peers of the class": {"", sector{filer: filed, peers: map[string]int{"6210": 29, "621": 40, "62": 50}}, nil,
			`200 1 "turnover":{"value":15,"level":"group","code":"621","p10":4,"p25":10,"p50":20,"p75":30,"p90":36,` +
				`"rank":26,"n":40}`, nil},
		"29 of the group": {"?year=2024", sector{filer: filed,
			peers: map[string]int{"6210": 2, "621": 29, "62": 50}}, nil, `200 1 "turnover":{"value":15,"level":"division","code":"62","p10":5,"p25":13,"p50":25,"p75":38,"p90":45,` +
			`"rank":36,"n":50}`, []string{"2024 6210", "2024 621", "2024 62"}},
		"29 of the division": {"", sector{filer: filed, peers: map[string]int{"6210": 2, "621": 2, "62": 29}}, nil,
			`200 1 "turnover":{"value":15,"level":"division","code":"62","p10":3,"p25":8,"p50":15,"p75":22,"p90":27,` +
				`"rank":15,"n":29}`, nil},
		"the division is requested": {"?level=division", sector{filer: filed,
			peers: map[string]int{"6210": 30, "62": 50}}, nil,
			`200 1 "level":"division","reason":null,"turnover":{"value":15,"level":"division","code":"62"`,
			[]string{"2025 62"}},
		"a class that begins with 0": {"?level=group", sector{filer: filed, activity: "0119",
			peers: map[string]int{"011": 31}}, nil, `200 1 "turnover":{"value":15,"level":"group","code":"011"`, nil},
		"the newest statement is older": {"", sector{filer: filer{files: []int{2023, 2022}},
			peers: map[string]int{"6210": 31}}, nil, `200 1 "year":2023,"caenCode":"6210"`, nil},

		"without the year": {"?year=2025", sector{filer: filer{files: []int{2024}}}, nil,
			"200 1 " + without("filed_before"), nil},
		"never filed": {"", sector{}, nil, "200 1 " + without("never_filed"), nil},
		"not due":     {"?year=2026", sector{filer: filed}, nil, "200 1 " + without("not_due"), nil},
		"registered later": {"?year=2020", sector{}, func(c *company.Company) {
			c.RegistrationDate = new(ro.NewDate(2021, 1, 1))
		}, "200 1 " + without("registered_later"), nil},
		"a person's business": {"", sector{}, func(c *company.Company) { c.CompanyType = new("PFA") },
			"200 1 " + without("natural_person"), nil},
		"no activity": {"", sector{filer: filed, activity: "-"}, nil, "200 1 " + without("no_activity"), nil},
		"a file is not loaded": {"", sector{filer: filed, coverage: company.FileNotLoaded}, nil,
			"200 1 " + without("files_not_loaded"), nil},
		"a file is refused": {"", sector{filer: filed, coverage: company.FileRefused}, nil,
			"200 1 " + without("year_refused"), nil},
		"a newer file is refused": {"", sector{filer: filed, coverage: company.FileRefused, kept: true,
			peers: map[string]int{"6210": 31}}, nil, `200 1 "code":"6210"`, nil},

		"nothing is loaded":  {"", sector{filer: filer{unloaded: true}}, nil, "503 0 the trade register is being loaded", nil},
		"before the files":   {"?year=2008", sector{}, nil, "400 0 a year from 2009 to 2026", nil},
		"a year to come":     {"?year=2027", sector{}, nil, "400 0 a year from 2009 to 2026", nil},
		"another level":      {"?level=section", sector{}, nil, "400 0 class, group, division", nil},
		"an unknown company": {"unknown", sector{}, nil, "404 0 no register knows a company with the CUI", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			<-time.After(time.Until(time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)))
			profile := &company.Company{TaxID: exampleCUI, TradeNumber: new("J12/345/2010"),
				StateRegistration: company.InOperation}
			if c.change != nil {
				c.change(profile)
			}

			c.sector.profile = profile
			switch c.sector.activity {
			case "":
				c.sector.activity = "6210"
			case "-":
				c.sector.activity = ""
			}

			path := "/v1/companies/9900000010/peers" + c.query
			if c.query == "unknown" {
				path = "/v1/companies/9900000029/peers"
			}

			reply := gateway.Ask(t, gateway.New(t), []*op.Operation{company.Compare(&c.sector)},
				&op.Call{Authorization: "Bearer " + gateway.GoodKey}, path)
			text := ""
			if reply.Problem != nil {
				text = reply.Problem.Detail
			} else {
				text = string(reply.Document.JSON)
			}

			got := fmt.Sprint(reply.Status, " ", reply.Cost, " ", text)
			if prefix, part := c.want[:6], c.want[6:]; !strings.HasPrefix(got, prefix) || !strings.Contains(got, part) {
				t.Errorf("%s: %s; want %s", name, got, c.want)
			}
			if c.asked != nil && !slices.Equal(c.sector.requests, c.asked) {
				t.Errorf("%s: the figures of %q were read, want %q", name, c.sector.requests, c.asked)
			}
			if len(c.sector.requested) > 0 {
				t.Errorf("%s: the tax authority was asked for %v", name, c.sector.requested)
			}
		})
	}
}
