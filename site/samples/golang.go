package samples

import (
	"slices"
	"strings"
)

// golang writes a program that needs only the standard library.
func (r Request) golang(w *writer) {
	imports := []string{"log", "net/http"}
	switch r.Answer {
	case JSON, Text:
		imports = append(imports, "fmt", "io")
	case Nothing:
		imports = append(imports, "fmt")
	case File:
		imports = append(imports, "io", "os")
	}

	body := "nil"
	if r.Type != "" {
		imports = append(imports, "strings")
		body = "strings.NewReader(" + quoteGo(r.Body) + ")"
	}

	w.add("package main", "", "import (")
	slices.Sort(imports)
	for _, path := range imports {
		w.add("\t" + quote(path))
	}

	w.add(")", "", "func main() {")
	w.add("\trequest, err := http.NewRequest("+quote(r.Method)+", "+quote(r.URL)+", "+body+")", goFails)
	w.key("\trequest.Header.Set(\"Authorization\", " + quote(bearer) + ")\n")
	if r.Type != "" {
		w.add("\trequest.Header.Set(\"Content-Type\", " + quote(r.Type) + ")")
	}

	w.add("", "\tresponse, err := http.DefaultClient.Do(request)", goFails, "\tdefer response.Body.Close()")
	r.goAnswer(w)
	w.add("}")
}

// goAnswer writes the code that handles the answer.
func (r Request) goAnswer(w *writer) {
	if r.Answer == JSON || r.Answer == Text {
		w.add("\tanswer, err := io.ReadAll(response.Body)", goFails,
			"\tif response.StatusCode >= 400 {", "\t\tlog.Fatalf(\"%s: %s\", response.Status, answer)", "\t}",
			"\tfmt.Printf(\"%s\\n\", answer)")
		return
	}

	w.add("\tif response.StatusCode >= 400 {", "\t\tlog.Fatal(response.Status)", "\t}")
	if r.Answer == Nothing {
		w.add("\tfmt.Println(response.Status)")
		return
	}

	w.add("", "\tfile, err := os.Create("+quote(r.File)+")", goFails,
		"\tif _, err := io.Copy(file, response.Body); err != nil {", "\t\tlog.Fatal(err)", "\t}",
		"\tif err := file.Close(); err != nil {", "\t\tlog.Fatal(err)", "\t}")
}

// goFails is the code that ends the program if a call failed.
const goFails = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}"

// quoteGo quotes a text, raw if that is possible.
func quoteGo(text string) string {
	if strings.ContainsAny(text, "`\n\r") {
		return quote(text)
	}
	return "`" + text + "`"
}
