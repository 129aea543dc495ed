package graph

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Namespaces, written out in the files. NS is awarc's own: facts about WARC files, and page fields that no common
// vocabulary has a property for.
const (
	NS = "urn:awarc:ns#"

	rdf     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rdfs    = "http://www.w3.org/2000/01/rdf-schema#"
	owl     = "http://www.w3.org/2002/07/owl#"
	skos    = "http://www.w3.org/2004/02/skos/core#"
	sioc    = "http://rdfs.org/sioc/ns#"
	sioct   = "http://rdfs.org/sioc/types#"
	dcterms = "http://purl.org/dc/terms/"
	dc      = "http://purl.org/dc/elements/1.1/"
	foaf    = "http://xmlns.com/foaf/0.1/"
	schema  = "http://schema.org/"
	prov    = "http://www.w3.org/ns/prov#"
	xsd     = "http://www.w3.org/2001/XMLSchema#"
)

// Meta is the named graph of the statements about captures. Statements taken from a capture are in the graph that has
// the capture's id as its name.
const Meta = "urn:awarc:meta"

//go:embed vocabulary.ttl
var vocabulary string

// Vocabulary is a document in Turtle that explains the terms in NS, and says in SHACL what things of each class carry.
func Vocabulary() string { return vocabulary }

// namespaces are those of the vocabulary by their prefixes.
var namespaces = map[string]string{"sioc": sioc, "sioct": sioct, "dcterms": dcterms, "dc": dc, "foaf": foaf, "schema": schema,
	"prov": prov, "awarc": NS, "xsd": xsd, "rdf": rdf, "rdfs": rdfs, "owl": owl, "skos": skos}

// Prefixes gives the namespaces of the vocabulary by the prefixes that Property and Class know.
func Prefixes() map[string]string { return maps.Clone(namespaces) }

// knownPrefixes is the list of prefixes in messages.
var knownPrefixes = func() string {
	prefixes := slices.Sorted(maps.Keys(namespaces))
	last := len(prefixes) - 1
	return strings.Join(prefixes[:last], ", ") + " or " + prefixes[last]
}()

// fieldProperties are the properties of the field names that a knowledge base gives without a prefix, and that have one of a
// common vocabulary.
var fieldProperties = func() map[string]string {
	of := map[string]string{"category": dcterms + "subject", "tag": dcterms + "subject", "creator": sioc + "has_creator",
		"name": foaf + "name", "homepage": foaf + "homepage", "account_name": foaf + "accountName"}
	for _, name := range strings.Fields("title created modified contributor description subject language license publisher") {
		of[name] = dcterms + name
	}
	for _, name := range strings.Fields("content avatar link attachment topic num_replies num_views num_items num_threads " +
		"num_authors reply_of has_reply has_container has_parent has_creator links_to container_of parent_of") {
		of[name] = sioc + name
	}
	return of
}()

