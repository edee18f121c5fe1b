package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/internal/spelling"
)

// variable matches the environment variables of the gateway in a Caddyfile.
var variable = regexp.MustCompile(`\bRODATA_[A-Z_]+\b`)

// checkNames rejects environment variables that look like the gateway's, and that neither the Caddyfile, the built-in
// one nor the commands read: a setting with a mistyped name would have no effect.
func checkNames(caddyfile []byte, environ []string) error {
	known := append(variable.FindAllString(string(rodata.Caddyfile)+string(caddyfile), -1), "RODATA_URL", "RODATA_KEY")
	for _, set := range environ {
		name, _, _ := strings.Cut(set, "=")
		if !strings.HasPrefix(name, "RODATA_") || strings.HasPrefix(name, "RODATA_TEST_") ||
			slices.Contains(known, name) {
			continue
		}

		if nearest := spelling.Nearest(name, known); nearest != "" {
			return fmt.Errorf("%s is not a setting: did you mean %s? Correct or remove it", name, nearest)
		}
		return fmt.Errorf("%s is not a setting: remove it, or use it in the Caddyfile", name)
	}

	return nil
}

// checkValues rejects values that Caddy would take for something else: of RODATA_ADDRESS, any text is a host name, and
// of RODATA_HSTS, any text but off means on.
func checkValues(caddyfile []byte) error {
	used := variable.FindAllString(string(caddyfile), -1)
	if slices.Contains(used, "RODATA_ADDRESS") {
		for _, address := range strings.FieldsFunc(os.Getenv("RODATA_ADDRESS"), isSeparator) {
			scheme, host, isURL := strings.Cut(address, "://")
			if !isURL {
				scheme, host = "https", address
			}
			if scheme != "https" && scheme != "http" || strings.ContainsAny(host, "/\\?#@") {
				return fmt.Errorf("RODATA_ADDRESS is %q: give the address of the site without a path, such as "+
					"api.example.ro, localhost or http://127.0.0.1:8080", address)
			}
		}
	}

	hsts := os.Getenv("RODATA_HSTS")
	if slices.Contains(used, "RODATA_HSTS") && hsts != "" && hsts != "on" && hsts != "off" {
		return fmt.Errorf("RODATA_HSTS is %q: use on or off", hsts)
	}

	return nil
}

// isSeparator reports whether a character separates the addresses of a site.
func isSeparator(r rune) bool { return r == ',' || r == ' ' }
