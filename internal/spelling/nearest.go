// Package spelling compares texts regardless of their spelling, and finds the intended name behind a mistyped one.
package spelling

import "strings"

// longestName is the length of the longest name that may be mistyped, in bytes.
const longestName = 64

// Nearest returns the candidate that a mistyped name most probably means: a candidate that is a prefix of the name or
// has it as a prefix, or the candidate with the fewest different letters, at most about one in three. It returns an
// empty string if no candidate is similar, and the first of equally similar candidates. It ignores case. A name of more
// than 64 bytes is no mistyped one: a comparison takes time in proportion to the length.
func Nearest(name string, candidates []string) string {
	if len(name) > longestName {
		return ""
	}

	name = strings.ToLower(name)
	nearest, best := "", Tolerance(name)
	for _, candidate := range candidates {
		other := strings.ToLower(candidate)
		distance := Distance(name, other)
		if len(name) > 1 && len(other) > 1 && (strings.HasPrefix(other, name) || strings.HasPrefix(name, other)) {
			distance = min(distance, 1)
		}
		if distance < best && distance < len(other) {
			nearest, best = candidate, distance
		}
	}

	return nearest
}

// Tolerance returns the number of different letters from which a text is no misspelling of a name: more than about one
// in three.
func Tolerance(name string) int { return len(name)/3 + 2 }

// Distance returns the number of letters in which two texts differ (Levenshtein): inserted, deleted, or changed.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}

	for i, x := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range t {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal
			} else {
				row[j+1] = 1 + min(diagonal, above, row[j])
			}

			diagonal = above
		}
	}

	return row[len(t)]
}
