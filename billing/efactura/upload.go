package efactura

import (
	"context"
	"encoding/xml"
	"errors"
	"net/url"
	"strings"

	"github.com/rodata/rodata/billing/invoice"
)

// Document is an invoice as it is uploaded.
type Document struct {
	// Number is the invoice's number, by which it is recognised.
	Number string
	// XML is the output of package ubl.
	XML []byte
	// Credit says that it is a credit note.
	Credit bool
	// Consumer means that the customer is a private person: the invoice is then reported, not delivered.
	Consumer bool
}

// Describe is the document of an invoice, and whether RO e-Factura requires it: it does not for customers abroad.
func Describe(i invoice.Invoice, xml []byte) (d Document, required bool) {
	return Document{
		Number: i.Label(), XML: xml, Credit: i.Kind == invoice.Storno, Consumer: i.Customer.Consumer(),
	}, i.Customer.Address.Country == "RO"
}

// header is the answer to an upload and to a query of its state.
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

func (c *Client) header(ctx context.Context, q call) (header, error) {
	q.max = maxAnswer
	body, err := c.do(ctx, q)
	if err != nil {
		return header{}, err
	}

	var h header
	if err := xml.Unmarshal(body, &h); err != nil { // the page of a firewall, as likely as not
		return header{}, &Failure{Kind: Unanswered, Message: "the answer is not of the service", Err: err, asked: q.name}
	}
	return h, nil
}

// Upload uploads a document, which the service processes later under the ID that is returned. Only an Unanswered
// failure leaves open whether the document was taken. A Refused one was not, and the message says why.
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

	h, err := c.header(ctx, q)
	switch {
	case err != nil:
		return "", err
	case h.Execution == "0" && digits.MatchString(h.UploadID):
		return h.UploadID, nil
	case h.Execution == "1" || h.message() != "":
		f := judge(h.message(), Refused)
		f.asked = q.name
		return "", f
	}

	return "", &Failure{Kind: Unanswered, Message: "the answer says neither yes nor no", asked: q.name}
}

// Verdict is the service's judgement of an upload.
type Verdict int

// The verdicts.
const (
	Unfinished   Verdict = iota // "in prelucrare"
	Fine                        // "ok"
	Faulty                      // "nok": it breaks rules, which the archive names
	Unacceptable                // "XML cu erori nepreluat de sistem"
)

// Status is a verdict and, for Fine and Faulty, the ID of the archive with the service's answer.
type Status struct {
	Verdict    Verdict
	DownloadID string
	Message    string // what was said beside the verdict
}

// Status queries the state of an upload. The service answers at most 100 queries per upload and day.
func (c *Client) Status(ctx context.Context, uploadID string) (Status, error) {
	q := call{name: "asking for the state of upload " + uploadID, path: "/stareMesaj", query: url.Values{"id_incarcare": {uploadID}}}
	h, err := c.header(ctx, q)
	if err != nil {
		return Status{}, err
	}

	s := Status{DownloadID: h.Download, Message: h.message()}
	switch state := strings.ToLower(strings.Join(strings.Fields(h.State), " ")); {
	case state == "ok":
		s.Verdict = Fine
	case state == "nok":
		s.Verdict = Faulty
	case state == "in prelucrare":
		return Status{Verdict: Unfinished}, nil
	case strings.HasPrefix(state, "xml cu erori"):
		s.Verdict, s.DownloadID = Unacceptable, ""
		s.Message = strings.TrimSpace(h.State + " " + s.Message)
	default:
		f := judge(h.message(), Declined)
		f.asked, f.Err = q.name, errors.Join(f.Err, unknownState(h.State))
		return Status{}, f
	}

	if s.Verdict != Unacceptable && !digits.MatchString(s.DownloadID) {
		return Status{}, &Failure{Kind: Unanswered, Message: "the state " + h.State + " comes without an archive", asked: q.name}
	}
	return s, nil
}

func unknownState(state string) error {
	if state == "" {
		return nil
	}
	return errors.New("unknown state " + state)
}
