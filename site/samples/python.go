package samples

import "net/http"

// python writes a program that needs only the standard library.
func (r Request) python(w *writer) {
	if r.Answer == JSON || r.Type == jsonType {
		w.add("import json")
	}
	if r.Answer == File {
		w.add("import shutil")
	}

	w.add("from urllib.request import Request, urlopen", "")

	w.put("request = Request(" + quote(r.URL))
	if r.Method != http.MethodGet {
		w.put(", method=" + quote(r.Method))
	}

	w.add(")")
	w.key(`request.add_header("Authorization", ` + quote(bearer) + ")\n")
	if r.Type != "" {
		w.add(`request.add_header("Content-Type", ` + quote(r.Type) + ")")
		if r.Type == jsonType {
			w.add("request.data = json.dumps(" + pythonValues.write(r.Body) + ").encode()")
		} else {
			w.add("request.data = " + quote(r.Body) + ".encode()")
		}
	}

	w.add("with urlopen(request) as response:")
	switch r.Answer {
	case JSON:
		w.add("    print(json.load(response))")
	case Text:
		w.add("    print(response.read().decode())")
	case Nothing:
		w.add("    print(response.status)")
	case File:
		w.add("    with open("+quote(r.File)+`, "wb") as file:`, "        shutil.copyfileobj(response, file)")
	}
}

var pythonValues = values{quote: quote, null: "None", yes: "True", no: "False",
	object: [2]string{"{", "}"}, colon: ": "}
