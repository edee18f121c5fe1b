package standin

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rodata/rodata/ro"
)

// lastOldYear is the last year whose file is in the old namespace.
const lastOldYear = 2025

// bank is the central bank.
type bank struct {
	options Options
	series  series
}

func newBank(o Options) (*bank, error) {
	s, err := fixings()
	if err != nil {
		return nil, err
	}
	return &bank{options: o, series: s}, nil
}

// answer returns the central bank's answer to a request.
func (b *bank) answer(r *http.Request, _ []byte) reply {
	now := b.options.Now()
	last := lastFixing(now)
	if last != 0 {
		switch r.URL.Path {
		case "/nbrfxrates.xml":
			return b.daily([]ro.Date{last})
		case "/nbrfxrates10days.xml":
			return b.daily(newest(last, 10))
		}
	}

	name, isYear := strings.CutPrefix(r.URL.Path, "/files/xml/years/nbrfxrates")
	name, isXML := strings.CutSuffix(name, ".xml")
	if year, err := strconv.Atoi(name); isYear && isXML && err == nil && len(name) == 4 {
		return b.year(year, now)
	}

	return notFoundPage
}

// year returns the file of a year, oldest fixing first. The current year's file is also rebuilt at night, so its
// publishing date may differ from the day of its last fixing.
func (b *bank) year(year int, now time.Time) reply {
	var days []ro.Date
	last := lastFixing(now)
	for day := ro.NewDate(year, time.January, 1); day <= min(last, ro.NewDate(year, time.December, 31)); day++ {
		if hasFixing(day) {
			days = append(days, day)
		}
	}

	today := ro.DateIn(now, ro.Bucharest)
	current := year == today.Year()
	if len(days) == 0 {
		return notFoundPage
	}

	d := document{days: days, published: days[len(days)-1], yearly: true, old: year <= lastOldYear}
	modified := publishedAt(d.published)
	if current {
		y, m, date := today.UTC().Date()
		if night := time.Date(y, m, date, 0, 1, 3, 0, ro.Bucharest); night.After(modified) && !night.After(now) {
			modified, d.published = night, today
		}
	}

	cached, _ := yearFiles.Load(year)
	file, _ := cached.(yearFile)
	if last := days[len(days)-1]; file.last != last || file.published != d.published {
		file = yearFile{last, d.published, d.write(b.series)}
		yearFiles.Store(year, file) // two stand-ins may write the same file at once
	}

	return fileOf(file.body, modified)
}

// yearFiles holds the newest file of each year. All stand-ins of a process share them, because every gateway fetches
// several of them when it starts.
var yearFiles sync.Map // of the year to yearFile

type yearFile struct {
	last, published ro.Date
	body            []byte
}

// newest returns the last n days with a fixing, up to a given day, newest first.
func newest(last ro.Date, n int) []ro.Date {
	var days []ro.Date
	for day := last; len(days) < n && day >= firstFixing; day-- {
		if hasFixing(day) {
			days = append(days, day)
		}
	}

	return days
}

// daily returns a daily file with the fixings of some days, the newest first.
func (b *bank) daily(days []ro.Date) reply {
	d := document{days: days, published: days[0]}
	return fileOf(d.write(b.series), publishedAt(d.published))
}

func fileOf(body []byte, modified time.Time) reply {
	return reply{mime: "text/xml", header: map[string]string{"Cache-Control": "no-cache"}, body: body,
		modified: modified}
}

// document is an XML file of fixings.
type document struct {
	days      []ro.Date
	published ro.Date // the publishing date in its header
	yearly    bool
	old       bool // a yearly file in the old namespace
}

// write renders the file. The old yearly files have tabs, and some of them a byte order mark. All other files are on
// one line.
func (d document) write(s series) []byte {
	var b bytes.Buffer
	newLine := func(depth int) {
		if d.old {
			b.WriteString("\n" + strings.Repeat("\t", depth))
		}
	}
	if d.old && d.days[0].Year()%2 == 0 {
		b.WriteString("\uFEFF")
	}

	b.WriteString(`<?xml version="1.0" encoding="utf-8"?>` + "\n" + d.root())
	newLine(1)
	fmt.Fprintf(&b, "<Header><Publisher>National Bank of "+
		"Romania</Publisher><PublishingDate>%s</PublishingDate><MessageType>DR</MessageType></Header>", d.published)
	newLine(1)
	b.WriteString("<Body><Subject>Reference rates</Subject><OrigCurrency>RON</OrigCurrency>")
	codes := s.currencies()
	for _, day := range d.days {
		newLine(2)
		fmt.Fprintf(&b, `<Cube date="%s">`, day)
		for _, code := range codes {
			rate := s.rateOn(code, day)
			if rate == 0 {
				continue
			}

			newLine(3)
			fmt.Fprintf(&b, `<Rate currency="%s"`, code)
			if m := multiplier(code); m != 1 {
				fmt.Fprintf(&b, ` multiplier="%d"`, m)
			}

			fmt.Fprintf(&b, ">%s</Rate>", rate)
		}

		newLine(2)
		b.WriteString("</Cube>")
	}

	newLine(1)
	b.WriteString("</Body>")
	newLine(0)
	b.WriteString("</DataSet>\n")
	return b.Bytes()
}

// root returns the opening tag. The new yearly files spell even the schema-instance namespace with https, which is
// invalid. The daily files do not.
func (d document) root() string {
	switch {
	case d.old:
		return `<DataSet xmlns="http://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.bnr.ro/xsd nbrfxrates.xsd">`
	case d.yearly:
		return `<DataSet xmlns="https://www.bnr.ro/xsd" xmlns:xsi="https://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https://curs.bnr.ro/xsd/nbrfxrates.xsd">`
	}

	return `<DataSet xmlns="https://www.bnr.ro/xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="https://curs.bnr.ro/xsd/nbrfxrates.xsd">`
}
