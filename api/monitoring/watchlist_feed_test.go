package monitoring

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/testkit/gateway"
)

const exampleToken = "wlf_abcdefghijklmnopqrstuvwxyz"

// fakeReaderFeed has one watch-list.
type fakeReaderFeed struct{}

func (fakeReaderFeed) Feed(_ context.Context, account, id string, as FeedFormat) (*op.Document, error) {
	if id != exampleToken && (account == "" || id != string(DefaultWatchlist)) {
		return nil, op.ErrUnknown
	}
	if as.Atom {
		return NewFeed([]byte("<feed/>"), AtomType), nil
	}
	return NewFeed([]byte("{}"), JSONFeedType), nil
}

func TestFeedsNeedTheirTokenOrAKey(t *testing.T) {
	g := gateway.New(t)
	ops := []*op.Operation{GetWatchlistFeed(fakeReaderFeed{}, true),
		GetWatchlistFeed(fakeReaderFeed{}, false)}
	for path, want := range map[string]int{
		"/v1/watchlists/" + exampleToken + "/feed.atom":             200,
		"/v1/watchlists/" + exampleToken + "/feed.json":             200,
		"/v1/watchlists/" + exampleToken + "/feed.json?lang=de":     400,
		"/v1/watchlists/wlf_zbcdefghijklmnopqrstuvwxyz/feed.atom":   404,
		"/v1/watchlists/wlf_ABCDEF/feed.atom":                       400,
		"/v1/watchlists/default/feed.atom":                          401,
		"/v1/watchlists/" + string(exampleList) + "/feed.json":      401,
		"/v1/watchlists/" + strings.Repeat("x", 600) + "/feed.json": 400,
	} {
		reply := gateway.Ask(t, g, ops, &op.Call{Channel: "rest"}, path)
		if reply.Status != want {
			t.Errorf("%s: %d %v, want %d", path, reply.Status, reply.Problem, want)
		}
		if reply.Problem != nil && strings.Contains(string(reply.Problem.JSON("")), "wlf_") {
			t.Errorf("%s: the token is repeated: %v", path, reply.Problem)
		}
	}

	reply := gateway.Ask(t, g, ops, &op.Call{Channel: "rest", Authorization: "Bearer " + gateway.GoodKey},
		"/v1/watchlists/default/feed.atom")
	if reply.Status != 200 || reply.Cost != 0 || reply.Document.File.Type[0] != AtomType+"; charset=utf-8" {
		t.Errorf("with a key: %d %v", reply.Status, reply.Problem)
	}

	again := gateway.Ask(t, g, ops, &op.Call{Channel: "rest", IfNoneMatch: reply.ETag()},
		"/v1/watchlists/"+exampleToken+"/feed.atom")
	if again.Status != http.StatusNotModified {
		t.Errorf("unchanged: %d", again.Status)
	}
}
