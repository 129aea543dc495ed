// Package text finds the main text of any HTML page: what a reader came for, without menus, side
// columns and advertisements.
//
// The page is cut into blocks, runs of text between two elements that break a line. Features
// describe each block: its words and links, its neighbours, the elements around it and the words in
// their names, what repeats, and what the page declares. Two forests of decision trees give each
// block the probability that it is main text; the second one also sees what the first one gave the
// blocks around it. [Of] keeps the blocks that maximise the expected F1 over words, so the threshold
// follows from the page and a page with text never comes out empty.
//
// The forests are learned by `awarc eval text --write` from pages with labelled text and stand in
// forest.txt.
package text
