package einvoice

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strconv"
)

// answer is the service's response; its default status is 200.
type answer struct {
	status int
	mime   string
	body   []byte
}

const pageSize = 3 // messages per page of the list; the real service has 500

func xmlAnswer(format string, args ...any) answer {
	return answer{mime: "application/xml",
		body: fmt.Appendf([]byte(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n"), format, args...)}
}

func jsonAnswer(value any) answer {
	text, _ := json.Marshal(value)
	return answer{mime: "application/json", body: text}
}

func refusedUpload(message string) answer {
	return xmlAnswer(`<header xmlns="mfp:anaf:dgti:spv:respUploadFisier:v1" dateResponse="202611201200" ExecutionStatus="1"><Errors errorMessage="%s"/></header>`, html.EscapeString(message))
}

func stateError(message string) answer {
	return xmlAnswer(`<header xmlns="mfp:anaf:dgti:efactura:stareMesajFactura:v1"><Errors errorMessage="%s"/></header>`,
		html.EscapeString(message))
}

func trouble(title, message string) answer {
	return jsonAnswer(map[string]string{"eroare": message, "titlu": title})
}

// acceptUpload registers an upload.
func (s *Service) acceptUpload(endpoint, standard, cif string, body []byte) answer {
	switch {
	case cif != FiscalCode:
		return refusedUpload("Nu aveti drept in SPV pentru CIF=" + cif)
	case standard != "UBL" && standard != "CN":
		return refusedUpload("Valorile acceptate pentru parametrul standard sunt UBL, CN, CII sau RASP")
	case !bytes.HasPrefix(body, []byte("<?xml")):
		return refusedUpload("Fisierul transmis nu este valid. org.xml.sax.SAXParseException; lineNumber: 1; " +
			"columnNumber: 1; Content is not allowed in prolog.")
	}

	u := &Upload{ID: s.nextID(), Verdict: OK, XML: body, Endpoint: endpoint, Standard: standard, polls: s.polls}
	if len(s.verdicts) > 0 {
		u.Verdict, s.verdicts = s.verdicts[0], s.verdicts[1:]
	}

	s.uploads = append(s.uploads, u)
	return xmlAnswer(`<header xmlns="mfp:anaf:dgti:spv:respUploadFisier:v1" dateResponse="202611201200" ExecutionStatus="0" index_incarcare="%s"/>`, u.ID)
}

// state returns the state of an upload.
func (s *Service) state(id string) answer {
	u := s.find(func(u *Upload) bool { return u.ID == id })
	if u == nil {
		return stateError("Nu exista factura cu id_incarcare= " + id)
	}

	verdict := u.Verdict
	if u.polls > 0 {
		u.polls--
		verdict = Processing
	}

	download := ""
	if verdict == OK || verdict == NotOK {
		download = ` id_descarcare="` + u.downloadID() + `"`
	}

	return xmlAnswer(`<header xmlns="mfp:anaf:dgti:efactura:stareMesajFactura:v1" stare="%s"%s/>`, verdict, download)
}

// list returns a page of the messages about uploads.
func (s *Service) list(filter, page, from, to string) answer {
	const title = "Lista Mesaje"
	start, err := strconv.ParseInt(from, 10, 64)
	end, err2 := strconv.ParseInt(to, 10, 64)
	if err != nil || err2 != nil || start > end {
		return trouble(title, "startTime = "+from+" nu este un numar sau nu are o valoare acceptata de sistem")
	}

	verdict, ok := map[string]Verdict{"T": OK, "E": NotOK}[filter]
	if !ok {
		return trouble(title, "Valorile acceptate pentru parametrul filtru sunt E, T, P sau R")
	}

	var messages []map[string]string
	for _, u := range s.uploads {
		if u.Verdict == verdict {
			messages = append(messages, map[string]string{
				"id": u.downloadID(), "id_solicitare": u.ID, "cif": FiscalCode, "data_creare": "202611201200",
				"tip": "FACTURA TRIMISA",
				"detalii": "Factura cu id_incarcare=" + u.ID + " emisa de cif_emitent=" + FiscalCode +
					" pentru cif_beneficiar=99990015",
			})
		}
	}

	if len(messages) == 0 {
		return trouble(title, "Nu exista mesaje in intervalul selectat")
	}

	pages := (len(messages) + pageSize - 1) / pageSize
	n, err := strconv.Atoi(page)
	if err != nil || n < 1 || n > pages {
		return trouble(title, "Pagina solicitata "+page+" este mai mare decat numarul toatal de pagini "+
			strconv.Itoa(pages))
	}

	return jsonAnswer(map[string]any{
		"mesaje":             messages[(n-1)*pageSize : min(n*pageSize, len(messages))],
		"numar_total_pagini": pages, "index_pagina_curenta": n, "titlu": title,
	})
}

// download returns the archive with the result of an upload.
func (s *Service) download(id string) answer {
	u := s.find(func(u *Upload) bool { return u.downloadID() == id })
	if u == nil || u.Verdict != OK && u.Verdict != NotOK {
		return trouble("Descarcare mesaj", "Pentru id="+id+" nu exista inregistrata nici o factura")
	}

	document := u.XML
	if u.Verdict == NotOK {
		document = []byte(`<?xml version="1.0" encoding="UTF-8"?><header xmlns="mfp:anaf:dgti:efactura:mesajEroriFactuta:v1" Index_incarcare="` +
			u.ID + `"><Error errorMessage="[BR-RO-111]-Subdiviziunea tarii cumparatorului trebuie codificata."/><Error errorMessage="CUI cumparator incorect"/></header>`)
	}

	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, file := range []struct {
		name string
		body []byte
	}{
		{"semnatura_" + u.ID + ".xml", []byte(`<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/>`)},
		{u.ID + ".xml", document},
	} {
		w, err := z.Create(file.name)
		if err != nil {
			panic(err) // writing to a buffer does not fail
		}

		_, _ = w.Write(file.body)
	}

	_ = z.Close()
	return answer{mime: "application/zip", body: out.Bytes()}
}
