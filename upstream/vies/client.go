package vies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/rodata/rodata/internal/spelling"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/upstream"
)

// Client speaks the REST protocol of VIES (ec.europa.eu/taxation_customs/vies, as of 2026-11). It makes one attempt per
// question; the Register has the queues and breakers.
type Client struct{ host upstream.Doer }

// NewClient returns a client.
func NewClient(host upstream.Doer) *Client { return &Client{host} }

// request is the body of POST /check-vat-number of VIES.
type request struct {
	CountryCode     ro.MemberState `json:"countryCode"`
	VATNumber       string         `json:"vatNumber"`
	RequesterState  ro.MemberState `json:"requesterMemberStateCode,omitempty"`
	RequesterNumber string         `json:"requesterNumber,omitempty"`
}

// response is an answer or an error. An error may also have the status 200, or be the userError of an answer that is
// otherwise "not valid".
type response struct {
	CountryCode       ro.MemberState `json:"countryCode"`
	VATNumber         string         `json:"vatNumber"`
	RequestDate       string         `json:"requestDate"`
	Valid             *bool          `json:"valid"`
	RequestIdentifier string         `json:"requestIdentifier"`
	Name              string         `json:"name"`
	Address           string         `json:"address"`
	UserError         string         `json:"userError"` // VALID and INVALID are no errors

	ActionSucceed *bool `json:"actionSucceed"`
	ErrorWrappers []struct {
		Error string `json:"error"`
	} `json:"errorWrappers"`
}

// Check requests the validity of a number. It returns vat.ErrNumberRefused, vat.ErrRequesterRefused, or an *op.Failure.
func (c *Client) Check(ctx context.Context, q Question) (Result, error) {
	ask := request{CountryCode: q.Number.State(), VATNumber: q.Number.National()}
	if q.Requester != "" {
		ask.RequesterState, ask.RequesterNumber = q.Requester.State(), q.Requester.National()
	}

	body, err := json.Marshal(ask)
	if err != nil {
		return Result{}, fmt.Errorf("encoding a question about %s: %w", q.Number, err)
	}

	res, err := c.host.Do(ctx, upstream.Request{
		Method: http.MethodPost, Path: "/check-vat-number", Body: body,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}},
	})
	if err != nil {
		return Result{}, ofState(q.Number.State(), err)
	}

	return read(q, res)
}

// read decodes an answer. Anything other than true or false about this number is a failure.
func read(q Question, res *upstream.Response) (Result, error) {
	var r response
	err := json.Unmarshal(res.Body, &r)
	switch {
	case err != nil:
		return Result{}, broken(q.Number.State(), fmt.Errorf("status %d: not JSON: %w", res.Status, err))
	case len(r.ErrorWrappers) > 0:
		return Result{}, failureOf(q.Number.State(), r.ErrorWrappers[0].Error)
	case r.UserError != "" && r.UserError != "VALID" && r.UserError != "INVALID":
		return Result{}, failureOf(q.Number.State(), r.UserError)
	case r.ActionSucceed != nil && !*r.ActionSucceed, res.Status != http.StatusOK:
		return Result{}, broken(q.Number.State(), fmt.Errorf("status %d, without a reason", res.Status))
	case r.Valid == nil:
		return Result{}, broken(q.Number.State(), errors.New("the answer does not say whether the number is valid"))
	case r.CountryCode != q.Number.State() || r.VATNumber != q.Number.National():
		return Result{}, broken(q.Number.State(),
			fmt.Errorf("the answer is about %.20q %.20q", r.CountryCode, r.VATNumber))
	}

	sum := sha256.Sum256(res.Body)
	v := Result{
		Valid: *r.Valid, RequestDate: dateOf(r.RequestDate), Consultation: r.RequestIdentifier,
		RecordSHA256: hex.EncodeToString(sum[:]),
	}
	if v.Valid {
		v.Name, v.Address = publishedText(r.Name), publishedText(r.Address)
	}

	return v, nil
}

// publishedText returns a text. It returns the empty text for the dashes that some states (Germany, Spain) send instead
// of unpublished data.
func publishedText(text string) string {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "-") == "" {
		return ""
	}
	return spelling.CommaBelow(text)
}

func dateOf(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// Availability is VIES's report on itself and on the member states.
type Availability struct {
	// VIES reports whether VIES itself is available.
	VIES bool
	// States reports for each monitored state whether it is available.
	States map[ro.MemberState]bool
}

// Availability fetches the report of available states.
func (c *Client) Availability(ctx context.Context) (Availability, error) {
	res, err := c.host.Do(ctx, upstream.Request{Path: "/check-status",
		Header: http.Header{"Accept": {"application/json"}}})
	if err != nil {
		return Availability{}, err
	}

	var r struct {
		VOW struct {
			Available *bool `json:"available"`
		} `json:"vow"`
		Countries []struct {
			CountryCode  ro.MemberState `json:"countryCode"`
			Availability string         `json:"availability"`
		} `json:"countries"`
	}
	err = json.Unmarshal(res.Body, &r)
	if err == nil && (res.Status != http.StatusOK || r.VOW.Available == nil) {
		err = errors.New("not a report of available states")
	}
	if err != nil {
		return Availability{}, &op.Failure{Registry: Name, Kind: op.Broken,
			Err: fmt.Errorf("GET /check-status: status %d: %w", res.Status, err)}
	}

	a := Availability{VIES: *r.VOW.Available, States: make(map[ro.MemberState]bool, len(r.Countries))}
	for _, c := range r.Countries {
		switch {
		case !c.CountryCode.IsKnown():
		case c.Availability == "Available":
			a.States[c.CountryCode] = true
		case c.Availability == "Unavailable":
			a.States[c.CountryCode] = false
		}
	}

	return a, nil
}
