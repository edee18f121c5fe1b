package cache_test

import (
	"context"
	"fmt"
	"time"

	"github.com/rodata/rodata/cache"
)

func ExampleThrough() {
	c, err := cache.Open(cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	capital := func(_ context.Context, county string) (string, error) {
		fmt.Println("asking for", county)
		return map[string]string{"CJ": "Cluj-Napoca", "IS": "Iași"}[county], nil
	}
	capitals := cache.Through(c, cache.Kind{Name: "capital", Fresh: time.Hour}, cache.Plain(capital))
	for range 2 {
		found, err := capitals.Get(context.Background(), "CJ")
		fmt.Println(found.Value, found.Hit, err)
	}
	// Output:
	// asking for CJ
	// Cluj-Napoca false <nil>
	// Cluj-Napoca true <nil>
}
