package telemetry

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/testkit"
	"github.com/rodata/rodata/upstream/onrc/statements"
)

// registerOnly collects the metrics of the register.
type registerOnly struct{ Reading }

func (r registerOnly) Describe(out chan<- *prometheus.Desc) { out <- statementsDesc }
func (r registerOnly) Collect(out chan<- prometheus.Metric) { r.writeRegister(output{out}) }

// TestRefusedStatements verifies that only a refused file of statements has the value 1.
func TestRefusedStatements(t *testing.T) {
	registry := prometheus.NewRegistry()
	testkit.NoError(t, registry.Register(registerOnly{Reading{
		RefusedStatements: map[statements.Key]statements.Refusal{{Year: 2015, Family: company.LargeForm}: {}}}}))
	families, err := registry.Gather()
	testkit.NoError(t, err)

	refused := 0
	for _, f := range families {
		for _, m := range f.Metric {
			if f.GetName() == "rodata_statements_refused" && m.Gauge.GetValue() == 1 {
				refused++
				if m.Label[0].GetValue() != "bl" || m.Label[1].GetValue() != "2015" {
					t.Errorf("the metric is %s", m)
				}
			}
		}
	}

	if refused != 1 {
		t.Errorf("%d files are refused", refused)
	}
}
