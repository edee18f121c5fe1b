package webhook

import (
	"encoding/json"

	"github.com/rodata/rodata/api/monitoring"
)

// maxBody is the size limit of a body in bytes. The specification recommends less than 20 KB.
const maxBody = 20_000

// message is an event as sent.
type message struct {
	monitoring.Event
	Data messageData `json:"data"`
}

type messageData struct {
	monitoring.EventData
	// ChangesOmitted is the number of changes omitted to keep the message small. GET /v1/events returns all of them.
	ChangesOmitted int `json:"changesOmitted,omitempty"`
}

// bodyOf returns the body for an event. If it would be too large, the last changes are omitted.
func bodyOf(e monitoring.Event) ([]byte, error) {
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
