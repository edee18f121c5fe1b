package blackbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"go.yaml.in/yaml/v3"

	"github.com/rodata/rodata"
	"github.com/rodata/rodata/testkit"
)

// deployed returns the files below a folder of deploy, by their paths there.
func deployed(t *testing.T, folder string) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "deploy")
	files := make(map[string]string)
	err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}

		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("reading deploy/%s: %d files, %v", folder, len(files), err)
	}

	return files
}

// documents parses YAML, in which keys must be unique.
func documents(t *testing.T, name, text string) []object {
	t.Helper()
	var all []object
	for decoder := yaml.NewDecoder(strings.NewReader(text)); ; {
		var d object
		if err := decoder.Decode(&d); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		all = append(all, d)
	}
}

// at returns the value at a path in a document; it fails if there is none.
func at[T any](t *testing.T, d object, path ...string) T {
	t.Helper()
	var value any = d
	for _, key := range path {
		inner, _ := value.(object)
		value = inner[key]
	}

	found, ok := value.(T)
	if !ok {
		t.Fatalf("%s is %v", strings.Join(path, "."), value)
	}

	return found
}

// A variable that is never read is a setting without effect.
func TestDeployedFilesNameVariablesThatExist(t *testing.T) {
	variable := regexp.MustCompile(`RODATA_[A-Z_]+`)
	known := variable.FindAllString(string(rodata.Caddyfile), -1)
	for _, folder := range []string{"image", "compose", "kubernetes", "systemd"} {
		for name, text := range deployed(t, folder) {
			for _, v := range variable.FindAllString(text, -1) {
				if !slices.Contains(known, v) {
					t.Errorf("deploy/%s sets %s, which the Caddyfile does not read", name, v)
				}
			}
		}
	}
}

func TestComposeFile(t *testing.T) {
	files := deployed(t, "compose")
	compose := documents(t, "compose.yaml", files["compose/compose.yaml"])[0]
	services := at[object](t, compose, "services")
	var edges []string
	for name := range services {
		if !strings.HasPrefix(name, "edge") {
			continue
		}

		edges = append(edges, name+":8080")
		if of := at[string](t, services, name, "environment", "RODATA_EDGES"); of != "3" {
			t.Errorf("%s is one of %s", name, of)
		}
		if volume := at[[]any](t, services, name, "volumes"); len(volume) != 1 || volume[0] != name+":/var/lib/rodata" {
			t.Errorf("%s keeps its data in %v", name, volume)
		}
	}

	slices.Sort(edges)
	if to := "reverse_proxy " + strings.Join(edges, " ") + " {"; len(edges) != 3 ||
		!strings.Contains(files["compose/balancer.Caddyfile"], to) {
		t.Errorf("the balancer does not have %q", to)
	}

	for name := range services {
		if !at[bool](t, services, name, "read_only") {
			t.Errorf("%s may write to its root", name)
		}

		secrets, _ := at[object](t, services, name)["secrets"].([]any)
		for _, secret := range secrets {
			if file := at[string](t, compose, "secrets", secret.(string), "file"); file != "secrets/"+secret.(string) {
				t.Errorf("the secret %s of %s is the file %s", secret, name, file)
			}
		}
	}
}

func TestKubernetesFiles(t *testing.T) {
	kinds := make(map[string]bool)
	for name, text := range deployed(t, "kubernetes") {
		for _, d := range documents(t, name, text) {
			what := at[string](t, d, "kind") + " " + at[string](t, d, "metadata", "name")
			if at[string](t, d, "apiVersion") == "" || kinds[what] {
				t.Errorf("%s: %s is without a version, or there twice", name, what)
			}

			kinds[what] = true
			if what != "StatefulSet rodata" {
				continue
			}

			replicas := fmt.Sprint(at[int](t, d, "spec", "replicas"))
			edges := regexp.MustCompile(`RODATA_EDGES, value: "(\d+)"`).FindStringSubmatch(text)
			if edges == nil || edges[1] != replicas {
				t.Errorf("%s: there are %s edges, but each is configured for %q", name, replicas, edges)
			}
		}
	}

	for _, want := range []string{
		"StatefulSet rodata", "Service rodata", "Ingress rodata", "PodDisruptionBudget rodata", "NetworkPolicy rodata",
		"Secret rodata", "StatefulSet rodata-postgres", "Deployment rodata-valkey",
	} {
		if !kinds[want] {
			t.Errorf("there is no %s in %q", want, slices.Sorted(maps.Keys(kinds)))
		}
	}
}

// The image's Caddyfile imports the shipped one from its own folder.
func TestDeployedCaddyfilesAreValid(t *testing.T) {
	t.Setenv("RODATA_ADDRESS", "http://:8080")
	t.Setenv("RODATA_TRUSTED_PROXIES", "10.0.0.5 private_ranges")
	dir := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "rodata.Caddyfile"), rodata.Caddyfile, 0o600))

	for name, text := range map[string]string{
		"image":    deployed(t, "image")["image/Caddyfile"],
		"balancer": deployed(t, "compose")["compose/balancer.Caddyfile"],
	} {
		if _, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text),
			map[string]any{"filename": filepath.Join(dir, name)}); err != nil || len(warnings) != 0 {
			t.Errorf("%s: %v, %v", name, warnings, err)
		}
	}
}

// Without Docker, this checks that the sources in the recipe exist, and that its Go version is the module's.
func TestImageRecipe(t *testing.T) {
	recipe := deployed(t, "image")["image/Dockerfile"]
	root := filepath.Join("..", "..")
	var sources []string
	for _, copied := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(recipe, -1) {
		sources = append(sources, strings.Fields(copied[1])...)
	}

	for _, built := range regexp.MustCompile(`go build .* (\./\S+)`).FindAllStringSubmatch(recipe, -1) {
		sources = append(sources, built[1])
	}
	if len(sources) < 5 {
		t.Errorf("it copies and builds %q only", sources)
	}

	for _, source := range sources {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(source))); err != nil {
			t.Error(err)
		}
	}

	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))[1]
	if !regexp.MustCompile(`FROM golang:` + regexp.QuoteMeta(version) + `(\.\d+)?-`).MatchString(recipe) {
		t.Errorf("the image is not built with Go %s", version)
	}
}

func TestSystemdUnit(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed (Debian's package systemd has it)")
	}
	// It needs the program, which may not be installed here.
	unit := strings.ReplaceAll(deployed(t, "systemd")["systemd/rodata.service"], "/usr/local/bin/rodata", "/bin/true")
	path := filepath.Join(t.TempDir(), "rodata.service")
	testkit.NoError(t, os.WriteFile(path, []byte(unit), 0o600))
	// Of 100 points of exposure, at most 20.
	for _, args := range [][]string{{"verify", "--man=no"}, {"security", "--offline=true", "--threshold=20"}} {
		if out, err := exec.CommandContext(t.Context(), analyze, append(args, path)...).CombinedOutput(); err != nil {
			t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
