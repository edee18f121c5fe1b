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
)

//go:embed assets
var assetFiles embed.FS

var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// assets are scripts, styles and images by name. The sentences of each language are scripts too. The folder of the
// assets is named after a hash of their content, so browsers may cache them forever, and files may import each other
// by relative names.
type assets struct {
	folder string
	bodies map[string][]byte
}

// readAssets reads the embedded files once.
var readAssets = sync.OnceValue(func() assets {
	a := assets{bodies: make(map[string][]byte)}
	for _, name := range must(fs.Glob(assetFiles, "assets/*")) {
		a.bodies[path.Base(name)] = must(assetFiles.ReadFile(name))
	}
	used := keysIn(bytes.Join(slices.Collect(maps.Values(a.bodies)), nil))
	for l := range languages {
		a.bodies["text."+l.String()+".js"] = readTexts().script(l, used)
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
func must[T any](made T, err error) T {
	check(err)
	return made
}

func check(err error) {
	if err != nil {
		panic(fmt.Errorf("embedded in the site: %w", err))
	}
}

func (s *Site) addAssets(a assets) {
	for name, body := range a.bodies {
		kind := contentTypes[path.Ext(name)]
		s.add(a.folder+"/"+name, file{contentType: kind, cacheControl: "public, max-age=31536000, immutable", bodies: everywhere(body)})
	}
	s.add("/favicon.ico", file{contentType: contentTypes[".svg"], cacheControl: "public, max-age=86400", bodies: everywhere(a.bodies["icon.svg"])})
}

func (s *Site) add(path string, f file) { s.files[path] = f }

// everywhere returns the same body for all languages.
func everywhere(body []byte) func() [languages][]byte {
	return func() [languages][]byte { return [languages][]byte{body, body} }
}
