package bnr

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/rodata/rodata/internal/panics"
	"github.com/rodata/rodata/op"
)

// flights are the fetches in progress, at most one per document.
type flights struct {
	group   singleflight.Group
	life    context.Context
	stop    context.CancelFunc
	running sync.RWMutex // read-locked by every flight
}

// flight receives the result of a fetch.
type flight = <-chan singleflight.Result

// latest is the key of the flight that fetches the latest fixing. The other keys are years.
const latest = 0

func newFlights() *flights {
	f := &flights{}
	f.life, f.stop = context.WithCancel(context.Background())
	return f
}

// join returns the flight with a key, and starts one if there is none. The flight has the values of ctx, such as the
// trace, but not its cancellation; it ends with the registry at the latest. A panic in work becomes an error.
func (f *flights) join(ctx context.Context, key int, work func(context.Context) error) flight {
	if err := f.closedError(); err != nil { // the group may still have a cancelled flight
		result := make(chan singleflight.Result, 1)
		result <- singleflight.Result{Err: err}
		return result
	}

	return f.group.DoChan(strconv.Itoa(key), func() (_ any, err error) {
		f.running.RLock()
		defer f.running.RUnlock()
		if err := f.closedError(); err != nil {
			return nil, err
		}

		defer panics.Recover(&err, "fetching fixings")
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(f.life, cancel)()
		return nil, work(ctx)
	})
}

// closedError returns the error of flights that are joined after close.
func (f *flights) closedError() error {
	if err := f.life.Err(); err != nil {
		return &op.Failure{Registry: name, Kind: op.Closed, Err: fmt.Errorf("the archive is closed: %w", err)}
	}
	return nil
}

// close cancels all flights and waits for them.
func (f *flights) close() {
	f.stop()
	f.running.Lock()
	defer f.running.Unlock()
}
