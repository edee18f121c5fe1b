package standin

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"sync"
)

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

	e.sendBody(string(zipText(rest.String())))
}

// cutArchive answers half of the archive, and announces the length of that half.
func cutArchive(_ Fault, e *exchange) { e.sendBody(string(e.reply.body[:len(e.reply.body)/2])) }

// bombSize is the size of the bomb's member in MiB.
const bombSize = 1 << 10

func zipBomb(_ Fault, e *exchange) { e.sendBody(bomb()) }

// bomb returns a small archive with a member that unpacks to 1 GiB of lines. It works because a deflated block can be
// repeated. The checksum of 1 GiB takes so long that clients would give up.
var bomb = sync.OnceValue(func() string {
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
	return archive.String()
})
