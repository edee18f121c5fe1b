package adminapi

import (
	"net/http"
	"time"

	"github.com/rodata/rodata/account"
)

// Inquiry is a message sent with the contact form. Its sender is not verified.
type Inquiry struct {
	ID         string    `json:"id"`
	ReceivedAt time.Time `json:"receivedAt"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	Message    string    `json:"message"`
}

func newInquiry(q account.Inquiry) Inquiry {
	return Inquiry{q.ID, q.ReceivedAt, q.Name, q.Email, q.Text}
}

// maxInquiries is the maximum number of messages in an answer; each has up to 5000 characters.
const maxInquiries = 20

// listInquiries lists messages, the newest first: ?before={id}&limit={1 to 20}.
func listInquiries(g gateway, r *http.Request) (any, error) {
	most, err := limit(r, maxInquiries, "messages")
	if err != nil {
		return nil, err
	}

	found, err := g.Store.Inquiries(r.Context(), r.URL.Query().Get("before"), most)
	return convertAll(found, newInquiry), err
}

func showInquiry(g gateway, r *http.Request) (any, error) {
	found, err := g.Store.Inquiry(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return newInquiry(found), nil
}
