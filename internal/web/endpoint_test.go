package web

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rodata/rodata/testkit"
)

func TestEndpointsCheck(t *testing.T) {
	for _, c := range []struct{ text, public, private string }{
		{"https://receiver.example/hook?token=1", "", ""},
		{"https://receiver.example:8443/", "", ""},
		{"https://93.184.215.14/", "", ""},
		{"http://receiver.example/hook", "only https", ""},
		{"https://localhost/", "localhost", ""},
		{"https://LOCALHOST./", "localhost", ""},
		{"https://127.0.0.1/", "loopback", ""},
		{"https://[::1]:8443/", "loopback", ""},
		{"https://10.1.2.3/", "private", ""},
		{"https://169.254.169.254/latest/meta-data", "link-local", ""},
		{"https://receiver.example:25/", "port 25", ""},
		{"https://ana:secret@receiver.example/", "user or password", "user or password"},
		{"https://receiver.example/#top", "fragment", "fragment"},
		{"ftp://receiver.example/", "only https", "only https"},
		{"https:///hook", "not a URL", "not a URL"},
		{"receiver.example", "not a URL", "not a URL"},
		{"", "not a URL", "not a URL"},
		{"https://receiver.example/" + strings.Repeat("a", 2_000), "not a URL", "not a URL"},
	} {
		for private, want := range map[bool]string{false: c.public, true: c.private} {
			err := Endpoints{Private: private}.Check(c.text)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("Check(%q), private %t: %v, want %q", c.text, private, err, want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error repeats a secret: %v", err)
			}
		}
	}
}

func TestSpecialAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"93.184.215.14": "", "2a00:1450:4001::1": "", "8.8.8.8": "", "64:ff9b::808:808": "", "2002:808:808::1": "",
		"127.8.9.1": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback", "64:ff9b::7f00:1": "loopback",
		"2002:7f00:1::": "loopback",
		"0.0.0.0":       "unspecified", "::": "unspecified", "::ffff:0.0.0.0": "unspecified",
		"10.0.0.1": "private", "172.31.255.255": "private", "192.168.1.1": "private", "fd00:ec2::254": "private",
		"::ffff:10.0.0.1": "private",
		"64:ff9b::a00:1":  "private", "2002:c0a8:101::": "private", "172.32.0.1": "",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "fe80::1%eth0": "link-local",
		"64:ff9b::a9fe:a9fe": "link-local",
		"100.64.0.1":         "provider", "100.128.0.1": "",
		"224.0.0.1": "multicast", "ff02::1": "multicast",
		"255.255.255.255": "reserved", "192.0.2.1": "reserved", "198.18.0.1": "reserved", "::127.0.0.1": "reserved",
		"2001:db8::1":       "reserved",
		"64:ff9b:1::7f00:1": "reserved", "2001:0:7f00:1::": "reserved", "2001::1": "reserved",
		"::ffff:0:127.0.0.1": "reserved", "::ffff:0:8.8.8.8": "reserved", // SIIT
		"4000::1": "reserved", "1::1": "reserved", "5f00::1": "reserved", "::ffff:8.8.8.8": "",
		"2606:4700::1111": "", "192.0.0.192": "reserved", "::ffff:169.254.169.254": "link-local",
	} {
		got := special(netip.MustParseAddr(text))
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// A host name that resolves to loopback is rejected, both when the URL is checked and on connection.
func TestNameResolvesToLoopback(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer listener.Close()

	forbidden := (*Forbidden)(nil)
	conn, err := Endpoints{}.Dialer(time.Minute).DialContext(t.Context(), "tcp", listener.Addr().String())
	if !errors.As(err, &forbidden) || forbidden.Reason != "its host does not resolve to a public address" ||
		!strings.Contains(forbidden.Detail, "loopback") {
		t.Errorf("it connects to loopback: %v, %v", conn, err)
	}

	conn, err = Endpoints{Private: true}.Dialer(time.Minute).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatalf("it does not connect to loopback, which is allowed: %v", err)
	}

	conn.Close()

	// RFC 6761: names under localhost resolve to loopback, if a resolver knows them.
	if addresses, _ := net.DefaultResolver.LookupNetIP(t.Context(), "ip", "hook.localhost"); len(addresses) > 0 {
		if err := (Endpoints{}).Resolve(t.Context(), "https://hook.localhost/"); !errors.As(err, &forbidden) ||
			strings.Contains(err.Error(), "loopback") || forbidden.Detail == "" {
			t.Errorf("it accepts a name that resolves to %v: %v", addresses, err)
		}
	}
}
