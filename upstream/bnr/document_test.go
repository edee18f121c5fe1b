package bnr

import (
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

const head = `<?xml version="1.0" encoding="utf-8"?><DataSet xmlns="https://www.bnr.ro/xsd">` +
	`<Header><PublishingDate>2026-04-26</PublishingDate></Header><Body><OrigCurrency>RON</OrigCurrency>`

const foot = `</Body></DataSet>`

func TestReadDocument(t *testing.T) {
	euro := `<Cube date="2026-04-24"><Rate currency="EUR">5.0985</Rate></Cube>`
	tests := map[string]struct {
		xml  string
		want string // day and rates of all fixings
	}{
		"one day": {head + euro + foot, "2026-04-24 EUR=5.0985"},
		"namespace of the archives": {strings.Replace(head, "https://www.bnr.ro", "http://www.bnr.ro", 1) + euro +
			foot, "2026-04-24 EUR=5.0985"},
		"prefixed namespace": {`<x:DataSet xmlns:x="urn:x"><x:Body><x:OrigCurrency>RON</x:OrigCurrency><x:Cube date="2026-04-24"><x:Rate currency="EUR">5.1</x:Rate></x:Cube></x:Body></x:DataSet>`, "2026-04-24 EUR=5.1"},
		"byte order mark":    {"\ufeff" + head + euro + foot, "2026-04-24 EUR=5.0985"},
		"newest first": {head + `<Cube date="2026-04-27"><Rate currency="EUR">5.1</Rate></Cube>` +
			euro + foot, "2026-04-24 EUR=5.0985; 2026-04-27 EUR=5.1"},
		"multiplier": {head +
			`<Cube date="2026-04-24"><Rate currency="IDR" multiplier="100">0.0260</Rate></Cube>` + foot,
			"2026-04-24 IDR=0.00026"},
		"multiplier one": {head +
			`<Cube date="2026-04-24"><Rate currency="USD" multiplier="1">4.5</Rate></Cube>` + foot,
			"2026-04-24 USD=4.5"},
		"sorted by currency": {head +
			`<Cube date="2026-04-24"><Rate currency="USD">4.5</Rate><Rate currency="EUR">5.1</Rate></Cube>` + foot,
			"2026-04-24 EUR=5.1 USD=4.5"},
		"spaces around a rate": {head +
			"<Cube date=\"2026-04-24\"><Rate currency=\"EUR\">\n 5.1\t</Rate></Cube>" + foot, "2026-04-24 EUR=5.1"},
		"not quoted: dash, blank, zero": {head +
			`<Cube date="2026-04-24"><Rate currency="EUR">5.1</Rate><Rate currency="USD">-</Rate><Rate currency="GBP"> </Rate><Rate currency="CHF">0.0000</Rate></Cube>` + foot, "2026-04-24 EUR=5.1"},
		"an empty cube is not a fixing": {head + euro +
			`<Cube date="2026-04-27"><Rate currency="EUR">-</Rate></Cube>` + foot, "2026-04-24 EUR=5.0985"},
		"old lei": {head +
			`<Cube date="2005-06-30"><Rate currency="EUR">36050.0000</Rate><Rate currency="HUF" multiplier="100">14570</Rate></Cube>` + foot, "2005-06-30 EUR=3.605 HUF=0.01457"},
		"new lei before their time": {head + `<Cube date="2005-06-30"><Rate currency="EUR">3.6050</Rate></Cube>` +
			foot, "2005-06-30 EUR=3.605"},
		"no guard after redenomination": {head + `<Cube date="2005-07-01"><Rate currency="EUR">36050</Rate></Cube>` +
			foot, "2005-07-01 EUR=36050"},
		"unknown elements and attribute": {head + `<Note/>` + strings.Replace(euro, "<Rate ", `<Rate note="x" `, 1) +
			foot, "2026-04-24 EUR=5.0985"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			doc, err := readDocument([]byte(test.xml))
			testkit.NoError(t, err)

			var got []string
			for _, f := range doc.fixings {
				line := f.Date.String()
				for _, r := range f.Rates {
					line += " " + string(r.Currency) + "=" + r.Rate.String()
				}

				got = append(got, line)
			}

			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("read %s\nwant %s", text, test.want)
			}
		})
	}
}

