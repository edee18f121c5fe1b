package mcp

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rodata/rodata/testkit"
)

// connect connects the official Go client, in its usual configuration, in a given revision, over its own transport.
func connect(t *testing.T, transport http.RoundTripper, endpoint, revision string) *mcp.ClientSession {
	t.Helper()
	t.Cleanup((&http.Client{Transport: transport}).CloseIdleConnections)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: transport}},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connecting in %s: %v", revision, err)
	}

	t.Cleanup(func() { testkit.NoError(t, session.Close(), "closing in", revision) })
	return session
}

// serve serves a world over HTTP/1.1.
func (w *world) serve(t *testing.T) (endpoint string) {
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	t.Cleanup(w.Close) // before it, because closing waits for streams
	return server.URL + Path
}

var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func TestOfficialClient(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			w := newWorld(t)
			session := connect(t, new(http.Transport), w.serve(t), revision)
			if got := session.InitializeResult(); got.ProtocolVersion != revision || got.Instructions != instructions ||
				got.ServerInfo.Name != "rodata" {
				t.Errorf("%+v", got)
			}

			var names []string
			for tool, err := range session.Tools(t.Context(), nil) {
				testkit.NoError(t, err)
				names = append(names, tool.Name)
			}

			testkit.Equal(t, names, toolNames)

			callAll(t, w, session)
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "caen://6210"})
			if err != nil || len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, `"code":"6210"`) {
				t.Errorf("reading a resource: %+v %v", read, err)
			}

			prompt, err := session.GetPrompt(t.Context(),
				&mcp.GetPromptParams{Name: "find_caen_code", Arguments: map[string]string{"activity": "x"}})
			if err != nil || len(prompt.Messages) != 1 {
				t.Errorf("getting a prompt: %+v %v", prompt, err)
			}

			completed, err := session.Complete(t.Context(), &mcp.CompleteParams{
				Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "company://{cui}"},
				Argument: mcp.CompleteParamsArgument{Name: "cui", Value: "exem"}})
			if err != nil || !slices.Equal(completed.Completion.Values, []string{example.String()}) {
				t.Errorf("completing: %+v %v", completed, err)
			}
		})
	}
}

// callAll calls every tool, with valid and invalid arguments.
func callAll(t *testing.T, w *world, session *mcp.ClientSession) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(w.tools)) {
		arguments := make(map[string]any)
		for _, a := range good(name) {
			arguments[a.Name] = a.Text
			if a.JSON != "" {
				arguments[a.Name] = json.RawMessage(a.JSON)
			}
		}

		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		// Operations of accounts fail without a key, and suggest_companies without q.
		if err != nil || len(result.Content) != 1 ||
			result.IsError != (w.tools[name].Account || name == "suggest_companies") {
			t.Errorf("%s: %+v %v", name, result, err)
			continue
		}

		text := result.Content[0].(*mcp.TextContent).Text
		structured, _ := json.Marshal(result.StructuredContent)
		if !result.IsError && !sameJSON(t, []byte(text), structured) {
			t.Errorf("%s: %s is not %s", name, structured, text)
		}

		result, err = session.CallTool(t.Context(),
			&mcp.CallToolParams{Name: name, Arguments: map[string]string{"nonsense": "1"}})
		if err != nil || !result.IsError {
			t.Errorf("%s with a wrong argument: %+v %v", name, result, err)
		}
	}
}

// If two clients use the same call ids, a cancellation stops only the call of the client that cancelled, including its
// request to the registry.
func TestOfficialClientsAreIsolated(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			w := newWorld(t)
			endpoint := w.serve(t)
			one := connect(t, new(http.Transport), endpoint, revision)
			other := connect(t, new(http.Transport), endpoint, revision)
			call := func(ctx context.Context, session *mcp.ClientSession) (ended func()) {
				var wg sync.WaitGroup
				wg.Go(func() {
					_, _ = session.CallTool(ctx,
						&mcp.CallToolParams{Name: "get_company", Arguments: map[string]string{"cui": hanging.String()}})
				})
				<-w.companies.began
				return wg.Wait
			}
			for round := range 50 {
				mine, theirs := one, other
				if round%2 == 1 {
					mine, theirs = other, one
				}

				ctxMine, abortMine := context.WithCancel(t.Context())
				ctxTheirs, abortTheirs := context.WithCancel(t.Context())
				endedMine, endedTheirs := call(ctxMine, mine), call(ctxTheirs, theirs)
				abortMine()
				endedMine()
				<-w.companies.ended
				if n := int(w.companies.cancelled.Load()); n != 2*round+1 {
					t.Fatalf("round %d: %d calls were cancelled", round, n)
				}

				abortTheirs()
				endedTheirs()
				<-w.companies.ended
			}
		})
	}
}

// balancer distributes requests to edges in turn.
type balancer struct {
	*http.Transport
	edges []string
	next  atomic.Uint64
}

func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	edge, err := url.Parse(b.edges[b.next.Add(1)%uint64(len(b.edges))])
	if err != nil {
		return nil, err
	}

	r = r.Clone(r.Context())
	r.URL.Host = edge.Host
	return b.Transport.RoundTrip(r)
}

// A session is not bound to the edge that created it.
func TestAnyEdgeAnswersTheNextRequest(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			edges := []string{newWorld(t).serve(t), newWorld(t).serve(t)}
			session := connect(t, &balancer{Transport: new(http.Transport), edges: edges}, edges[0], revision)
			for i := range 1000 {
				result, err := session.CallTool(t.Context(),
					&mcp.CallToolParams{Name: "get_caen_code", Arguments: map[string]string{"code": "6210"}})
				if err != nil || result.IsError {
					t.Fatalf("call %d: %+v %v", i, result, err)
				}
			}
		})
	}
}
