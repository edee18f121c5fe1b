package onrc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock locks the directory of a register for a load, an installation or a publication. It returns ErrBusy if another
// process holds the lock. The lock ends with the process at the latest.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}

	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}

	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrBusy
		}
		return nil, fmt.Errorf("locking %s: %w", file.Name(), err)
	}

	return func() { file.Close() }, nil
}
