package hostile

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"sync"
)

// gibibyteInBrotli is a page of a gibibyte, compressed with Brotli to 3,687 bytes, and these with gzip, in base64.
const gibibyteInBrotli = "" +
	"H4sIAAAAAAACAzv//389gw1fQbFNQah39OINV27x/FbSudZsferow+sS39ZwNzR0b2DgmMDQwGtxqYHtTsY7Bo6GqtncDQ84G6xebArSuv5RwPX9/+I///+z" +
	"H3jMYH6cOXzrFlMu77VnN+gfSrLdsThGpq438fwuoC501HGY6cLe/8///7dnkGPfYSm3Y9XStYERWblttYJirw/KPn30IZun+hqrAwMLOpIRa3j31/7///+M" +
	"HywOnP14IFQ3t/dQULbxm+4NEfzvNMTb45NvbNZjYFJAR482MJS8///z/3/+huOMeX3s67Iys0WmRc1OjG85WlXgvtPij9TheaWMAgwYqJ11QfX/8wQDC9Ob" +
	"FjoMd3/X//v/n/lBYcPsx42ro25JtS69lnZDPHGj3J1APb79xzakx2L6keFIIuOLe/8///8vz9DPfEeGP+bqpWsaOlvNDu/j6P76oK+o8Idpm+1rTD8yKfBx" +
	"O3z/Nx8YPAwVMg+eVTxYNW2bW+LKrZLfXCPWsJdP6T683vBNpDimHxkKIxh2ff8/GpWjUTkalaNRORqVo1E5GpWjUTkalaNRORqVo1F5DxI85ESlPAD7qfZN" +
	"Zw4AAA=="

// coded answers with a page in a content coding.
func coded(name string, encode func(string) string) func(*visit) {
	return func(v *visit) {
		v.send("200 OK\r\nContent-Encoding: "+name, "text/html; charset=utf-8", encode(v.document()), true)
	}
}

// codings is about Content-Encoding.
func codings() []Misdeed {
	plain := func(s string) string { return s }
	twice := func(s string) string { return gzipped(gzipped(s)) }
	cut := func(n int) func(string) string {
		return func(s string) string { return gzipped(s + noise(5000))[:len(gzipped(s))-n] }
	}
	return []Misdeed{
		found("gzip", "gzip", coded("gzip", gzipped)),
		found("x-gzip", "x-gzip", coded("x-gzip", gzipped)),
		found("gzip-capitals", "GZIP", coded("GZIP", gzipped)),
		found("gzip-claimed", "called gzip and is not", coded("gzip", plain)),
		found("deflate", "deflate", coded("deflate", zlibbed)),
		found("deflate-bare", "deflate without the header of zlib", coded("deflate", deflated)),
		kept("deflate-claimed", "called deflate and is not", coded("deflate", plain)),
		found("identity", "Content-Encoding: identity", coded("identity", plain)),
		found("utf-8-coding", "a charset for a coding", coded("utf-8", plain)),
		found("coding-empty", "Content-Encoding without a value", coded("", plain)),
		found("brotli", "brotli", coded("br", brotli)),
		found("zstd", "zstd", coded("zstd", zstd)),
		found("gzip-twice", "gzip in gzip", coded("gzip, gzip", twice)),
		found("gzip-twice-lines", "gzip in gzip, a field for each", coded("gzip\r\nContent-Encoding: gzip", twice)),
		found("gzip-then-brotli", "brotli in gzip", coded("br, gzip", func(s string) string { return gzipped(brotli(s)) })),
		kept("gzip-twice-claimed-once", "gzip in gzip, called gzip", coded("gzip", twice)),
		found("gzip-members", "gzip in two members", coded("gzip", func(s string) string { return gzipped(s) + gzipped("<p>more") })),
		found("gzip-surplus", "bytes after the end of gzip", coded("gzip", func(s string) string { return gzipped(s) + "surplus bytes" })),
		found("gzip-crc", "a wrong checksum", coded("gzip", func(s string) string {
			g := gzipped(s)
			return g[:len(g)-8] + "\x00\x00\x00\x00" +
				g[len(g)-4:]
		})),
		found("gzip-without-end", "gzip without its last bytes",
			coded("gzip", func(s string) string { g := gzipped(s); return g[:len(g)-8] })),
		kept("gzip-cut", "gzip cut in the middle", coded("gzip", cut(100))),
		kept("gzip-header-only", "ten bytes of gzip", coded("gzip", func(s string) string { return gzipped(s)[:10] })),
		kept("gzip-broken", "gzip with a broken block", coded("gzip", func(s string) string { return gzipped(s)[:10] + noise(500) })),
		kept("gzip-empty", "gzip of nothing at all", coded("gzip", func(string) string { return "" })),
		kept("zstd-broken", "zstd with a broken block", coded("zstd", func(s string) string { return zstd(s)[:20] + noise(500) })),
		kept("brotli-broken", "bytes of a generator called brotli", coded("br", func(string) string { return noise(500) })),
		kept("coding-foo", "a coding that nobody knows", coded("foo", plain)),
		kept("codings-ten", "gzip ten times", coded("gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip", func(s string) string {
			for range 10 {
				s = gzipped(s)
			}
			return s
		})),
		kept("codings-5000", "5,000 codings", coded(strings.Repeat("gzip, ", 5000)+"gzip", gzipped)),
	}
}

