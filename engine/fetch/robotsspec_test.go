package fetch

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// specification is the form of google/robotstxt-spec-test's files, in numbers of our own.
const specification = `name: "spec.proto" syntax: "proto2"
message_type { name: "Spec"
  field { name: "tests" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".Spec.Test" }
  nested_type { name: "Test"
    field { name: "robotstxt" number: 1 label: LABEL_OPTIONAL type: TYPE_BYTES }
    field { name: "test_expectations" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".Spec.Expectation" } }
  nested_type { name: "Expectation"
    field { name: "testurl" number: 1 label: LABEL_OPTIONAL type: TYPE_BYTES }
    field { name: "useragent" number: 2 label: LABEL_OPTIONAL type: TYPE_BYTES }
    field { name: "expected_outcome" number: 3 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".Spec.Outcome" }
    field { name: "additional_explanation" number: 4 label: LABEL_OPTIONAL type: TYPE_BYTES }
    field { name: "test_type" number: 5 label: LABEL_OPTIONAL type: TYPE_ENUM type_name: ".Spec.Type" } }
  enum_type { name: "Outcome" value { name: "UNSPECIFIED" number: 0 } value { name: "ALLOWED" number: 1 }
    value { name: "DISALLOWED" number: 2 } }
  enum_type { name: "Type" value { name: "STANDARD" number: 0 } value { name: "GOOGLE_SPECIFIC" number: 1 } } }`

// TestSpecification counts the decisions of google/robotstxt-spec-test that are ours, too. No package manager brings its files.
func TestSpecification(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("ROBOTSSPEC"), "*.textproto"))
	if err != nil || os.Getenv("ROBOTSSPEC") == "" {
		t.Skip("ROBOTSSPEC does not name a folder with the .textproto files of google/robotstxt-spec-test")
	}
	var form descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal([]byte(specification), &form); err != nil {
		t.Fatal(err)
	}
	described, err := protodesc.NewFile(&form, nil)
	if err != nil {
		t.Fatal(err)
	}
	agree, all := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		spec := dynamicpb.NewMessage(described.Messages().Get(0))
		if err := prototext.Unmarshal(text, spec); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		get := func(m protoreflect.Message, name protoreflect.Name) protoreflect.Value {
			return m.Get(m.Descriptor().Fields().ByName(name))
		}
		tests := get(spec, "tests").List()
		for i := range tests.Len() {
			robots := get(tests.Get(i).Message(), "robotstxt").Bytes()
			expected := get(tests.Get(i).Message(), "test_expectations").List()
			for k := range expected.Len() {
				e := expected.Get(k).Message()
				agent, url := string(get(e, "useragent").Bytes()), string(get(e, "testurl").Bytes())
				may := rules(string(robots)).Allowed(agent, url)
				if all++; may == (get(e, "expected_outcome").Enum() == 1) {
					agree++
				} else {
					t.Logf("%s: %q may fetch %.80q: %v, by\n%.200s", filepath.Base(file), agent, url, may, robots)
				}
			}
		}
	}
	t.Logf("%d of %d decisions as the specification's tests", agree, all)
	if all == 0 || 50*(all-agree) > all {
		t.Errorf("%d of %d decisions as the specification's tests, want 98 %%", agree, all)
	}
}
