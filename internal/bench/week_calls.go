package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/upstream/upstreamtest"
)

// newWeekChecker returns a checker for days in which companies are refreshed and rates are looked up again.
func newWeekChecker(companies []upstreamtest.Company) *checker {
	return newChecker(companies, "retrievedAt", "cache", "asOf", "stale")
}

// learnSettled learns the answers once the gateway has the trade register, and they no longer change.
func (o *checker) learnSettled(ctx context.Context, server *server) error {
	if err := eventually(ctx, func() error {
		body, err := fetch(server.address, get(server.address, "/v1/releases"))
		if err == nil && !bytes.Contains(body, []byte(`"date"`)) {
			err = errors.New("there is no release of the trade register")
		}
		return err
	}); err != nil {
		return err
	}

	for range 10 {
		before := o.truth
		o.truth = make(map[string]*truth)
		if err := o.learn(ctx, server); err != nil {
			return err
		}
		if len(o.differences(before)) == 0 {
			return nil
		}
	}

	return errors.New("the answers do not settle")
}

// differences returns the paths with other answers.
func (o *checker) differences(answers map[string]*truth) (paths []string) {
	for path, t := range o.truth {
		if other := answers[path]; other == nil || !bytes.Equal(t.normal, other.normal) {
			paths = append(paths, path)
		}
	}

	return paths
}

// caller makes the calls that become due, some of them with the key of an account.
func (w *week) caller(ctx context.Context, number uint64, due <-chan time.Time) error {
	random := rand.New(rand.NewPCG(1, number))
	transport := &http.Transport{TLSClientConfig: w.client(w.now)}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: serverTimeout}
	for at := range due {
		payer, path := w.payerFor(random), w.workload.pick(random)
		if payer != nil {
			path = w.workload.companies[random.IntN(len(w.workload.companies))]
		}
		if err := w.call(ctx, client, payer, path, at); err != nil {
			return err
		}
		if random.IntN(20) == 0 { // the next call needs a new connection
			transport.CloseIdleConnections()
		}
	}

	return nil
}

// call makes a call, and repeats it if it is not answered.
func (w *week) call(ctx context.Context, client *http.Client, p *payer, path string, due time.Time) error {
	for tries := 1; ; tries++ {
		began := w.now()
		status, body, cost, err := w.get(ctx, client, p, path)
		if p != nil {
			p.note(began, w.now(), status, cost, err)
		}

		if err == nil {
			w.answered.Add(1)
			w.noteAnswer(path, p, status, body, began, time.Since(due))
			return nil
		}

		if ctx.Err() != nil {
			return nil
		}
		if tries >= w.tries {
			return fmt.Errorf("%s: after %d tries: %w", path, tries, err)
		}

		w.resent.Add(1)
		if pause(ctx, time.Duration(tries)*10*time.Millisecond) != nil {
			return nil
		}
	}
}

// get makes a request over TLS.
func (w *week) get(ctx context.Context, client *http.Client, p *payer, path string) (
	status int, body []byte, cost string, err error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { w.sent.Add(1) }}
	ctx = httptrace.WithClientTrace(context.WithoutCancel(ctx), trace)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+w.secure+path, nil)
	if err != nil {
		return 0, nil, "", err
	}
	if p != nil {
		r.Header.Set("X-Api-Key", p.key)
	}

	res, err := client.Do(r)
	if err != nil {
		if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
			w.refuse(err)
		}
		return 0, nil, "", err
	}
	defer res.Body.Close()

	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, res.Header.Get("X-Credits-Cost"), err
}

// probe makes a request without TLS, beside the calls.
func (w *week) probe(path string) ([]byte, error) {
	w.sent.Add(1)
	body, err := fetch(w.server.address, get(w.server.address, path))
	if err == nil {
		w.answered.Add(1)
	}

	return body, err
}

// noteAnswer checks an answer. Around the publication of a release, the answers of both releases are correct.
func (w *week) noteAnswer(path string, p *payer, status int, body []byte, began time.Time, latency time.Duration) {
	if status == http.StatusPaymentRequired && p == w.spender {
		w.latency.add(latency)
		return
	}

	right := began.Before(w.published.Add(releaseWithin)) && w.checker.right(path, body) ||
		!began.Before(w.published.Add(-time.Hour)) && w.after.right(path, body)
	w.note(path, status, body, right, latency)
	if status == http.StatusOK && strings.HasPrefix(path, "/v1/companies/") {
		w.refreshes.see(path, body, began)
	}
}

// load gives the gateway another configuration through the operators' endpoint. It does not use the command for this,
// because the command runs on the fast clock too and would give up within milliseconds. The reload also replaces the
// endpoint and may close the connection before the answer, so load tries again after an error.
func (w *week) load(ctx context.Context, config string) error {
	return eventually(ctx, func() error { return post(ctx, "http://"+w.admin+"/load", "text/caddyfile", config) })
}

// post sends a body. Any status other than 200 is an error.
func post(ctx context.Context, url, mediaType, body string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}

	r.Header.Set("Content-Type", mediaType)
	r.Close = true
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()

	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("answered %d: %s", res.StatusCode, text)
	}

	return err
}

// refreshes records when the gateway looked up each company, according to its answers.
type refreshes struct {
	mu     sync.Mutex
	looked map[string]map[string]bool // by path
	oldest time.Duration
	stale  int
}

var firstLook = regexp.MustCompile(`"retrievedAt":"([^"]*)"`)

func (r *refreshes) see(path string, body []byte, now time.Time) {
	found := firstLook.FindSubmatch(body)
	if found == nil {
		return
	}

	at, err := time.Parse(time.RFC3339Nano, string(found[1]))
	if err != nil {
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.looked == nil {
		r.looked = make(map[string]map[string]bool)
	}
	if r.looked[path] == nil {
		r.looked[path] = make(map[string]bool)
	}

	r.looked[path][string(found[1])] = true
	r.oldest = max(r.oldest, now.Sub(at))
	if bytes.Contains(body, []byte(`"stale":true`)) {
		r.stale++
	}
}

// fewest returns the number of look-ups of the company that was looked up least often.
func (r *refreshes) fewest() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.looked {
		if n == 0 || len(at) < n {
			n = len(at)
		}
	}

	return n
}
