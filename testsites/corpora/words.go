package corpora

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Vocabularies of the generators.
var (
	firstNames = split(
		`Agnes, Albert, Alice, Anton, Bertha, Carl, Catherine, Charles, Clara, Daniel, Dorothea, Edward, Eliza, Ernst, Florence,
		Frances, Franz, George, Gertrude, Hannah, Harold, Heinrich, Helen, Henry, Ida, Isaac, James, Jane, Johann, Joseph,
		Julia, Karl, Lilian, Louis, Lydia, Mabel, Margaret, Martha, Mary, Matthias, Nathaniel, Nora, Oliver, Otto, Paul, Philip,
		Rebecca, Richard, Rosa, Ruth, Samuel, Sarah, Sophie, Susanna, Theodor, Thomas, Ursula, Walter, William, Winifred`,
	)
	surnames = split(`Abbott, Ackermann, Adler, Albrecht, Ashworth, Bachmann, Baines, Barlow, Barraclough, Baumgartner, Becker, Blackwood,
		Booth, Bradshaw, Brandt, Bright, Brunner, Butterworth, Calvert, Clegg, Crabtree, Dietrich, Dobson, Drake, Eastwood,
		Eberhardt, Eckstein, Fairfax, Farrar, Fielding, Fischer, Fletcher, Fuchs, Garside, Gerber, Greenwood, Grimshaw, Haas,
		Halliday, Hardcastle, Hartmann, Haworth, Heller, Hirst, Hoffmann, Holroyd, Horsfall, Ingham, Jessop, Kaufmann, Keller,
		Kershaw, Koch, Krause, Lang, Lister, Lumb, Mallinson, Metcalfe, Meyer, Midgley, Murgatroyd, Naylor, Neumann, Nutter,
		Ogden, Pickles, Pohl, Priestley, Ramsden, Rawson, Richter, Riley, Sager, Schofield, Schubert, Schuster, Shackleton,
		Simm, Stansfield, Steiner, Sutcliffe, Sykes, Tattersall, Thornton, Uttley, Vogel, Wadsworth, Wagner, Weber, Whiteley,
		Wolf, Womersley, Zimmermann`,
	)
	towns = split(
		`Ambleford, Ashby, Barrowden, Belton, Birstall, Bramley, Brigg, Calder Bridge, Castleford, Clayton, Cragg Vale, Denholme,
		Elland, Farsley, Giggleswick, Glusburn, Halton, Haworth, Hebden, Heptonstall, Honley, Ilkley, Keighley, Kirkby, Linton,
		Luddenden, Marsden, Meltham, Mytholm, Norland, Otley, Oxenhope, Pateley, Queensbury, Ripponden, Saltaire, Settle,
		Shipley, Skipton, Slaithwaite, Sowerby, Stainland, Todmorden, Triangle, Wadsworth Moor, Warley, Wetherby, Wibsey, Yeadon`,
	)
	streets = split(
		`Albert Road, Back Lane, Bridge Street, Canal Side, Chapel Fold, Church Walk, Commercial Street, Crown Street, Dale View,
		Garden Terrace, Hope Street, King Cross, Mill Lane, Moor End, New Road, Park Avenue, Prospect Terrace, Rochdale Road,
		School Lane, Station Road, Union Street, Valley Road, West View, York Place`,
	)
	adjectives = split(`adjustable, antique, blue, brass, bright, broad, compact, copper, cotton, double, dry, electric, folding, frozen,
		galvanised, gentle, green, heavy, hollow, honest, idle, large, left-hand, light, long, loose, modern, narrow, oak, old,
		pale, plain, portable, quiet, rapid, red, rough, round, rusty, short, silent, silver, slow, small, spare, square, steel,
		stiff, straight, strong, sturdy, sweet, tall, thin, upright, vintage, warm, white, wide, wooden, woollen, yellow`,
	)
	nouns = split(`anvil, apron, axle, barrel, basin, basket, bearing, bell, bench, blanket, bolt, bottle, bracket, brush, bucket, button,
		cabinet, candle, carpet, chain, chair, chisel, clamp, clock, coil, collar, compass, cord, cup, curtain, door, drawer,
		drill, engine, fan, file, filter, flange, funnel, gasket, gate, glove, hammer, handle, hinge, hook, hose, jug, kettle,
		key, knife, ladder, lamp, lathe, lever, lid, lock, mirror, nail, needle, nozzle, nut, oven, paddle, pan, pipe, piston,
		plate, plough, pocket, pulley, pump, rail, ring, rivet, rope, saddle, saw, scale, screw, shelf, shovel, shutter, spade,
		spanner, spindle, spring, stove, strap, switch, table, tap, teapot, thread, tile, tray, valve, vice, washer, wheel,
		whistle, wire`,
	)
	verbs = split(`answers, arrives, bends, breaks, brings, calls, carries, climbs, closes, comes, counts, crosses, cuts, draws, drops,
		dries, falls, fills, finds, flows, follows, gathers, gives, glows, grows, hangs, hears, holds, keeps, leaves, lifts,
		listens, loses, meets, moves, opens, passes, points, pulls, reaches, remembers, rests, returns, rings, rises, rolls,
		runs, sends, settles, shines, sings, sinks, sleeps, stands, starts, stays, stops, swings, takes, turns, waits, wakes,
		walks, watches, winds, works`,
	)
	scenery = split(
		`ash, autumn, bank, barley, beech, birch, bird, bough, brook, cloud, corn, crow, dawn, dew, dusk, evening, fern, field,
		fire, fog, frost, garden, grass, hail, heath, hedge, heron, hill, ice, ivy, lake, lark, leaf, light, meadow, mist, moon,
		morning, moss, night, oak, orchard, owl, path, pebble, plum, pond, pool, rain, reed, ridge, river, road, rook, root,
		rose, sand, sea, seed, shadow, shore, sky, sleet, smoke, snow, sparrow, spring, star, stone, storm, stream, summer,
		swallow, thorn, thrush, tide, tree, twig, valley, village, wave, well, willow, wind, winter, wood, wren`,
	)
	whereabouts = split(`after the war, along the river, among friends, at the back of the house, at the crossing, before the rain, behind
		the mill, below the weir, beside the stove, beyond the hill, by candle light, down the lane, during the fair, for the third
		time, from the window, in the dark, in the valley, near the station, on Sundays, on the north side, out of season, over
		the bridge, past the chapel, through the snow, under the stairs, until noon, up the steps, without a word`,
	)
)

func person(r *rand.Rand) string { return pick(r, firstNames) + " " + pick(r, surnames) }

// sentence makes up a sentence.
func sentence(r *rand.Rand) string {
	s := fmt.Sprintf("the %s %s %s %s", pick(r, adjectives), pick(r, pick(r, [][]string{nouns, scenery})), pick(r, verbs),
		pick(r, whereabouts))
	switch r.IntN(4) {
	case 0:
		s += fmt.Sprintf(", and %s %s the %s", pick(r, firstNames), pick(r, verbs), pick(r, nouns))
	case 1:
		s = fmt.Sprintf("%s, %s", pick(r, whereabouts), s)
	}
	return title(s) + "."
}

// prose makes up a paragraph of n sentences.
func prose(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = sentence(r)
	}
	return strings.Join(list, " ")
}

// about is the text of the pages that menus lead to.
func about(page, site string) string {
	r := draw(site+page, 0)
	return para(fmt.Sprintf("%s: %s.", site, page), prose(r, 6))
}
