package words

import "math/bits"

// Set is a set of entries, by their numbers: a bitmap. Sets of one [Index] have
// one length.
type Set []uint64

// NewSet is an empty set of numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add puts a number into the set.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Has reports whether a number is in the set.
func (s Set) Has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// And keeps only what is in another set too.
func (s Set) And(other Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Len is how many numbers are in the set.
func (s Set) Len() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Or adds what is in another set.
func (s Set) Or(other Set) {
	for i := range s {
		s[i] |= other[i]
	}
}

func (s Set) without(other Set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

func (s Set) empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

func (s Set) addAll(numbers []int32) {
	for _, i := range numbers {
		s.Add(int(i))
	}
}

// appendRange appends the numbers of the set from the skip-th on, ascending, at
// most limit of them.
func (s Set) appendRange(numbers []int, skip, limit int) []int {
	for i, w := range s {
		if n := bits.OnesCount64(w); skip >= n {
			skip -= n
			continue
		}

		for ; w != 0 && limit > 0; w &= w - 1 {
			if skip > 0 {
				skip--
				continue
			}
			numbers = append(numbers, i*64+bits.TrailingZeros64(w))
			limit--
		}

		if limit == 0 {
			break
		}
	}
	return numbers
}
