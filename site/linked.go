package site

import (
	"net/url"

	"github.com/rodata/rodata/api/company"
)

// linkedCompany is a company as linked data (schema.org), for search engines.
type linkedCompany struct {
	Context     string             `json:"@context"`
	Type        string             `json:"@type"`
	ID          string             `json:"@id"`
	Name        string             `json:"name"`
	LegalName   string             `json:"legalName"`
	TaxID       string             `json:"taxID"`
	VATID       string             `json:"vatID,omitempty"`
	Founded     string             `json:"foundingDate,omitempty"`
	URL         string             `json:"url,omitempty"`
	Address     *linkedAddress     `json:"address,omitempty"`
	Identifiers []linkedIdentifier `json:"identifier"`
}

type linkedAddress struct {
	Type     string `json:"@type"`
	Street   string `json:"streetAddress,omitempty"`
	Locality string `json:"addressLocality,omitempty"`
	Region   string `json:"addressRegion,omitempty"`
	Code     string `json:"postalCode,omitempty"`
	Country  string `json:"addressCountry"`
}

type linkedIdentifier struct {
	Type  string `json:"@type"`
	Name  string `json:"propertyID"`
	Value string `json:"value"`
}

// Linked is the company as linked data, with its identifiers.
func (p *companyPage) Linked(base string) linkedCompany {
	cui := p.TaxID.String()
	linked := linkedCompany{
		Context: "https://schema.org", Type: "Organization", ID: base + "/companies/" + cui, Name: p.Name,
		LegalName: p.Name, TaxID: cui, URL: website(p.Website), Address: linkedAddressOf(p.Seat),
		Identifiers: []linkedIdentifier{{"PropertyValue", "CUI", cui}},
	}
	if p.VATPayer != nil && *p.VATPayer {
		linked.VATID = p.VATNumber()
	}
	if p.RegistrationDate != nil {
		linked.Founded = p.RegistrationDate.String()
	}

	if p.EUID != nil {
		linked.Identifiers = append(linked.Identifiers, linkedIdentifier{"PropertyValue", "EUID", *p.EUID})
	}
	if p.TradeNumber != nil {
		linked.Identifiers = append(linked.Identifiers, linkedIdentifier{"PropertyValue", "ONRC", *p.TradeNumber})
	}

	return linked
}

func linkedAddressOf(a *company.StructuredAddress) *linkedAddress {
	if a == nil || a.Country != nil {
		return nil
	}
	return &linkedAddress{
		"PostalAddress", joinNonEmpty(" ", deref(a.Street), deref(a.Number)), deref(a.City), deref(a.County),
		deref(a.PostalCode), "RO",
	}
}

// website returns a company's web address as a URL, or an empty string if it is not a valid one.
func website(written *string) string {
	if written == nil {
		return ""
	}

	u, err := url.Parse(*written)
	if err == nil && u.Scheme == "" {
		u, err = url.Parse("https://" + *written)
	}
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}

	return u.String()
}

// crumb is a breadcrumb: a page on the path from the front page to the current page.
type crumb struct{ Name, Path string }

// breadcrumbs returns the breadcrumbs of a page for search engines (https://schema.org/BreadcrumbList).
func breadcrumbs(base string, crumbs []crumb) any {
	type item struct {
		Type     string `json:"@type"`
		Position int    `json:"position"`
		Name     string `json:"name"`
		Item     string `json:"item"`
	}
	list := struct {
		Context string `json:"@context"`
		Type    string `json:"@type"`
		Items   []item `json:"itemListElement"`
	}{Context: "https://schema.org", Type: "BreadcrumbList"}
	for i, c := range crumbs {
		list.Items = append(list.Items, item{"ListItem", i + 1, c.Name, base + c.Path})
	}

	return list
}
