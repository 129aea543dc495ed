package quads

// cache keeps what was used last: two generations, of which the older one goes when the younger one is full.
type cache[K comparable, V any] struct {
	most, size int
	young, old map[K]V
}

// newCache makes a cache of values of the size most, or twice that.
func newCache[K comparable, V any](most int) cache[K, V] {
	return cache[K, V]{most: most, young: map[K]V{}}
}

func (c *cache[K, V]) get(k K) (V, bool) {
	v, ok := c.young[k]
	if !ok {
		if v, ok = c.old[k]; ok {
			c.young[k] = v
		}
	}
	return v, ok
}

func (c *cache[K, V]) put(k K, v V, size int) {
	if c.size += size; c.size > c.most {
		c.old, c.young, c.size = c.young, map[K]V{}, size
	}
	c.young[k] = v
}

func (c *cache[K, V]) drop(k K) {
	delete(c.young, k)
	delete(c.old, k)
}
