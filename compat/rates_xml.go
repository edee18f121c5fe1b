package compat

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/op"
	"github.com/rodata/rodata/ro"
)

// xmlType is the media type used by the bank.
var xmlType = []string{"text/xml"}

// The root elements of the files: as sent by curs.bnr.ro (2026-08-19), and by www.bnr.ro until 2025.
const (
	newRoot = `<DataSet xmlns="https://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https://curs.bnr.ro/xsd/nbrfxrates.xsd">`
	oldRoot = `<DataSet xmlns="http://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.bnr.ro/xsd nbrfxrates.xsd">`
)

// rateFiles caches the most recent files: printing a year takes milliseconds.
type rateFiles struct {
	mu      sync.Mutex
	printed map[rateFile]printedFile
}

// printedFile is a file with the properties of the publication that it was printed from.
type printedFile struct {
	last     ro.Date
	count    int
	modified time.Time
	document *op.Document
}

// maxPrinted bounds the number of cached files; the largest have about 300 KB.
const maxPrinted = 16

// render returns a publication as a file.
func (r *rateFiles) render(f rateFile, pub rate.Publication) *op.Document {
	want := printedFile{last: pub.Fixings[len(pub.Fixings)-1].Date, count: len(pub.Fixings), modified: pub.Modified}
	r.mu.Lock()
	defer r.mu.Unlock()
	have := r.printed[f]
	if want.document = have.document; want == have {
		return have.document
	}

	want.document = printRates(f, pub)
	if r.printed == nil || len(r.printed) >= maxPrinted {
		r.printed = map[rateFile]printedFile{}
	}

	r.printed[f] = want
	return want.document
}

// printRates writes a file on one line, like the bank.
func printRates(f rateFile, pub rate.Publication) *op.Document {
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

	doc := op.NewDocument(b.Bytes())
	doc.File = &op.File{Type: xmlType, Modified: pub.Modified}
	return doc
}

func printCube(b *bytes.Buffer, f *rate.Fixing) {
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
var schemas = map[bool]*op.Document{false: schemaIn("https://www.bnr.ro/xsd"), true: schemaIn("http://www.bnr.ro/xsd")}

func schemaIn(namespace string) *op.Document {
	doc := op.NewDocument([]byte(strings.ReplaceAll(schemaText, "NAMESPACE", namespace)))
	doc.File = &op.File{Type: xmlType}
	return doc
}

// builtIn is the freshness of data that changes only with a release of the program.
var builtIn = op.Freshness{Cache: op.Hit, MaxAge: 24 * time.Hour}
