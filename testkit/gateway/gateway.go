// Package gateway runs a gateway in a test, and calls its operations as a channel does.
package gateway

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/metering"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/fake"
)

// Keys knows one key, and can be down.
type Keys struct{ Down error }

// GoodKey is the secret of the one key: of account1, with the plan pro.
const GoodKey = "rodata_live_good"

// KeyFrom implements op.Directory.
func (f Keys) KeyFrom(_ context.Context, secret string, _ netip.Addr) (account.Key, error) {
	switch {
	case f.Down != nil:
		return account.Key{}, f.Down
	case secret == GoodKey:
		return account.Key{ID: "key1", Account: "account1", Plan: "pro"}, nil
	}

	return account.Key{}, account.ErrUnknownKey
}

// New returns a gateway that knows one key and hardly limits anonymous callers.
func New(t testing.TB) *op.Gateway {
	return &op.Gateway{
		Keys:      Keys{},
		Plans:     metering.DefaultPlans(),
		Anonymous: metering.PerSecond(1000, 1000),
		Buckets:   metering.NewBuckets(),
		Ledger:    NewLedger(t, new(fake.Journal)),
		Logger:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// NewLedger returns a ledger that the end of the test closes.
func NewLedger(t testing.TB, journal metering.Journal) *metering.Ledger {
	ledger := metering.NewLedger(journal, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { ledger.Close() })
	return ledger
}

// Find returns the operation for a request, and the arguments in its path.
func Find(ops []*op.Operation, method, path string) (*op.Operation, op.PathArgs) {
	for _, o := range ops {
		if o.Method == method && o.Path == path {
			return o, op.PathArgs{}
		}
	}

	for _, o := range ops {
		if inPath, ok := argumentsIn(o, path); ok && o.Method == method {
			return o, inPath
		}
	}

	return nil, op.PathArgs{}
}

func argumentsIn(o *op.Operation, path string) (inPath op.PathArgs, ok bool) {
	segments, pattern := strings.Split(path, "/"), strings.Split(o.Path, "/")
	if len(segments) != len(pattern) {
		return op.PathArgs{}, false
	}

	n := 0
	for i, segment := range segments {
		if name, isName := strings.CutPrefix(pattern[i], "{"); isName {
			inPath[n] = op.Arg{Name: strings.TrimSuffix(name, "}"), Text: segment}
			n++
		} else if segment != pattern[i] {
			return op.PathArgs{}, false
		}
	}

	return inPath, true
}

// Ask calls the operation at a path, which may have a query, by GET.
func Ask(t *testing.T, g *op.Gateway, ops []*op.Operation, call *op.Call, target string) op.Reply {
	t.Helper()
	path, query, _ := strings.Cut(target, "?")
	operation, inPath := Find(ops, http.MethodGet, path)
	if operation == nil {
		t.Fatalf("no operation has the path %s", path)
	}

	call.InPath = inPath
	call.Args, call.Malformed = op.ArgsFromQuery(query)
	return *g.Do(t.Context(), operation.ForMedia(call.Media), call)
}

// Header returns a header by its name in the contract's exact case.
func Header(h http.Header, name string) string { return strings.Join(h[name], ", ") }
