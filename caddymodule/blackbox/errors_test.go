package blackbox

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit/long"
	"github.com/rodata/rodata/testkit/standin"
)

// inside matches internals of the program: source locations, types, messages of libraries and the system, memory
// addresses.
var inside = regexp.MustCompile(`\.go:[0-9]|goroutine|panic|runtime error|github\.com|golang|` +
	`\b(?:json|strconv|net|http|url|time|sql|api|anaf|bnr|onrc|cache|metering|caddyhttp|mcp|context|reflect|big|store)\.[A-Z][a-z]|` +
	`interface \{|map\[|<nil>|%!|0x[0-9a-f]{6}|dial tcp|\bEOF\b|connection re|broken pipe|deadline exceeded|context canceled|` +
	`sqlite|SQL|no such (?:file|table)|unmarshal|Unmarshal|invalid character|read tcp|tls:|x509|gobreaker|ristretto|/proc/|/usr/`)

// odd are values with a special meaning to some parsers, and none to ours.
var odd = []string{"", "x", "0", "-1", "1e400", "9900000010", "9900000011", "RO9900000029", "2026-02-30", "2026-06-10",
	"9999-99-99", "EUR", "xyz", "62", "6201",
	"%00", "%ff", "%2e%2e%2f", "..", "a%20b", "{{7*7}}", "${jndi}", "'%20or%201=1--", "%3Cscript%3E",
	"%F0%9F%92%A9", "ș",
	"[]", "[0]", "null", "true",
	strings.Repeat("9", 40), strings.Repeat("x", 600), strings.Repeat("%25", 300)}

// oddRequests generates mostly meaningless requests.
type oddRequests struct {
	*rand.Rand
	companies []string
}

func (o oddRequests) of(choices ...string) string { return choices[o.IntN(len(choices))] }

func (o oddRequests) path() string {
	path := o.of("/v1/companies/"+o.of(odd...), "/v1/companies/"+o.of(odd...), o.of(o.companies...),
		o.of(o.companies...),
		"/v1/companies", "/v1/companies/suggest",
		"/v1/caen-codes", "/v1/caen-codes/"+o.of(odd...), "/v1/counties", "/v1/cities", "/v1/fx-rates",
		"/v1/fx-rates/history", "/v1/fx-rates/convert",
		"/v1/plans", "/v1/status", "/v1/status/history", "/v1/usage", "/v1/usage/daily", "/v1/keys",
		"/v1/keys/"+o.of(odd...),
		"/v1/contact", "/v1/invoices",
		"/v1/invoices/"+o.of(odd...)+"/pdf", "/v1/billing/"+o.of("checkout", "portal", "webhook", "x"), "/health",
		"/openapi.json", "/problems/"+o.of(odd...),
		"/mcp", "/mcp/x", "/"+o.of(odd...), "//v1//plans", "/v1/"+o.of(odd...),
		"/api/auth/"+o.of("sign-in/email", "get-session", "x"), "/oauth/"+o.of("token", "x"))
	sign := "?"
	for range o.IntN(4) {
		path += sign + o.of("q", "date", "from", "to", "currency", "amount", "include", "limit", "offset",
			"county", "days",
			"sortBy", "years", "basis", "key", o.of(odd...)) + "=" + o.of(o.of(odd...), o.of(odd...), "%", "%zz")
		sign = o.of("&", "&", ";")
	}

	return path
}

func (o oddRequests) body() string {
	return o.of("", "", "{}", "[]", "null", "{", `{"name":1}`, `{"name":"`+strings.Repeat("x", 70<<10)+`"}`,
		strings.Repeat("[", 20_000), "\x00\xff",
		`{"plan":"pro"}`, `{"name":"x","name":"y"}`, `{"email":"ana@example.ro","password":""}`, "name=x&plan=pro",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":`+
			o.of(`"x"`, "1e99",
				"{}", "null", "[[]]")+`}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"`+o.of("tools/call", "resources/read", "prompts/get", "x")+
			`","params":`+o.of("{}",
			"[]", "1", `{"uri":"x"}`)+`}`)
}

