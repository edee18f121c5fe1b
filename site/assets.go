package site

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

//go:embed assets
var assetFiles embed.FS

var contentTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// addAssets adds scripts, styles and images, and returns their folder. Its name is a
// hash of all of them, so browsers may cache them forever, and files may import each
// other by relative names.
func (s *Site) addAssets() (folder string, err error) {
	assets, err := readAssets()
	if err != nil {
		return "", err
	}

	hash := sha256.New()
	names := slices.Sorted(maps.Keys(assets))
	for _, name := range names {
		fmt.Fprintf(hash, "%s %d ", name, len(assets[name]))
		hash.Write(assets[name])
	}

	folder = "/assets/" + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:9])
	for _, name := range names {
		kind, ok := contentTypes[path.Ext(name)]
		if !ok {
			return "", fmt.Errorf("%s: no content type is known", name)
		}
		s.add(folder+"/"+name, file{kind, "public, max-age=31536000, immutable", everywhere(assets[name])})
	}

	s.add("/favicon.ico", file{contentTypes[".svg"], "public, max-age=86400", everywhere(assets["icon.svg"])})
	return folder, nil
}

// readAssets reads the embedded files, and adds the sentences as scripts.
func readAssets() (map[string][]byte, error) {
	assets := make(map[string][]byte)
	entries, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		return nil, err
	}

	for _, entry := range entries {
		if assets[entry.Name()], err = assetFiles.ReadFile("assets/" + entry.Name()); err != nil {
			return nil, err
		}
	}

	sentences, err := readTexts()
	if err != nil {
		return nil, err
	}

	for l := range languages {
		if assets["text."+l.String()+".js"], err = sentences.script(l); err != nil {
			return nil, err
		}
	}

	return assets, nil
}

func (s *Site) add(path string, f file) { s.files[path] = f }

// everywhere is the same body in all languages.
func everywhere(body []byte) [languages][]byte { return [languages][]byte{body, body} }
