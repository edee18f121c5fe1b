package main

import (
	"strings"
	"testing"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit/standin"
)

// The parts that are measured separately are in the shipped file, and the whole file works with the stand-ins.
func TestShippedCaddyfileIsMeasured(t *testing.T) {
	for name, end := range map[string]string{
		"rodata_log": "\n\t}\n", "@encode": " /v1/*\n\t}\n", "encode": "@encode\n", "error": " 404\n",
		"handle_errors": "\n\t}\n",
	} {
		part := directive(name)
		if !strings.Contains(string(rodata.Caddyfile), part) || !strings.HasSuffix(part, end) ||
			strings.Count(part, "{") != strings.Count(part, "}") {
			t.Errorf("%s: %q", name, part)
		}
	}

	for name, end := range map[string]string{"log": "\n\t\t}\n\t}\n", "log_append": "}\n"} {
		if part := offered(name); strings.Contains(part, "#") || !strings.HasSuffix(part, end) ||
			strings.Count(part, "{") != strings.Count(part, "}") {
			t.Errorf("%s: %q", name, part)
		}
	}

	stand := &standin.Registry{URL: "http://127.0.0.1:9"}
	s := &testbed{folder: t.TempDir(), registries: &standin.Registries{
		ANAF: stand, Files: stand, ONRC: stand, BNR: stand, VIES: &standin.VIES{Registry: stand},
	}}
	text := s.shippedFile("whole", "\n\tmetrics\n")
	for _, line := range []string{
		"\nADDRESS {\n", "\tadmin off\n", "\tmetrics\n", "\t\tanonymous 1000000 1000000\n",
		"\t\t\turl http://127.0.0.1:9\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("there is no line %q", line)
		}
	}
}
