package anaf

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
)

// Fingerprint identifies the content of a record: half of the SHA-256 of its canonical form. Two records have the same
// fingerprint if they differ only in the requested day, in the order of their members, or in white space.
func (r *Record) Fingerprint() ([16]byte, error) {
	if r.fingerprint != nil {
		return *r.fingerprint, nil
	}

	raw, err := r.Raw()
	if err != nil {
		return [16]byte{}, err
	}

	return fingerprintOf(raw)
}

func fingerprintOf(raw []byte) ([16]byte, error) {
	c := canonicals.Get().(*canonical)
	defer canonicals.Put(c)
	c.in, c.at, c.out = raw, 0, c.out[:0]
	defer func() { c.in = nil }()

	err := c.value(nil, 1)
	if err == nil && c.next() != 0 {
		err = errNotJSON
	}

	sum := sha256.Sum256(c.out)
	return [16]byte(sum[:16]), err
}

var errNotJSON = errors.New("a stored record is not JSON")

const (
	// maxDepth is the maximum nesting depth of values; the depth of actual records is 4.
	maxDepth = 32
	// The day for which a record was requested: date_generale.data.
	generalMember, dayMember = `"date_generale"`, `"data"`
)

// canonical writes a JSON text with sorted members, without white space, and without the day. It does not decode the
// text, which would take ten times as long.
type canonical struct {
	in, out []byte
	at      int    // in in
	scratch []byte // the members being sorted
}

var canonicals = sync.Pool{New: func() any { return new(canonical) }}

// span is a part of out.
type span struct{ from, to int }

// value writes the next value. If the value is in an object, name is its member's name.
func (c *canonical) value(name []byte, depth int) error {
	if depth > maxDepth {
		return errNotJSON
	}

	switch c.next() {
	case '{':
		return c.object(depth == 2 && string(name) == generalMember, depth)
	case '[':
		return c.array(depth)
	}

	scalar, err := c.scalar()
	c.out = append(c.out, scalar...)
	return err
}

func (c *canonical) object(general bool, depth int) error {
	c.out = append(c.out, '{')
	var few [32]span
	members := few[:0]
	err := c.list('}', func() error {
		name, err := c.scalar()
		if err != nil || !c.skip(':') {
			return errNotJSON
		}

		from := len(c.out)
		c.out = append(append(c.out, name...), ':')
		err = c.value(name, depth+1)
		if general && string(name) == dayMember {
			c.out = c.out[:from]
			return err
		}

		c.out = append(c.out, ',')
		members = append(members, span{from, len(c.out)})
		return err
	})
	c.sort(members)
	c.out = append(c.out, '}')
	return err
}

// sort sorts the members at the end of the output.
func (c *canonical) sort(members []span) {
	out := c.out
	compare := func(a, b span) int { return bytes.Compare(out[a.from:a.to], out[b.from:b.to]) }
	if len(members) < 2 {
		return
	}

	start := members[0].from
	slices.SortFunc(members, compare)
	c.scratch = append(c.scratch[:0], c.out[start:]...)
	c.out = c.out[:start]
	for _, m := range members {
		c.out = append(c.out, c.scratch[m.from-start:m.to-start]...)
	}
}

func (c *canonical) array(depth int) error {
	c.out = append(c.out, '[')
	err := c.list(']', func() error {
		err := c.value(nil, depth+1)
		c.out = append(c.out, ',')
		return err
	})
	c.out = append(c.out, ']')
	return err
}

// list reads a comma-separated list in brackets.
func (c *canonical) list(end byte, item func() error) error {
	c.at++ // the opening bracket
	if c.skip(end) {
		return nil
	}

	for {
		if err := item(); err != nil {
			return err
		}
		if c.skip(end) {
			return nil
		}
		if !c.skip(',') {
			return errNotJSON
		}
	}
}

// scalar reads a string, a number or a word.
func (c *canonical) scalar() ([]byte, error) {
	first, start := c.next(), c.at
	if first != '"' {
		for c.at < len(c.in) && strings.IndexByte(",:]} \t\r\n", c.in[c.at]) < 0 {
			c.at++
		}
		if c.at == start {
			return nil, errNotJSON
		}
		return c.in[start:c.at], nil
	}

	for c.at++; c.at < len(c.in); c.at++ {
		switch c.in[c.at] {
		case '\\':
			c.at++
		case '"':
			c.at++
			return c.in[start:c.at], nil
		}
	}

	return nil, errNotJSON
}

// next returns the next byte that is not white space, or 0 at the end.
func (c *canonical) next() byte {
	for ; c.at < len(c.in); c.at++ {
		if b := c.in[c.at]; b != ' ' && b != '\n' && b != '\t' && b != '\r' {
			return b
		}
	}

	return 0
}

// skip skips a byte if it is the next one, and reports whether it was.
func (c *canonical) skip(b byte) bool {
	if c.next() != b {
		return false
	}

	c.at++
	return true
}
