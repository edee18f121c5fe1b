package spelling

// OnlyDigits reports whether a text has no other characters than ASCII digits.
func OnlyDigits[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
