// Package spelling compares texts regardless of how they are written, and finds what somebody meant who mistyped a
// name.
package spelling

import "strings"

// Nearest is the candidate that a mistyped name most probably means: one that begins
// with it or with which it begins, or the one in the fewest different letters, of
// which there may be about one in three. It is empty when none is near. Case does not
// matter; of candidates that are equally near, the first is taken.
func Nearest(name string, candidates []string) string {
	name = strings.ToLower(name)
	nearest, best := "", len(name)/3+2
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
