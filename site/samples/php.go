package samples

import (
	"net/http"
	"strings"
)

// php writes a program that needs the extension curl.
func (r Request) php(w *writer) {
	w.add("<?php", "$curl = curl_init("+quotePHP(r.URL)+");")
	w.add("curl_setopt_array($curl, [")
	if r.Answer == File {
		w.add("    CURLOPT_FAILONERROR => true,", "    CURLOPT_FILE => fopen("+quotePHP(r.File)+", 'wb'),")
	} else {
		w.add("    CURLOPT_RETURNTRANSFER => true,")
	}

	if r.Method != http.MethodGet {
		w.add("    CURLOPT_CUSTOMREQUEST => " + quotePHP(r.Method) + ",")
	}

	if r.Type == "" {
		w.key("    CURLOPT_HTTPHEADER => [" + quotePHP("Authorization: "+bearer) + "],\n")
	} else {
		w.add("    CURLOPT_HTTPHEADER => [")
		w.key("        " + quotePHP("Authorization: "+bearer) + ",\n")
		w.add("        "+quotePHP("Content-Type: "+r.Type)+",", "    ],")
		if r.Type == jsonType {
			w.add("    CURLOPT_POSTFIELDS => json_encode(" + phpValues.write(r.Body) + "),")
		} else {
			w.add("    CURLOPT_POSTFIELDS => " + strings.ReplaceAll(quotePHP(r.Body), "\n", `' . "\n" . '`) + ",")
		}
	}

	w.add("]);", "$answer = curl_exec($curl);", "$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);")
	w.add("if ($answer === false || $status >= 400) {",
		`    throw new RuntimeException("$status: " . ($answer ?: curl_error($curl)));`, "}")

	switch r.Answer {
	case JSON:
		w.add("print_r(json_decode($answer, true));")
	case Text:
		w.add("echo $answer;")
	case Nothing:
		w.add("echo $status;")
	}
}

var phpValues = values{quote: quotePHP, null: "null", yes: "true", no: "false", object: [2]string{"[", "]"},
	colon: " => "}

// quotePHP quotes a text so that PHP replaces nothing in it.
func quotePHP(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
