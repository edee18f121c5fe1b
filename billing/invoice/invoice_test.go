package invoice_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/billing/invoice"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/invoices"
)

func date(year int, month time.Month, day int) invoice.Date {
	return invoice.Date{Year: year, Month: month, Day: day}
}

func TestVATFollowsTheCustomerAndTheDayOfSupply(t *testing.T) {
	greek := invoices.Union()
	greek.Address.Country, greek.VATID = "GR", "EL999999999"
	unionConsumer := invoices.Union()
	unionConsumer.VATID = ""
	britishConsumer := invoices.Overseas()
	britishConsumer.Address.Country, britishConsumer.RegistrationID = "GB", ""

	for name, test := range map[string]struct {
		customer         invoice.Customer
		supplied         invoice.Date
		category         invoice.Category
		net, vat, vatLei invoice.Amount
	}{
		"business at home":            {invoices.Business(), date(2026, 11, 20), invoice.Standard, 9900, 2079, 2079},
		"consumer at home":            {invoices.Consumer(), date(2026, 11, 20), invoice.Standard, 9900, 2079, 2079},
		"the first day of 21 %":       {invoices.Business(), date(2025, 8, 1), invoice.Standard, 9900, 2079, 2079},
		"the last day of 19 %":        {invoices.Business(), date(2025, 7, 31), invoice.Standard, 9900, 1881, 1881},
		"business in the Union":       {invoices.Union(), date(2026, 11, 20), invoice.ReverseCharge, 2900, 0, 0},
		"Greek numbers begin with EL": {greek, date(2026, 11, 20), invoice.ReverseCharge, 2900, 0, 0},
		"consumer in the Union":       {unionConsumer, date(2026, 11, 20), invoice.Standard, 2900, 609, 3100},
		"business outside it":         {invoices.Overseas(), date(2026, 11, 20), invoice.OutsideScope, 2900, 0, 0},
		"consumer outside it":         {britishConsumer, date(2026, 11, 20), invoice.OutsideScope, 2900, 0, 0},
	} {
		d := invoices.Draft()
		d.Customer, d.SupplyDate = test.customer, test.supplied
		if test.customer.Address.Country != "RO" {
			invoices.InEuro(&d)
		}

		i, err := invoice.New(d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if i.Category != test.category || i.Net != test.net || i.VAT != test.vat || i.Gross != test.net+test.vat ||
			i.VATLei != test.vatLei {
			t.Errorf("%s: got %s, %s + %s = %s, %s lei of VAT", name, i.Category, i.Net, i.VAT, i.Gross, i.VATLei)
		}
	}
}

func TestRatesCanBeReplaced(t *testing.T) {
	d := invoices.Draft()
	d.VATRates = invoice.VATRates{{From: date(2020, 1, 1), Percent: 500}, {From: date(2026, 11, 21), Percent: 950}}
	if i := invoices.Must(d); i.Percent != 500 || i.VAT != 495 {
		t.Errorf("the day before the new rate: %s %%, VAT %s", i.Percent, i.VAT)
	}

	d.SupplyDate = date(2026, 11, 21)
	if i := invoices.Must(d); i.Percent.Short() != "9.5" || i.VAT != 941 { // 940.5 is rounded up
		t.Errorf("the first day of the new rate: %s %%, VAT %s", i.Percent.Short(), i.VAT)
	}

	d.SupplyDate = date(2019, 12, 31)
	testkit.ErrorSays(t, testkit.Err(invoice.New(d)), "no VAT rate is known for 2019-12-31", "a day before every rate")
}

// In random invoices, the net and VAT of the lines add up to the totals, and net and VAT to the gross. If prices
// include VAT, the gross equals their sum exactly.
func TestEverythingAddsUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		d := invoices.Draft()
		d.VATIncluded = random.IntN(2) == 0
		d.Items = []invoice.Item{{Name: "everything", Quantity: 1, Price: 1e9}}
		var given invoice.Amount = 1e9
		for range random.IntN(9) {
			item := invoice.Item{Name: "more", Quantity: 1, Price: invoice.Amount(random.IntN(100000) - 20000)}
			if !d.VATIncluded {
				item.Quantity = 1 + random.Int64N(7)
			}

			given += item.Price * invoice.Amount(item.Quantity)
			d.Items = append(d.Items, item)
		}

		i := invoices.Must(d)
		var net, vat invoice.Amount
		for _, l := range i.Lines {
			net, vat = net+l.Net, vat+l.VAT
			if l.Price < 0 || l.Net != l.Price*invoice.Amount(l.Quantity) {
				t.Fatalf("a line of %d at %s amounts to %s", l.Quantity, l.Price, l.Net)
			}
		}

		if net != i.Net || vat != i.VAT || net+vat != i.Gross {
			t.Fatalf("lines of %s + %s, totals of %s + %s = %s", net, vat, i.Net, i.VAT, i.Gross)
		}
		if d.VATIncluded && i.Gross != given || !d.VATIncluded && i.Net != given {
			t.Fatalf("charged %s + %s for %s (VAT included: %t)", i.Net, i.VAT, given, d.VATIncluded)
		}
		if off := i.VAT*100 - i.Net*21; off > 100 || off < -100 { // at most a ban
			t.Fatalf("VAT of %s on %s is not 21 %%", i.VAT, i.Net)
		}
	}
}

