package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// measureLatency requests a company from the cache at rates that double, and draws the percentiles of its latency.
func measureLatency(f *flag.FlagSet) func(context.Context, *testbed) error {
	duration := f.Duration("time", 10*time.Second, "how long at each rate")
	most := f.Int("most", 32_000, "the highest rate, in requests a second")
	file := f.String("svg", "", "the file of the chart; none without a name")
	return func(ctx context.Context, s *testbed) error {
		server, err := s.caddy(ctx, "latency", s.shippedFile("latency", ""))
		if err != nil {
			return err
		}
		if _, err := server.warm(ctx, s.companyPath()); err != nil {
			return err
		}

		var chart latencyChart
		printHeader("requests a second", "p50", "p99", "p99.9")
		for rate := 1000; rate <= *most; rate *= 2 {
			all := new(latencies)
			plan := schedule{rate: rate, duration: *duration, connections: 64}
			if err := plan.drive(ctx, server.address, func(c *connection, _ *rand.Rand, due time.Time) error {
				status, _, err := c.ask(get(c.address, s.companyPath()))
				if err == nil && status != 200 {
					err = errors.New("a request was answered with another status than 200")
				}

				all.add(time.Since(due))
				return err
			}); err != nil {
				return err
			}

			sorted := all.from(0)
			fmt.Printf("| %d |%s\n", rate, cells(sorted, 10*time.Microsecond, 0.5, 0.99, 0.999))
			chart = append(chart, latencyPoint{rate, percentile(sorted, 0.5), percentile(sorted, 0.99)})
		}

		if *file == "" {
			return nil
		}
		return os.WriteFile(*file, []byte(chart.svg()), 0o644)
	}
}

// latencyChart has the points of a chart by rate; each rate doubles the one before.
type latencyChart []latencyPoint

type latencyPoint struct {
	rate     int
	p50, p99 time.Duration
}

// The chart's lowest and highest latency, and its measures in pixels. Both scales are logarithmic.
const (
	chartLowest            = 50 * time.Microsecond
	chartDoublings         = 10 // up to 51.2 ms
	chartWidth, chartRow   = 880, 32
	chartLeft, chartBottom = 80, 48
)

func (c latencyChart) svg() string {
	height := chartDoublings*chartRow + 2*chartBottom
	x := func(i int) int { return chartLeft + i*(chartWidth-2*chartLeft)/max(1, len(c)-1) }
	y := func(d time.Duration) float64 {
		return float64(height-chartBottom) - chartRow*math.Log2(float64(d)/float64(chartLowest))
	}

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="Latency by load">
<title>Latency of a cached company by requests a second</title>
<style>
text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: #1a202c }
.grid { stroke: #cbd5e0 }
.p50, .p99 { fill: none; stroke: #2b6cb0; stroke-width: 2 }
.p99 { stroke: #c05621 }
@media (prefers-color-scheme: dark) {
text { fill: #f7fafc }
.grid { stroke: #4a5568 }
.p50 { stroke: #63a4e0 }
.p99 { stroke: #f6ad55 }
}
</style>
`, chartWidth, height)
	for d, i := chartLowest, 0; i <= chartDoublings; d, i = 2*d, i+1 {
		fmt.Fprintf(&b, "<path class=\"grid\" d=\"M%d %.0fH%d\"/>\n<text x=\"%d\" y=\"%.0f\">%s</text>\n", chartLeft, y(d),
			chartWidth-chartLeft, chartLeft/2, y(d)+4, d)
	}

	for _, line := range []struct {
		name string
		of   func(latencyPoint) time.Duration
	}{
		{"p50", func(p latencyPoint) time.Duration { return p.p50 }},
		{"p99", func(p latencyPoint) time.Duration { return p.p99 }},
	} {
		var path []string
		for i, p := range c {
			path = append(path, fmt.Sprintf("%d %.1f", x(i), y(line.of(p))))
		}

		fmt.Fprintf(&b, "<path class=\"%s\" d=\"M%s\"/>\n<text x=\"%d\" y=\"%.0f\">%[1]s</text>\n", line.name,
			strings.Join(path, "L"), chartWidth-chartLeft/2, y(line.of(c[len(c)-1]))+4)
	}

	for i, p := range c {
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">%d</text>\n", x(i), height-chartBottom+24, p.rate)
	}

	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">requests a second</text>\n</svg>\n", chartWidth/2, height-6)
	return b.String()
}
