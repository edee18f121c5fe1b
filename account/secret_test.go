package account

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rodata/rodata/testkit"
)

func TestConfiguredSecret(t *testing.T) {
	dir := t.TempDir()
	got, err := LoadSecret("sixteen letters!", dir)
	if err != nil || string(got) != "sixteen letters!" {
		t.Fatalf("got %q, %v", got, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Error("a file was written although a secret is configured")
	}

	if _, err := LoadSecret("fifteen letters", dir); err == nil ||
		!strings.Contains(err.Error(), "set RODATA_SECRET to a longer") {
		t.Errorf("a short secret got %v, which does not name the fix", err)
	} else if strings.Contains(err.Error(), "fifteen letters") {
		t.Error("the error contains the secret")
	}
}

func TestGeneratedSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, err := LoadSecret("", dir)
	if err != nil || len(first) != 32 {
		t.Fatalf("got %d bytes, %v", len(first), err)
	}

	again, err := LoadSecret("", dir)
	if err != nil || !bytes.Equal(first, again) {
		t.Errorf("the second start has another secret (%v)", err)
	}
	if other, _ := LoadSecret("", t.TempDir()); bytes.Equal(first, other) {
		t.Error("two deployments have the same secret")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%v were left behind", entries)
	}
	if runtime.GOOS == "windows" {
		return // Windows has no file modes
	}

	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "secret"): 0o600} {
		testkit.Equal(t, testkit.Must(os.Stat(path)).Mode().Perm(), want, "%s has mode", path)
	}
}

func TestSimultaneousStartsShareASecret(t *testing.T) {
	dir := t.TempDir()
	secrets := make([]string, 16)
	var wg sync.WaitGroup
	for i := range secrets {
		wg.Go(func() {
			secret, err := LoadSecret("", dir)
			if err != nil {
				t.Error(err)
			}

			secrets[i] = string(secret)
		})
	}

	wg.Wait()
	for _, secret := range secrets {
		if secret != secrets[0] {
			t.Fatal("two starts have different secrets")
		}
	}
}

func TestUnusableSecretFile(t *testing.T) {
	t.Run("damaged", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "secret")
		testkit.NoError(t, os.WriteFile(path, []byte("half of it"), 0o600))
		testkit.ErrorSays(t, testkit.Err(LoadSecret("", dir)), path)
		if kept, _ := os.ReadFile(path); string(kept) != "half of it" {
			t.Error("the file was replaced")
		}
	})
	t.Run("directory is a file", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		testkit.NoError(t, os.WriteFile(dir, nil, 0o600))
		if _, err := LoadSecret("", dir); err == nil {
			t.Error("no error")
		}
	})
}
