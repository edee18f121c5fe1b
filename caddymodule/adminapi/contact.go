package adminapi

import (
	"net/http"
	"strconv"
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

// pageOfInquiries is the most messages in an answer; each has up to 5000 characters.
const pageOfInquiries = 20

// listInquiries lists messages, the newest first: ?before={id}&limit={1 to 20}.
func listInquiries(g *Gateway, r *http.Request) (any, error) {
	query, limit := r.URL.Query(), pageOfInquiries
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > pageOfInquiries {
			return nil, badRequest("limit: a request lists 1 to %d messages", pageOfInquiries)
		}
		limit = n
	}

	found, err := g.Store.Inquiries(r.Context(), query.Get("before"), limit)
	if err != nil {
		return nil, err
	}

	infos := make([]Inquiry, len(found))
	for i := range found {
		infos[i] = newInquiry(found[i])
	}
	return infos, nil
}

func showInquiry(g *Gateway, r *http.Request) (any, error) {
	found, err := g.Store.Inquiry(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return newInquiry(found), nil
}
