// Package stripeserver is a stand-in for the part of Stripe that billing uses; it keeps state and signs events.
package stripeserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Key is the API key that the stand-in accepts, and Secret signs its events.
const (
	Key    = "sk_test_rodata"
	Secret = "whsec_rodata_test"
)

// object is a Stripe object, as sent.
type object = map[string]any

// Stripe is a running stand-in. It is safe for concurrent use.
type Stripe struct {
	// URL is its address.
	URL string

	mu      sync.Mutex
	last    int                 // number of the last id
	objects map[string][]object // by kind, in the order of creation
	keys    map[string]string   // ids by idempotency key
	down    bool
	calls   []string
}

// Start starts a stand-in on a loopback port for the duration of the test.
func Start(t testing.TB) *Stripe {
	s := &Stripe{objects: make(map[string][]object), keys: make(map[string]string)}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(server.Close)
	return s
}

// Down makes every call fail from now on, or restores service.
func (s *Stripe) Down(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// Calls returns the calls so far, as "POST /v1/customers".
func (s *Stripe) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// ServeHTTP responds like Stripe.
func (s *Stripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	if s.down {
		refuse(w, http.StatusServiceUnavailable, "it is down")
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		refuse(w, http.StatusUnauthorized, "the key is not known")
		return
	}
	if err := r.ParseForm(); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}

	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	answer, err := s.answer(r, parts)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if answer == nil {
		refuse(w, http.StatusNotFound, "there is no such object")
		return
	}

	json.NewEncoder(w).Encode(answer)
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(object{"error": object{"type": "invalid_request_error", "message": message}})
}

var errUnknown = errors.New("the stand-in does not know this call")

func (s *Stripe) answer(r *http.Request, parts []string) (object, error) {
	kind := parts[0]
	if kind == "checkout" || kind == "billing_portal" {
		kind, parts = parts[0]+"/"+parts[1], parts[1:]
	}

	switch {
	case r.Method == http.MethodPost && len(parts) == 1:
		return s.createOnce(r, kind)
	case r.Method == http.MethodGet && len(parts) == 1:
		return s.list(kind, r.Form), nil
	case r.Method == http.MethodGet && len(parts) == 2:
		return s.find(kind, parts[1]), nil
	case r.Method == http.MethodDelete && kind == "subscriptions":
		return s.set(kind, parts[1], "status", "canceled"), nil
	case r.Method == http.MethodPost && len(parts) == 3 && parts[2] == "expire":
		if o := s.find(kind, parts[1]); o == nil || o["status"] != "open" {
			return nil, errors.New("only open sessions can be expired")
		}
		return s.set(kind, parts[1], "status", "expired"), nil
	}

	return nil, errUnknown
}

// createOnce creates an object, or returns the one created under the same idempotency key.
func (s *Stripe) createOnce(r *http.Request, kind string) (object, error) {
	key := r.Header.Get("Idempotency-Key")
	if id := s.keys[key]; id != "" {
		return s.find(kind, id), nil
	}

	o, err := s.create(kind, r.Form)
	if err == nil {
		s.keys[key] = o["id"].(string)
	}

	return o, err
}

func (s *Stripe) create(kind string, form url.Values) (object, error) {
	switch kind {
	case "customers":
		return s.add(kind, "cus", object{"email": form.Get("email"),
			"metadata": object{"account": form.Get("metadata[account]")}}), nil
	case "checkout/sessions":
		o := s.add(kind, "cs", object{
			"status": "open", "customer": form.Get("customer"), "price": form.Get("line_items[0][price]"),
			"metadata": object{"account": form.Get("metadata[account]"), "plan": form.Get("metadata[plan]")},
		})
		o["url"] = "https://checkout.stripe.example/" + o["id"].(string)
		return o, nil
	case "billing_portal/sessions":
		o := s.add(kind, "bps", object{"customer": form.Get("customer")})
		o["url"] = "https://billing.stripe.example/" + form.Get("customer") + "/" + form.Get("flow_data[type]")
		return o, nil
	}

	return nil, errUnknown
}

func (s *Stripe) add(kind, prefix string, o object) object {
	s.last++
	o["id"], o["object"] = fmt.Sprintf("%s_%06d", prefix, s.last), kind
	o["created"] = time.Now().Unix() + int64(s.last)
	s.objects[kind] = append(s.objects[kind], o)
	return o
}

func (s *Stripe) find(kind, id string) object {
	for _, o := range s.objects[kind] {
		if o["id"] == id {
			return o
		}
	}

	return nil
}

func (s *Stripe) set(kind, id, field string, value any) object {
	o := s.find(kind, id)
	if o != nil {
		o[field] = value
	}
	return o
}

// list returns the objects that match the conditions, the newest first.
func (s *Stripe) list(kind string, conditions url.Values) object {
	found := []object{}
	for _, o := range slices.Backward(s.objects[kind]) {
		if matches(o, conditions) {
			found = append(found, o)
		}
	}

	return object{"object": "list", "has_more": false, "data": found, "url": "/v1/" + kind}
}

func matches(o object, conditions url.Values) bool {
	for _, name := range []string{"customer", "status", "invoice"} {
		if wanted := conditions.Get(name); wanted != "" && wanted != "all" && o[name] != wanted {
			return false
		}
	}

	if wanted := conditions.Get("payment[payment_intent]"); wanted != "" {
		return o["payment"].(object)["payment_intent"] == wanted
	}
	return true
}
