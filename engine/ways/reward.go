package ways

// Answer is an answer of a site, as rewards see it. The zero value is an answer without any reward,
// such as an error.
type Answer struct {
	Text    Text     // of the page
	Targets []string // names of the targets in the answer
	Score   float64  // by the topic, its entities and plugins, from 0 to 1
	// Redirects reports a redirect, which has no records for another reason than pages.
	Redirects bool
}

// Reward values answers by what the crawl looks for: [NewText], [NewTargets] or [Score].
type Reward interface {
	// of returns the reward of an answer, a number from 0, and stores in the site what the answer
	// has. The caller holds the lock.
	of(s *site, a Answer) float64
	// hunts reports whether more reward is always better, so that links are ordered by their whole
	// value from the first pages on. Otherwise all links above the mean are equal, since a site
	// that generates text without end would come before all others.
	hunts() bool
	// untried returns the assumed reward of an untried pattern, 0 for none. Where rewards are rare
	// and large it makes a crawl try one link of each outline early.
	untried() float64
}

// reward returns the reward of the learner.
func (l *Learner) reward() Reward {
	if l.Reward == nil {
		return NewText{}
	}
	return l.Reward
}

// Target is the highest reward of an answer by [NewTargets] and [Score].
const Target = 1000

// NewText rewards text that the site did not have before, by its number of runs of ten words. If
// enough pages have records, only records count: all other text repeats them or serves the
// software.
type NewText struct{}

// Least number and share of pages with records for which only records count. They are arbitrary.
const (
	fewContents   = 8
	shareContents = 1.0 / 8
)

// ofRecords reports whether only records count.
func (s *site) ofRecords() bool { return s.Contents >= max(fewContents, shareContents*s.Pages) }

func (NewText) of(s *site, a Answer) float64 {
	if a.Text.content {
		s.Contents++
	}
	fresh := s.Text.addText(a.Text)
	if !a.Text.content && s.ofRecords() {
		return 0
	}
	return fresh
}

func (NewText) hunts() bool      { return false }
func (NewText) untried() float64 { return 0 }

// NewTargets rewards an answer by [Target] if it has a target that no earlier answer had. On a site
// with more names than a sample holds, an answer with a target of the sample also stands for the
// others.
type NewTargets struct{}

func (NewTargets) of(s *site, a Answer) (reward float64) {
	for _, name := range a.Targets {
		reward = max(reward, Target*s.Links.add(hashOf(name)))
	}
	return reward
}

func (NewTargets) hunts() bool      { return true }
func (NewTargets) untried() float64 { return Target }

// Score rewards an answer by its score, as a share of [Target].
type Score struct{}

func (Score) of(_ *site, a Answer) float64 { return Target * a.Score }

func (Score) hunts() bool      { return true }
func (Score) untried() float64 { return 0 }
