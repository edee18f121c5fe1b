package adminapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/api/customer"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
	billingstore "github.com/rodata/rodata/billing/store"
	"github.com/rodata/rodata/service"
)

// handler answers a request with a value to be sent as JSON, or nil for 204.
type handler = func(gateway, *http.Request) (any, error)

// methods are the handlers of a route by HTTP method.
type methods map[string]handler

// handler returns the handler of a route.
func (m methods) handler() caddy.AdminHandler {
	return caddy.AdminHandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		handle, ok := m[r.Method]
		if !ok {
			allow := strings.Join(slices.Sorted(maps.Keys(m)), ", ")
			w.Header().Set("Allow", allow)
			return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("use %s", allow)}
		}

		s := service.Enter()
		if s == nil {
			return caddy.APIError{HTTPStatus: http.StatusServiceUnavailable, Err: errors.New("no gateway is running; try again in a moment")}
		}
		defer s.Leave()

		answer, err := handle(gateway{s}, r)
		if err != nil {
			return apiError(err)
		}

		w.Header().Set("Cache-Control", "no-store")
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}

		w.Header().Set("Content-Type", "application/json")
		return json.NewEncoder(w).Encode(answer)
	})
}

// limit parses the parameter limit, the maximum number of items to list: 1 to most, which is the default.
func limit(r *http.Request, most int, things string) (int, error) {
	n, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("limit"), strconv.Itoa(most)))
	if err != nil || n < 1 || n > most {
		return 0, badRequest("limit: a request lists 1 to %d %s", most, things)
	}
	return n, nil
}

// convertAll converts the listed items for the answer.
func convertAll[S, T any](listed []S, convert func(S) T) []T {
	all := make([]T, len(listed))
	for i := range listed {
		all[i] = convert(listed[i])
	}
	return all
}

// apiError adds to an error its HTTP status and, if there is any, advice.
func apiError(err error) error {
	for _, known := range []struct {
		err    error
		status int
		advice string
	}{
		{account.ErrNoAccount, http.StatusNotFound,
			"there is no open account with that id; \"rodata accounts list\" shows all"},
		{account.ErrUnknownKey, http.StatusNotFound,
			"the account has no active key with that id; \"rodata keys list\" shows them"},
		{account.ErrNoInquiry, http.StatusNotFound,
			"there is no message with that id; \"rodata contact list\" shows them"},
		{account.ErrTooManyKeys, http.StatusConflict,
			fmt.Sprintf("the account has %d keys, the maximum; revoke one first", account.MaxKeys)},
		{account.ErrEmailTaken, http.StatusConflict, "another account has this e-mail address"},
		{auth.ErrTooManyLinks, http.StatusConflict, ""},
		{account.ErrForeignHash, http.StatusBadRequest, ""},
		{customer.ErrNoInvoice, http.StatusNotFound,
			"there is no invoice with that id or number; \"rodata invoices list\" shows all"},
		{efactura.ErrNotReopened, http.StatusConflict, ""},
		{billing.ErrNoEFactura, http.StatusConflict, ""},
		{billingstore.ErrConflict, http.StatusConflict, "another process has just continued it"},
		{account.ErrStoreDown, http.StatusServiceUnavailable, ""},
	} {
		if errors.Is(err, known.err) {
			return caddy.APIError{HTTPStatus: known.status, Err: err, Message: known.advice}
		}
	}

	if complete, ok := errors.AsType[caddy.APIError](err); ok {
		return complete
	}
	return caddy.APIError{HTTPStatus: http.StatusInternalServerError, Err: err}
}

// maxBody is the maximum size of a body, in bytes.
const maxBody = 64 << 10

// withBody returns a handler of requests with a body: a JSON object that has only the fields of T.
func withBody[T any](handle func(gateway, *http.Request, T) (any, error)) handler {
	return func(g gateway, r *http.Request) (any, error) {
		var in T
		dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&in); err != nil {
			return nil, badRequest("reading the body: %w", err)
		}

		return handle(g, r, in)
	}
}

func badRequest(format string, args ...any) error {
	return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf(format, args...)}
}