// A total computed from the net amount equals the total computed from the resulting gross amount.
func TestTotalsFromNetAndGrossAgree(t *testing.T) {
	for price := invoice.Amount(0); price < 3000; price++ {
		d := invoices.Draft()
		d.Items[0].Price = price
		onTop := invoices.Must(d)
		d.VATIncluded, d.Items[0].Price = true, onTop.Gross
		if included := invoices.Must(d); included.Net != onTop.Net || included.VAT != onTop.VAT {
			t.Fatalf("%s + %s is read from the gross as %s + %s", onTop.Net, onTop.VAT, included.Net, included.VAT)
		}
	}
}

func TestLeiAreRoundedHalfUp(t *testing.T) {
	for name, test := range map[string]struct {
		vat  invoice.Amount
		rate string
		want invoice.Amount
	}{
		"down":               {609, "5.0900", 3100}, // 30.9981
		"a half goes up":     {10, "5.05", 51},      // 50.5
		"below a half":       {10, "5.0499", 50},
		"forints":            {100000, "0.013083", 1308},
		"more than a float":  {999999999999, "4.9876543219", 4987654321895},
		"whole, no decimals": {21, "5", 105},
	} {
		d := invoices.Draft()
		d.Customer = invoices.Union()
		d.Customer.VATID = ""
		invoices.InEuro(&d)
		d.VATRates = invoice.VATRates{{From: date(2020, 1, 1), Percent: 10000}} // VAT equals the price
		d.Exchange.Rate = test.rate
		d.Items = nil
		for rest := test.vat; rest > 0; {
			quantity := max(1, min(int64(rest)/1e6, 1e6))
			price := min(rest/invoice.Amount(quantity), 1e9)
			d.Items = append(d.Items, invoice.Item{Name: "part", Quantity: quantity, Price: price})
			rest -= price * invoice.Amount(quantity)
		}

		if i := invoices.Must(d); i.VAT != test.vat || i.VATLei != test.want {
			t.Errorf("%s: VAT of %s is %s lei, want %s", name, i.VAT, i.VATLei, test.want)
		}
	}
}

