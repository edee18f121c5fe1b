package invented

import (
	"io"
	"math/rand/v2"
	"strconv"
)

// StatementColumns is the number of figures in a row of [Statements].
const StatementColumns = 20

// Statements returns a file of the yearly statements of n companies, from CUI(first) on, as the Ministry of Finance
// publishes it, without a header. A third of the figures is empty, and a row has about 100 bytes. One company in five
// is in the division 47, and a quarter of these in the class 4711; the others have any class.
func Statements(first, n int) io.Reader {
	return &statements{next: first, end: first + n, random: rand.New(rand.NewPCG(uint64(first), 2))}
}

type statements struct {
	next, end int
	random    *rand.Rand
	line      []byte // the rest of it
}

func (s *statements) Read(p []byte) (int, error) {
	if len(s.line) == 0 {
		if s.next == s.end {
			return 0, io.EOF
		}

		s.line = append(s.line, CUI(s.next).String()...)
		s.line = append(s.line, ',')
		s.line = append(s.line, s.activity()...)
		for range StatementColumns {
			s.line = append(s.line, ',')
			if s.random.IntN(3) > 0 {
				s.line = strconv.AppendInt(s.line, s.random.Int64N(1<<s.random.IntN(32)), 10)
			}
		}

		s.line = append(s.line, "\r\n"...)
		s.next++
	}

	n := copy(p, s.line)
	s.line = s.line[n:]
	return n, nil
}

func (s *statements) activity() string {
	switch s.random.IntN(20) {
	case 0:
		return "4711"
	case 1, 2, 3:
		return strconv.Itoa(4712 + s.random.IntN(80))
	}
	return strconv.Itoa(1000 + s.random.IntN(3600))
}