// Fields gives the names that fields of objects have in a vocabulary, sorted: in a common one, see [Property], or in [NS].
func Fields() []string {
	names := slices.Collect(maps.Keys(fieldProperties))
	for _, m := range ownTerm.FindAllStringSubmatch(vocabulary, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

// ownTerm is where the vocabulary begins to explain a property.
var ownTerm = regexp.MustCompile(`(?m)^awarc:([a-z]\w*) a owl:`)

// Property returns the full IRI of a property. The name is one of three:
//
//   - a field name such as "title": its property in the table below, or, for any other name of letters, digits,
//     '_' and '-', the property of that name in the namespace NS;
//   - a prefixed name such as "dcterms:title", with a prefix of the list below and a local name of the same characters;
//   - a full IRI: one with "://" in it, or one that starts with "urn:".
//
// The prefixes are the keys of [Prefixes]. The field names with a property in a
// common vocabulary are
//
//	title created modified contributor description subject language license
//	publisher                                                                  dcterms, same name
//	category tag                                                               dcterms:subject
//	content avatar link attachment topic num_replies num_views num_items
//	num_threads num_authors reply_of has_reply has_container has_parent
//	has_creator links_to container_of parent_of                                sioc, same name
//	creator                                                                    sioc:has_creator
//	name homepage                                                              foaf, same name
//	account_name                                                               foaf:accountName
//
// The error says what is wrong with the name.
func Property(name string) (string, error) {
	if strings.Contains(name, "://") || strings.HasPrefix(name, "urn:") {
		if IRI(name) != name {
			return "", fmt.Errorf("graph: property %q holds characters that an IRI may not", name)
		}
		return name, nil
	}
	prefix, local, ok := strings.Cut(name, ":")
	if !ok {
		if !localName(name) {
			return "", fmt.Errorf("graph: field name %q: want letters, digits, '_' and '-', a letter first", name)
		}
		if iri, ok := fieldProperties[name]; ok {
			return iri, nil
		}
		return NS + name, nil
	}
	ns := namespaces[prefix]
	if ns == "" {
		return "", fmt.Errorf("graph: property %q: prefix %q is not known: want %s", name, prefix, knownPrefixes)
	}
	if !localName(local) {
		return "", fmt.Errorf("graph: property %q: want letters, digits, '_' and '-' after the colon, a letter first", name)
	}
	return ns + local, nil
}

// Class returns the full IRI of a prefixed class name such as "sioc:Post". The local name starts with a capital letter;
// sioc and sioct are small vocabularies, so a name that is not in them is an error, which finds spelling mistakes.
func Class(name string) (string, error) {
	prefix, local, ok := strings.Cut(name, ":")
	ns := namespaces[prefix]
	switch {
	case !ok || ns == "":
		return "", fmt.Errorf("graph: class %q: want a prefix and a name, the prefix %s", name, knownPrefixes)
	case !localName(local) || local[0] < 'A' || local[0] > 'Z':
		return "", fmt.Errorf("graph: class %q: want a capital letter, then letters, digits, '_' and '-' after the colon", name)
	}
	var known string
	switch prefix {
	case "sioc":
		known = siocClasses
	case "sioct":
		known = sioctClasses
	default:
		return ns + local, nil
	}
	if !slices.Contains(strings.Fields(known), local) {
		return "", fmt.Errorf("graph: class %q is not in its vocabulary: want one of %s", name, known)
	}
	return ns + local, nil
}

const (
	siocClasses  = "Community Container Forum Item Post Role Site Space Thread UserAccount Usergroup"
	sioctClasses = "AddressBook AnnotationSet Answer ArgumentativeDiscussion AudioChannel BestAnswer BlogPost " +
		"BoardPost BookmarkFolder Briefcase Category ChatChannel Comment EventCalendar FavouriteThings ImageGallery " +
		"InstantMessage MailMessage MailingList MessageBoard MicroblogPost Microblog Poll ProjectDirectory Question " +
		"ResumeBank ReviewArea SubscriptionList SurveyCollection Tag VideoChannel Weblog Wiki WikiArticle"
)

// superclasses are classes by the superclasses of SIOC that are stated besides: a tool without SIOC's ontology finds
// blog posts and comments as posts, too. What all posts and all forums are (sioc:Item, sioc:Container) is not stated.
var superclasses = func() map[string]string {
	of := map[string]string{}
	for _, name := range strings.Fields("Answer BestAnswer BlogPost BoardPost Comment InstantMessage MailMessage MicroblogPost " +
		"Question WikiArticle") {
		of["sioct:"+name] = "sioc:Post"
	}
	for _, name := range strings.Fields("ArgumentativeDiscussion ChatChannel MailingList MessageBoard Microblog Weblog") {
		of["sioct:"+name] = "sioc:Forum"
	}
	return of
}()

// Superclass returns the superclass of a prefixed class, sioc:Post or sioc:Forum; "" for none.
func Superclass(class string) string { return superclasses[class] }

// isContainer reports whether things of a class hold others, so that they are in their parent by sioc:has_parent:
// sioc:has_container is for items, which no container is.
func isContainer(class string) bool {
	prefix, local, _ := strings.Cut(class, ":")
	return prefix == "sioc" && slices.Contains([]string{"Container", "Forum", "Thread"}, local) ||
		superclasses[class] == "sioc:Forum" || prefix == "sioct" && local == "Wiki"
}

// schemaType returns the schema.org class that a class also counts as; "" for none.
func schemaType(class string) string {
	switch class {
	case "sioct:BlogPost":
		return schema + "BlogPosting"
	case "sioct:Comment":
		return schema + "Comment"
	case "sioc:Post", "sioct:BoardPost":
		return schema + "DiscussionForumPosting"
	case "sioc:Thread":
		return schema + "Conversation"
	case "sioct:WikiArticle":
		return schema + "Article"
	case "sioct:Question":
		return schema + "Question"
	case "sioct:Answer":
		return schema + "Answer"
	case "sioct:MicroblogPost":
		return schema + "SocialMediaPosting"
	}
	return ""
}

// localName reports whether s can follow the colon of a prefixed name.
func localName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}
