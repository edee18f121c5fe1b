package api

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/rodata/rodata/api/system"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

// tagged asks a gateway with a secret for a company's answer.
func tagged(t *testing.T, secret, target, ifNoneMatch string) (status int, tag string) {
	t.Helper()
	g := gateway.New(t)
	g.Secret = []byte(secret)
	companies := fakeCompanies{exampleCUI: nil, 9900000029: nil}
	ops := Operations(Registries{Companies: companies, TaxRegisters: fakeRegisters{}, Trade: &fakeTrade{}}, nil,
		system.About{})
	call := &op.Call{Channel: "rest", IfNoneMatch: ifNoneMatch}
	if target == text || target == otherText {
		call.Media = "text/plain"
	}

	reply := gateway.Ask(t, g, ops, call, target)
	if reply.Problem != nil {
		t.Fatalf("%s: %v", target, reply.Problem)
	}

	return reply.Status, reply.ETag()
}

const (
	text      = "/v1/companies/9900000010?fields=stateRegistration"
	otherText = "/v1/companies/9900000029?fields=stateRegistration"
)

// The tag of a priced answer cannot be computed, and those of other answers do not match: a 304 is free.
func TestTagsOfPricedAnswersAreSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no time passes, so tookMs is the same in all answers
		for _, target := range []string{"/v1/companies/9900000010", text, "/v1/companies?q=exemplu"} {
			_, tag := tagged(t, "a secret", target, "")
			if _, again := tagged(t, "a secret", target, ""); again != tag || tag == "" {
				t.Errorf("%s: tags %s and %s", target, tag, again)
			}
			if _, other := tagged(t, "another secret", target, ""); other == tag {
				t.Errorf("%s: the tag does not depend on the secret", target)
			}
			if status, same := tagged(t, "a secret", target, tag); status != http.StatusNotModified || same != tag {
				t.Errorf("%s: %d with the tag %s", target, status, same)
			}
			if status, _ := tagged(t, "a secret", target, "*"); status != http.StatusOK {
				t.Errorf("%s: any tag gets %d", target, status)
			}
		}

		_, tag := tagged(t, "a secret", text, "")
		if status, _ := tagged(t, "a secret", otherText, tag); status != http.StatusOK {
			t.Errorf("the tag of one company's value tells another's: %d", status)
		}
	})
}

func TestTagsOfFreeAnswersDependOnTheirContent(t *testing.T) {
	_, tag := tagged(t, "a secret", "/v1/plans", "")
	if _, other := tagged(t, "another secret", "/v1/plans", ""); other != tag || tag == "" {
		t.Errorf("tags %s and %s", tag, other)
	}
}
