package webhook

import (
	"encoding/json"

	"github.com/rodata/rodata/api"
)

// maxBody is the most bytes that are sent. The specification recommends less than 20 KB.
const maxBody = 20_000

// message is an event as it is sent.
type message struct {
	api.Event
	Data messageData `json:"data"`
}

type messageData struct {
	api.EventData
	// ChangesOmitted is how many of the changes are left out, so that the message is not too large. GET /v1/events has
	// them all.
	ChangesOmitted int `json:"changesOmitted,omitempty"`
}

// bodyOf is the body of an event: all of it, or without its last changes if it would be too large.
func bodyOf(e api.Event) ([]byte, error) {
	m := message{Event: e, Data: messageData{EventData: e.Data}}
	for {
		body, err := json.Marshal(&m)
		if n := len(m.Data.Changes); err != nil || len(body) < maxBody || n == 0 {
			return body, err
		}
		left := len(m.Data.Changes) / 2
		m.Data.ChangesOmitted += len(m.Data.Changes) - left
		m.Data.Changes = m.Data.Changes[:left]
	}
}
