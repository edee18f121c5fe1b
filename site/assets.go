package site

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/js"
)

//go:embed assets
var assetFiles embed.FS

var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".png": "image/png",

	".webmanifest": "application/manifest+json",
}

// assets are scripts, styles and images. They are in a folder that is named after a hash of their content, so browsers
// may cache them forever. Scripts are in a subfolder for each language, which also has the sentences of that language
// as sentences.js. So every script can import the sentences statically, and browsers run all scripts before a page
// counts as loaded. With a dynamic import of a language, keys pressed right after loading were lost.
type assets struct {
	folder string
	bodies map[string][]byte // by path below the folder
}

// readAssets reads the embedded files once.
var readAssets = sync.OnceValue(func() assets {
	files := make(map[string][]byte)
	for _, name := range must(fs.Glob(assetFiles, "assets/*")) {
		files[path.Base(name)] = must(assetFiles.ReadFile(name))
	}

	used := keysIn(bytes.Join(slices.Collect(maps.Values(files)), nil))

	a := assets{bodies: make(map[string][]byte)}
	for l := range languages {
		a.bodies[l.String()+"/sentences.js"] = readTexts().script(l, used)
	}

	for name, body := range files {
		if path.Ext(name) != ".js" {
			a.bodies[name] = body
			continue
		}

		for l := range languages {
			a.bodies[l.String()+"/"+name] = body
		}
	}

	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.bodies)) {
		fmt.Fprintf(hash, "%s %d ", name, len(a.bodies[name]))
		hash.Write(a.bodies[name])
	}

	a.folder = "/assets/" + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:9])
	return a
})

// must panics on an error from processing an embedded file. The tests process all embedded files, so such an error is
// a bug in this package.
func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(fmt.Errorf("embedded in the site: %w", err))
	}
}

func (s *Site) addAssets(a assets) {
	for name, body := range a.bodies {
		kind := contentTypes[path.Ext(name)]
		s.add(a.folder+"/"+name, file{contentType: kind, cacheControl: "public, max-age=31536000, immutable",
			bodies: inEveryLanguage(body)})
	}

	s.add("/favicon.ico", file{contentType: contentTypes[".svg"], cacheControl: "public, max-age=86400",
		bodies: inEveryLanguage(a.bodies["icon.svg"])})
}

// inEveryLanguage returns the same body for all languages.
func inEveryLanguage(body []byte) func() [languages][]byte {
	return func() [languages][]byte { return [languages][]byte{body, body} }
}

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
