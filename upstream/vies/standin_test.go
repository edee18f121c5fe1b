package vies

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api/vat"
	"github.com/rodata/rodata/cache"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
)

// The numbers of these tests are invented.
const (
	german    ro.VATNumber = "DE445947920"
	austrian  ro.VATNumber = "ATU89089584"
	requester ro.VATNumber = "RO52625320"
)

// standIn is VIES on a fake clock. Every number is valid, unless the test gives its state another answer.
type standIn struct {
	mu     sync.Mutex
	asked  []string                  // the questions: state, number and requester
	says   map[ro.MemberState]string // the body that a state answers with; "hang" for an answer that never arrives
	atOnce map[ro.MemberState]int
	status string
	takes  time.Duration // of an answer
}

// Do implements Host.
func (s *standIn) Do(ctx context.Context, r upstream.Request) (*upstream.Response, error) {
	if r.Path == "/check-status" {
		return &upstream.Response{Status: 200, Body: []byte(s.status)}, nil
	}

	var q request
	if err := json.Unmarshal(r.Body, &q); err != nil {
		return nil, err
	}

	s.mu.Lock()
	s.asked = append(s.asked, string(q.CountryCode)+q.VATNumber+string(q.RequesterState)+q.RequesterNumber)
	body := s.says[q.CountryCode]
	s.atOnce[q.CountryCode]++
	most := s.atOnce[q.CountryCode]
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.atOnce[q.CountryCode]--
		s.mu.Unlock()
	}()

	if most > maxConcurrent {
		return nil, fmt.Errorf("%d questions to %s at once", most, q.CountryCode)
	}
	if body == "hang" {
		<-ctx.Done()
		return nil, &op.Failure{Registry: Name, Kind: op.TimedOut, Err: ctx.Err()}
	}

	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	if body == "" {
		body = fmt.Sprintf(`{"countryCode":%q,"vatNumber":%q,"requestDate":"2026-11-20T08:00:00.000Z","valid":true,"requestIdentifier":"","name":"NĂSCOCIT","address":"---"}`, q.CountryCode, q.VATNumber)
		if q.RequesterNumber != "" {
			body = fmt.Sprintf(`{"countryCode":%q,"vatNumber":%q,"valid":true,"requestIdentifier":"WAPI1","name":"---","address":"---"}`, q.CountryCode, q.VATNumber)
		}
	}

	return &upstream.Response{Status: 200, Body: []byte(body)}, nil
}

// say makes a state answer with a body. The empty body stands for a valid number.
func (s *standIn) say(state ro.MemberState, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.says[state] = body
}

func (s *standIn) fail(state ro.MemberState, code string) {
	s.say(state, failed(code))
}

// failed returns the body of a failure.
func failed(code string) string {
	return `{"actionSucceed":false,"errorWrappers":[{"error":"` + code + `"}]}`
}

func (s *standIn) invalid(n ro.VATNumber) {
	s.say(n.State(), fmt.Sprintf(`{"countryCode":%q,"vatNumber":%q,"valid":false,"name":"---","address":"---"}`,
		n.State(), n.National()))
}

func (s *standIn) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// within runs a test on a fake clock, with a register in front of a stand-in.
func within(t *testing.T, test func(*testing.T, *Register, *standIn)) {
	synctest.Test(t, func(t *testing.T) {
		c, err := cache.Open(cache.Options{})
		testkit.NoError(t, err)
		defer c.Close()

		s := &standIn{says: map[ro.MemberState]string{}, atOnce: map[ro.MemberState]int{}}
		s.takes = 100 * time.Millisecond
		test(t, NewRegister(c, NewLanes(Options{Client: NewClient(s)})), s)
		synctest.Wait()
	})
}

// by returns a context of a caller with a key of an account.
func by(t *testing.T, owner string) context.Context {
	caller := account.Caller{Address: netip.MustParseAddr("192.0.2.1")}
	if owner != "" {
		caller.Key = &account.Key{Account: owner}
	}
	return op.WithCaller(t.Context(), caller)
}

func ask(t *testing.T, r *Register, owner string, n, requester ro.VATNumber) (*vat.VATCheck, error) {
	t.Helper()
	answer, err := r.Check(by(t, owner), vat.Question{Number: n, Requester: requester})
	return answer.Value, err
}

func status(t *testing.T, r *Register, n ro.VATNumber) vat.VATStatus {
	t.Helper()
	c, err := ask(t, r, "", n, "")
	testkit.NoError(t, err)

	return c.Status
}

func failure(t *testing.T, err error) *op.Failure {
	t.Helper()
	var f *op.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%v is not a failure of a registry", err)
	}

	return f
}
