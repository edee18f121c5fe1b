package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// maxBody is the maximum size of an answer read into memory, in bytes.
const maxBody = 64 << 20

// minUploadRate is the minimum speed of an upload, in bytes per second.
const minUploadRate = 64 << 10

// The media types of answers.
const (
	jsonType   = "application/json"
	ndjsonType = "application/x-ndjson"
)

// request is one call before it is sent.
type request struct {
	method, path string
	query        url.Values
	body         []byte
	bodyType     string
	accept       string // default JSON
	idempotency  string // the Idempotency-Key; empty for none
}

// Get decodes the answer of any GET operation, for operations without a method in this package. Path begins with /v1,
// its segments escaped; into may be a *json.RawMessage.
func (c *Client) Get(ctx context.Context, path string, query url.Values, into any) error {
	return c.call(ctx, request{method: http.MethodGet, path: path, query: query}, into)
}

// get decodes the answer of a GET operation into a new value.
func get[T any](ctx context.Context, c *Client, path string, p params) (*T, error) {
	into := new(T)
	return into, c.Get(ctx, path, p.values(), into)
}

// params are the parameters of a query. Those that are empty, zero or nil are not sent.
type params map[string]any

func (p params) values() url.Values {
	query := make(url.Values)
	for name, value := range p {
		if v := reflect.ValueOf(value); !v.IsZero() {
			query.Set(name, fmt.Sprint(reflect.Indirect(v).Interface()))
		}
	}

	return query
}

// list returns the value of a parameter with several texts.
func list[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return strings.Join(texts, ",")
}

// call sends a request with retries, and decodes the answer unless into is nil.
func (c *Client) call(ctx context.Context, r request, into any) error {
	return c.withRetries(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, c.Timeout+time.Duration(len(r.body)/minUploadRate)*time.Second)
		defer cancel()
		res, err := c.exchange(ctx, r)
		if err != nil {
			return err
		}
		defer res.Body.Close()

		if into == nil || res.StatusCode == http.StatusNoContent {
			return nil
		}

		return decode(res, into)
	})
}

// exchange makes one attempt. It returns an error for an answer without a 2xx status.
func (c *Client) exchange(ctx context.Context, r request) (*http.Response, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}

	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}

	c.writeHeader(req.Header, r)
	res, err := c.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		defer res.Body.Close()
		return nil, refusalOf(res)
	}

	return res, nil
}

func (c *Client) writeHeader(h http.Header, r request) {
	h.Set("User-Agent", c.UserAgent)
	h.Set("Accept", cmp.Or(r.accept, jsonType))
	if c.Key != "" {
		h.Set("Authorization", "Bearer "+c.Key)
	}
	if r.bodyType != "" {
		h.Set("Content-Type", r.bodyType)
	}
	if r.idempotency != "" {
		h.Set("Idempotency-Key", r.idempotency)
	}
}

// decode reads a JSON answer.
func decode(res *http.Response, into any) error {
	if !isOf(res, jsonType) {
		return unexpectedAnswer(res)
	}

	text, err := readBody(res)
	if err != nil {
		return err
	}

	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", res.Request.URL.Redacted(), err)
	}

	return nil
}

// readBody reads a whole answer.
func readBody(res *http.Response) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer of %s: %w", res.Request.URL.Redacted(), err)
	case len(text) > maxBody:
		return nil, fmt.Errorf("the answer of %s is larger than %d bytes", res.Request.URL.Redacted(), maxBody)
	}

	return text, nil
}

// isOf reports whether an answer is of a media type.
func isOf(res *http.Response, media string) bool {
	got, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return err == nil && strings.EqualFold(got, media)
}

// UnexpectedAnswer is an answer that does not come from a rodata gateway: the URL leads to another server, or a proxy
// answered instead.
type UnexpectedAnswer struct {
	// URL is the requested address.
	URL string
	// Status is the HTTP status, and ContentType the media type of the answer; empty for none.
	Status      int
	ContentType string
	// Location is the target of a redirect, which was not followed; empty for none.
	Location string

	retryAfter retryHint
}

func unexpectedAnswer(res *http.Response) error {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	u := &UnexpectedAnswer{
		URL: res.Request.URL.Redacted(), Status: res.StatusCode, ContentType: media, retryAfter: retryAfter(res.Header),
	}
	if target, err := res.Location(); err == nil && res.StatusCode/100 == 3 {
		u.Location = target.Redacted()
	}
	return u
}

func (u *UnexpectedAnswer) Error() string {
	if u.Location != "" {
		return fmt.Sprintf("%s redirects to %s; give the address of the gateway there if you trust it", u.URL, u.Location)
	}
	kind := cmp.Or(u.ContentType, "without a media type")
	return fmt.Sprintf("%s answers %d (%s), which is not an answer of a rodata gateway", u.URL, u.Status, kind)
}

// refusalOf returns the error for an answer without a 2xx status.
func refusalOf(res *http.Response) error {
	if !isOf(res, problemType) {
		return unexpectedAnswer(res)
	}

	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	p := new(Problem)
	if err := errors.Join(err, json.Unmarshal(text, p)); err != nil || p.Code == "" {
		return unexpectedAnswer(res)
	}

	p.retryAfter = retryAfter(res.Header)
	p.RetryAfter = p.retryAfter.wait
	return p
}
