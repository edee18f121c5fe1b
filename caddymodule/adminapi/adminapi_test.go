package adminapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/service"
)

func TestNotReadyWhileShuttingDown(t *testing.T) {
	for exiting, want := range map[bool]string{false: "", true: "shutting down"} {
		g := &Gateway{
			Controls: &service.Controls{Ready: func(context.Context) error { return nil }},
			Exiting:  func() bool { return exiting },
		}
		enter := func() (*Gateway, func()) { return g, func() {} }
		err := methods{"GET": ready}.handler(enter).ServeHTTP(httptest.NewRecorder(),
			httptest.NewRequest("GET", "/readyz", nil))

		var answer caddy.APIError
		if (err != nil) != exiting || exiting &&
			(!errors.As(err, &answer) || answer.HTTPStatus != http.StatusServiceUnavailable ||
				!strings.Contains(answer.Message, want)) {
			t.Errorf("exiting %t: got %v", exiting, err)
		}
	}
}
