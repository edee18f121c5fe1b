package blackbox

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// portPatterns match where the files name ports. A group is named after what listens there.
var portPatterns = map[string][]string{
	"image/Dockerfile": {`RODATA_ADDRESS=http://:(?<http>\d+) `, `\nEXPOSE (?<http>\d+) (?<metrics>\d+)\n`,
		`plain HTTP on port (?<http>\d+),`, `metrics\n# on port (?<metrics>\d+),`},
	"image/Caddyfile":            {`\nhttp://:(?<metrics>\d+) \{\n\tmetrics\n`},
	"compose/compose.yaml":       {`RODATA_ADDRESS: http://:(?<http>\d+)\n`},
	"compose/balancer.Caddyfile": {`\bedge\d:(?<http>\d+)`},
	"kubernetes/edge.yaml": {`RODATA_ADDRESS, value: "http://:(?<http>\d+)"`,
		`name: http, containerPort: (?<http>\d+)\}`, `name: metrics, containerPort: (?<metrics>\d+)\}`,
		`name: metrics, port: (?<metrics>\d+), targetPort: metrics\}`},
	"kubernetes/postgres.yaml": {`name: postgres, containerPort: (?<postgres>\d+)\}`,
		`name: postgres, port: (?<postgres>\d+), targetPort: postgres\}`},
	"kubernetes/valkey.yaml": {`name: valkey, containerPort: (?<valkey>\d+)\}`,
		`name: valkey, port: (?<valkey>\d+), targetPort: valkey\}`},
	"kubernetes/network.yaml": { // what the edges may call, and what the databases let them call
		`app: rodata-postgres\}\n +ports: \[\{port: (?<postgres>\d+)\}\]`,
		`app: rodata-valkey\}\n +ports: \[\{port: (?<valkey>\d+)\}\]`,
		`\n  name: rodata-postgres\n(?:.+\n)+? +ports: \[\{port: (?<postgres>\d+)\}\]`,
		`\n  name: rodata-valkey\n(?:.+\n)+? +ports: \[\{port: (?<valkey>\d+)\}\]`},
	"kubernetes/secret.yaml.template": {`@rodata-postgres:(?<postgres>\d+)/`, `@rodata-valkey:(?<valkey>\d+)/`},
	"docs/deployment.md": {`@postgres:(?<postgres>\d+)/`, `@valkey:(?<valkey>\d+)/`,
		`Metrics are on port (?<metrics>\d+) of each pod`},
	"docs/operations.md": {`\nhttp://[0-9.]+:(?<metrics>\d+) \{\n`},
}

// All files, and the guides, name the same ports.
func TestDeployedPorts(t *testing.T) {
	texts := map[string]string{"docs/deployment.md": read(t, "docs", "deployment.md"),
		"docs/operations.md": read(t, "docs", "operations.md")}
	for _, folder := range []string{"image", "compose", "kubernetes"} {
		maps.Copy(texts, deployed(t, folder))
	}

	type mention struct{ port, file string }
	first := make(map[string]mention)
	for file, patterns := range portPatterns {
		for _, text := range patterns {
			pattern := regexp.MustCompile(text)
			found := pattern.FindAllStringSubmatch(texts[file], -1)
			if len(found) == 0 {
				t.Errorf("%s has nothing like %s", file, text)
			}

			for _, groups := range found {
				for i, name := range pattern.SubexpNames()[1:] {
					this := mention{groups[i+1], file}
					if known, ok := first[name]; ok && known.port != this.port {
						t.Errorf("the port of %s is %s in %s, and %s in %s", name, this.port, file, known.port, known.file)
					} else if !ok {
						first[name] = this
					}
				}
			}
		}
	}
}

// Probes, services, policies and the ingress name ports that containers have.
func TestNamesOfPorts(t *testing.T) {
	all := strings.Join(slices.Collect(maps.Values(deployed(t, "kubernetes"))), "\n")
	names := make(map[string]bool)
	for _, port := range regexp.MustCompile(`name: (\w+), containerPort: `).FindAllStringSubmatch(all, -1) {
		names[port[1]] = true
	}

	called := regexp.MustCompile(`(?:port|targetPort): (?:\{name: )?([a-z]+)`).FindAllStringSubmatch(all, -1)
	for _, port := range called {
		if !names[port[1]] {
			t.Errorf("no container has the port %s", port[1])
		}
	}
	if len(called) < 10 {
		t.Errorf("only %d names were found: %q", len(called), called)
	}
}

// Only the load balancer publishes ports: those of a site with a domain, there also over HTTP/3. The systemd unit may
// bind them.
func TestPublishedPorts(t *testing.T) {
	compose := documents(t, "compose.yaml", deployed(t, "compose")["compose/compose.yaml"])[0]
	for name, service := range at[object](t, compose, "services") {
		ports, _ := service.(object)["ports"].([]any)
		if name == "balancer" != slices.Equal(ports, []any{"80:80", "443:443", "443:443/udp"}) ||
			name != "balancer" && ports != nil {
			t.Errorf("%s publishes %q", name, ports)
		}
	}

	unit := deployed(t, "systemd")["systemd/rodata.service"]
	for _, set := range []string{"AmbientCapabilities", "CapabilityBoundingSet"} {
		if !strings.Contains(unit, "\n"+set+"=CAP_NET_BIND_SERVICE\n") {
			t.Errorf("%s forbids ports below 1024", set)
		}
	}
}
