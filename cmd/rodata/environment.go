package main

import (
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
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

// unsetEmpty removes the gateway's environment variables that are empty, such as compose files leave, so that each has
// its default. In {$RODATA_ADDRESS:localhost}, Caddy takes an empty value for an address.
func unsetEmpty() {
	for _, set := range os.Environ() {
		if name, value, _ := strings.Cut(set, "="); value == "" && strings.HasPrefix(name, "RODATA_") {
			os.Unsetenv(name)
		}
	}
}

// checkValues rejects values that Caddy would take for something else, or refuse only when it starts: of
// RODATA_ADDRESS, any text is a host name, and of RODATA_HSTS, any text but off means on.
func checkValues(caddyfile []byte) error {
	used := variable.FindAllString(string(caddyfile), -1)
	if slices.Contains(used, "RODATA_ADDRESS") {
		for _, address := range strings.FieldsFunc(os.Getenv("RODATA_ADDRESS"), isSeparator) {
			if err := checkAddress(address); err != nil {
				return err
			}
		}
	}

	if slices.Contains(used, "RODATA_BIND") {
		for _, host := range strings.Fields(os.Getenv("RODATA_BIND")) {
			if strings.ContainsAny(host, "/{") { // a socket or placeholder of Caddy
				continue
			}

			l, err := net.Listen("tcp", net.JoinHostPort(strings.Trim(host, "[]"), "0"))
			if err != nil {
				return fmt.Errorf("RODATA_BIND is %q: give addresses of this machine, such as 127.0.0.1", host)
			}
			l.Close()
		}
	}

	hsts := os.Getenv("RODATA_HSTS")
	if slices.Contains(used, "RODATA_HSTS") && hsts != "" && hsts != "on" && hsts != "off" {
		return fmt.Errorf("RODATA_HSTS is %q: use on or off", hsts)
	}

	return nil
}

// checkAddress rejects what is not the address of a site.
func checkAddress(address string) error {
	scheme, host, isURL := strings.Cut(address, "://")
	if !isURL {
		scheme, host = "https", address
	}
	if scheme != "https" && scheme != "http" || strings.ContainsAny(host, "/\\?#@") {
		return fmt.Errorf("RODATA_ADDRESS is %q: give the address of the site without a path, such as "+
			"api.example.ro, localhost or http://127.0.0.1:8080", address)
	}

	if _, port, err := net.SplitHostPort(host); err == nil {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return fmt.Errorf("RODATA_ADDRESS is %q: a port is a number from 1 to 65535, such as 8080", address)
		}
	}

	return nil
}

// isSeparator reports whether a character separates the addresses of a site.
func isSeparator(r rune) bool { return r == ',' || r == ' ' }
