package testsites

// random is a splitmix64 generator. It is our own so that a seed gives the same site with every release of Go, and so
// that any object can be computed alone: its generator starts from the seed and the object's number.
type random uint64

// newRandom returns the generator of one facet of one object: the same arguments give the same sequence.
func newRandom(seed uint64, facet string, id int) *random {
	h := seed ^ 0x9e3779b97f4a7c15
	for _, c := range []byte(facet) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	r := random(h ^ uint64(id)*0xd1342543de82ef95)
	r.next()
	return &r
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n returns a number from 0 to below k; 0 when k < 1.
func (r *random) n(k int) int {
	if k < 1 {
		return 0
	}
	return int(r.next() % uint64(k))
}

// percent says yes in p of 100 cases.
func (r *random) percent(p int) bool { return r.n(100) < p }

func (r *random) pick(list []string) string { return list[r.n(len(list))] }

// hex returns n hexadecimal digits, as session ids and form tokens have.
func (r *random) hex(n int) string {
	const digits = "0123456789abcdef"
	b := make([]byte, n)
	for i := range b {
		b[i] = digits[r.n(16)]
	}
	return string(b)
}
