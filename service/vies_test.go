package service

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/ro"
	"github.com/rodata/rodata/service/telemetry"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream"
	"github.com/rodata/rodata/upstream/vies"
)

// An account's VAT number is read once in ten minutes. A malformed or unreadable one counts as absent.
func TestVATIdentities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		v := newVATIdentities(func(_ context.Context, account string) (string, error) {
			asked++
			switch account {
			case "broken":
				return "", errors.New("no store")
			case "odd":
				return "RO1", nil
			case "new":
				return "", nil
			}

			return "ro 9900000010", nil
		}, quiet)
		for _, c := range []struct {
			account string
			want    ro.VATNumber
			asks    int
		}{{"one", "RO9900000010", 1}, {"one", "RO9900000010", 0}, {"odd", "", 1}, {"odd", "", 0}, {"new", "", 1},
			{"broken", "", 1}, {"broken", "", 1}} {
			before := asked
			if got := v.VATNumberOf(t.Context(), c.account); got != c.want || asked-before != c.asks {
				t.Errorf("%s has %q, read %d times, want %q and %d", c.account, got, asked-before, c.want, c.asks)
			}
		}

		<-time.After(identityLifetime)
		if before := asked; v.VATNumberOf(t.Context(), "one") != "RO9900000010" || asked != before+1 {
			t.Error("it is not read again")
		}
	})
}

// An error in the body of a 200 is not counted as an answer.
func TestFailureOfVIESIsCounted(t *testing.T) {
	meters, registry := telemetry.NewMeters(), prometheus.NewRegistry()
	registry.MustRegister(meters)
	m := meteredVIES{vies.NewClient(failingVIES{}), meters.Registry(vies.Name)}
	if _, err := m.Check(t.Context(), vies.Question{Number: "DE445947920"}); err == nil {
		t.Fatal("no error")
	}

	families, err := registry.Gather()
	testkit.NoError(t, err)

	counted := map[string]float64{}
	for _, family := range families {
		for _, one := range family.GetMetric() {
			for _, label := range one.GetLabel() {
				if label.GetName() == "outcome" {
					counted[label.GetValue()] += one.GetCounter().GetValue()
				}
			}
		}
	}

	if counted["wait"] != 1 || counted["ok"] != 0 {
		t.Errorf("counted %v, want one request with the outcome wait", counted)
	}
}

// failingVIES stands in for VIES while a member state is down.
type failingVIES struct{}

func (failingVIES) Do(context.Context, upstream.Request) (*upstream.Response, error) {
	body := `{"actionSucceed":false,"errorWrappers":[{"error":"MS_UNAVAILABLE"}]}`
	return &upstream.Response{Status: 200, Body: []byte(body)}, nil
}
