package oauth

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/internal/recent"
)

// Limits of metadata documents, which any client can make the server fetch.
const (
	documentTimeout = 5 * time.Second
	maxDocument     = 10 << 10 // bytes
	maxDocumentAge  = 24 * time.Hour
	maxDocuments    = 256 // cached
	maxClientID     = 500 // bytes
)

// documents fetches clients' metadata documents, and caches them as their servers allow.
type documents struct {
	client *http.Client
	kept   *recent.Memory[string, account.App]
}

func newDocuments(client *http.Client) *documents {
	return &documents{client: client, kept: recent.New[string, account.App](maxDocuments)}
}

// hasDocument reports whether a client_id is the address of a document.
func hasDocument(id string) bool { return strings.HasPrefix(id, "https://") }

// app returns the client whose document is at an address. The error is a failure that describes the defect of the
// document.
func (d *documents) app(ctx context.Context, id string) (account.App, error) {
	if err := checkClientID(id); err != nil {
		return account.App{}, err
	}

	if app, ok := d.kept.Get(id); ok {
		return app, nil
	}

	app, age, err := d.fetch(ctx, id)
	if err == nil && age > 0 {
		d.kept.PutUntil(id, app, time.Now().Add(age))
	}

	return app, err
}

// checkClientID validates the address of a document (draft-ietf-oauth-client-id-metadata-document, section 3).
func checkClientID(id string) error {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxClientID || strings.ContainsFunc(id, isUnsafe) || u.Scheme != "https" ||
		u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") == "" ||
		strings.Contains(id, "#") || strings.Contains(u.Path+"/", "/./") || strings.Contains(u.Path+"/", "/../") {
		return bad("invalid_client", "a client_id that is a URL needs a path, and has no fragment and no user name, "+
			"as in https://app.example/client.json")
	}

	return nil
}

// fetch fetches a document and returns the time for which it may be cached.
func (d *documents) fetch(ctx context.Context, id string) (app account.App, age time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, documentTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return app, 0, bad("invalid_client", "the client_id is not a valid URL")
	}

	r.Header.Set("Accept", "application/json")
	res, err := d.client.Do(r)
	if err != nil { // its text may contain internal addresses
		return app, 0, bad("invalid_client", "the document at the client_id cannot be fetched")
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK {
		return app, 0, bad("invalid_client", "fetching the document at the client_id returned status %d",
			res.StatusCode)
	}

	if media, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil ||
		media != "application/json" && !strings.HasSuffix(media, "+json") {
		return app, 0, bad("invalid_client",
			"the document at the client_id does not have the media type application/json")
	}

	text, err := io.ReadAll(io.LimitReader(res.Body, maxDocument+1))
	if err != nil || len(text) > maxDocument {
		return app, 0, bad("invalid_client", "the document at the client_id is incomplete, or larger than %d bytes",
			maxDocument)
	}

	app, err = readDocument(id, text)
	return app, documentAge(res.Header.Get("Cache-Control")), err
}

func readDocument(id string, text []byte) (account.App, error) {
	var document struct {
		ID        string   `json:"client_id"`
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}

	if err := json.Unmarshal(text, &document); err != nil {
		return account.App{}, bad("invalid_client", "the document at the client_id is not valid client metadata")
	}

	switch {
	case document.ID != id:
		return account.App{}, bad("invalid_client", "the document at the client_id names another client_id")
	case document.Method != "" && document.Method != "none":
		return account.App{}, bad("invalid_client",
			"the document at the client_id requires client authentication, which is not supported: "+
				"token_endpoint_auth_method must be none")
	}

	if err := checkRedirects(document.Redirects); err != nil {
		return account.App{}, err
	}

	return account.App{ID: id, Name: appName(document.Name, document.Redirects), Redirects: document.Redirects}, nil
}

// documentAge returns the time for which a document may be cached (RFC 9111, section 5.2).
func documentAge(control string) (age time.Duration) {
	for directive := range strings.SplitSeq(strings.ToLower(control), ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(directive), "="); name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
				age = min(time.Duration(seconds)*time.Second, maxDocumentAge)
			}
		}
	}

	return age
}
