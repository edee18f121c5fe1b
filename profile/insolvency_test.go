package profile

import (
	"encoding/json"
	"testing"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/search"
)

func TestInsolvency(t *testing.T) {
	const extra = `{"governance":[{"name":"EXEMPLU ANA","role":"administrator"}],"procedural":[{"name":"EXEMPLU INSOLVENȚĂ SPRL","role":"lichidator judiciar"}],` +
		`"proceedings":[{"code":"1070","name":"faliment"},{"code":"1107","name":"insolvență"}]}`
	const persons = `"representatives":[{"name":"EXEMPLU INSOLVENȚĂ SPRL","role":"lichidator judiciar"}],"dataThrough":"2026-09-02"}`
	const nobody = `"representatives":[],"dataThrough":"2026-09-02"}`
	released := ro.NewDate(2026, 9, 2)
	for name, c := range map[string]struct {
		listed  *search.Firm // without its number; nil if it is not in the trade register
		release ro.Date
		status  string // the tax authority's text
		state   company.StateRegistration
		want    string
	}{
		"bankrupt": {&search.Firm{State: company.Bankrupt, Extra: []byte(extra)}, released,
			"INREGISTRAT din data 01.02.2003", company.Bankrupt,
			`{"state":"bankrupt","proceedings":"insolvency","label":{"ro":"în faliment","en":"in bankruptcy"},"codes":[{"code":"1070","name":"faliment"},{"code":"1107","name":"insolvență"}],"since":null,` + persons},
		"none": {&search.Firm{State: company.InOperation}, released, "INREGISTRAT din data 01.02.2003",
			company.InOperation,
			`{"state":"none","proceedings":null,"label":{"ro":"fără proceduri în registrul comerțului","en":"no proceedings in the trade register"},"codes":[],"since":null,` + nobody},
		"suspended": {&search.Firm{State: company.Suspended}, released, "SUSPENDARE ACTIVITATE din data 01.02.2023",
			company.Suspended,
			`{"state":"none","proceedings":null,"label":{"ro":"fără proceduri în registrul comerțului","en":"no proceedings in the trade register"},"codes":[],"since":null,` + nobody},
		"dissolved, both say so": {&search.Firm{State: company.Dissolved,
			Extra: []byte(`{"proceedings":[{"code":"1049"}]}`)}, released, "DIZOLVARE din data 29.03.2024",
			company.Dissolved,
			`{"state":"dissolved","proceedings":"winding_up","label":{"ro":"în dizolvare","en":"being dissolved"},"codes":[{"code":"1049"}],"since":"2024-03-29",` + nobody},
		"struck off after bankruptcy": {&search.Firm{State: company.StruckOff,
			Extra: []byte(`{"proceedings":[{"code":"1070"}]}`)}, released, "RADIERE din data 29.03.2024", company.StruckOff,
			`{"state":"struck_off","proceedings":null,"label":{"ro":"radiată","en":"struck off"},"codes":[{"code":"1070"}],"since":"2024-03-29",` + nobody},
		"a state that is not understood": {&search.Firm{State: company.UnknownState}, released,
			"INREGISTRAT din data 01.02.2003", company.InOperation,
			`{"state":"unknown","proceedings":null,"label":{"ro":"nu se știe","en":"not known"},"codes":[],"since":null,` + nobody},
		"not in the trade register": {nil, released, "INREGISTRAT din data 01.02.2003",
			company.InOperation,
			`{"state":"unknown","proceedings":null,"label":{"ro":"nu se știe","en":"not known"},"codes":null,"since":null,"representatives":null,"dataThrough":null}`},
		"not loaded": {nil, 0, "INREGISTRAT din data 01.02.2003", company.InOperation,
			`{"state":"unknown","proceedings":null,"label":{"ro":"nu se știe","en":"not known"},"codes":null,"since":null,"representatives":null,"dataThrough":null}`},
		"dissolved, says the tax authority alone": {nil, 0, "DIZOLVARE din data 29.03.2024", company.Dissolved,
			`{"state":"dissolved","proceedings":"winding_up","label":{"ro":"în dizolvare","en":"being dissolved"},"codes":null,"since":"2024-03-29","representatives":null,"dataThrough":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			register := &trade{release: c.release}
			if c.listed != nil {
				firm := *c.listed
				firm.TaxID = known
				register.firms = []search.Firm{firm}
			}

			company := &company.Company{TaxID: known, StateRegistration: c.state, RegistrationStatus: &c.status}
			got, err := json.Marshal((&Register{trade: register}).Insolvency(t.Context(), company))
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}
