package compat

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/testkit"
)

const asynchronous = "/AsynchWebService/api/v8/ws/tva"

var accepted = regexp.MustCompile(`^\{"cod":200,"message":"Successful","correlationId":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"\}$`)

// later sends an inquiry in the asynchronous form, and returns the ID of its answer.
func (s *service) later(t *testing.T, body string, header ...string) string {
	t.Helper()
	a := s.inquire(t, asynchronous, body, header...)
	id := accepted.FindStringSubmatch(a.text)
	if a.StatusCode != 200 || id == nil || a.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", a.StatusCode, a.text)
	}

	return id[1]
}

func (s *service) fetch(t *testing.T, id string, header ...string) response {
	t.Helper()
	return s.ask(t, "GET", asynchronous+"?id="+id, "", header...)
}

func TestAnswersAreFetchedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.taxes.late = make(chan struct{})
		id := s.later(t, inquireAbout(knownCUI, unknownCUI), "x-api-key", goodKey)
		for range 2 {
			if a := s.fetch(t, id, "x-api-key", goodKey); a.StatusCode != 200 ||
				!strings.HasPrefix(a.text, `{"cod":202,"message":"`) {
				t.Errorf("not ready: %d %s", a.StatusCode, a.text)
			}
		}

		close(s.taxes.late)
		synctest.Wait()
		s.fetch(t, "other", "x-api-key", goodKey).refused(t, 404, "no answer with this id waits")

		want := `{"cod":200,"message":"SUCCESS","found":[` + sent(knownCUI, ro.Today()) + `],"notFound":[9900009990]}`
		if a := s.ask(t, "GET", "/AsynchWebService/api/v7/ws/tva?id="+id, ""); a.StatusCode != 200 || a.text != want ||
			a.Header.Get("Age") == "" || a.Header.Get("x-credits-cost") != "0" {
			t.Errorf("got %d %s %v", a.StatusCode, a.text, a.Header)
		}

		s.fetch(t, id, "x-api-key", goodKey).refused(t, 404, "fetched before")
		if charges := s.journal.Entries(); len(charges) != 1 || charges[0].Credits != 1 {
			t.Errorf("charged %+v", charges)
		}
		if s.Operations.answers.bytes != 0 || len(s.Operations.answers.kept) != 0 {
			t.Errorf("%d bytes of %d answers are kept", s.Operations.answers.bytes, len(s.Operations.answers.kept))
		}
	})
}

// Fetching an answer in which no company was found returns 200: the status describes the answer, not the companies.
func TestNothingFoundLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		id := s.later(t, inquireAbout(unknownCUI))
		synctest.Wait()
		if a := s.fetch(t, id); a.StatusCode != 200 ||
			a.text != `{"cod":200,"message":"SUCCESS","found":[],"notFound":[9900009990]}` {
			t.Errorf("%d %s", a.StatusCode, a.text)
		}
	})
}

func TestRefusalsAreNotDeferred(t *testing.T) {
	s := newService(t)
	s.inquire(t, asynchronous, inquireAbout(knownCUI), "x-api-key", "wrong").refused(t, 401, "is invalid")
	s.inquire(t, asynchronous, `[]`).refused(t, 400, "empty")
	s.ask(t, "GET", asynchronous, "").refused(t, 400, "?id=")
	for _, blank := range []string{"", "+", "%20%20", "%09", "%C2%A0"} {
		s.fetch(t, blank).refused(t, 400, "id is missing; send the correlationId of an inquiry as ?id=")
	}
	s.Stay = func() (func(), bool) { return nil, false }
	s.inquire(t, asynchronous, inquireAbout(knownCUI)).refused(t, 503, "restarting")
}

func TestFailureOfADeferredInquiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		s.taxes.down = &op.Failure{Registry: "anaf", Kind: op.Closed, Err: errors.New("the breaker is open")}
		id := s.later(t, inquireAbout(knownCUI))
		synctest.Wait()
		s.fetch(t, id).refused(t, 503, "tax authority")
	})
}

// A panic results in an error response, both for immediate and for deferred inquiries.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		x := &exchange{Handler: s.Handler, r: httptest.NewRequest("POST", asynchronous, nil)}
		a := x.deferredAnswer(&op.Reply{}, &rowCollector{rows: []*outcome{nil}})
		if a != nil {
			t.Errorf("got %v", a)
		}

		s.Gateway = nil
		s.fetch(t, "id").refused(t, 500, "logged under the id")
	})
}

func TestAnswersAreKeptForThreeDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a Answers
		for _, id := range []string{"fetched", "forgotten"} {
			testkit.NoError(t, a.reserve("caller", id, 1))
			a.fill(id, &answer{body: make([]byte, 10)}, nil)
		}

		<-time.After(keptFor)
		if got, err := a.fetch("fetched"); err != nil || got == nil {
			t.Errorf("after three days: %v, %v", got, err)
		}

		<-time.After(time.Second)
		if _, err := a.fetch("forgotten"); err == nil {
			t.Error("an answer is kept for longer than three days")
		}
		if err := a.reserve("caller", "new", 1); err != nil || len(a.kept) != 1 || a.bytes != estimatedRecord {
			t.Errorf("%v, %d answers, %d bytes", err, len(a.kept), a.bytes)
		}
	})
}

func TestAnswersAreBounded(t *testing.T) {
	var a Answers
	for i := range maxKeptPerCaller {
		testkit.NoError(t, a.reserve("caller", fmt.Sprint(i), 1))
	}

	if err := a.reserve("caller", "one more", 1); err == nil {
		t.Error("a caller may have any number of answers")
	}

	large := 0
	for a.reserve("greedy", fmt.Sprint("large", large), maxCompanies) == nil {
		large++
	}
	if large*maxCompanies*estimatedRecord > maxBytesPerCaller || large < 2 {
		t.Errorf("a caller may have %d of the largest answers", large)
	}

	for i := range maxKept {
		_ = a.reserve(i, fmt.Sprint("other", i), maxCompanies)
	}
	if a.bytes > maxBytes || a.bytes < maxBytes/2 {
		t.Errorf("%d bytes are still reserved", a.bytes)
	}

	a.fill("large0", nil, nil)
	before := a.bytes
	a.fill("unknown", nil, nil)
	if a.bytes != before {
		t.Error("an answer without a place takes some")
	}
}
