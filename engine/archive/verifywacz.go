package archive

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"
)

// The files of a WACZ file that describe the others.
const (
	packageName   = "datapackage.json"
	packageDigest = "datapackage-digest.json"
)

// longestPackage bounds datapackage.json, in bytes: arbitrary, as it has some hundred bytes a file.
const longestPackage = 64 << 20

// packageFile is a file as datapackage.json has it.
type packageFile struct {
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes *int64 `json:"bytes"`
	Stats struct {
		Hash  string `json:"hash"`
		Bytes *int64 `json:"bytes"`
	} `json:"stats"` // of early versions
}

// readZip checks a WACZ file: that each of its files unpacks, and has the size and the digest that
// datapackage.json says. The records of the WARC files in it are checked by their own names.
func (r *Report) readZip(f *readFile, told func(read int64)) error {
	r.Packed = true
	file, ok := f.ReaderAt.(*os.File)
	if !ok {
		r.add(&BadRecord{File: r.File, Reason: "a ZIP file within another: unpack it"})
		return nil
	}
	z, err := openZip(file)
	if err != nil {
		r.add(&BadRecord{File: r.File, Reason: err.Error(), err: err})
		return nil
	}
	wanted, digest := r.described(z)
	isDescribed, seen := len(wanted) > 0, map[string]bool{}
	if !slices.ContainsFunc(z.File, func(m *zip.File) bool { return warcName.MatchString(m.Name) }) {
		r.add(&BadRecord{File: r.File, Reason: "it has no WARC file"})
	}
	for _, m := range z.File {
		if strings.HasSuffix(m.Name, "/") {
			continue
		}
		want, named := wanted[m.Name]
		h, err := hashMember(m, want.Hash, told)
		switch {
		case onlyIO(err) != nil:
			return err
		case err != nil:
			r.addMember(m.Name, err)
		case seen[m.Name]:
			r.addMember(m.Name, errors.New("another file in it has the same name"))
		case m.Name == packageName && digest != "" && !hashIs(h, digest):
			r.addMember(m.Name, fmt.Errorf("its digest differs from %s: it was changed after packing", packageDigest))
		case named && want.Bytes != nil && uint64(*want.Bytes) != m.UncompressedSize64:
			r.addMember(m.Name, fmt.Errorf("it has %d bytes, but %d in %s", m.UncompressedSize64, *want.Bytes, packageName))
		case named && want.Hash != "" && !hashIs(h, want.Hash):
			r.addMember(m.Name, fmt.Errorf("its digest differs from %s: it was changed after packing", packageName))
		case !named && isDescribed && m.Name != packageName && m.Name != packageDigest:
			r.oddMember(m.Name, "it is not in "+packageName)
		case named && want.Hash != "":
			r.Files++
		}
		seen[m.Name] = true
		delete(wanted, m.Name)
	}
	for name := range wanted {
		r.addMember(name, fmt.Errorf("%s lists it, but it is missing", packageName))
	}
	return nil
}

// described reads what a WACZ file says of its files, by their names, and the digest of that.
func (r *Report) described(z *zip.Reader) (wanted map[string]packageFile, digest string) {
	var about struct {
		Resources []packageFile `json:"resources"`
	}
	var of struct {
		Hash string `json:"hash"`
	}
	wanted = map[string]packageFile{}
	for _, read := range []struct {
		name string
		to   any
	}{{packageName, &about}, {packageDigest, &of}} {
		f, err := z.Open(read.name)
		if err == nil {
			err = json.NewDecoder(io.LimitReader(f, longestPackage)).Decode(read.to)
			_ = f.Close() // it was only read
		} else if read.name == packageDigest {
			continue // not all programs write it
		}
		if err != nil {
			r.oddMember(read.name, fmt.Sprintf("unreadable, so nothing is compared with it: %v", err))
		}
	}
	for _, x := range about.Resources {
		if x.Hash == "" {
			x.Hash = x.Stats.Hash
		}
		if x.Bytes == nil {
			x.Bytes = x.Stats.Bytes
		}
		wanted[x.Path] = x
	}
	return wanted, of.Hash
}

// hashMember reads a member to its end and returns its hash, by the algorithm of a digest.
func hashMember(m *zip.File, digest string, told func(read int64)) (hash.Hash, error) {
	algorithm, _, _ := strings.Cut(digest, ":")
	newHash := digestHashes[algorithmOf(algorithm)]
	if newHash == nil {
		newHash = sha256.New
	}
	f, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	h := newHash()
	_, err = io.Copy(h, f)
	told(int64(m.CompressedSize64))
	return h, err
}

// hashIs reports whether a hash is that of a digest, which may have no algorithm.
func hashIs(h hash.Hash, digest string) bool {
	_, text, found := strings.Cut(digest, ":")
	if !found {
		text = digest
	}
	return hex.EncodeToString(h.Sum(nil)) == hex.EncodeToString(decodeDigest(text, h.Size()))
}

// addMember adds a damaged file of a WACZ file.
func (r *Report) addMember(name string, why error) {
	r.add(&BadRecord{File: r.File, Reason: why.Error(), Member: name, err: why})
}

// oddMember adds an unusual file of a WACZ file.
func (r *Report) oddMember(name, why string) {
	if r.Unusual[OddPackage]++; r.Unusual[OddPackage] <= oddNamed {
		r.Odd = append(r.Odd, &BadRecord{File: r.File, Reason: string(OddPackage) + ": " + why, Member: name, Kind: OddPackage, Read: true})
	}
}
