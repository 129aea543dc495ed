// Package trap finds the places of a site that may have no end: calendars, session ids in
// links, relative links that grow, pages that exist whatever they are called.
//
// Of /details/123 and /details/456 nobody knows whether they are one page, and pages that differ in a
// number alone may be a site's content. So nothing is left out because it looks like something else. There
// are three answers to an address:
//
//   - [Shape] refuses what no person wrote: a path that repeats itself six times, or is
//     deeper or longer than any site's, a query that holds itself.
//   - What is suspected is put off: it waits behind all else, with the others of its kind, and is
//     fetched by and by. See below for what is suspected.
//   - A suspect is closed by evidence that it has no end: addresses that nobody links to are
//     answered and lead on, and what its pages say has come to an end. What waits is left,
//     and told.
//
// # Suspects
//
//   - a family of addresses, which differ in their numbers alone, whose pages say nothing new for a long
//     time, or which name a day to come or before the web; pages without a new word are probed first, and are no
//     suspects while half of what each says is new in its order, unless they are answered as below
//   - a folder, with all that is below it, in which more addresses are found than fetched all along
//   - the links of a page that is the tenth copy of another
//   - a parameter that made no difference on several pages that differ otherwise, and a
//     difference on none: of the pages that differ by it alone, one is fetched
//   - combinations of a few values, of which there are more than values
//   - paths that repeat themselves three times
//
// # Evidence
//
// A suspect is probed: the crawl asks for two addresses like its own for which nobody can have made a page, such as the
// year 2650, the first of them twice. A site with an end says that there is no such page. One that answers
// both, and leads from each to addresses that nothing else leads to, makes up addresses as they are asked for. What
// differs between the two answers to one address is noise, such as an advertisement, and what
// differs between the two addresses is made up from them. A page of the suspect that says nothing
// beyond these two, and nothing that an earlier one has not said, is empty, and thirty empty ones in a row are an end of
// what is said, a few more where much was said before. A list that goes on behind its last entry
// is fetched to that entry, and a little further.
//
// A family whose pages have something to say, or a folder, is put off by evidence if it is answered as these are: with half as
// much to say, in the same places of the template. An invitation to write the page, or a choice of others, is no such
// answer. A folder that grows is put off by evidence alone, since a site with an end grows at first. The largest
// folder in which whatever is made up is answered is put off as a whole, but for folders in it that say that there
// is no such page. It is not closed: its pages say something new.
//
// A folder that grows all along though nothing made up is answered may be a large site, or have addresses that nobody can make
// up. Nothing in it is put off, but [Watch.Growing] says that it had better come behind the rest. Where such a place and
// content are in one folder and look alike, they are on different branches: a branch is a page with all that it led to first, and
// those that grow all along come behind, too. What comes behind in any case, since its like said less, does
// not count for that: a page with sixty comments and as many links to answer them by, of which none is followed soon, holds nothing up.
//
// A branch is put off where its addresses are such as only a machine draws, each of its pages led to several new ones, and none to
// what another led to, through seven doublings of the requests. Pages of a site with an end lead to each other, and its
// lists to pages that lead no further. What is put off so is never closed, since its pages have something to say: it has its share
// and its limit.
//
// Families of three hundred pages that nothing is wrong with are probed as well, since a place may
// make up words, too.
package trap
