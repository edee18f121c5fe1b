package samples

import "strings"

// cSharp writes a program of top-level statements, for .NET 7 and later.
func (r Request) cSharp(w *writer) {
	if r.Type != "" {
		w.add("using System.Text;", "")
	}

	w.add("using var client = new HttpClient();")
	method := r.Method[:1] + strings.ToLower(r.Method[1:])
	w.add("using var request = new HttpRequestMessage(HttpMethod." + method + ", " + quote(r.URL) + ");")
	w.key(`request.Headers.Add("Authorization", ` + quote(bearer) + ");\n")
	if r.Type != "" {
		body := quote(r.Body)
		if r.Type == jsonType {
			body = quoteRaw(r.Body)
		}

		w.add("request.Content = new StringContent(" + body + ", Encoding.UTF8, " + quote(r.Type) + ");")
	}

	w.add("using var response = await client.SendAsync(request);", "response.EnsureSuccessStatusCode();")
	switch r.Answer {
	case JSON, Text:
		w.add("Console.WriteLine(await response.Content.ReadAsStringAsync());")
	case Nothing:
		w.add("Console.WriteLine((int)response.StatusCode);")
	case File:
		w.add("await using var file = File.Create("+quote(r.File)+");", "await response.Content.CopyToAsync(file);")
	}
}

// quoteRaw quotes a line of JSON, which neither begins nor ends with a quotation mark.
func quoteRaw(text string) string {
	marks := `"""`
	for strings.Contains(text, marks) {
		marks += `"`
	}
	return marks + text + marks
}
