package problem

import (
	"net/http"
	"testing"
	"time"
)

func TestProblemIsEncodedInTheOrderOfRFC9457(t *testing.T) {
	extended := &Problem{Kind: NotFound, Code: "GONE", Detail: "a < b", Extensions: struct {
		Message string `json:"message"`
	}{"m"}}
	for want, p := range map[string]*Problem{
		`{"type":"https://rodata.example/problems/not-found","title":"Not found","status":404,"detail":"nothing","code":"not-found"}`:                 NotFound.New("%s", "nothing"),
		`{"type":"https://rodata.example/problems/not-found","title":"Not found","status":404,"detail":"a < b","code":"GONE","message":"m"}`:          extended,
		`{"type":"https://rodata.example/problems/internal","title":"Internal error","status":500,"detail":"logged","code":"internal","id":"ABCDEF"}`: {Kind: Internal, Detail: "logged", ID: "ABCDEF"},
		`{"type":"https://rodata.example/problems/unauthorized","title":"Unauthorized","status":401,"detail":"no ` +
			`key; keys are created at ` +
			`https://rodata.example/dashboard/keys","code":"unauthorized"}`: Unauthorized.New("no key"),
	} {
		if got := string(p.JSON("https://rodata.example")); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestRetrySecondsAreRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]int{-time.Second: 0, 0: 0, time.Millisecond: 1, time.Second: 1,
		1001 * time.Millisecond: 2} {
		if got := (&Problem{Kind: RateLimited, RetryAfter: wait}).RetrySeconds(); got != want {
			t.Errorf("%s: %d seconds, want %d", wait, got, want)
		}
	}
}

func TestEveryStatusHasAKind(t *testing.T) {
	for status, slug := range map[int]string{
		http.StatusBadRequest: "invalid-request", http.StatusForbidden: "forbidden", http.StatusNotFound: "not-found",
		// There are kinds with these statuses, but they have subjects: credits, Idempotency-Keys, cursors, addresses.
		http.StatusPaymentRequired: "invalid-request", http.StatusConflict: "invalid-request",
		http.StatusGone: "invalid-request", http.StatusUnprocessableEntity: "invalid-request",
		http.StatusTeapot: "invalid-request", http.StatusInsufficientStorage: "internal",
	} {
		k := ForStatus(status)
		if k.Slug != slug || k.Status != status || k.Title == "" || k.Meaning == "" {
			t.Errorf("%d: %+v", status, k)
		}
	}
}
