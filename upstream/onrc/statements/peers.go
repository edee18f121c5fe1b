package statements

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rodata/rodata/api/company"
	"github.com/rodata/rodata/ro"
)

// maxPeers bounds the memory for the figures of peers, in bytes. It is that of a million statements.
const maxPeers = 32 << 20

// peerKey identifies companies with statements for a year whose activity begins with a code.
type peerKey struct {
	year int
	code string
}

// peersSize returns the size of figures in bytes.
func peersSize(_ peerKey, p *company.PeerFigures) int {
	size := 64
	for _, d := range p.All() {
		size += 8 * cap(*d)
	}
	return size
}

// Peers returns the figures of all companies in a year's files whose activity begins with a CAEN code of one to four
// digits. The caller must not modify them. The figures used recently are kept in memory, up to 32 MiB. Others are read
// for one caller at a time, so that many calls take no more memory than one, and callers who want the same figures
// share them.
func (s *Store) Peers(ctx context.Context, year int, code string) (*company.PeerFigures, error) {
	key := peerKey{year, code}
	if known, ok := s.peers.Get(key); ok {
		return known, nil
	}

	select {
	case s.readingPeers <- struct{}{}:
		defer func() { <-s.readingPeers }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	if known, ok := s.peers.Get(key); ok { // read for another caller meanwhile
		return known, nil
	}

	found, err := s.readPeers(key)
	if err == nil {
		s.peers.Put(key, found)
	}

	return found, err
}

// readPeers reads the figures of a year's files. A company that is in several files counts once, as in [Store.Of].
func (s *Store) readPeers(key peerKey) (*company.PeerFigures, error) {
	first, end, err := codeRange(key.code)
	if err != nil {
		return nil, err
	}

	p := new(company.PeerFigures)
	var counted []ro.CUI // the companies in the files of the year so far, ascending
	for _, f := range s.files {
		if f.Key.Year != key.year {
			continue
		}

		slices.Sort(counted)
		before := len(counted)
		isLast := f.Key.Family == Families[len(Families)-1]
		var peers []entry
		for e, err := range f.all() {
			if err != nil {
				return nil, wrapped(f, err)
			}
			if !isLast { // by far the largest, and no file after it needs to know
				counted = append(counted, e.cui)
			}
			if e.code < first || e.code >= end {
				continue
			}
			if _, isCounted := slices.BinarySearch(counted[:before], e.cui); !isCounted {
				peers = append(peers, e)
			}
		}
		if err := f.addFigures(p, peers); err != nil {
			return nil, wrapped(f, err)
		}
	}

	for _, d := range p.All() {
		slices.Sort(*d)
	}

	return p, nil
}

// codeRange returns the numbers of the classes whose code begins with some digits: 6200 and 6300 for 62.
func codeRange(code string) (first, end uint16, err error) {
	number, err := strconv.ParseUint(code+strings.Repeat("0", max(4-len(code), 0)), 10, 16)
	if err != nil || number == 0 || number >= 10_000 {
		return 0, 0, fmt.Errorf("%q is not the beginning of a CAEN class", code)
	}

	size := uint16(1)
	for range 4 - len(code) {
		size *= 10
	}

	return uint16(number), uint16(number) + size, nil
}

// addFigures adds the figures of entries, of which many may be close to each other in the file.
func (f *openFile) addFigures(to *company.PeerFigures, entries []entry) error {
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	for _, d := range to.All() {
		*d = slices.Grow(*d, len(entries)) // most state all
	}

	buffer := make([]byte, 64<<10)
	var window []byte // the part of the file in the buffer
	from := 0         // its offset
	for _, e := range entries {
		at := int(e.at) - from
		if at+maxStatement > len(window) {
			n, err := f.file.ReadAt(buffer, int64(e.at))
			if err != nil && err != io.EOF {
				return err
			}

			window, from, at = buffer[:n], int(e.at), 0
		}

		var s Statement
		if err := s.readFigures(window[at:]); err != nil {
			return err
		}

		s.addTo(to)
	}

	return nil
}

// addTo adds the statement's figures, if stated.
func (s *Statement) addTo(p *company.PeerFigures) {
	values := [...]*int64{s.Value(Turnover), s.NetResult(), s.Value(Employees), s.Value(Equity)}
	for i, d := range p.All() {
		if values[i] != nil {
			*d = append(*d, *values[i])
		}
	}
}
