package jobs_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/rodata/rodata/api/job"
	"github.com/rodata/rodata/jobs"
	"github.com/rodata/rodata/op/problem"
	"github.com/rodata/rodata/testkit"
)

// A result that would fill the disk, which the stores share, is not written to its end.
func TestResultLeavesSpaceOnTheDisk(t *testing.T) {
	o := open(t, jobs.Limits{Free: 1 << 20})
	if err := syscall.Mount("tmpfs", o.Results.Dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("mounting a small file system requires root: %v", err)
	}
	t.Cleanup(func() { testkit.NoError(t, syscall.Unmount(o.Results.Dir, 0)) })

	rows := make([]string, 120)
	for i := range rows {
		rows[i] = "9900000010," + strings.Repeat("a", 30_000)
	}
	j := o.create(t, rows...)
	testkit.NoError(t, o.CancelJob(t.Context(), "acc", j.ID))
	_, err := o.JobResult(t.Context(), "acc", j.ID, resultOrder(job.CSV))
	if p := refused(t, err); p.Kind != problem.Unavailable {
		t.Errorf("got %s", p.Detail)
	}
	if left, err := os.ReadDir(o.Results.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
