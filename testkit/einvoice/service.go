// Package einvoice is a stand-in for RO e-Factura, with faults on demand.
package einvoice

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The seller's registration at the stand-in. RefreshToken is the first one; each use replaces it.
const (
	ClientID     = "rodata-test"
	ClientSecret = "the secret of rodata-test"
	RefreshToken = "the first refresh token"
	FiscalCode   = "99990007"
)

// Verdict is the result of an upload.
type Verdict string

// The verdicts, in the service's words.
const (
	OK           Verdict = "ok"
	NotOK        Verdict = "nok"
	Processing   Verdict = "in prelucrare" // forever
	Unacceptable Verdict = "XML cu erori nepreluat de sistem"
)

// Upload is a received upload.
type Upload struct {
	ID       string
	Verdict  Verdict
	XML      []byte
	Endpoint string // upload or uploadb2c
	Standard string // UBL or CN

	polls int // number of queries still answered with "in prelucrare"
}

// downloadID returns the ID of the archive with the result.
func (u *Upload) downloadID() string { return "3" + u.ID }

// Service is a running stand-in. It is safe for concurrent use.
type Service struct {
	// URL is the address of the service, and TokenURL its token endpoint.
	URL, TokenURL string

	server *httptest.Server

	mu       sync.Mutex
	uploads  []*Upload
	verdicts []Verdict
	polls    int
	faults   map[string][]Fault
	requests map[string]int
	refresh  string
	access   string
}

// Start starts a stand-in on a loopback port for the duration of the test.
func Start(t testing.TB) *Service {
	s := &Service{polls: 1, refresh: RefreshToken, faults: make(map[string][]Fault), requests: make(map[string]int)}
	s.server = httptest.NewServer(s)
	s.URL, s.TokenURL = s.server.URL+"/test/FCTEL/rest", s.server.URL+"/anaf-oauth2/v1/token"
	t.Cleanup(s.Close)
	return s
}

// Close stops the stand-in and its pending responses.
func (s *Service) Close() {
	s.server.CloseClientConnections() // a fault may delay the response
	s.server.Close()
}

// SetVerdicts sets the verdicts of the next uploads, in order; later ones are OK.
func (s *Service) SetVerdicts(verdicts ...Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdicts = append(s.verdicts, verdicts...)
}

// SetVerdict sets the verdict of a received upload.
func (s *Service) SetVerdict(id string, v Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.find(func(u *Upload) bool { return u.ID == id }); u != nil {
		u.Verdict = v
	}
}

// SetPolls sets the number of status queries that the next uploads answer with "in prelucrare" before their verdict.
// Default 1.
func (s *Service) SetPolls(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls = n
}

// Inject injects faults into the next calls of an endpoint, one per call; upload and uploadb2c count as one endpoint.
// The empty Fault leaves its call unchanged.
func (s *Service) Inject(endpoint string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[endpoint] = append(s.faults[endpoint], faults...)
}

// ClearFaults removes the pending faults.
func (s *Service) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.faults)
}

// ExpireToken makes the service refuse all access tokens issued so far.
func (s *Service) ExpireToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.access = ""
}

// LoseToken replaces the refresh token without informing the client, like a renewal with a lost response. The access
// token stays valid.
func (s *Service) LoseToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh = "refresh " + rand.Text()
}

// Uploads returns the received uploads, in order.
func (s *Service) Uploads() []Upload {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Upload, len(s.uploads))
	for n, u := range s.uploads {
		all[n] = *u
	}

	return all
}

// Requests returns the number of calls of an endpoint, including those with faults.
func (s *Service) Requests(endpoint string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[endpoint]
}

// ServeHTTP responds like the service, with the next pending fault.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10<<20))
	if err != nil {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	}

	endpoint := path.Base(r.URL.Path)
	if endpoint == "uploadb2c" {
		endpoint = "upload"
	}

	s.mu.Lock()
	s.requests[endpoint]++
	var fault Fault
	if due := s.faults[endpoint]; len(due) > 0 {
		fault, s.faults[endpoint] = due[0], due[1:]
	}

	var a answer
	if fault.reaches() {
		a = s.answer(endpoint, r, body)
	}

	s.mu.Unlock()
	fault.write(w, r, endpoint, a)
}

// answer returns the service's response without faults.
func (s *Service) answer(endpoint string, r *http.Request, body []byte) answer {
	if endpoint == "token" {
		return s.token(r, body)
	}
	if s.access == "" || r.Header.Get("Authorization") != "Bearer "+s.access {
		return answer{status: http.StatusUnauthorized, mime: "application/json",
			body: []byte(`{"error":"invalid_token"}`)}
	}

	q := r.URL.Query()
	switch endpoint {
	case "upload":
		return s.acceptUpload(path.Base(r.URL.Path), q.Get("standard"), q.Get("cif"), body)
	case "stareMesaj":
		return s.state(q.Get("id_incarcare"))
	case "listaMesajePaginatieFactura":
		return s.list(q.Get("filtru"), q.Get("pagina"), q.Get("startTime"), q.Get("endTime"))
	case "descarcare":
		return s.download(q.Get("id"))
	}

	return answer{status: http.StatusNotFound, mime: "application/json",
		body: []byte(`{"status":404,"error":"Not Found"}`)}
}

// token exchanges the refresh token for a new pair.
func (s *Service) token(r *http.Request, body []byte) answer {
	id, secret, _ := r.BasicAuth()
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	refuse := func(reason string) answer {
		return answer{status: http.StatusBadRequest, mime: "application/json",
			body: []byte(`{"error":"` + reason + `"}`)}
	}

	switch {
	case id != ClientID || secret != ClientSecret:
		return refuse("invalid_client")
	case r.PostFormValue("grant_type") != "refresh_token" || r.PostFormValue("refresh_token") != s.refresh:
		return refuse("invalid_grant")
	}

	s.access, s.refresh = "access "+rand.Text(), "refresh "+rand.Text()
	return jsonAnswer(map[string]any{
		"access_token": s.access, "refresh_token": s.refresh, "token_type": "Bearer", "expires_in": 90 * 24 * 3600,
	})
}

func (s *Service) find(is func(*Upload) bool) *Upload {
	if n := slices.IndexFunc(s.uploads, is); n >= 0 {
		return s.uploads[n]
	}
	return nil
}

// nextID returns the ID of the next upload.
func (s *Service) nextID() string { return strconv.Itoa(5000000001 + len(s.uploads)) }
