package onrc

import "strings"

// website returns the first web address in a text, without the scheme and in lower case except for its path:
// "HTTP://WWW.Exemplu.RO/" becomes www.exemplu.ro. It returns the empty text if there is none. An e-mail address does
// not count.
func website(text string) string {
	for word := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return r <= ' ' || r == ',' || r == ';' || r == '|' }) {
		if i := strings.Index(word, "//"); i >= 0 {
			word = word[i+2:]
		}

		host, path, _ := strings.Cut(word, "/")
		host = strings.Trim(strings.ToLower(host), ".")
		if !isHost(host) {
			continue
		}
		if path = strings.TrimRight(path, "/"); path != "" {
			return host + "/" + path
		}

		return host
	}

	return ""
}

// isHost reports whether a name is a host with a domain that ends in letters. In "www.exemplu,ro", neither part is one.
func isHost(host string) bool {
	labels := strings.Split(strings.TrimPrefix(host, "www."), ".")
	if len(host) > 253 || len(labels) < 2 {
		return false
	}

	for _, label := range labels {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, notInHost) {
			return false
		}
	}

	top := labels[len(labels)-1]
	return len(top) >= 2 && !strings.ContainsFunc(top, func(r rune) bool { return r >= '0' && r <= '9' })
}

func notInHost(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r > 0x7f)
}
