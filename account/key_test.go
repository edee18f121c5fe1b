package account

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rodata/rodata/testkit"
)

const (
	vectorPrefix = "prds_live_"
	vector       = "prds_live_0123456789ABCDEFGHIJKLMNOPQRSTUV23wMwH"
)

func TestWellFormed(t *testing.T) {
	tests := map[string]struct {
		secret string
		want   bool
	}{
		"well formed":         {vector, true},
		"empty":               {"", false},
		"prefix alone":        {vectorPrefix, false},
		"other prefix":        {"rods_live_0123456789ABCDEFGHIJKLMNOPQRSTUV23wMwH", false},
		"no checksum":         {vector[:len(vector)-6], false},
		"a digit short":       {vector[:len(vector)-1], false},
		"a digit more":        {vector + "0", false},
		"a digit changed":     {strings.Replace(vector, "0", "1", 1), false},
		"two digits swapped":  {strings.Replace(vector, "AB", "BA", 1), false},
		"checksum changed":    {vector[:len(vector)-1] + "I", false},
		"other case":          {strings.ToUpper(vector), false},
		"space at the end":    {vector[:len(vector)-1] + " ", false},
		"not a digit":         {strings.Replace(vector, "0", "-", 1), false},
		"letter of two bytes": {strings.Replace(vector, "01", "ă", 1), false},
		"a zero byte":         {strings.Replace(vector, "0", "\x00", 1), false},
		"only the checksum": {"prds_live_" + strings.Repeat("-", 32) + sumOf("prds_live_"+strings.Repeat("-", 32)),
			false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			testkit.Equal(t, IsWellFormed(vectorPrefix, test.secret), test.want, "IsWellFormed(%q)", test.secret)
		})
	}
}

func sumOf(body string) string {
	sum := checksum(body)
	return string(sum[:])
}

func TestNewSecret(t *testing.T) {
	shape := regexp.MustCompile(`\brodata_live_[0-9A-Za-z]{38}\b`)
	seen, digits := make(map[string]bool), make(map[byte]int)
	const n = 2_000
	for range n {
		secret := NewSecret(DefaultPrefix)
		if !shape.MatchString(secret) || !IsWellFormed(DefaultPrefix, secret) {
			t.Fatalf("%q is not well formed", secret)
		}
		if seen[secret] {
			t.Fatalf("%q was made twice", secret)
		}

		seen[secret] = true
		for _, digit := range []byte(secret[len(DefaultPrefix) : len(DefaultPrefix)+randomDigits]) {
			digits[digit]++
		}
	}
	// Each digit is expected 1032 times with a deviation of 32; with a plain modulo the first 8 would come 1250 times.
	for i := range len(base62) {
		if got := digits[base62[i]]; got < 840 || got > 1225 {
			t.Errorf("digit %c came %d times in %d", base62[i], got, n*randomDigits)
		}
	}
}

func TestEnds(t *testing.T) {
	if prefix, last4 := Ends(vector); prefix != "prds_live_0123" || last4 != "wMwH" {
		t.Errorf("got %q and %q", prefix, last4)
	}
}

func TestCheckPrefix(t *testing.T) {
	for prefix, want := range map[string]bool{
		DefaultPrefix:       true,
		"ab_live_":          true,
		"a123456789_live_":  true,
		"":                  false,
		"a_live_":           false,
		"a1234567890_live_": false,
		"1ab_live_":         false,
		"Ab_live_":          false,
		"ab_test_":          false,
		"ab_live":           false,
		"ab_live_\n":        false,
	} {
		testkit.Equal(t, CheckPrefix(prefix) == nil, want, "CheckPrefix(%q) accepts it", prefix)
	}
}

func FuzzWellFormed(f *testing.F) {
	for _, seed := range []string{vector, "", vectorPrefix, vector[:20], vector + "\n", strings.ToLower(vector)} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, secret string) {
		if !IsWellFormed(vectorPrefix, secret) {
			return
		}
		if len(secret) != len(vector) || !strings.HasPrefix(secret, vectorPrefix) {
			t.Fatalf("%q was accepted as a secret", secret)
		}

		for i := range len(secret) { // CRC-32 finds every change within 32 bits
			changed := []byte(secret)
			changed[i] ^= 1
			if IsWellFormed(vectorPrefix, string(changed)) {
				t.Fatalf("%q was accepted as a secret", changed)
			}
		}
	})
}