func TestIncompleteDraftNamesMissingFields(t *testing.T) {
	for want, spoil := range map[string]func(*invoice.Draft){
		"no id":                          func(d *invoice.Draft) { d.ID = "" },
		`series "rdt"`:                   func(d *invoice.Draft) { d.Series = "rdt" },
		"number is 0":                    func(d *invoice.Draft) { d.Number = 0 },
		"no issue date":                  func(d *invoice.Draft) { d.IssueDate = invoice.Date{} },
		"either the day":                 func(d *invoice.Draft) { d.DueDate = d.IssueDate },
		"is due":                         func(d *invoice.Draft) { d.PaidOn = invoice.Date{} },
		`period from "2026-11-20" to ""`: func(d *invoice.Draft) { d.Period.To = invoice.Date{} },
		`currency "JPY"`:                 func(d *invoice.Draft) { d.Currency = "JPY" },
		"must not have an exchange rate": func(d *invoice.Draft) {
			d.Exchange = invoice.Exchange{Rate: "5",
				Date: d.IssueDate}
		},
		"the exchange rate has no day": func(d *invoice.Draft) { d.Customer = invoices.Union(); d.Currency = "EUR" },
		`exchange rate "1e3"`: func(d *invoice.Draft) {
			d.Customer = invoices.Union()
			invoices.InEuro(d)
			d.Exchange.Rate = "1e3"
		},
		"0 lines":                func(d *invoice.Draft) { d.Items = nil },
		"1000 lines":             func(d *invoice.Draft) { d.Items = make([]invoice.Item, 1000) },
		"line 1: it has no name": func(d *invoice.Draft) { d.Items[0].Name = " " },
		"longer than 500":        func(d *invoice.Draft) { d.Items[0].Name = strings.Repeat("ș", 501) },
		"quantity is 0":          func(d *invoice.Draft) { d.Items[0].Quantity = 0 },
		"price 100000000.00":     func(d *invoice.Draft) { d.Items[0].Price = 1e10 },
		"it must be 1":           func(d *invoice.Draft) { d.VATIncluded = true; d.Items[0].Quantity = 2 },
		"correct an invoice":     func(d *invoice.Draft) { d.Items[0].Price = -1 },
		"seller has no name":     func(d *invoice.Draft) { d.Seller.Name = "" },
		`VAT number "99990007"`:  func(d *invoice.Draft) { d.Seller.VATID = "99990007" },
		"seller's country":       func(d *invoice.Draft) { d.Seller.Address.Country = "MD" },
		"customer has no name":   func(d *invoice.Draft) { d.Customer.Name = "" },
		`country "Romania"`:      func(d *invoice.Draft) { d.Customer.Address.Country = "Romania" },
		"whose numbers begin with DE": func(d *invoice.Draft) {
			d.Customer = invoices.Union()
			d.Customer.VATID = "FR99"
			invoices.InEuro(d)
		},
		`fiscal code "RO99"`:     func(d *invoice.Draft) { d.Customer.RegistrationID = "RO99" },
		"no street":              func(d *invoice.Draft) { d.Customer.Address.Street = "" },
		"no city":                func(d *invoice.Draft) { d.Customer.Address.City = "" },
		`"Kent" is not a county`: func(d *invoice.Draft) { d.Customer.Address.County = "Kent" },
		"names no sector": func(d *invoice.Draft) {
			d.Customer.Address.County, d.Customer.Address.Street = "B", "Str. A, bl. S3"
		},
		"seller's address: it has": func(d *invoice.Draft) { d.Seller.Address.City = "" },
		"want 0 to 100000000000.00": func(d *invoice.Draft) {
			d.Items[0] = invoice.Item{Name: "all", Quantity: 1e6,
				Price: 1e9}
		},
	} {
		d := invoices.Draft()
		spoil(&d)
		testkit.ErrorSays(t, testkit.Err(invoice.New(d)), want, want)
	}
}

func TestSellerIsChecked(t *testing.T) {
	d := invoices.Draft()
	d.Seller.Address.County = "Kent"
	if _, err := invoice.New(d); err == nil {
		t.Error("Kent is a county of Romania")
	}
}

