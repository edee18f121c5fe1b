package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"

	"github.com/rodata/rodata/api"
)

// tool is an operation as MCP shows it.
type tool struct {
	*api.Operation
	input, output json.RawMessage // JSON Schemas
}

// newTools are the operations that are tools, by name.
func newTools(ops []*api.Operation) map[string]*tool {
	tools := make(map[string]*tool)
	for _, op := range ops {
		if op.Tool {
			tools[op.Name] = &tool{op, schema(op.Input()), schema(op.Output())}
		}
	}
	return tools
}

func schema(s api.Schema) json.RawMessage {
	doc, err := api.EncodeDocument(s)
	if err != nil { // schemas are made of plain values
		panic(err)
	}
	return doc.JSON
}

// exchange is what a tool call needs of the request that it came with.
type exchange struct {
	arguments     json.RawMessage
	authorization string
	address       netip.Addr
	requestID     string
	baseURL       string
	header        http.Header // of the response
}

type exchangeKey struct{}

// outcome is what a tool call gives.
type outcome struct {
	body   json.RawMessage // as REST sends it: the answer, or the problem
	failed bool
	meta   map[string]any
}

// call does a tool call. The facts that REST sends as headers are in the meta
// data of the outcome and in the header of the response.
func (h *Handler) call(ctx context.Context, t *tool) outcome {
	x := ctx.Value(exchangeKey{}).(*exchange)
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	args, malformed := api.ArgsFromJSON(x.arguments)
	reply := h.Gateway.Do(ctx, t.Operation, &api.Call{
		Channel: "mcp", Args: args, Malformed: malformed,
		Authorization: x.authorization, Address: x.address, RequestID: x.requestID,
	})
	writeFacts(x.header, &reply)
	doc := reply.Document
	if reply.Problem != nil {
		doc = reply.Problem.Document(x.baseURL)
	}
	return outcome{body: doc.JSON, failed: reply.Problem != nil, meta: facts(&reply, doc)}
}

// writeFacts puts the facts of a reply into the header of the message that
// carries it, except those that only hold for an answer to GET.
func writeFacts(h http.Header, reply *api.Reply) {
	reply.WriteHeader(h)
	for _, name := range []string{"Etag", "Age", "Cache-Status", "Www-Authenticate"} {
		delete(h, name)
	}
	h.Set("Cache-Control", "no-store")
}

// facts are the meta data of a reply.
func facts(reply *api.Reply, doc *api.Document) map[string]any {
	meta := map[string]any{
		"ro.rodata/status":      reply.Status,
		"ro.rodata/creditsCost": reply.Cost,
	}
	if reply.Credits >= 0 {
		meta["ro.rodata/creditsRemaining"] = reply.Credits
	}
	if rate := reply.Allowance.Rate; rate.PerSecond > 0 {
		meta["ro.rodata/rateLimit"] = limit{rate.PerSecond, reply.Allowance.Remaining}
	}
	if reply.Problem == nil {
		if reply.Cache != "" {
			meta["ro.rodata/cache"] = reply.Cache
		}
		return meta
	}
	meta["ro.rodata/problem"] = json.RawMessage(doc.JSON)
	if s := reply.RetrySeconds(); s > 0 {
		meta["ro.rodata/retryAfterSeconds"] = s
	}
	return meta
}

// limit is the state of the caller's bucket.
type limit struct {
	Limit     int `json:"limit"`
	Remaining int `json:"remaining"`
}