// request is a request whose address is sent unchanged.
func (o oddRequests) request(host string) *http.Request {
	method := o.of("GET", "GET", "GET", "GET", "GET", "GET", "POST", "POST", "POST",
		o.of("PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "FOO"))
	r := &http.Request{
		Method: method, URL: &url.URL{Scheme: "http", Host: host, Opaque: o.path()}, Header: http.Header{}, Host: host,
	}
	if strings.HasPrefix(r.URL.Opaque, "//") { // it would be parsed as a host
		r.URL.Opaque = "/." + r.URL.Opaque
	}
	if method != "GET" && method != "HEAD" {
		body := o.body()
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}

	for name, values := range map[string][]string{
		"Content-Type": {"application/json", "application/json", "text/plain",
			"application/json; charset=x", "\xff"},
		"Accept":           {"application/json, text/event-stream", "*/*", "image/png"},
		"Authorization":    {"Bearer x", "Basic eDp5", "Bearer rodata_live_0123456789", "\xff"},
		"Content-Encoding": {"gzip", "br"}, "Origin": {"https://evil.example", "null"},
		"If-None-Match": {`"x`, "*", "W/"}, "Range": {"bytes=0-1", "bytes=9-1"}, "X-Request-Id": {"a b", "id"},
		"X-Forwarded-For": {"x", "1.2.3.4"}, "Mcp-Session-Id": {"x"},
		"Cookie": {"better-auth.session_token=x", ";;="}, "Mcp-Protocol-Version": {"x"},
		"Stripe-Signature": {"t=1,v1=x"},
		"Accept-Encoding":  {"gzip"},
	} {
		if o.IntN(4) == 0 {
			r.Header.Set(name, o.of(values...))
		}
	}

	return r
}

// badDays are the tax authority's faults, in turn.
var badDays = []standin.Fault{{}, standin.Reset, standin.WAF, standin.Garbage,
	standin.Delay(200 * time.Millisecond), standin.Truncate,
	standin.ErrorEnvelope, standin.Redirect, standin.Status(500, 0),
	standin.Delay(200 * time.Millisecond), standin.Status(429, time.Second)}

// TestErrorsTellNothingOfTheInsideLong sends ten thousand requests, or 500 in a normal run, most of which fail in some
// way, while the tax authority fails too. Every error is a problem, without paths, hosts, types or libraries.
func TestErrorsTellNothingOfTheInsideLong(t *testing.T) {
	g := start(t, func(g *gateway) {
		g.app()["anonymous"] = object{"per_second": 1_000_000, "burst": 1_000_000}
		g.upstream("anaf")["timeout"] = "50ms"
		g.upstream("anaf")["breaker"] = object{"failures": 1000}
		g.app()["cache"] = object{"companies": object{"fresh": "1us", "revalidate": "1us", "stale": "1us",
			"unknown": "1us"}}
	})
	requests, expected := 500, []int{400, 404}
	if long.Full(t) {
		requests, expected = 10_000, []int{400, 401, 403, 404, 405, 415, 502, 503, 504}
	}

	const callers = 8
	secrets := []string{
		os.Getenv("RODATA_DATA_DIR"), g.registries.ANAF.URL[7:], g.registries.BNR.URL[7:], g.registries.ONRC.URL[7:],
	}
	seed := rand.Uint64()
	t.Log("seed ", seed)
	var calling sync.WaitGroup
	var statuses [600]atomic.Int64
	for caller := range callers {
		calling.Go(func() {
			o := oddRequests{rand.New(rand.NewPCG(seed, uint64(caller))), companies(t)}
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: 20 * time.Second,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			defer client.CloseIdleConnections()
			for i := range requests / callers {
				if each := requests / 500; caller == 0 && i%each == 0 {
					g.registries.ANAF.Always(badDays[i/each%len(badDays)])
				}

				r := o.request(strings.TrimPrefix(g.url, "http://"))
				status, wrong := sendOdd(client, r, secrets)
				if wrong != "" {
					t.Errorf("%s %s: %d: %s", r.Method, r.URL.Opaque, status, wrong)
				}

				statuses[status].Add(1)
			}
		})
	}

	calling.Wait()
	for _, status := range expected {
		n := statuses[status].Load()
		t.Logf("%d requests were answered with %d", n, status)
		if n == 0 {
			t.Errorf("no request was answered with %d", status)
		}
	}
}

// sendOdd sends a request and returns the defect of its answer. The status is 0 if there is none, which is correct for
// a header that the client does not send.
func sendOdd(client *http.Client, r *http.Request, secrets []string) (status int, wrong string) {
	res, err := client.Do(r)
	if err != nil && strings.Contains(err.Error(), "invalid header") {
		return 0, ""
	}
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()

	body, err := io.ReadAll(res.Body)
	if err != nil {
		return res.StatusCode, err.Error()
	}

	return res.StatusCode, refusal(r, res, body, secrets)
}

// refusal returns the defect of an error answer, or empty.
func refusal(r *http.Request, res *http.Response, body []byte, secrets []string) string {
	if res.StatusCode < 400 {
		return ""
	}
	if found := inside.Find(body); found != nil {
		return fmt.Sprintf("it tells %q: %s", found, body)
	}

	for _, secret := range secrets {
		if strings.Contains(string(body), secret) {
			return "it tells " + secret
		}
	}
	// These two use other protocols.
	if r.Method == http.MethodHead || strings.HasPrefix(r.URL.Opaque, "/mcp") ||
		strings.HasPrefix(r.URL.Opaque, "/api/auth") {
		return ""
	}

	var p struct {
		Type, Title, Detail string
		Status              int
	}
	if err := json.Unmarshal(body, &p); err != nil || res.Header.Get("Content-Type") != "application/problem+json" ||
		p.Status != res.StatusCode || p.Type == "" || p.Title == "" || p.Detail == "" {
		return fmt.Sprintf("it is no problem, but %s: %s", res.Header.Get("Content-Type"), body)
	}

	return ""
}
