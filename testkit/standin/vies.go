package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/rodata/rodata/ro"
)

// Trader is an invented trader in another member state.
type Trader struct {
	Number ro.VATNumber
	// Name and Address are empty if the state does not publish them.
	Name, Address string
}

// Traders are the traders known to VIES besides the invented Romanian companies. All are invented.
var Traders = []Trader{
	{"ATU89089584", "Erfundene Schnitzel GmbH", "Beispielgasse 1\n1010 Wien"},
	{"BE0138517087", "Verzonnen Wafels BV", "Voorbeeldstraat 2\n1000 Brussel"},
	{"BG857462258", "ИЗМИСЛЕНИ РОЗИ ЕООД", "ул. Примерна 3\n1000 София"},
	{"CZ84647477", "Vymyšlené knedlíky s.r.o.", "Ukázková 4\n110 00 Praha 1"},
	{"DE811569869", "", ""},
	{"DE445947920", "", ""},
	{"EL166102944", "ΕΠΙΝΟΗΜΕΝΕΣ ΕΛΙΕΣ ΑΕ", "ΟΔΟΣ ΠΑΡΑΔΕΙΓΜΑΤΟΣ 5\n10431 ΑΘΗΝΑ"},
	{"ESB94774437", "", ""},
	{"FR46688637511", "FROMAGES IMAGINAIRES SARL", "6 RUE DE L'EXEMPLE\n75001 PARIS"},
	{"HU39062659", "Kitalált Paprika Kft.", "1011 Budapest, Példa utca 7."},
	{"IT79889300715", "PASTA INVENTATA S.R.L.", "VIA ESEMPIO 8\n00100 ROMA RM"},
	{"NL356514997B88", "Verzonnen Tulpen", "Voorbeeldlaan 9\n1011AA Amsterdam"},
	{"PL8205089551", "WYMYŚLONE PIEROGI SP. Z O.O.", "PRZYKŁADOWA 10\n00-001 WARSZAWA"},
	{"XI713470793", "Imaginary Linen Ltd", "11 Example Road\nBelfast\nBT1 1AA"},
}

// VATFault is a well-formed VAT number that VIES cannot answer about.
type VATFault struct {
	Number ro.VATNumber
	// Code is the error of VIES. It is empty for an answer that never arrives.
	Code string
	// Happens describes the behaviour of VIES, in a sentence without a full stop.
	Happens string
	// Status is the gateway's answer: 400, 502, 503 or 504.
	Status int
}

// VATFaults lists a number for each error that VIES documents (its test service, 2026-11). Each number belongs to a
// different state, so that they do not open each other's breakers. If the requester's number is invalid, the error is
// INVALID_REQUESTER_INFO for every number.
var VATFaults = []VATFault{
	{"SE259288082301", "INVALID_INPUT", "VIES rejects the format of the number", http.StatusBadRequest},
	{"FI01178732", "SERVICE_UNAVAILABLE", "VIES is down", http.StatusServiceUnavailable},
	{"SK8495869063", "MS_UNAVAILABLE", "the member state is down", http.StatusServiceUnavailable},
	{"LT803217611", "TIMEOUT", "the member state does not answer VIES in time", http.StatusGatewayTimeout},
	{"PT328366846", "VAT_BLOCKED", "VIES refuses the number", http.StatusServiceUnavailable},
	{"MT16053517", "IP_BLOCKED", "VIES refuses the address of the gateway", http.StatusServiceUnavailable},
	{"LU31292804", "GLOBAL_MAX_CONCURRENT_REQ", "VIES has too many concurrent requests", http.StatusServiceUnavailable},
	{"EE053934657", "GLOBAL_MAX_CONCURRENT_REQ_TIME", "VIES was over its limit for too long",
		http.StatusServiceUnavailable},
	{"LV64885563480", "MS_MAX_CONCURRENT_REQ", "the member state has too many concurrent requests",
		http.StatusServiceUnavailable},
	{"SI90894812", "MS_MAX_CONCURRENT_REQ_TIME", "the member state was over its limit for too long",
		http.StatusServiceUnavailable},
	{"CY30684716A", "UNHEARD_OF", "VIES answers with an error that is not documented", http.StatusBadGateway},
	{"HR48541307138", "", "the member state never answers", http.StatusGatewayTimeout},
}

// testCodes maps the numbers with which the test service simulates errors to these errors.
var testCodes = map[string]string{
	"201": "INVALID_INPUT", "202": "INVALID_REQUESTER_INFO", "300": "SERVICE_UNAVAILABLE", "301": "MS_UNAVAILABLE",
	"302": "TIMEOUT", "400": "VAT_BLOCKED", "401": "IP_BLOCKED", "500": "GLOBAL_MAX_CONCURRENT_REQ",
	"501": "GLOBAL_MAX_CONCURRENT_REQ_TIME", "600": "MS_MAX_CONCURRENT_REQ", "601": "MS_MAX_CONCURRENT_REQ_TIME",
}

// VIES is a running stand-in of VIES. Its member states fail on demand.
type VIES struct {
	*Registry
	options   Options
	companies *register

	mu     sync.Mutex
	states map[ro.MemberState]string // the error that a state answers with, or hangs
}

// hangs stands for an answer that never arrives.
const hangs = "hangs"

func newVIES(o Options, companies *register) *VIES {
	v := &VIES{options: o, companies: companies, states: map[ro.MemberState]string{}}
	v.Registry = newRegistry(o, v.answer)
	return v
}

