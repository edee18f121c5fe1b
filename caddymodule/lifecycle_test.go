package caddymodule

import (
	"testing"

	"github.com/rodata/rodata/testkit"
)

// If a configuration is replaced while it reads the header of a request, the new configuration answers the request,
// and never a configuration that failed to load.
func TestLateRequestMeetsTheSuccessor(t *testing.T) {
	config := func(environment string) string {
		return `{"environment": "` + environment + `", "data_dir": "` + t.TempDir() + `",
			"upstreams": ` + noUpstreams + `}`
	}
	var apps []*App
	for _, environment := range []string{"production", "sandbox", "sandbox"} {
		app, err := provision(t, config(environment))
		testkit.NoError(t, err)
		testkit.NoError(t, app.Start())

		apps = append(apps, app)
	}

	replaced, successor, failed := apps[0], apps[1], apps[2]
	if s := replaced.enter(); s != replaced.running.Load() {
		t.Error("a configuration does not answer its own requests")
	} else {
		s.Leave()
	}

	for _, app := range []*App{failed, replaced} {
		testkit.NoError(t, app.Cleanup())
	}

	s := replaced.enter()
	if s != successor.running.Load() {
		t.Fatal("the successor does not answer")
	}

	s.Leave()
	testkit.NoError(t, successor.Cleanup())
	if replaced.enter() != nil {
		t.Error("a request got in after the end")
	}
}

// Caddy starts its apps in any order, so a request may arrive before the app has started.
func TestFirstRequestOpensTheService(t *testing.T) {
	app, err := provision(t, `{"data_dir": "`+t.TempDir()+`", "upstreams": `+noUpstreams+`}`)
	testkit.NoError(t, err)

	s := app.enter()
	if s == nil || app.Start() != nil || app.running.Load() != s {
		t.Fatal("the service was not opened by the request, and once")
	}

	s.Leave()
	if !isIdle(t, app) {
		t.Error("the service is still open")
	}
}
