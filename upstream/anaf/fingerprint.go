package anaf

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
)

// Fingerprint identifies what a record says. Two records have the same one if they differ only in the day for which they
// were asked, which changes daily, in the order of their members or in white space.
func (r *Record) Fingerprint() (f [16]byte, err error) {
	raw, err := r.Raw()
	if err != nil {
		return f, err
	}

	s := scanner{text: raw}
	content, err := s.value(nil, 1)
	if err == nil && s.next() != 0 {
		err = errNotJSON
	}
	hashed(nil, content).store(f[:])
	return f, err
}

var errNotJSON = errors.New("a stored record is not JSON")

const (
	// maxDepth is how deep values may be nested; those of records are 4 deep.
	maxDepth = 32
	// The day for which a record was asked: date_generale.data.
	generalMember, dayMember = `"date_generale"`, `"data"`
)

// scanner computes the digest of a JSON text without decoding it, which would take ten times as long.
type scanner struct {
	text []byte
	at   int
}

// digest is 128 bits of a SHA-256, or a sum of such, which does not depend on the order.
type digest struct{ high, low uint64 }

// hashed is the digest of a value in its place: a member's under its name, an element's behind those before it.
func hashed(place, content []byte) digest {
	var buffer [256]byte // longer values are rare
	sum := sha256.Sum256(append(append(buffer[:0], place...), content...))
	return digest{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])}
}

func (d digest) plus(e digest) digest {
	low, carry := bits.Add64(d.low, e.low, 0)
	high, _ := bits.Add64(d.high, e.high, carry)
	return digest{high, low}
}

func (d digest) store(to []byte) {
	binary.BigEndian.PutUint64(to, d.high)
	binary.BigEndian.PutUint64(to[8:], d.low)
}

// value scans the value that comes next, which is that of the named member if it is in an object. It returns the text of
// a scalar, and else a bracket and a digest.
func (s *scanner) value(name []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errNotJSON
	}
	bracket := s.next()
	var sum digest
	var err error
	switch bracket {
	case '{':
		sum, err = s.object(name, depth)
	case '[':
		sum, err = s.array(depth)
	default:
		return s.scalar()
	}

	content := make([]byte, 17)
	content[0] = bracket
	sum.store(content[1:])
	return content, err
}

// object adds up the digests of its members, so that their order does not matter.
func (s *scanner) object(of []byte, depth int) (sum digest, err error) {
	general := depth == 2 && string(of) == generalMember
	err = s.list('}', func() error {
		name, err := s.scalar()
		if err != nil || !s.skip(':') {
			return errNotJSON
		}
		member, err := s.value(name, depth+1)
		if !general || string(name) != dayMember {
			sum = sum.plus(hashed(name, member))
		}
		return err
	})
	return sum, err
}

func (s *scanner) array(depth int) (sum digest, err error) {
	err = s.list(']', func() error {
		element, err := s.value(nil, depth+1)
		var before [16]byte
		sum.store(before[:])
		sum = hashed(before[:], element)
		return err
	})
	return sum, err
}

// list scans what stands between brackets, separated by commas.
func (s *scanner) list(end byte, item func() error) error {
	s.at++ // the opening bracket
	if s.skip(end) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.skip(end) {
			return nil
		}
		if !s.skip(',') {
			return errNotJSON
		}
	}
}

// scalar scans a string, a number or a word, and returns its text.
func (s *scanner) scalar() ([]byte, error) {
	first, start := s.next(), s.at
	if first != '"' {
		for s.at < len(s.text) && strings.IndexByte(",:]} \t\r\n", s.text[s.at]) < 0 {
			s.at++
		}
		if s.at == start {
			return nil, errNotJSON
		}
		return s.text[start:s.at], nil
	}

	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return s.text[start:s.at], nil
		}
	}
	return nil, errNotJSON
}

// next is the next byte that is not white space, 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.text); s.at++ {
		if c := s.text[s.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// skip skips a byte if it comes next.
func (s *scanner) skip(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}