func TestAddressesSettle(t *testing.T) {
	for name, test := range map[string]struct{ city, county, street, post, wantCity, wantCounty string }{
		"by name":                     {"Iași", "Iași", "Str. A", "", "Iași", "IS"},
		"without diacritics":          {"Bistrita", "bistrita-nasaud", "Str. A", "", "Bistrita", "BN"},
		"with cedillas":               {"Târgu Mureş", "Judeţul Mureş", "Str. A", "", "Târgu Mureş", "MS"},
		"by ISO code":                 {"Cluj-Napoca", "RO-CJ", "Str. A", "", "Cluj-Napoca", "CJ"},
		"by postal code":              {"Florești", "", "Str. A", "407280", "Florești", "CJ"},
		"the capital by its city":     {"Bucuresti sect. 6", "", "Str. A", "", "SECTOR6", "B"},
		"a sector in the street":      {"București", "B", "Str. A nr. 1, Sectorul 2", "", "SECTOR2", "B"},
		"a sector by the postal code": {"București", "Municipiul București", "Str. A", "040012", "SECTOR4", "B"},
		"a sector by a short code":    {"București", "", "Str. A", "30167", "SECTOR3", "B"},
		"a short postal code":         {"Otopeni", "", "Str. A", "75100", "Otopeni", "IF"},
		"in English":                  {"Cluj-Napoca", "Cluj County", "Str. A", "", "Cluj-Napoca", "CJ"},
		"the capital in English":      {"Bucharest, Sector 1", "Bucharest", "Str. A", "", "SECTOR1", "B"},
		"a sector in the county":      {"București", "București, sector 3", "Str. A", "", "SECTOR3", "B"},
		"a short sector":              {"S2", "", "Str. A", "", "SECTOR2", "B"},
		"old spelling":                {"Rm. Vîlcea", "Jud. Vîlcea", "Str. A", "", "Rm. Vîlcea", "VL"},
	} {
		d := invoices.Draft()
		d.Customer.Address = invoice.Address{Street: test.street, City: test.city, County: test.county,
			PostalCode: test.post, Country: "RO"}
		i, err := invoice.New(d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if a := i.Customer.Address; a.City != test.wantCity || a.County != test.wantCounty {
			t.Errorf("%s: %s, %s", name, a.City, a.County)
		}
	}

	sector := invoice.Address{City: "SECTOR3", Country: "RO"}
	testkit.Equal(t, sector.CityName(), "București, Sector 3", "the name that people read")
}

func TestCorrectionReversesWholeInvoice(t *testing.T) {
	for name, original := range invoices.Examples() {
		if original.Kind == invoice.Storno {
			if _, err := original.Correct(invoice.Correction{}); err == nil {
				t.Errorf("%s: a correction was corrected", name)
			}
			continue
		}

		c := invoice.Correction{ID: "019a9f6e-0000-7000-8000-00000000000a", Series: "RDT", Number: 99,
			IssueDate: date(2027, 1, 2), Reason: "rețur"}
		s, err := original.Correct(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Gross != -original.Gross || s.Net+s.VAT != s.Gross || s.VATLei != -original.VATLei ||
			s.Lines[0].Net != -original.Lines[0].Net {
			t.Errorf("%s: the correction of %s amounts to %s", name, original.Gross, s.Gross)
		}
		if s.Kind != invoice.Storno || s.Corrects.Label != original.Label() || s.Label() != "RDT-0000099" ||
			s.SupplyDate != original.SupplyDate {
			t.Errorf("%s: the correction is %+v", name, s)
		}
		if original.Lines[0].Quantity < 0 {
			t.Errorf("%s: the original changed", name)
		}

		for want, spoil := range map[string]func(*invoice.Correction){
			"an id of its own": func(c *invoice.Correction) { c.ID = original.ID },
			"cannot be number": func(c *invoice.Correction) { c.Number = original.Number },
			"dated before it":  func(c *invoice.Correction) { c.IssueDate = date(2025, 1, 1) },
			"the reason":       func(c *invoice.Correction) { c.Reason = " " },
		} {
			bad := c
			spoil(&bad)
			if _, err := original.Correct(bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: got %v", name, want, err)
			}
		}
	}
}

func TestInvoicesSurviveJSON(t *testing.T) {
	for name, i := range invoices.Examples() {
		text := testkit.Must(json.Marshal(i))
		var back invoice.Invoice
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(i, back) {
			t.Errorf("%s: %v\nwrote %+v\nread  %+v", name, err, i, back)
		}
	}
}

func TestDates(t *testing.T) {
	for _, text := range []string{"2026-02-29", "2026-2-1", "20.11.2026", "", "2026-11-20T00:00:00Z"} {
		if d, err := invoice.ParseDate(text); err == nil {
			t.Errorf("%q was read as %s", text, d)
		}
	}

	bucharest, err := time.LoadLocation("Europe/Bucharest")
	if err != nil {
		t.Skip("no time zones on this machine: ", err)
	}

	late := time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)
	testkit.Equal(t, invoice.DateOf(late.In(bucharest)), date(2026, 11, 21),
		"the date of half past midnight in Bucharest")
	testkit.Equal(t, invoice.Amount(-5).String(), "-0.05", "a refund of five bani")
}
