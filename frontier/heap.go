package frontier

// leaveHeap is a heap of numbers whose members know where they are, so that any of them can
// leave it in logarithmic time.
type leaveHeap[T ~int32] struct {
	items []T
	less  func(a, b T) bool
	index func(T) *int32 // where the member keeps its place
}

func (h *leaveHeap[T]) empty() bool { return len(h.items) == 0 }

func (h *leaveHeap[T]) push(x T) {
	h.items = append(h.items, x)
	h.up(len(h.items) - 1)
}

// remove takes out a member.
func (h *leaveHeap[T]) remove(x T) {
	i, last := int(*h.index(x)), len(h.items)-1
	moved := h.items[last]
	h.items = h.items[:last]
	if i == last {
		return
	}
	h.items[i] = moved
	if h.down(i) == i {
		h.up(i)
	}
}

// up moves the member at i before those that come after it.
func (h *leaveHeap[T]) up(i int) {
	x := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(x, h.items[parent]) {
			break
		}
		h.put(i, h.items[parent])
		i = parent
	}
	h.put(i, x)
}

// down moves the member at i behind those that come before it and tells where it is then.
func (h *leaveHeap[T]) down(i int) int {
	x := h.items[i]
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if right := child + 1; right < len(h.items) && h.less(h.items[right], h.items[child]) {
			child = right
		}
		if !h.less(h.items[child], x) {
			break
		}
		h.put(i, h.items[child])
		i = child
	}
	h.put(i, x)
	return i
}

func (h *leaveHeap[T]) put(i int, x T) {
	h.items[i] = x
	*h.index(x) = int32(i)
}
