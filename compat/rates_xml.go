package compat

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rodata/rodata/api/rate"
	"github.com/rodata/rodata/internal/recent"
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

// rateFiles are the most recent files: printing a year takes milliseconds, and the largest have about 300 KB.
type rateFiles = recent.Memory[printedFile, *op.Document]

// maxPrinted bounds the number of cached files.
const maxPrinted = 16

// printedFile identifies a file that was printed from a publication.
type printedFile struct {
	rateFile
	last     ro.Date
	count    int
	modified time.Time
}

// renderRates returns a publication as a file.
func renderRates(known *rateFiles, f rateFile, pub rate.Publication) *op.Document {
	file := printedFile{f, pub.Fixings[len(pub.Fixings)-1].Date, len(pub.Fixings), pub.Modified}
	document, ok := known.Get(file)
	if !ok {
		document = printRates(f, pub)
		known.Put(file, document)
	}

	return document
}

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
