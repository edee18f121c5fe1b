//go:build linux || darwin

package jobs

import "golang.org/x/sys/unix"

// freeSpace returns the free bytes of the disk with a folder.
func freeSpace(dir string) (int64, error) {
	var stat unix.Statfs_t
	err := unix.Statfs(dir, &stat)
	return int64(stat.Bavail) * int64(stat.Bsize), err
}
