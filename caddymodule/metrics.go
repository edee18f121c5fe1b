package caddymodule

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rodata/rodata/caddymodule/accesslog"
	"github.com/rodata/rodata/service"
	"github.com/rodata/rodata/service/telemetry"
)

// expose adds the metrics of the current service to a configuration's registry.
func expose(registry *prometheus.Registry) error {
	return telemetry.Expose(registry, func() (telemetry.Reading, bool) {
		s := service.Enter()
		if s == nil {
			return telemetry.Reading{}, false
		}
		defer s.Leave()

		r := s.Reading()
		r.LogDropped = accesslog.DroppedLines()
		return r, true
	})
}
