package rest

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/op"
)

type greeting struct {
	Text string `json:"text"`
}

// Render implements op.Renderer.
func (g greeting) Render(_ context.Context, media, baseURL string) (*op.Document, error) {
	return op.NewFile([]byte(media+" at "+baseURL+": "+g.Text), media, "greeting.pdf"), nil
}

func greetingHandler(t *testing.T) *Handler {
	t.Helper()
	o := newHandler(t).Options
	o.Operations = []*op.Operation{op.Define(op.Spec{
		Name: "get_greeting", Method: "GET", Path: "/v1/greeting",
		Alternates: []op.Alternate{{Type: "application/jwt"}, {Type: "application/pdf"}},
	}, func(context.Context, account.Caller, struct{}) (op.Answer[greeting], error) {
		g := greeting{"hello"}
		return op.Answer[greeting]{Value: g, Renderer: g}, nil
	})}
	return New(o)
}

func TestAlternatesAreChosenByAccept(t *testing.T) {
	h := greetingHandler(t)
	const json, jwt, pdf = "application/json", "application/jwt", "application/pdf"
	for accept, want := range map[string]string{
		"":                              json,
		"*/*":                           json,
		"application/*":                 json,
		"application/jwt":               jwt,
		"Application/JWT;charset=utf-8": jwt,
		"application/pdf, */*;q=0.1":    pdf,
		"application/pdf;q=0.1, */*":    json,
		"application/pdf;q=0.1, */*;q=0.5, application/json;q=0": pdf,
		"*/*, application/pdf":             pdf,
		"application/jwt;q=0.5, " + pdf:    pdf,
		"application/jwt, application/pdf": jwt,
		"application/jwt;q=0.1, " + json:   json,
		"text/html":                        json,
		"application/jwt;q=0":              json,
		";;;":                              json,
	} {
		t.Run(accept, func(t *testing.T) {
			r := newRequest("GET", "/v1/greeting", nil)
			if accept != "" {
				r.Header.Set("Accept", accept)
			}

			res := answer(h, r)
			body, _ := io.ReadAll(res.Body)
			wantBody := want + " at https://example.com: hello"
			if want == json {
				wantBody = `{"text":"hello"}`
			}
			if got := res.Header.Get("Content-Type"); got != want || string(body) != wantBody {
				t.Errorf("%s: %s", got, body)
			}
			if !slices.Contains(res.Header["Vary"], "Accept") ||
				!slices.Contains(res.Header["Vary"], "Authorization, X-Api-Key, Accept-Encoding") {
				t.Errorf("it varies by %q", res.Header["Vary"])
			}
		})
	}
}

func TestAlternatesHaveTagsOfTheirOwn(t *testing.T) {
	h := greetingHandler(t)
	tags := make(map[string]string)
	for _, media := range []string{"application/json", "application/jwt", "application/pdf"} {
		r := newRequest("GET", "/v1/greeting", nil)
		r.Header.Set("Accept", media)
		tags[media] = answer(h, r).Header.Get("Etag")
	}

	for media := range tags {
		for of, tag := range tags {
			r := newRequest("GET", "/v1/greeting", nil)
			r.Header.Set("Accept", media)
			r.Header.Set("If-None-Match", tag)
			want := http.StatusOK
			if of == media {
				want = http.StatusNotModified
			}

			if res := answer(h, r); tag == "" || res.StatusCode != want ||
				!slices.Contains(res.Header["Vary"], "Accept") {
				t.Errorf("%s with the tag %s of %s: %d, it varies by %q", media, tag, of, res.StatusCode,
					res.Header["Vary"])
			}
		}
	}
}

func TestAlternatesAreDescribed(t *testing.T) {
	text := string(greetingHandler(t).description.At("").JSON)
	for _, media := range []string{"application/json", "application/jwt", "application/pdf"} {
		if !strings.Contains(text, `"`+media+`":{"schema"`) {
			t.Errorf("%s is not described", media)
		}
	}
}
