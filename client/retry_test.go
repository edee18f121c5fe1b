package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// script is a transport that returns one answer after the other: a status, with the Retry-After header after a space.
type script []string

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	code, wait, _ := strings.Cut((*s)[0], " ")
	*s = (*s)[1:]
	status, err := strconv.Atoi(code)
	if err != nil {
		return nil, err
	}

	res := &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {problemType}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"code": "rate-limited", "status": ` + code + `}`)),
	}
	if status == http.StatusOK {
		res.Header.Set("Content-Type", jsonType)
	}
	if wait != "" {
		res.Header.Set("Retry-After", wait)
	}

	return res, nil
}

// A call that fails temporarily is retried after the gateway's Retry-After, within the caller's limits.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		within  time.Duration // of the context
		retries int
		took    time.Duration
		unasked int // answers
		status  int // of the error; 0 for success
	}{
		"limited":           {answers: []string{"429 2", "200"}, took: 2 * time.Second},
		"unavailable twice": {answers: []string{"503 1", "503 3", "200"}, took: 4 * time.Second},
		"a date": {answers: []string{"503 Sat, 01 Jan 2000 00:00:07 GMT", "200"},
			took: 7 * time.Second},
		"at once":         {answers: []string{"429 0", "503 0", "200"}},
		"a past date":     {answers: []string{"429 Fri, 31 Dec 1999 00:00:00 GMT", "200"}},
		"no advice":       {answers: []string{"503", "200"}, unasked: 1, status: 503},
		"another status":  {answers: []string{"502 1", "200"}, unasked: 1, status: 502},
		"too long a wait": {answers: []string{"429 31", "200"}, unasked: 1, status: 429},
		"longer than the context lasts": {answers: []string{"429 5", "200"}, within: 4 * time.Second, unasked: 1,
			status: 429},
		"again and again": {answers: []string{"429 1", "429 1", "429 1", "429 1", "200"}, took: 3 * time.Second,
			unasked: 1, status: 429},
		"no retries": {answers: []string{"429 1", "200"}, retries: -1, unasked: 1, status: 429},
		"more retries": {answers: []string{"429 1", "429 1", "429 1", "429 1", "200"}, retries: 4,
			took: 4 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := script(c.answers)
				gateway, err := New(Options{URL: "http://gateway.example",
					HTTPClient: &http.Client{Transport: &answers}, Retries: c.retries})
				testkit.NoError(t, err)

				ctx := t.Context()
				if c.within > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.within)
					defer cancel()
				}

				start := time.Now()
				_, err = gateway.Usage(ctx)
				status := 0
				if p := (*Problem)(nil); errors.As(err, &p) {
					status = p.Status
				}
				if status != c.status || c.status == 0 && err != nil || time.Since(start) != c.took ||
					len(answers) != c.unasked {
					t.Errorf("got %v after %s, %d answers were not requested", err, time.Since(start), len(answers))
				}
			})
		})
	}
}

// A wait ends with the context.
func TestRetryIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := script{"429 20", "200"}
		gateway, err := New(Options{URL: "http://gateway.example", HTTPClient: &http.Client{Transport: &answers}})
		testkit.NoError(t, err)

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := gateway.Usage(ctx); err == nil || time.Since(start) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}
