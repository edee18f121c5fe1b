package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// subscribe answers subscriptions/listen. There is nothing to subscribe to, so
// mcp-go acknowledges and ends the stream at once; but it may end it without the
// acknowledgement, which is therefore written here.
func (h *Handler) subscribe(w *response, r *http.Request, m *message) {
	answer := newCapture()
	h.protocol.ServeHTTP(answer, r)
	var refusal struct{ Error json.RawMessage }
	if json.Unmarshal(answer.body.Bytes(), &refusal) != nil || refusal.Error != nil {
		answer.copyTo(w)
		return
	}

	eventStream(w.Header())
	_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\nevent: message\ndata: %s\n\n",
		acknowledgement(m.ID), bytes.TrimSpace(answer.body.Bytes()))
}

// acknowledgement says that nothing of what was asked for will be sent.
func acknowledgement(id json.RawMessage) []byte {
	text, _ := json.Marshal(protocol.JSONRPCNotification{
		JSONRPC: protocol.JSONRPC_VERSION,
		Notification: protocol.Notification{
			Method: protocol.MethodNotificationSubscriptionsAcknowledged,
			Params: protocol.NotificationParams{
				Meta:             map[string]any{protocol.MetaKeySubscriptionID: id},
				AdditionalFields: map[string]any{"notifications": struct{}{}},
			},
		},
	})
	return text
}

// capture keeps an answer. It cannot stream, and mcp-go does not, then.
type capture struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newCapture() *capture {
	return &capture{header: make(http.Header), status: http.StatusOK}
}

func (c *capture) Header() http.Header            { return c.header }
func (c *capture) WriteHeader(status int)         { c.status = status }
func (c *capture) Write(text []byte) (int, error) { return c.body.Write(text) }

// copyTo sends what was kept.
func (c *capture) copyTo(w http.ResponseWriter) {
	maps.Copy(w.Header(), c.header)
	w.WriteHeader(c.status)
	_, _ = w.Write(c.body.Bytes()) // the client has gone, then
}
