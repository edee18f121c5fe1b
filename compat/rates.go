package compat

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/account"
	"github.com/rodata/rodata/api"
	"github.com/rodata/rodata/api/problem"
)

// The central bank publishes its fixings as XML files: the latest fixing, the last ten fixings (newest first), and one
// file per year (oldest first).

const (
	latestPath  = "/nbrfxrates.xml"
	tenDaysPath = "/nbrfxrates10days.xml"
	schemaPath  = "/xsd/nbrfxrates.xsd"
	yearPrefix  = "/files/xml/years/nbrfxrates"

	tenDays = 10
)

// rateFile names one of the files.
type rateFile struct {
	newest int  // the number of latest fixings
	year   int  // or the year, if newest is 0; 0 for the schema of all files
	old    bool // in the namespace used until 2025
}

// rateFileOf returns the file at a path, in the namespace given by the query; false if there is no such file.
func rateFileOf(path string, old bool) (f rateFile, ok bool) {
	path, legacy := strings.CutPrefix(path, legacy)
	f.old = old || legacy
	switch path {
	case schemaPath:
	case latestPath:
		f.newest = 1
	case tenDaysPath:
		f.newest = tenDays
	default:
		text, isYear := strings.CutPrefix(path, yearPrefix)
		text, isXML := strings.CutSuffix(text, ".xml")
		year, err := strconv.ParseUint(text, 10, 16)
		f.year = int(year)
		return f, isYear && isXML && err == nil && len(text) == 4 && year > 0
	}

	return f, true
}

// UnmarshalText parses the path of a file, which begins with /legacy in the old namespace.
func (f *rateFile) UnmarshalText(text []byte) error {
	file, ok := rateFileOf(string(text), false)
	if !ok {
		return problem.NotFound.New("the central bank has no file of this name")
	}

	*f = file
	return nil
}

// Schema describes the path.
func (rateFile) Schema() api.Schema { return api.Schema{Type: "string"} }

type getRateFileInput struct {
	File rateFile `arg:"file" in:"path" doc:"Path of the file." example:"/nbrfxrates.xml"`
}

func getRateFile(bank api.Publications) *api.Operation {
	printed := new(printer)
	return api.Define(api.Spec{
		Name: "get_rate_file", Method: http.MethodGet,
		Errors: []*problem.Kind{problem.NotFound, problem.UpstreamError, problem.Unavailable, problem.UpstreamTimeout},
	}, func(ctx context.Context, _ account.Caller, in getRateFileInput) (answer api.Answer[struct{}], err error) {
		var p api.Publication
		switch {
		case in.File.newest > 0:
			p, answer.Freshness, err = bank.Newest(ctx, in.File.newest)
		case in.File.year > 0:
			p, answer.Freshness, err = bank.OfYear(ctx, in.File.year)
		default:
			return api.Answer[struct{}]{Document: schemas[in.File.old], Freshness: builtIn}, nil
		}

		if errors.Is(err, api.ErrUnknown) {
			return answer, problem.NotFound.New("the central bank has published no fixings of the year %04d; there "+
				"are files from 2005 to this year", in.File.year)
		}
		if err == nil {
			answer.Document = printed.print(in.File, p)
		}

		return answer, err
	})
}

// serveRates answers a request for a file of fixings.
func (x *exchange) serveRates() {
	call := x.call()
	old, err := x.oldNamespace()
	file, ok := rateFileOf(x.r.URL.Path, old)
	switch {
	case err != nil:
		call.Malformed = err
	case !ok:
		call.Malformed = problem.NotFound.New("the central bank has no file of this name; those of years are named " +
			"nbrfxrates2026.xml")
	}

	call.InPath = api.PathArgs{{Name: "file", Text: file.path()}}
	x.write(x.Gateway.Do(x.r.Context(), x.Operations.rates, call))
}

// path returns the text that UnmarshalText parses.
func (f rateFile) path() string {
	path := ""
	if f.old {
		path = legacy
	}

	switch {
	case f.newest == 1:
		return path + latestPath
	case f.newest > 1:
		return path + tenDaysPath
	case f.year > 0:
		return fmt.Sprintf("%s%s%04d.xml", path, yearPrefix, f.year)
	}

	return path + schemaPath
}

