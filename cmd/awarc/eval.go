package main

type evalCmd struct {
	Adaptation evalAdaptationCmd `cmd:"" help:"Measure how broken actions mend themselves: new sites, changed templates."`
	Detection  evalDetectionCmd  `cmd:"" help:"Measure how the time of detection grows with the types known: figure 3."`
	Frontier   evalFrontierCmd   `cmd:"" help:"Simulate focused crawls: tables 1 and 2 of the ARCOMEM paper."`
	Quality    evalQualityCmd    `cmd:"" help:"Judge detection and extraction on saved pages."`
}
