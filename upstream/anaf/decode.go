package anaf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/upstream"
)

// answer has the records of a response, and the unknown numbers.
type answer[R any] struct {
	Found    list[R]
	NotFound list[number]
}

// missing returns the unknown numbers.
func (a *answer[R]) missing() map[api.CUI]bool {
	missing := make(map[api.CUI]bool, len(a.NotFound))
	for _, n := range a.NotFound {
		missing[api.CUI(n)] = true
	}
	return missing
}

// element is one record of an answer, both raw and parsed.
type element struct {
	raw []byte
	taxpayer
}

func (e *element) UnmarshalJSON(raw []byte) error {
	e.raw = bytes.Clone(raw)
	return json.Unmarshal(raw, &e.taxpayer)
}

// taxpayer is the register's record of one company. Absent text is "", " ", null or missing; any sub-object may be
// missing.
type taxpayer struct {
	General struct {
		CUI           number `json:"cui"`
		Day           text   `json:"data"`
		Name          text   `json:"denumire"`
		Address       text   `json:"adresa"`
		TradeNumber   text   `json:"nrRegCom"`
		Phone         text   `json:"telefon"`
		PostalCode    text   `json:"codPostal"`
		Status        text   `json:"stare_inregistrare"`
		Registered    text   `json:"data_inregistrare"`
		CAEN          text   `json:"cod_CAEN"`
		EInvoice      flag   `json:"statusRO_e_Factura"`
		EInvoiceSince text   `json:"data_inreg_Reg_RO_e_Factura"`
		Authority     text   `json:"organFiscalCompetent"`
		Ownership     text   `json:"forma_de_proprietate"`
		Organization  text   `json:"forma_organizare"`
		LegalForm     text   `json:"forma_juridica"`
	} `json:"date_generale"`
	VAT struct {
		Payer   flag          `json:"scpTVA"`
		Periods *list[period] `json:"perioade_TVA"`
	} `json:"inregistrare_scop_Tva"`
	VATOnCollection struct {
		Status    flag `json:"statusTvaIncasare"`
		From      text `json:"dataInceputTvaInc"`
		To        text `json:"dataSfarsitTvaInc"`
		Recorded  text `json:"dataActualizareTvaInc"`
		Published text `json:"dataPublicareTvaInc"`
	} `json:"inregistrare_RTVAI"`
	Inactive struct {
		Status      flag `json:"statusInactivi"`
		Since       text `json:"dataInactivare"`
		Reactivated text `json:"dataReactivare"`
		Published   text `json:"dataPublicare"`
		StruckOff   text `json:"dataRadiere"`
	} `json:"stare_inactiv"`
	SplitVAT struct {
		Status flag `json:"statusSplitTVA"`
		From   text `json:"dataInceputSplitTVA"`
		To     text `json:"dataAnulareSplitTVA"`
	} `json:"inregistrare_SplitTVA"`
	Seat     seat     `json:"adresa_sediu_social"`
	Domicile domicile `json:"adresa_domiciliu_fiscal"`
}

type period struct {
	From     text `json:"data_inceput_ScpTVA"`
	To       text `json:"data_sfarsit_ScpTVA"`
	Canceled text `json:"data_anul_imp_ScpTVA"`
	Reason   text `json:"mesaj_ScpTVA"`
}

// decode parses a response of any status, because the answer that none of the numbers is known has status 404. It calls
// pause between records. The error describes an unexpected body.
func decode[R any](status int, body []byte, pause func()) (*answer[R], error) {
	body, err := object(status, body)
	if err != nil {
		return nil, err
	}

	var a answer[R]
	e, complete, err := a.read(body, pause)
	if err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	if err := e.check(status, body, complete); err != nil {
		return nil, err
	}
	if !complete {
		return nil, errors.New("it has neither found nor notFound")
	}

	return &a, nil
}

// read parses the body member by member, and its lists element by element, so that it can pause in between. It reports
// whether the answer is complete, which means that it has at least one of the two lists. Not all answers have an
// envelope.
func (a *answer[R]) read(body []byte, pause func()) (e envelope, complete bool, err error) {
	in := json.NewDecoder(bytes.NewReader(body))
	if _, err := in.Token(); err != nil { // the opening brace
		return e, false, err
	}

	for in.More() {
		name, err := in.Token()
		if err != nil {
			return e, false, err
		}

		switch strings.ToLower(name.(string)) { // as json.Unmarshal matches names
		case "found":
			complete, err = true, a.Found.read(in, body, pause)
		case "notfound":
			complete, err = true, a.NotFound.read(in, body, pause)
		case "cod":
			err = in.Decode(&e.Code)
		case "message":
			err = in.Decode(&e.Message)
		default:
			err = in.Decode(new(json.RawMessage))
		}

		if err != nil {
			return e, false, err
		}
	}

	if _, err := in.Token(); err != nil { // the closing brace
		return e, false, err
	}
	if _, err := in.Token(); err != io.EOF {
		return e, false, errors.New("there is more text after the object")
	}

	return e, complete, nil
}