// Fail makes a member state answer with an error of VIES, until it is called with the empty code.
func (v *VIES) Fail(state ro.MemberState, code string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.states[state] = code
}

// Hang makes a member state stop answering, until Fail is called with the empty code.
func (v *VIES) Hang(state ro.MemberState) { v.Fail(state, hangs) }

// answer returns VIES's answer to a request.
func (v *VIES) answer(r *http.Request, body []byte) reply {
	switch {
	case r.URL.Path == "/check-status" && r.Method == http.MethodGet:
		return v.status()
	case r.URL.Path != "/check-vat-number" && r.URL.Path != "/check-vat-test-service":
		return notFoundPage
	case r.Method != http.MethodPost:
		return plain(http.StatusMethodNotAllowed, "Request method is not supported", "Allow", http.MethodPost)
	}

	var q vatQuestion
	if json.Unmarshal(body, &q) != nil {
		return plain(http.StatusBadRequest, "Malformed JSON")
	}

	if r.URL.Path == "/check-vat-test-service" {
		if code := testCodes[q.Number]; code != "" {
			return vatError(code)
		}
		return v.verdict(q, Trader{}, q.Number == "100")
	}

	return v.check(q)
}

type vatQuestion struct {
	State           ro.MemberState `json:"countryCode"`
	Number          string         `json:"vatNumber"`
	RequesterState  ro.MemberState `json:"requesterMemberStateCode"`
	RequesterNumber string         `json:"requesterNumber"`
}

func (v *VIES) check(q vatQuestion) reply {
	number := ro.VATNumber(string(q.State) + q.Number)
	switch code := v.fault(number); code {
	case "":
	case hangs:
		return reply{fault: Hang}
	default:
		return vatError(code)
	}

	if _, err := ro.ParseVATNumber(string(number)); err != nil {
		return vatError("INVALID_INPUT")
	}

	if q.RequesterNumber != "" {
		if _, valid := v.trader(ro.VATNumber(string(q.RequesterState) + q.RequesterNumber)); !valid {
			return vatError("INVALID_REQUESTER_INFO")
		}
	}

	trader, valid := v.trader(number)
	return v.verdict(q, trader, valid)
}

// fault returns the error of a question about a number. It is empty for none.
func (v *VIES) fault(n ro.VATNumber) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if code := v.states[n.State()]; code != "" {
		return code
	}

	for _, f := range VATFaults {
		if f.Number == n && f.Code == "" {
			return hangs
		}
		if f.Number == n {
			return f.Code
		}
	}

	return ""
}

// trader returns the owner of a number. It reports false if the number is not valid.
func (v *VIES) trader(n ro.VATNumber) (Trader, bool) {
	for _, t := range Traders {
		if t.Number == n {
			return t, true
		}
	}

	var cui ro.CUI
	if n.State() == "RO" && cui.UnmarshalText([]byte(n.National())) == nil {
		c := v.companies.byCUI[cui]
		if c != nil && c.PaysVAT(ro.DateIn(v.options.Now(), ro.Bucharest)) {
			return Trader{n, cedilla(c.taxName()), cedilla(c.addressLine())}, true
		}
	}

	return Trader{}, v.options.Everybody
}

// verdict returns an answer on whether a number is valid.
func (v *VIES) verdict(q vatQuestion, t Trader, valid bool) reply {
	const unpublished = "---"
	now := v.options.Now().UTC()
	answer := struct {
		CountryCode       ro.MemberState `json:"countryCode"`
		VATNumber         string         `json:"vatNumber"`
		RequestDate       string         `json:"requestDate"`
		Valid             bool           `json:"valid"`
		RequestIdentifier string         `json:"requestIdentifier"`
		Name              string         `json:"name"`
		Address           string         `json:"address"`
	}{q.State, q.Number, now.Format("2006-01-02T15:04:05.000Z"), valid, "", unpublished, unpublished}
	if t.Name != "" {
		answer.Name, answer.Address = t.Name, t.Address
	}
	if valid && q.RequesterNumber != "" {
		answer.RequestIdentifier = fmt.Sprintf("WAPIAAAA%s%d", strings.ToUpper(string(q.RequesterState)),
			now.UnixNano()%1e8)
	}

	return reply{mime: "application/json", body: encode(answer)}
}

// vatError returns an error of VIES. Some errors have the status 200 and some do not (recorded by clients in 2025), so
// a client must read the body.
func vatError(code string) reply {
	type wrapper struct {
		Error string `json:"error"`
	}
	p := reply{mime: "application/json", body: encode(struct {
		ActionSucceed bool      `json:"actionSucceed"`
		ErrorWrappers []wrapper `json:"errorWrappers"`
	}{false, []wrapper{{code}}})}
	switch {
	case code == "INVALID_INPUT" || code == "INVALID_REQUESTER_INFO":
		p.status = http.StatusBadRequest
	case strings.Contains(code, "UNAVAILABLE"):
		p.status = http.StatusInternalServerError
	}

	return p
}

// status reports which member states are available. A failing state is not available.
func (v *VIES) status() reply {
	type country struct {
		CountryCode  ro.MemberState `json:"countryCode"`
		Availability string         `json:"availability"`
	}
	var answer struct {
		VOW struct {
			Available bool `json:"available"`
		} `json:"vow"`
		Countries []country `json:"countries"`
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	answer.VOW.Available = true
	for _, state := range ro.MemberStates {
		availability := "Available"
		if v.states[state] != "" {
			availability = "Unavailable"
		}

		answer.Countries = append(answer.Countries, country{state, availability})
	}

	return reply{mime: "application/json", body: encode(answer)}
}
