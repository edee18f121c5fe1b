package efactura

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Message reports that the service has accepted an invoice.
type Message struct {
	UploadID   string `json:"id_solicitare"`
	DownloadID string `json:"id"`
}

// maxPages bounds the number of pages read, of 500 messages each.
const maxPages = 10

// ListSent lists the seller's invoices that the service accepted between two times, at most 60 days ago.
func (c *Client) ListSent(ctx context.Context, from, to time.Time) ([]Message, error) {
	var all []Message
	for page, pages := 1, 1; page <= pages; page++ {
		q := call{name: "listing the invoices sent", path: "/listaMesajePaginatieFactura", max: maxArchive,
			query: url.Values{
				"cif": {c.options.FiscalCode}, "filtru": {"T"}, "pagina": {strconv.Itoa(page)},
				"startTime": {strconv.FormatInt(from.UnixMilli(), 10)},
				"endTime":   {strconv.FormatInt(to.UnixMilli(), 10)},
			}}

		var answer struct {
			Messages []Message `json:"mesaje"`
			Pages    int       `json:"numar_total_pagini"`
			Trouble  string    `json:"eroare"`
		}
		if err := c.do(ctx, q, func(body []byte) *Failure {
			err := json.Unmarshal(body, &answer)
			switch {
			case err != nil:
				return &Failure{Kind: Unanswered, Message: "the answer is not a list", Err: err}
			case strings.HasPrefix(answer.Trouble, "Nu exista mesaje"): // then there are no pages either
			case answer.Trouble != "" || answer.Messages == nil:
				return classify(answer.Trouble, Declined)
			case answer.Pages > maxPages:
				return &Failure{Kind: Declined, Message: fmt.Sprintf("%d pages are too many to read", answer.Pages)}
			}

			return nil
		}); err != nil {
			return nil, err
		}

		all, pages = append(all, answer.Messages...), answer.Pages
	}

	return all, nil
}
