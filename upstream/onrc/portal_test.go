package onrc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/testkit/standin"
	"github.com/rodata/rodata/upstream"
)

func mustPortal(t *testing.T, url string) *Portal {
	t.Helper()
	p, err := NewPortal(PortalOptions{Options: upstream.Options{URL: url},
		Breaker: upstream.BreakerSettings{Failures: 1000}})
	testkit.NoError(t, err)

	p.retry = time.Millisecond
	t.Cleanup(p.Close)
	return p
}

// standIn starts the stand-in of the trade register on a day in November 2026. The newest complete release is then the
// one of 2 October.
func standIn(t *testing.T, o standin.Options) (*standin.Registry, *Portal) {
	t.Helper()
	o.Now = func() time.Time { return time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC) }
	registries := standin.For(t, o)
	return registries.ONRC, mustPortal(t, registries.ONRC.URL)
}

func TestLatest(t *testing.T) {
	_, portal := standIn(t, standin.Options{})
	r, err := portal.latest(t.Context())
	testkit.NoError(t, err)
	// November's is listed without files, and September's was edited last.
	if r.date.String() != "2026-10-02" {
		t.Errorf("the newest complete release is of %s", r.date)
	}

	for _, name := range []string{"OD_FIRME", "OD_STARE_FIRMA", "OD_CAEN_AUTORIZAT", "OD_REPREZENTANTI_LEGALI",
		"OD_REPREZENTANTI_IF", stateNamesFile} {
		if r.files[name].open == nil {
			t.Errorf("%s is not among the files", name)
		}
	}
}

func TestLatestWithoutNomenclature(t *testing.T) {
	_, portal := standIn(t, standin.Options{NoNomenclature: true})
	r, err := portal.latest(t.Context())
	testkit.NoError(t, err)
	if _, ok := r.files[stateNamesFile]; ok || !r.isComplete() {
		t.Errorf("the files are %v", r.files)
	}
}

func TestPortalFails(t *testing.T) {
	for _, fault := range []standin.Fault{
		standin.Reset, standin.WAF, standin.Truncate, standin.Garbage, standin.Redirect,
		standin.Status(500, 0), standin.Status(503, time.Second), standin.ErrorEnvelope,
		standin.ChangedShape,
	} {
		t.Run(fault.String(), func(t *testing.T) {
			registry, portal := standIn(t, standin.Options{})
			registry.Always(fault)
			_, err := portal.latest(t.Context())
			var failure *op.Failure
			if !errors.As(err, &failure) || failure.Registry != "onrc" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestUnknownPackage(t *testing.T) {
	_, portal := standIn(t, standin.Options{})
	if _, err := portal.show(t.Context(), "firme-01-01-1990"); !errors.Is(err, op.ErrUnknown) {
		t.Errorf("the error is %v", err)
	}
}

func TestPortalAddress(t *testing.T) {
	for name, url := range map[string]string{"not encrypted": "http://data.gov.example", "no URL": "data.gov.example",
		"empty": ""} {
		t.Run(name, func(t *testing.T) {
			if _, err := NewPortal(PortalOptions{Options: upstream.Options{URL: url}}); err == nil {
				t.Error("the address was accepted")
			}
		})
	}
}

func mustURL(text string) *url.URL { return testkit.Must(url.Parse(text)) }

// files is a portal with files that the test defines.
type files struct {
	*httptest.Server
	mu       sync.Mutex
	packages []dataset
	answers  map[string]http.HandlerFunc // by path
	asked    []string                    // Range headers of the files
}

func newFiles(t *testing.T) *files {
	t.Helper()
	f := &files{answers: map[string]http.HandlerFunc{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	answer, packages := f.answers[r.URL.Path], f.packages
	if answer != nil {
		f.asked = append(f.asked, r.Header.Get("Range"))
	}

	f.mu.Unlock()
	switch {
	case answer != nil:
		answer(w, r)
	case r.URL.Path == "/api/3/action/package_search":
		json.NewEncoder(w).Encode(map[string]any{"success": true, "result": map[string]any{"results": packages}})
	case r.URL.Path == "/api/3/action/package_show":
		for _, d := range packages {
			if d.Name == r.URL.Query().Get("id") {
				json.NewEncoder(w).Encode(map[string]any{"success": true, "result": d})
				return
			}
		}

		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"success": false, "error": {"message": "Not found"}}`)
	default:
		http.NotFound(w, r)
	}
}

// put publishes a file, which is served in whole or in the requested range.
func (f *files) put(path, body string) {
	f.answer(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, len(body)))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	})
}

func (f *files) answer(path string, answer http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = answer
}

func (f *files) ranges() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// publish lists a package of the trade register with the named files.
func (f *files) publish(slug string, names ...string) {
	d := dataset{Name: slug}
	d.Organization.Name = organization
	for _, name := range names {
		d.Resources = append(d.Resources,
			resource{Name: strings.ToUpper(name), URL: f.URL + "/" + slug + "/download/" + name})
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.packages = append(f.packages, d)
}

func TestWhichReleaseIsLatest(t *testing.T) {
	whole := []string{"od_firme.csv", "OD_STARE_FIRMA.CSV", "Od_Caen_Autorizat.csv"}
	tests := map[string]struct {
		packages map[string][]string
		want     string
	}{
		"the later of two": {map[string][]string{"firme-02-09-2026": whole, "firme-08-07-2026": whole},
			"2026-09-02"},
		"the later is not whole": {map[string][]string{"firme-02-09-2026": whole[:2], "firme-08-07-2026": whole},
			"2026-07-08"},
		"a long name": {map[string][]string{"firme-inregistrate-la-registrul-comertului-pana-la-data-de-07-08-2025": whole}, "2025-08-07"},
		"a day that is none": {map[string][]string{"firme-32-09-2026": whole, "firme-08-07-2026": whole},
			"2026-07-08"},
		"something else of this name": {map[string][]string{"firme": whole}, ""},
		"none":                        {nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFiles(t)
			for slug, files := range test.packages {
				f.publish(slug, files...)
			}

			r, err := mustPortal(t, f.URL).latest(t.Context())
			switch {
			case test.want == "" && !errors.Is(err, errNoRelease):
				t.Errorf("found %v, error %v", r, err)
			case test.want != "" && (err != nil || r.date.String() != test.want):
				t.Errorf("found %v, error %v; want %s", r, err, test.want)
			}
		})
	}
}

func TestOnlyTheRegistersOwnPackages(t *testing.T) {
	f := newFiles(t)
	f.publish("firme-02-09-2026", "od_firme.csv", "od_stare_firma.csv", "od_caen_autorizat.csv")
	f.packages[0].Organization.Name = "exemplu"
	if r, err := mustPortal(t, f.URL).latest(context.Background()); !errors.Is(err, errNoRelease) {
		t.Errorf("found %v, error %v", r, err)
	}
}
