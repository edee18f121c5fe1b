package site

import (
	"bytes"
	_ "embed"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/js"
)

//go:embed widget.js
var widgetSource []byte

// widgetScript returns the minified script.
var widgetScript = sync.OnceValue(func() []byte {
	var script bytes.Buffer
	check((&js.Minifier{}).Minify(minify.New(), &script, bytes.NewReader(widgetSource), nil))
	return script.Bytes()
})

// widgetPath is the address of the widget, which pages of other hosts load.
const widgetPath = "/widget.js"

// addWidget adds the script that turns an input on any web page into a company search. Browsers cache it for a day.
// For another week they may use the old copy while they fetch a new one or if the service does not answer.
func (s *Site) addWidget() {
	s.add(widgetPath, file{
		contentType:  contentTypes[".js"],
		cacheControl: "public, max-age=86400, stale-while-revalidate=604800, stale-if-error=604800",
		bodies:       inEveryLanguage(widgetScript()),
		crossOrigin:  true,
	})
}
