package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/rodata/rodata/api/monitoring"
	"github.com/rodata/rodata/internal/web"
	"github.com/rodata/rodata/watch/store"
)

const (
	// answerTime is the time limit for a response. The specification recommends 15 to 30 seconds.
	answerTime = 20 * time.Second
	// maxAnswer is the maximum length of a response that is read to keep the connection reusable.
	maxAnswer = 64 << 10
	// shownAnswer is the maximum length of a failed response that the webhook's owner sees, in bytes.
	shownAnswer = 200
	// maxRetryAfter limits the delay that an endpoint can request.
	maxRetryAfter = 24 * time.Hour
)

// sender posts signed events to endpoints.
type sender struct {
	client http.Client
	agent  string
}

// newSender returns a sender with separate connections, without proxies and only to permitted addresses.
func newSender(endpoints web.Endpoints, agent string) *sender {
	return &sender{agent: agent, client: http.Client{
		Transport: &http.Transport{
			DialContext: endpoints.Dialer(answerTime / 2).DialContext, TLSHandshakeTimeout: answerTime / 2,
			ForceAttemptHTTP2: true, DisableCompression: true, MaxResponseHeaderBytes: maxAnswer,
			MaxIdleConns: 1_000, MaxIdleConnsPerHost: maxInFlight, IdleConnTimeout: 90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is an attempt with what is not stored of it.
type answer struct {
	store.Attempt
	detail string        // details of a failure, only for the operator's log
	wait   time.Duration // the least time until the next attempt
}

// failed returns an attempt that failed now.
func failed(reason string) answer {
	return answer{Attempt: store.Attempt{At: time.Now(), Failure: reason}}
}

// isGone reports whether the endpoint wants no more events.
func (a *answer) isGone() bool { return a.Status == http.StatusGone }

// throttles reports whether the endpoint wants fewer events.
func (a *answer) throttles() bool {
	return a.wait > 0 || a.Status == http.StatusTooManyRequests || a.Status == http.StatusBadGateway ||
		a.Status == http.StatusGatewayTimeout
}

// send posts a body once.
func (s *sender) send(ctx context.Context, url string, k keys, id string, body []byte) (a answer) {
	began := time.Now()
	defer func() { a.At, a.Duration, a.Delivered = began, time.Since(began), a.Failure == "" }()
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()

	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return failed("the URL cannot be called")
	}

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.agent)
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(began.Unix(), 10))
	r.Header.Set("Webhook-Signature", k.sign(id, began, body))

	response, err := s.client.Do(r)
	if err != nil {
		a = failed(whyUnanswered(err))
		if refused := (*web.Forbidden)(nil); errors.As(err, &refused) {
			a.detail = refused.Detail
		}
		return a
	}
	defer response.Body.Close()

	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))

	a.Status, a.wait = response.StatusCode, web.RetryAfter(response.Header, maxRetryAfter)
	switch {
	case response.StatusCode/100 == 3:
		a.Failure = fmt.Sprintf("it answered %d, a redirect, and redirects are not followed; change the URL to where "+
			"the endpoint is now", response.StatusCode)
	case a.isGone():
		a.Failure = "it answered 410: the endpoint is gone"
	case response.StatusCode/100 != 2:
		a.Failure = fmt.Sprintf("it answered %d", response.StatusCode)
		if shown := printable(text); shown != "" {
			a.Failure += ": " + shown
		}
	case err != nil && !errors.Is(err, io.EOF):
		a.Failure = "its answer broke off"
	}

	return a
}

// printable returns the start of a response on one line.
func printable(text []byte) string {
	line := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(string(text[:min(len(text), shownAnswer)]), " "))
	return strings.Join(strings.Fields(line), " ")
}

// whyUnanswered explains to the webhook's owner why a request had no response, without the URL and addresses of this
// machine.
func whyUnanswered(err error) string {
	var (
		refused     *web.Forbidden
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		timeout     interface{ Timeout() bool }
		record      tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &refused):
		return refused.Reason
	case errors.As(err, &name) && name.IsNotFound:
		return "its name does not resolve"
	case errors.As(err, &name):
		return "its name could not be resolved just now"
	case errors.As(err, &certificate):
		return "its certificate is not valid: " + certificate.Err.Error()
	case errors.As(err, &record):
		return "it does not speak TLS"
	case errors.Is(err, context.Canceled):
		return "the service was stopped during the request"
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("it did not answer within %.0f seconds", answerTime.Seconds())
	case errors.Is(err, syscall.ECONNREFUSED):
		return "it refused the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection without an answer"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "its address cannot be reached"
	}

	return "the connection failed"
}

// maxBody is the size limit of a body in bytes. The specification recommends less than 20 KB.
const maxBody = 20_000

// message is an event as sent.
type message struct {
	monitoring.Event
	Data messageData `json:"data"`
}

type messageData struct {
	monitoring.EventData
	// ChangesOmitted is the number of changes omitted to keep the message small. GET /v1/events returns all of them.
	ChangesOmitted int `json:"changesOmitted,omitempty"`
}

// bodyOf returns the body for an event. If it would be too large, the last changes are omitted.
func bodyOf(e monitoring.Event) ([]byte, error) {
	m := message{Event: e, Data: messageData{EventData: e.Data}}
	for {
		body, err := json.Marshal(&m)
		if n := len(m.Data.Changes); err != nil || len(body) < maxBody || n == 0 {
			return body, err
		}

		left := len(m.Data.Changes) / 2
		m.Data.ChangesOmitted += len(m.Data.Changes) - left
		m.Data.Changes = m.Data.Changes[:left]
	}
}
