package samples

import "net/http"

// javaScript writes a module for Node.js and other runtimes with fetch.
func (r Request) javaScript(w *writer) {
	if r.Answer == File {
		w.add(`import { writeFile } from "node:fs/promises";`, "")
	}

	w.put("const response = await fetch(" + quoted(r.URL))
	switch {
	case r.Type != "":
		w.add(", {", "  method: "+quoted(r.Method)+",", "  headers: {")
		w.key("    Authorization: " + quoted(bearer) + ",\n")
		w.add(`    "Content-Type": `+quoted(r.Type)+",", "  },")
		if r.Type == jsonType {
			w.add("  body: JSON.stringify(" + r.Body + "),")
		} else {
			w.add("  body: " + quoted(r.Body) + ",")
		}

		w.put("}")
	case r.Method != http.MethodGet:
		w.add(", {", "  method: "+quoted(r.Method)+",")
		w.key("  headers: { Authorization: " + quoted(bearer) + " },\n")
		w.put("}")
	default:
		w.key(", {\n  headers: { Authorization: " + quoted(bearer) + " },\n}")
	}

	w.add(");", "if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);")

	w.add(map[Answer]string{
		JSON:    "console.log(await response.json());",
		Text:    "console.log(await response.text());",
		Nothing: "console.log(response.status);",
		File:    "await writeFile(" + quoted(r.File) + ", response.body);",
	}[r.Answer])
}
