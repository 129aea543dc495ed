package cockpit

// What the cockpit says beside its templates.
const (
	titleCrawls = "Crawls"
	titleNew    = "New crawl"
	titleLive   = "Live"

	textForeignHost = "The Host of the request is not this machine."
	textNoSecret    = "Expected the header Authorization: Bearer and the token that the server was started with."
	textNoCrawl     = "There is no such crawl."
	textStaleForm   = "The page with this form is too old, or cookies are off. Go back, load the page again and repeat it."
	textBeginsNone  = "This cockpit shows one crawl and begins no others."
	textNoSeeds     = "Name at least one seed."
	textNotOpen     = "The crawl is not running here."
	textWrongSecret = "That is not the token."
	textManyGuesses = "Too many wrong tokens at once. Wait a little."
)

// States of crawls.
const (
	stateRunning  = "running"
	statePaused   = "paused"
	stateStopped  = "stopped" // something is left
	stateFinished = "finished"
)