func TestReadDocumentRefuses(t *testing.T) {
	cube := func(inside string) string { return head + `<Cube date="2026-04-24">` + inside + `</Cube>` + foot }
	tests := map[string]string{
		"nothing":              "",
		"a page":               `<!doctype html><html lang="ro"><head><meta charset="UTF-8"><title>Banca</title></head><body></body></html>`,
		"a well-formed page":   `<html><body/></html>`,
		"a truncated document": (cube(`<Rate currency="EUR">5.1</Rate>`))[:len(head)+60],
		"cut before its end":   strings.TrimSuffix(cube(`<Rate currency="EUR">5.1</Rate>`), "</DataSet>"),
		"no cube":              head + foot,
		"no rate":              cube(""),
		"only unquoted":        cube(`<Rate currency="EUR">-</Rate>`),
		"other base currency":  strings.Replace(cube(`<Rate currency="EUR">5.1</Rate>`), ">RON<", ">ROL<", 1),
		"no base currency": strings.Replace(cube(`<Rate currency="EUR">5.1</Rate>`),
			"<OrigCurrency>RON</OrigCurrency>", "", 1),
		"impossible day": strings.Replace(cube(`<Rate currency="EUR">5.1</Rate>`), "2026-04-24",
			"2026-02-30", 1),
		"no day": strings.Replace(cube(`<Rate currency="EUR">5.1</Rate>`),
			` date="2026-04-24"`, "", 1),
		"a day twice": head +
			strings.Repeat(`<Cube date="2026-04-24"><Rate currency="EUR">5.1</Rate></Cube>`, 2) + foot,
		"a currency twice":         cube(strings.Repeat(`<Rate currency="EUR">5.1</Rate>`, 2)),
		"a negative rate":          cube(`<Rate currency="EUR">-5.1</Rate>`),
		"multiplier not of ten":    cube(`<Rate currency="HUF" multiplier="50">1.4</Rate>`),
		"multiplier not a number":  cube(`<Rate currency="HUF" multiplier="1e2">1.4</Rate>`),
		"multiplier zero":          cube(`<Rate currency="HUF" multiplier="0">1.4</Rate>`),
		"multiplier without bound": cube(`<Rate currency="HUF" multiplier="1000000000000">1.4</Rate>`),
		"rate without bound":       cube(`<Rate currency="EUR">` + strings.Repeat("5", 1000) + `</Rate>`),
		"not a currency":           cube(`<Rate currency="EURO">5.1</Rate>`),
		"the leu itself":           cube(`<Rate currency="RON">1</Rate>`),
		"decimal commas":           cube(`<Rate currency="EUR">5,1</Rate>`),
	}
	for name, xml := range tests {
		t.Run(name, func(t *testing.T) {
			if doc, err := readDocument([]byte(xml)); err == nil {
				t.Errorf("read %v", doc.fixings)
			}
		})
	}
}

func FuzzReadDocument(f *testing.F) {
	f.Add([]byte(head + `<Cube date="2026-04-24"><Rate currency="HUF" multiplier="100">1.4375</Rate></Cube>` + foot))
	f.Add([]byte(head + `<Cube date="2005-01-03"><Rate currency="EUR">39390</Rate><Rate currency="USD">-</Rate></Cube>` + foot))
	f.Add([]byte("\ufeff<DataSet/>"))
	f.Add([]byte(`<!doctype html><html><body>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := readDocument(body)
		if err != nil {
			return
		}
		// The parsed fixings must survive a round trip through the archive's files.
		byYear := map[int]volume{}
		for _, fixing := range doc.fixings {
			v := byYear[fixing.Date.Year()]
			v.year = fixing.Date.Year()
			v.entries = append(v.entries, entry{Fixing: fixing})
			byYear[v.year] = v
		}

		for _, v := range byYear {
			stored, err := decodeVolume(v.encode())
			if err != nil {
				t.Fatalf("storing %q: %v", body, err)
			}

			for i, e := range stored.entries {
				if e.Date != v.entries[i].Date || !equalRates(e.Rates, v.entries[i].Rates) {
					t.Fatalf("stored %v, read %v", v.entries[i], e)
				}
			}
		}
	})
}
