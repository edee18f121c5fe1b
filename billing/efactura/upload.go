package efactura

import (
	"context"
	"encoding/xml"
	"errors"
	"net/url"
	"strings"

	"github.com/rodata/rodata/billing/invoice"
)

// Document is an invoice ready for upload.
type Document struct {
	// Number is the invoice's number, which identifies it in the service's archives.
	Number string
	// XML is the output of package ubl.
	XML []byte
	// Credit means that it is a credit note.
	Credit bool
	// Consumer means that the customer is a private person: the invoice is then reported, not delivered.
	Consumer bool
}

// Describe returns the document of an invoice, and reports whether RO e-Factura requires it. It does not require
// invoices for customers abroad.
func Describe(i invoice.Invoice, xml []byte) (d Document, required bool) {
	return Document{
		Number: i.Label(), XML: xml, Credit: i.Kind == invoice.Storno, Consumer: i.Customer.IsConsumer(),
	}, i.Customer.Address.Country == "RO"
}

type header struct {
	XMLName   xml.Name `xml:"header"`
	Execution string   `xml:"ExecutionStatus,attr"`
	UploadID  string   `xml:"index_incarcare,attr"`
	State     string   `xml:"stare,attr"`
	Download  string   `xml:"id_descarcare,attr"`
	Errors    []struct {
		Message string `xml:"errorMessage,attr"`
	} `xml:"Errors"`
}

func (h header) message() string {
	texts := make([]string, len(h.Errors))
	for n, e := range h.Errors {
		texts[n] = strings.TrimSpace(e.Message)
	}
	return strings.Join(texts, "; ")
}

func (c *Client) header(ctx context.Context, q call, read func(header) *Failure) error {
	q.max = maxAnswer
	return c.do(ctx, q, func(body []byte) *Failure {
		var h header
		if err := xml.Unmarshal(body, &h); err != nil { // probably the page of a firewall
			return &Failure{Kind: Unanswered, Message: "the answer does not come from the service", Err: err}
		}
		return read(h)
	})
}

// Upload uploads a document. The service processes it later under the returned ID. After an Unanswered failure, the
// document may have arrived; after all others, it has not. The message of a Refused failure has the reason.
func (c *Client) Upload(ctx context.Context, d Document) (uploadID string, err error) {
	q := call{name: "uploading invoice " + d.Number, path: "/upload", body: d.XML, query: url.Values{
		"standard": {"UBL"}, "cif": {c.options.FiscalCode},
	}}
	if d.Consumer {
		q.path = "/uploadb2c"
	}
	if d.Credit {
		q.query.Set("standard", "CN")
	}

	err = c.header(ctx, q, func(h header) *Failure {
		switch {
		case h.Execution == "0" && digits.MatchString(h.UploadID):
			uploadID = h.UploadID
			return nil
		case h.Execution == "1" || h.message() != "":
			return classify(h.message(), Refused)
		}

		return &Failure{Kind: Unanswered, Message: "the answer says neither yes nor no"}
	})
	return uploadID, err
}

// Status is the state of an upload: Processing, Accepted or Rejected. DownloadID is the ID of the archive with the
// result, unless the upload is being processed or was unreadable.
type Status struct {
	State      State
	DownloadID string
	Message    string // the message that came with the state
}

// Status queries the state of an upload. The service answers at most 100 queries per upload and day.
func (c *Client) Status(ctx context.Context, uploadID string) (s Status, err error) {
	q := call{name: "asking for the state of upload " + uploadID, path: "/stareMesaj",
		query: url.Values{"id_incarcare": {uploadID}}}
	err = c.header(ctx, q, func(h header) (f *Failure) {
		s, f = h.status()
		return f
	})
	return s, err
}

func (h header) status() (Status, *Failure) {
	s := Status{State: Accepted, DownloadID: h.Download, Message: h.message()}
	switch state := strings.ToLower(strings.Join(strings.Fields(h.State), " ")); {
	case state == "ok":
	case state == "nok":
		s.State = Rejected
	case state == "in prelucrare":
		return Status{State: Processing}, nil
	case strings.HasPrefix(state, "xml cu erori"): // nepreluat de sistem
		return Status{State: Rejected, Message: strings.TrimSpace(h.State + " " + s.Message)}, nil
	default:
		f := classify(s.Message, Declined)
		if h.State != "" {
			f.Err = errors.New("unknown state " + h.State)
		}
		return Status{}, f
	}

	if !digits.MatchString(s.DownloadID) {
		return Status{}, &Failure{Kind: Unanswered, Message: "the state " + h.State + " comes without an archive"}
	}

	return s, nil
}
