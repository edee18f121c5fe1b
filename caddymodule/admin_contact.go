package caddymodule

import (
	"net/http"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/rodata/rodata/account"
)

// contactRoutes are the addresses at which an operator reads what people wrote:
//
//	GET /rodata/contact       the newest first: ?before={id}&limit={1 to 20}
//	GET /rodata/contact/{id}  one message
func (a *Admin) contactRoutes() []caddy.AdminRoute {
	return []caddy.AdminRoute{
		{Pattern: "/rodata/contact", Handler: a.desk(methods{"GET": listInquiries})},
		{Pattern: "/rodata/contact/{id}", Handler: a.desk(methods{"GET": showInquiry})},
	}
}

// inquiryInfo is a message to the operators. Nobody has verified its sender.
type inquiryInfo struct {
	ID         string    `json:"id"`
	ReceivedAt time.Time `json:"receivedAt"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	Message    string    `json:"message"`
}

func newInquiryInfo(q account.Inquiry) inquiryInfo {
	return inquiryInfo{q.ID, q.ReceivedAt, q.Name, q.Email, q.Text}
}

// pageOfInquiries bounds an answer: a message has up to 5000 characters.
const pageOfInquiries = 20

func listInquiries(s *service, r *http.Request) (any, error) {
	query, limit := r.URL.Query(), pageOfInquiries
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > pageOfInquiries {
			return nil, badRequest("limit: 1 to %d messages are listed at a time", pageOfInquiries)
		}
		limit = n
	}
	found, err := s.store.Inquiries(r.Context(), query.Get("before"), limit)
	if err != nil {
		return nil, err
	}
	infos := make([]inquiryInfo, len(found))
	for i := range found {
		infos[i] = newInquiryInfo(found[i])
	}
	return infos, nil
}

func showInquiry(s *service, r *http.Request) (any, error) {
	found, err := s.store.Inquiry(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return newInquiryInfo(found), nil
}
