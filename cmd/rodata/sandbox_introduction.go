package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"text/template"

	"github.com/rodata/rodata/testkit/standin"
)

// introduce prints the running services and what to try.
func introduce(out io.Writer, address, key, log string, registries *standin.Registries) error {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}

	companies, err := standin.Companies()
	if err != nil {
		return err
	}

	var text bytes.Buffer
	err = introduction.Execute(&text, map[string]any{
		"Base": address, "Key": key, "DataDir": os.Getenv("RODATA_DATA_DIR"), "Log": log, "Registries": registries,
		"Company": companies[0], "Faults": standin.FaultNumbers, "VATFaults": standin.VATFaults,
		"Changing": standin.NumberChanging,
	})
	if err != nil {
		return err
	}

	_, err = out.Write(text.Bytes())
	return err
}

var introduction = template.Must(template.New("introduction").Parse(`
The rodata sandbox serves {{.Base}}

  Pages           {{.Base}}/
  REST            {{.Base}}/v1
  MCP             {{.Base}}/mcp
  API key         {{.Key}}
  Data directory  {{.DataDir}}
  Log             {{or .Log "on standard error"}}
  Stand-ins       ANAF {{.Registries.ANAF.URL}}, its files {{.Registries.Files.URL}},
                  ONRC {{.Registries.ONRC.URL}}, BNR {{.Registries.BNR.URL}},
                  VIES {{.Registries.VIES.URL}}

Try:

  curl -i {{.Base}}/v1/companies/{{.Company.CUI}}
  curl {{.Base}}/v1/vat-numbers/DE811569869
  curl '{{.Base}}/v1/fx-rates?date=2026-06-10&currency=EUR,USD'
  curl '{{.Base}}/v1/fx-rates/history?currency=EUR&from=2026-06-01&to=2026-06-30'
  curl '{{.Base}}/v1/fx-rates/convert?amount=2500&from=EUR&to=USD&date=2026-06-10'
  curl {{.Base}}/v1/status
  curl {{.Base}}/mcp -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_company","arguments":{"cui":"{{.Company.CUI}}"}}}'

With the key of an account that the sandbox opened:

  curl '{{.Base}}/v1/companies/{{.Company.CUI}}?include=legalRepresentatives' -H 'Authorization: Bearer {{.Key}}'
  curl {{.Base}}/v1/keys -H 'Authorization: Bearer {{.Key}}' -H 'Content-Type: application/json' -d '{"name":"ERP"}'

Company numbers that fail:
{{range .Faults}}
  {{.CUI}}  {{.Status}}: {{.Happens}}{{end}}

VAT numbers that fail:
{{range .VATFaults}}
  {{printf "%-14s" .Number}}  {{.Status}}: {{.Happens}}{{end}}

A company to watch: its VAT registration changes about every ten seconds:

  curl -X PUT {{.Base}}/v1/watchlists/default/companies/{{.Changing}} -H 'Authorization: Bearer {{.Key}}'

Mails are printed here instead of sent. Stop with Ctrl-C.

`))
