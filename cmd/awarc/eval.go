package main

type evalCmd struct {
	Adaptation evalAdaptationCmd `cmd:"" help:"Measure how broken actions mend themselves: new sites, changed templates."`
	Detection  evalDetectionCmd  `cmd:"" help:"Measure how the time of detection grows with the types known: figure 3."`
	Quality    evalQualityCmd    `cmd:"" help:"Judge detection and extraction on saved pages."`
}