// oldNamespace reads the parameter ns. Other parameters are ignored, as at the bank.
func (x *exchange) oldNamespace() (bool, error) {
	switch ns := x.r.URL.Query().Get("ns"); ns {
	case "":
		return false, nil
	case "2005":
		return true, nil
	}

	return false, problem.Invalid(&problem.InputError{
		Parameter: "ns", Code: problem.NotOneOf, Received: problem.Shown(x.r.URL.Query().Get("ns")),
		Accepted: "2005, for the namespace http://www.bnr.ro/xsd; leave it out for https://www.bnr.ro/xsd",
	})
}

// xmlType is the media type used by the bank.
var xmlType = []string{"text/xml"}

// The root elements of the files: as sent by curs.bnr.ro (2026-08-19), and by www.bnr.ro until 2025.
const (
	newRoot = `<DataSet xmlns="https://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https://curs.bnr.ro/xsd/nbrfxrates.xsd">`
	oldRoot = `<DataSet xmlns="http://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.bnr.ro/xsd nbrfxrates.xsd">`
)

// printer caches the most recent files: printing a year takes milliseconds.
type printer struct {
	mu      sync.Mutex
	printed map[rateFile]print
}

type print struct {
	last     api.Date
	count    int
	modified time.Time
	document *api.Document
}

// mostPrinted bounds the number of cached files; the largest have about 300 KB.
const mostPrinted = 16

// print returns a publication as a file.
func (p *printer) print(f rateFile, pub api.Publication) *api.Document {
	want := print{last: pub.Fixings[len(pub.Fixings)-1].Date, count: len(pub.Fixings), modified: pub.Modified}
	p.mu.Lock()
	defer p.mu.Unlock()
	have := p.printed[f]
	if want.document = have.document; want == have {
		return have.document
	}

	want.document = printRates(f, pub)
	if p.printed == nil || len(p.printed) >= mostPrinted {
		p.printed = map[rateFile]print{}
	}

	p.printed[f] = want
	return want.document
}

// printRates writes a file on one line, like the bank.
func printRates(f rateFile, pub api.Publication) *api.Document {
	root := newRoot
	if f.old {
		root = oldRoot
	}

	var b bytes.Buffer
	last := pub.Fixings[len(pub.Fixings)-1].Date
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"+
		"%s<Header><Publisher>National Bank of Romania</Publisher><PublishingDate>%s</PublishingDate>"+
		"<MessageType>DR</MessageType></Header><Body><Subject>Reference rates</Subject><OrigCurrency>RON</OrigCurrency>", root, last)
	for i := range pub.Fixings {
		if f.newest > 0 {
			i = len(pub.Fixings) - 1 - i
		}
		printCube(&b, &pub.Fixings[i])
	}

	b.WriteString("</Body></DataSet>\n")

	doc := api.NewDocument(b.Bytes())
	doc.File = &api.File{Type: xmlType, Modified: pub.Modified}
	return doc
}

func printCube(b *bytes.Buffer, f *api.Fixing) {
	fmt.Fprintf(b, `<Cube date="%s">`, f.Date)
	for _, r := range f.Rates {
		text, units := r.Published()
		b.WriteString(`<Rate currency="` + string(r.Currency) + `"`)
		if units != 1 {
			b.WriteString(` multiplier="` + strconv.Itoa(units) + `"`)
		}

		b.WriteString(">" + text + "</Rate>")
	}

	b.WriteString("</Cube>")
}

// schemaText describes the files of one namespace.
//
//go:embed nbrfxrates.xsd
var schemaText string

// schemas has the schema in the new namespace (false) and in the old one (true).
var schemas = map[bool]*api.Document{false: schemaIn("https://www.bnr.ro/xsd"), true: schemaIn("http://www.bnr.ro/xsd")}

func schemaIn(namespace string) *api.Document {
	doc := api.NewDocument([]byte(strings.ReplaceAll(schemaText, "NAMESPACE", namespace)))
	doc.File = &api.File{Type: xmlType}
	return doc
}

// builtIn is the freshness of data that changes only with a release of the program.
var builtIn = api.Freshness{Cache: api.Hit, MaxAge: 24 * time.Hour}
