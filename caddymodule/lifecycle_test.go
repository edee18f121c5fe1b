package caddymodule

import "testing"

// If a configuration is replaced while it reads the header of a request, the new configuration answers the request,
// and never a configuration that failed to load.
func TestLateRequestMeetsTheSuccessor(t *testing.T) {
	config := func(environment string) string {
		return `{"environment": "` + environment + `", "data_dir": "` + t.TempDir() + `",
			"upstreams": {"anaf_files": {"off": true}, "anaf": {"url": "http://127.0.0.1:1"}, "bnr": {"url": "http://127.0.0.1:1"}, "vies": {"url": "http://127.0.0.1:1"}}}`
	}
	var apps []*App
	for _, environment := range []string{"production", "sandbox", "sandbox"} {
		app, err := provision(t, config(environment))
		if err != nil {
			t.Fatal(err)
		}
		if err := app.Start(); err != nil {
			t.Fatal(err)
		}

		apps = append(apps, app)
	}

	replaced, successor, failed := apps[0], apps[1], apps[2]
	if s := replaced.enter(); s != replaced.service.Load() {
		t.Error("a configuration does not answer its own requests")
	} else {
		s.leave()
	}

	for _, app := range []*App{failed, replaced} {
		if err := app.Cleanup(); err != nil {
			t.Fatal(err)
		}
	}

	s := replaced.enter()
	if s != successor.service.Load() {
		t.Fatal("the successor does not answer")
	}

	s.leave()
	if err := successor.Cleanup(); err != nil {
		t.Fatal(err)
	}
	if replaced.enter() != nil {
		t.Error("a request got in after the end")
	}
}
