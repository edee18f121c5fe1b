package site

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
