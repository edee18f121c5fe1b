package adminapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestNotReadyWhileShuttingDown(t *testing.T) {
	_, err := ready(func() bool { return true })(gateway{}, httptest.NewRequest("GET", "/readyz", nil))
	answer, ok := errors.AsType[caddy.APIError](err)
	if !ok || answer.HTTPStatus != http.StatusServiceUnavailable || !strings.Contains(answer.Message, "shutting down") {
		t.Errorf("got %v", err)
	}
}
