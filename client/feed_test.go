package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rodata/rodata/testkit"
)

// feed is a transport that serves numbered events, at most two per page or stream.
type feed struct {
	events int
	asked  []string // cursors
	fails  map[int]error
}

func (f *feed) RoundTrip(r *http.Request) (*http.Response, error) {
	after := r.URL.Query().Get("after")
	f.asked = append(f.asked, after)
	if err := f.fails[len(f.asked)]; err != nil {
		return nil, err
	}

	first := 0
	_, _ = fmt.Sscan(after, &first)
	var events []string
	for n := first + 1; n <= min(first+2, f.events); n++ {
		events = append(events, fmt.Sprintf(`{"id":"evt_%d","cursor":"%d","data":{}}`, n, n))
	}

	media, body := ndjsonType, strings.Join(events, "\n")+"\n"
	if r.Header.Get("Accept") == jsonType {
		last := first + len(events)
		media, body = jsonType, fmt.Sprintf(`{"items":[%s],"nextCursor":"%d","hasMore":%t}`, strings.Join(events, ","),
			last, last < f.events)
	}

	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {media}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (f *feed) client(t *testing.T) *Client {
	t.Helper()
	c, err := New(Options{URL: "http://gateway.example", HTTPClient: &http.Client{Transport: f}})
	testkit.NoError(t, err)

	return c
}

func TestEvents(t *testing.T) {
	f := &feed{events: 5}
	var got []string
	for event, err := range f.client(t).Events(t.Context(), EventQuery{}) {
		testkit.NoError(t, err)
		got = append(got, event.ID)
	}

	if fmt.Sprint(got, f.asked) != "[evt_1 evt_2 evt_3 evt_4 evt_5] [ 2 4]" {
		t.Errorf("got %v after %v", got, f.asked)
	}
}

// A follower misses nothing and gets no duplicates when its streams end or break.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &feed{events: 5, fails: map[int]error{2: io.ErrUnexpectedEOF, 3: errors.New("connection refused")}}
		var got []string
		start := time.Now()
		for event, err := range f.client(t).Follow(t.Context(), EventQuery{}) {
			testkit.NoError(t, err)
			if got = append(got, event.ID); len(got) == 5 {
				break
			}
		}

		if fmt.Sprint(got, f.asked) != "[evt_1 evt_2 evt_3 evt_4 evt_5] [ 2 2 2 4]" {
			t.Errorf("got %v after %v", got, f.asked)
		}
		if took := time.Since(start); took != 8*time.Second { // 1, 2 and 4 seconds, and 1 after a stream that worked
			t.Errorf("took %s", took)
		}
	})
}

// A gateway that is unreachable from the start is an error immediately.
func TestFollowUnreachableGateway(t *testing.T) {
	f := &feed{fails: map[int]error{1: errors.New("connection refused")}}
	for _, err := range f.client(t).Follow(t.Context(), EventQuery{}) {
		if err == nil {
			t.Error("got an event")
		}
	}

	if len(f.asked) != 1 {
		t.Errorf("asked %d times", len(f.asked))
	}
}

func TestFollowUntilCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f := &feed{events: 1}
		last := error(nil)
		for _, err := range f.client(t).Follow(ctx, EventQuery{}) {
			last = err
		}
		if !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("got %v", last)
		}
	})
}

// silent is a transport whose stream begins, and then sends nothing.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
	go func() { _, _ = io.Copy(w, bytes.NewReader([]byte("{\"index\":0,\"status\":404}\n"))) }()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {ndjsonType}}, Body: body, Request: r},
		nil
}

// A stream that is silent for too long ends: the connection may have died unnoticed.
func TestSilentStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Options{URL: "http://gateway.example", HTTPClient: &http.Client{Transport: silent{}}})
		testkit.NoError(t, err)

		start, last := time.Now(), error(nil)
		for _, err := range c.Batch(t.Context(), Batch{}) {
			last = err
		}
		if !errors.Is(last, ErrSilent) || time.Since(start) != defaultTimeout {
			t.Errorf("got %v after %s", last, time.Since(start))
		}
	})
}
