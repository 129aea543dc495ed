package frontier

import "container/heap"

// leaveHeap is a heap whose members know where they are, so that any of them can
// leave it in logarithmic time.
type leaveHeap[T any] struct {
	items []T
	less  func(a, b T) bool
	slot  func(T) *slot[T] // where the member keeps its place
}

// slot is the place of a member: the heap it is in, nil for none, and its index.
type slot[T any] struct {
	in    *leaveHeap[T]
	index int
}

func (h *leaveHeap[T]) push(x T) {
	heap.Push((*heapOrder[T])(h), x)
}

func (h *leaveHeap[T]) remove(x T) {
	heap.Remove((*heapOrder[T])(h), h.slot(x).index)
}

// heapOrder has the methods that container/heap wants, away from push and remove.
type heapOrder[T any] leaveHeap[T]

func (o *heapOrder[T]) Len() int           { return len(o.items) }
func (o *heapOrder[T]) Less(i, j int) bool { return o.less(o.items[i], o.items[j]) }

func (o *heapOrder[T]) Swap(i, j int) {
	o.items[i], o.items[j] = o.items[j], o.items[i]
	o.slot(o.items[i]).index = i
	o.slot(o.items[j]).index = j
}

func (o *heapOrder[T]) Push(x any) {
	item := x.(T)
	*o.slot(item) = slot[T]{(*leaveHeap[T])(o), len(o.items)}
	o.items = append(o.items, item)
}

func (o *heapOrder[T]) Pop() any {
	last := len(o.items) - 1
	item := o.items[last]
	var none T
	o.items[last] = none
	o.items = o.items[:last]
	*o.slot(item) = slot[T]{}
	return item
}
