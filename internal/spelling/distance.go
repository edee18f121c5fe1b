package spelling

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