// bombs is about little data that becomes much.
func bombs() []Misdeed {
	gib := func(coding string, data func() string) func(*visit) {
		return func(v *visit) {
			v.send("200 OK\r\nContent-Encoding: "+coding, "text/html; charset=utf-8", data(), true)
		}
	}
	return []Misdeed{
		bomb("bomb-gzip", "a page of a gibibyte in gzip", gib("gzip", gibibyteInGzip)),
		bomb("bomb-deflate", "a page of a gibibyte in deflate", gib("deflate", gibibyteInDeflate)),
		bomb("bomb-brotli", "a page of a gibibyte in brotli", gib("br", gibibyteOfBrotli)),
		bomb("bomb-zstd", "a page of a gibibyte in zstd", gib("zstd", func() string { return zstdRun(1<<30, 17) })),
		bomb("bomb-zstd-window", "zstd that wants a window of 2 GiB", gib("zstd", func() string { return zstdRun(1<<20, 31) })),
		bomb("bomb-nested", "a gibibyte in gzip in gzip", gib("gzip, gzip", func() string { return gzipped(gibibyteInGzip()) })),
		bomb("bomb-elements", "20 million elements in gzip", gib("gzip", sync.OnceValue(func() string {
			return repeatedInGzip("<b><p><i>",
				60<<20)
		}))),
	}
}

func bomb(name, does string, answer func(*visit)) Misdeed {
	return Misdeed{Name: name, Does: does, Want: Kept, Most: 1, MayCut: true, answer: answer}
}

// filler is what the pages of bombs say over and over.
const filler = "<p>and so on and so on. "

func gzipped(s string) string {
	return packed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zlibbed(s string) string {
	return packed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func deflated(s string) string {
	return packed(s, func(w io.Writer) io.WriteCloser {
		f, err := flate.NewWriter(w, flate.BestCompression)
		if err != nil {
			panic(err) // the level is right
		}
		return f
	})
}

func packed(s string, open func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := open(&b)
	// Writes into memory do not fail.
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// repeatedDeflate is size bytes of a text, over and over, in deflate: one piece is compressed, and stands there often.
func repeatedDeflate(text string, size int) (data, piece string, times int) {
	piece = strings.Repeat(text, 1<<20/len(text))
	var b bytes.Buffer
	f, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // the level is right
	}
	_, _ = io.WriteString(f, piece) // into memory
	_ = f.Flush()
	times = size / len(piece)
	last := "\x03\x00" // an empty last block
	return strings.Repeat(b.String(), times) + last, piece, times
}

func repeatedInGzip(text string, size int) string {
	data, piece, times := repeatedDeflate(text, size)
	sum := crc32.NewIEEE()
	for range times {
		_, _ = io.WriteString(sum, piece) // a hash
	}
	end := binary.LittleEndian.AppendUint32(nil, sum.Sum32())
	end = binary.LittleEndian.AppendUint32(end, uint32(times*len(piece)))
	return "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + data + string(end)
}

var gibibyteInGzip = sync.OnceValue(func() string { return repeatedInGzip(filler, 1<<30) })

var gibibyteInDeflate = sync.OnceValue(func() string {
	data, _, _ := repeatedDeflate(filler, 1<<30)
	return data // bare, as many servers send it
})

func gibibyteOfBrotli() string {
	packed, err := base64.StdEncoding.DecodeString(gibibyteInBrotli)
	if err != nil {
		panic(err) // it is written above
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// brotli is s as one uncompressed meta-block (RFC 7932, 9.2).
func brotli(s string) string {
	if len(s) > 1<<16 || s == "" {
		panic("hostile: one block of Brotli has up to 64 KiB here")
	}
	// From the lowest bit: WBITS 0 (a window of 64 KiB), ISLAST 0, MNIBBLES 0 (four), MLEN-1 in 16 bits, ISUNCOMPRESSED 1.
	bits := uint32(len(s)-1)<<4 | 1<<20
	return string([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16)}) + s + "\x03" // ISLAST, ISLASTEMPTY
}

// zstd is s as raw blocks (RFC 8878, 3.1.1.2).
func zstd(s string) string {
	b := []byte("\x28\xb5\x2f\xfd\x00\x38") // no checksum, no size, a window of 128 KiB
	for len(s) > 0 {
		n := min(len(s), 1<<16)
		b = append(zstdBlock(b, n, 0, n == len(s)), s[:n]...)
		s = s[n:]
	}
	return string(b)
}

// zstdRun is n times the same letter, in blocks that say so, with a window of 1<<log bytes.
func zstdRun(n int, log byte) string {
	b := []byte("\x28\xb5\x2f\xfd\x00")
	b = append(b, (log-10)<<3)
	for n > 0 {
		size := min(n, 128<<10)
		n -= size
		b = append(zstdBlock(b, size, 1, n == 0), 'x')
	}
	return string(b)
}

func zstdBlock(b []byte, size int, kind uint32, last bool) []byte {
	head := uint32(size)<<3 | kind<<1
	if last {
		head |= 1
	}
	return append(b, byte(head), byte(head>>8), byte(head>>16))
}
