package upstreamtest

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rodata/rodata/api"
)

// The path of a day's file of the register of VAT on collection is between these.
const (
	collectionPrefix = "/static/10/Anaf/TVA_incasare/ultim_"
	collectionSuffix = ".zip"
)

// collectionMember is the only file in the archive.
const collectionMember = "istoric.txt"

// collectionDays is the number of days for which files exist, including today.
const collectionDays = 10

// files are the static files of the tax authority.
type files struct {
	options   Options
	companies *register
}

// answer returns the server's answer to a request.
func (f *files) answer(r *http.Request, _ []byte) reply {
	name, isOurs := strings.CutPrefix(r.URL.Path, collectionPrefix)
	name, isZip := strings.CutSuffix(name, collectionSuffix)
	at, err := time.Parse("20060102", name)
	today := api.DateIn(f.options.Now(), api.Bucharest)
	day := api.NewDate(at.Date())
	if !isOurs || !isZip || err != nil || day > today || day <= today-collectionDays {
		return notFoundPage
	}

	y, m, d := day.UTC().Date()
	return reply{
		mime: "application/zip", body: zipped(f.lines(day)), modified: time.Date(y, m, d, 0, 0, 0, 0, api.Bucharest),
		latest: day == today,
	}
}

// lines returns the text of a day's file: all entries up to that day, ordered by id.
func (f *files) lines(day api.Date) string {
	type numbered struct {
		id   int
		text string
	}
	var all []numbered
	for i := range f.companies.companies {
		c := &f.companies.companies[i]
		for _, l := range c.collection().lines {
			if l.entered <= day {
				all = append(all, numbered{l.id, l.write(c.CUI)})
			}
		}
	}

	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
	var text strings.Builder
	for _, l := range all {
		text.WriteString(l.text)
	}

	return text.String()
}

// zipped returns an archive with a text as its only member.
func zipped(text string) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	member, err := z.Create(collectionMember)
	if err == nil {
		_, err = io.WriteString(member, text)
	}

	must(errors.Join(err, z.Close()))
	return archive.Bytes()
}

// must panics on an error. It is for operations that cannot fail, such as writes to memory.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// withholdLatest answers 404 for the newest day's file, as before its publication.
func withholdLatest(_ Fault, e *exchange) {
	if e.reply.latest {
		e.reply = notFoundPage
	}
	e.send()
}

// halveRows omits a little more than half of the lines.
func halveRows(_ Fault, e *exchange) {
	archive, err := zip.NewReader(bytes.NewReader(e.reply.body), int64(len(e.reply.body)))
	if err != nil { // another answer, such as a 404
		e.send()
		return
	}

	member, err := archive.Open(collectionMember)
	must(err)
	text, err := io.ReadAll(member)
	must(err)
	var rest strings.Builder
	number := 0
	for line := range strings.Lines(string(text)) {
		if number++; number > 2 && number%2 == 0 {
			rest.WriteString(line)
		}
	}

	e.sendBody(string(zipped(rest.String())))
}

// cutArchive answers half of the archive, and announces the length of that half.
func cutArchive(_ Fault, e *exchange) { e.sendBody(string(e.reply.body[:len(e.reply.body)/2])) }

// bombSize is the size of the bomb's member in MiB.
const bombSize = 1 << 10

// zipBomb answers a small archive with a member that unpacks to 1 GiB of lines. It works because a deflated block can
// be repeated.
func zipBomb(_ Fault, e *exchange) {
	block := bytes.Repeat([]byte("1#9900000010#20200101##20200101#20200101#I\n"), 24385)
	block = append(block, bytes.Repeat([]byte{'\n'}, 1<<20-len(block))...)
	var deflated bytes.Buffer
	w, err := flate.NewWriter(&deflated, flate.BestSpeed)
	must(err)
	_, err = w.Write(block)
	must(errors.Join(err, w.Flush()))
	once := bytes.Clone(deflated.Bytes())
	deflated.Reset()
	must(w.Close())

	body := append(bytes.Repeat(once, bombSize), deflated.Bytes()...)
	sum := crc32.NewIEEE()
	for range bombSize {
		sum.Write(block)
	}

	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	member, err := z.CreateRaw(&zip.FileHeader{
		Name: collectionMember, Method: zip.Deflate, CRC32: sum.Sum32(),
		CompressedSize64: uint64(len(body)), UncompressedSize64: bombSize << 20,
	})
	if err == nil {
		_, err = member.Write(body)
	}

	must(errors.Join(err, z.Close()))
	e.sendBody(archive.String())
}