// object returns the JSON object of a response. It does not check the status first, because the firewall's pages and
// the maintenance page have status 200.
func object(status int, body []byte) ([]byte, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("{")) {
		return nil, foreign(status, body)
	}
	if !utf8.Valid(body) {
		return nil, errors.New("the text is not UTF-8")
	}

	return body, nil
}

// envelope is the part common to the answers of all services.
type envelope struct {
	Code    *number `json:"cod"`
	Message text    `json:"message"`
}

// check rejects an answer that reports an error by its status or its code. A 404 with the requested data is a valid
// answer.
func (e *envelope) check(status int, body []byte, complete bool) error {
	switch {
	case status == http.StatusBadRequest:
		return fmt.Errorf("%w: %.200q", upstream.ErrRejected, body)
	case status == http.StatusNotFound && complete:
	case e.Code != nil && *e.Code != http.StatusOK:
		return fmt.Errorf("the register reports error %d: %.200q", *e.Code, e.Message)
	case status != http.StatusOK:
		return errors.New("the register failed")
	}

	return nil
}

// foreign describes a body that is not a JSON object.
func foreign(status int, body []byte) error {
	switch {
	case bytes.Contains(body, []byte("Request Rejected")):
		return errors.New("the firewall rejected the request")
	case bytes.Contains(body, []byte("Mentenan")):
		return errors.New("the register is under maintenance")
	case len(body) == 0:
		return errors.New("the answer is empty")
	case status == http.StatusBadRequest && body[0] != '<':
		return fmt.Errorf("%w: %.200q", upstream.ErrRejected, body)
	}

	return fmt.Errorf("not JSON: %.80q", body)
}

// text is a string that tolerates null and numbers; all other values count as absent.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		if inside := raw[1 : len(raw)-1]; !bytes.ContainsRune(inside, '\\') {
			*t = text(inside) // faster, and most texts have no escapes
			return nil
		}
		return json.Unmarshal(raw, (*string)(t))
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		*t = text(raw)
	}

	return nil
}

// number is a whole number, possibly encoded as a string; all other values become -1, which no company has.
type number int64

func (n *number) UnmarshalJSON(raw []byte) error {
	var t text
	if err := t.UnmarshalJSON(raw); err != nil {
		return err
	}

	value, err := strconv.ParseInt(strings.TrimSpace(string(t)), 10, 64)
	if err != nil {
		value = -1
	}

	*n = number(value)
	return nil
}

// flag is true, false, or nil if absent.
type flag struct{ *bool }

func (f *flag) UnmarshalJSON(raw []byte) error {
	switch strings.ToLower(strings.Trim(string(raw), `" `)) {
	case "true", "1":
		f.bool = new(true)
	case "false", "0":
		f.bool = new(false)
	}

	return nil
}

// list is an array that may be null, or a single object as in the register's own documentation. An element of another
// type becomes an empty one, so that it does not affect the others.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(raw []byte) error {
	return l.read(json.NewDecoder(bytes.NewReader(raw)), raw, func() {})
}

// read reads the next value of a decoder of text as a list. It calls pause after each element.
func (l *list[T]) read(in *json.Decoder, text []byte, pause func()) error {
	*l = nil
	switch next := bytes.TrimLeft(text[in.InputOffset():], ": \t\r\n"); {
	case bytes.HasPrefix(next, []byte("{")):
		return l.add(in)
	case !bytes.HasPrefix(next, []byte("[")):
		return in.Decode(new(json.RawMessage))
	}

	if _, err := in.Token(); err != nil { // the opening bracket
		return err
	}

	for in.More() {
		if err := l.add(in); err != nil {
			return err
		}
		pause()
	}

	_, err := in.Token() // the closing bracket
	return err
}

// add appends a decoder's next value.
func (l *list[T]) add(in *json.Decoder) error {
	var element, empty T
	err := in.Decode(&element)
	if _, mistyped := errors.AsType[*json.UnmarshalTypeError](err); mistyped {
		element, err = empty, nil
	}

	*l = append(*l, element)
	return err
}
