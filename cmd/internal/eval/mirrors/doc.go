// Package mirrors measures mending in whole crawls: of mirrors and test sites whose template had changed since an earlier crawl, and of
// mirrors on whose pages names were replaced.
package mirrors
