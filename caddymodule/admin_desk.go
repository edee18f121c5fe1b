package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/account/auth"
	"github.com/rodata/rodata/billing"
	"github.com/rodata/rodata/billing/efactura"
)

// methods are what answers the methods of an address of the admin API: each with a
// value to be sent as JSON, or with nil when there is nothing to tell.
type methods map[string]func(*service, *http.Request) (any, error)

// desk answers at an address.
func (a *Admin) desk(m methods) caddy.AdminHandler {
	return caddy.AdminHandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		answer, ok := m[r.Method]
		if !ok {
			allow := strings.Join(slices.Sorted(maps.Keys(m)), ", ")
			w.Header().Set("Allow", allow)
			return caddy.APIError{HTTPStatus: http.StatusMethodNotAllowed, Err: fmt.Errorf("use %s", allow)}
		}
		return a.with(w, r, r.Method, func(s *service) error {
			told, err := answer(s, r)
			if err != nil {
				return refusal(err)
			}
			w.Header().Set("Cache-Control", "no-store")
			if told == nil {
				w.WriteHeader(http.StatusNoContent)
				return nil
			}
			w.Header().Set("Content-Type", "application/json")
			return json.NewEncoder(w).Encode(told)
		})
	})
}

// refusal is an error as the admin API sends it.
func refusal(err error) error {
	for _, known := range []struct {
		err    error
		status int
		advice string
	}{
		{account.ErrNoAccount, http.StatusNotFound, "there is no account of that id that is open; \"rodata accounts list\" shows all"},
		{account.ErrUnknownKey, http.StatusNotFound, "the account has no key of that id that is not revoked; \"rodata keys list\" shows them"},
		{account.ErrNoInquiry, http.StatusNotFound, "there is no message of that id; \"rodata contact list\" shows them"},
		{account.ErrTooManyKeys, http.StatusConflict, fmt.Sprintf("the account has %d keys, which is as many as it may have; revoke one first", account.MaxKeys)},
		{account.ErrEmailTaken, http.StatusConflict, "another account has this e-mail address"},
		{auth.ErrTooManyLinks, http.StatusConflict, ""},
		{account.ErrForeignHash, http.StatusBadRequest, ""},
		{account.ErrNoInvoice, http.StatusNotFound, "there is no invoice of that id or number; \"rodata invoices list\" shows all"},
		{efactura.ErrNotReopened, http.StatusConflict, ""},
		{billing.ErrNoEFactura, http.StatusConflict, ""},
		{billing.ErrMoved, http.StatusConflict, "somebody else has just had it go on"},
		{account.ErrStoreDown, http.StatusServiceUnavailable, ""},
	} {
		if errors.Is(err, known.err) {
			return caddy.APIError{HTTPStatus: known.status, Err: err, Message: known.advice}
		}
	}
	if already := (caddy.APIError{}); errors.As(err, &already) {
		return already
	}
	return caddy.APIError{HTTPStatus: http.StatusInternalServerError, Err: err}
}

// readBody reads the JSON object in a request to the admin API.
func readBody[T any](r *http.Request) (in T, err error) {
	dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return in, badRequest("reading the body: %w", err)
	}
	return in, nil
}

func badRequest(format string, args ...any) error {
	return caddy.APIError{HTTPStatus: http.StatusBadRequest, Err: fmt.Errorf(format, args...)}
}
