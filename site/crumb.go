package site

// crumb is a step of the way to a page.
type crumb struct{ Name, Path string }

// breadcrumbs describes the way to a page for search engines (https://schema.org/BreadcrumbList).
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
