package samples

import "net/http"

// javaScript writes a module for Node.js and other runtimes with fetch.
func (r Request) javaScript(w *writer) {
	if r.Answer == File {
		w.add(`import { writeFile } from "node:fs/promises";`, "")
	}

	w.put("const response = await fetch(" + quote(r.URL))
	switch {
	case r.Type != "":
		w.add(", {", "  method: "+quote(r.Method)+",", "  headers: {")
		w.key("    Authorization: " + quote(bearer) + ",\n")
		w.add(`    "Content-Type": `+quote(r.Type)+",", "  },")
		if r.Type == jsonType {
			w.add("  body: JSON.stringify(" + r.Body + "),")
		} else {
			w.add("  body: " + quote(r.Body) + ",")
		}

		w.put("}")
	case r.Method != http.MethodGet:
		w.add(", {", "  method: "+quote(r.Method)+",")
		w.key("  headers: { Authorization: " + quote(bearer) + " },\n")
		w.put("}")
	default:
		w.key(", {\n  headers: { Authorization: " + quote(bearer) + " },\n}")
	}

	w.add(");", "if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);")

	w.add(map[Answer]string{
		JSON:    "console.log(await response.json());",
		Text:    "console.log(await response.text());",
		Nothing: "console.log(response.status);",
		File:    "await writeFile(" + quote(r.File) + ", response.body);",
	}[r.Answer])
}
