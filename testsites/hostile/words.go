package hostile

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

var words = strings.Fields(`
acorn alley amber anchor apple apron arch ash attic autumn baker balcony barge barley barn basket beach beacon bell bench berry
birch blanket boat bonfire book bottle bough bowl branch bread brick bridge brook broom bucket butter button cabin candle canvas
carpet cart castle cedar cellar chalk cherry chest chimney church cider cliff clock cloud clover coast coat cobble comb copper
cord corner cottage cotton cradle crane cream creek crow cup curtain daisy dawn desk dew ditch dock door dove drawer drum dune
dust eagle east ember evening farm feather fence fern ferry fiddle field fig finch fire flag flint flour flute fog forest forge
fountain fox frost garden gate glass goose grain granite grape grass gravel grove gull hammer harbour harvest hawk hay hazel
hearth heath hedge heron hill hinge honey horn house inn iron island ivory ivy jar jetty kettle kiln kitchen kite ladder lake lamp
lane lantern larch lark leaf leather ledge lemon letter lily lime linen lintel loaf loft loom maple market marsh mast meadow mill
mint mirror mist moor morning moss mountain nail needle nest nettle north nut oak oar oats olive orchard otter oven owl paddle
page paint paper parlour path peach pear pebble pen pepper pier pigeon pine plank plate plough plum pond poplar porch pot quarry
quay quilt rabbit rafter rain raven reed ridge river road robin roof rope rose rye saddle sail salt sand saw sea seed shed sheep
shell shore shovel silk silver slate smoke snow soil south spade spark spring spruce stable stair stone storm straw stream summer
swallow table tar thatch thicket thistle thread tide tile timber tower trail tree trunk tulip valley vine violet walnut water wave
well west wheat wheel willow wind window winter wood wool wren yarn yew`)

// prose gives about n words that belong to a name: the same each time, others for another name.
func prose(name string, n int) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	var b strings.Builder
	for n > 0 {
		length := 6 + random.IntN(9)
		n -= length
		for i := range length {
			w := words[random.IntN(len(words))]
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteString([]string{" ", " ", " and the ", " by the ", ", the "}[random.IntN(5)])
			}
			b.WriteString(w)
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}
