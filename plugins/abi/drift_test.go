package abi

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// schema compiles the published schema.
func schema(t testing.TB) protoreflect.FileDescriptor {
	t.Helper()
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{}}
	files, err := c.Compile(context.Background(), "awarc_plugin.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// renamed are the Go names that do not follow from the schema's by dropping
// underscores.
var renamed = map[string]string{"subject": "s", "predicate": "p", "object": "o", "objectkind": "okind"}

var valueFields = map[ValueKind]string{TextKind: "s", IntKind: "i", FloatKind: "f", BoolKind: "b", IRIKind: "iri", TimeKind: "time"}

// toProto copies a message of this package to one of the protobuf library, field
// by field by name; a field that the other side does not have fails the test.
func toProto(t testing.TB, v reflect.Value, to protoreflect.Message) {
	t.Helper()
	fields := to.Descriptor().Fields()
	byName := map[string]protoreflect.FieldDescriptor{}
	for i := range fields.Len() {
		byName[strings.ReplaceAll(string(fields.Get(i).Name()), "_", "")] = fields.Get(i)
	}
	used := 0
	for i := range v.NumField() {
		name := strings.ToLower(v.Type().Field(i).Name)
		if other, ok := renamed[name]; ok {
			name = other
		}
		f := v.Field(i)
		if value, ok := f.Interface().(Value); ok {
			used += len(valueFields)
			if value.Kind != NoValue {
				set(t, to, byName[valueFields[value.Kind]], oneof(value))
			}
			continue
		}
		if byName[name] == nil {
			t.Fatalf("%s has no field for %s of %s", to.Descriptor().FullName(), v.Type().Field(i).Name, v.Type())
		}
		used++
		set(t, to, byName[name], f)
	}
	if used != fields.Len() {
		t.Fatalf("%s has %d fields, %s covers %d", to.Descriptor().FullName(), fields.Len(), v.Type(), used)
	}
}

func oneof(v Value) reflect.Value {
	switch v.Kind {
	case IntKind:
		return reflect.ValueOf(v.Int)
	case FloatKind:
		return reflect.ValueOf(v.Float)
	case BoolKind:
		return reflect.ValueOf(v.Bool)
	}
	return reflect.ValueOf(v.Str)
}

func set(t testing.TB, to protoreflect.Message, fd protoreflect.FieldDescriptor, f reflect.Value) {
	t.Helper()
	switch {
	case fd.IsMap():
		m := to.Mutable(fd).Map()
		for _, k := range f.MapKeys() {
			m.Set(protoreflect.ValueOfString(k.String()).MapKey(), protoreflect.ValueOfString(f.MapIndex(k).String()))
		}
	case fd.IsList():
		list := to.Mutable(fd).List()
		for i := range f.Len() {
			if fd.Message() != nil {
				toProto(t, f.Index(i), list.AppendMutable().Message())
			} else {
				list.Append(scalar(fd, f.Index(i)))
			}
		}
	case fd.Message() != nil:
		if f.Kind() == reflect.Pointer {
			if f.IsNil() {
				return
			}
			f = f.Elem()
		}
		toProto(t, f, to.Mutable(fd).Message())
	default:
		to.Set(fd, scalar(fd, f))
	}
}

func scalar(fd protoreflect.FieldDescriptor, f reflect.Value) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(f.String())
	case protoreflect.BytesKind:
		b := []byte{}
		if f.Kind() == reflect.String {
			b = append(b, f.String()...)
		} else {
			for i := range f.Len() {
				b = append(b, byte(f.Index(i).Uint()))
			}
		}
		return protoreflect.ValueOfBytes(b)
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(f.Uint()))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(f.Uint())
	case protoreflect.Sint64Kind:
		return protoreflect.ValueOfInt64(f.Int())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(f.Float()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(f.Float())
	}
	return protoreflect.ValueOfBool(f.Bool())
}

// random fills a message with values that are hard on a codec: empty, at the
// borders of varints, non-ASCII, large.
func random(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "a", "日本語 Ünïcödé", strings.Repeat("x", 127), strings.Repeat("y", 128),
			strings.Repeat("z", 20_000)}[r.IntN(6)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(256)))
	case reflect.Uint32:
		v.SetUint(uint64([]uint32{0, 1, 127, 128, math.MaxUint32}[r.IntN(5)]))
	case reflect.Uint64:
		v.SetUint([]uint64{0, 1, 1 << 35, math.MaxUint64}[r.IntN(4)])
	case reflect.Float32:
		v.SetFloat([]float64{0, 1, 0.25, math.Copysign(0, -1), math.Inf(1), math.NaN(), -3e38}[r.IntN(7)])
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		for range r.IntN(4) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			random(r, k)
			random(r, e)
			m.SetMapIndex(k, e)
		}
		v.Set(m)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4))
		for i := range v.Len() {
			random(r, v.Index(i))
		}
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			random(r, v.Elem())
		}
	case reflect.Struct:
		if _, ok := v.Interface().(Value); ok {
			v.Set(reflect.ValueOf(randomValue(r)))
			return
		}
		for i := range v.NumField() {
			random(r, v.Field(i))
		}
	}
}

func randomValue(r *rand.Rand) Value {
	v := Value{Kind: ValueKind(r.IntN(int(TimeKind) + 1))}
	switch v.Kind {
	case TextKind, IRIKind, TimeKind:
		random(r, reflect.ValueOf(&v.Str).Elem())
	case IntKind:
		v.Int = []int64{0, 1, -1, math.MinInt64, math.MaxInt64}[r.IntN(5)]
	case FloatKind:
		v.Float = []float64{0, -0.5, math.NaN(), math.MaxFloat64}[r.IntN(4)]
	case BoolKind:
		v.Bool = r.IntN(2) == 0
	}
	return v
}

// codecs are the messages with their two directions.
var codecs = []struct {
	name   string
	msg    any // pointer to a zero message
	encode func(any) []byte
	decode func(any, string) error
}{
	{"ConfigureRequest", &ConfigureRequest{},
		func(m any) []byte { return m.(*ConfigureRequest).Append(nil) },
		func(m any, s string) error { return m.(*ConfigureRequest).Decode(s) }},
	{"ScoreRequest", &ScoreRequest{},
		func(m any) []byte { return m.(*ScoreRequest).Append(nil, NeedAll) },
		func(m any, s string) error { return m.(*ScoreRequest).Decode(s) }},
	{"ExtractRequest", &ExtractRequest{},
		func(m any) []byte { return m.(*ExtractRequest).Append(nil, NeedAll) },
		func(m any, s string) error { return m.(*ExtractRequest).Decode(s) }},
	{"ScoreResponse", &ScoreResponse{},
		func(m any) []byte { return m.(*ScoreResponse).Append(nil) },
		func(m any, s string) error { return m.(*ScoreResponse).Decode(s, 1<<20) }},
	{"ExtractResponse", &ExtractResponse{},
		func(m any) []byte { return m.(*ExtractResponse).Append(nil) },
		func(m any, s string) error { return m.(*ExtractResponse).Decode(s) }},
}

// The codec and the published schema say the same: what one side writes the
// other reads, for every field of every message.
func TestCodecAgreesWithTheSchema(t *testing.T) {
	file := schema(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) {
			desc := file.Messages().ByName(protoreflect.Name(c.name))
			for range 300 {
				ours := reflect.New(reflect.TypeOf(c.msg).Elem())
				random(r, ours.Elem())
				want := dynamicpb.NewMessage(desc)
				toProto(t, ours.Elem(), want)

				got := dynamicpb.NewMessage(desc)
				if err := proto.Unmarshal(c.encode(ours.Interface()), got); err != nil {
					t.Fatal(err)
				}
				if len(got.GetUnknown()) > 0 || !proto.Equal(got, want) {
					t.Fatalf("protobuf reads what we wrote as\n%v\nwant\n%v", got, want)
				}

				wire, err := proto.Marshal(want)
				if err != nil {
					t.Fatal(err)
				}
				back := reflect.New(reflect.TypeOf(c.msg).Elem())
				if err := c.decode(back.Interface(), string(wire)); err != nil {
					t.Fatal(err)
				}
				again := dynamicpb.NewMessage(desc)
				toProto(t, back.Elem(), again)
				if !proto.Equal(again, want) {
					t.Fatalf("we read what protobuf wrote as\n%v\nwant\n%v", again, want)
				}
			}
		})
	}
}

// A message that a decoder accepts means the same to protobuf; whatever comes, a
// decoder returns, and what it returns fits the bounds.
func FuzzDecode(f *testing.F) {
	file := schema(f)
	r := rand.New(rand.NewPCG(3, 4))
	for i, c := range codecs {
		for range 4 {
			m := reflect.New(reflect.TypeOf(c.msg).Elem())
			random(r, m.Elem())
			if wire := c.encode(m.Interface()); len(wire) < 4096 {
				f.Add(uint8(i), wire)
			}
		}
	}
	for _, h := range malformed {
		f.Add(uint8(3), []byte(h.wire))
		f.Add(uint8(4), []byte(h.wire))
	}
	f.Fuzz(func(t *testing.T, which uint8, wire []byte) {
		c := codecs[int(which)%len(codecs)]
		m := reflect.New(reflect.TypeOf(c.msg).Elem())
		if c.decode(m.Interface(), string(wire)) != nil {
			return
		}
		desc := file.Messages().ByName(protoreflect.Name(c.name))
		theirs := dynamicpb.NewMessage(desc)
		err := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(wire, theirs)
		if err != nil {
			if strings.Contains(err.Error(), "UTF-8") && strings.HasSuffix(c.name, "Request") {
				return // the guest trusts the host's strings
			}
			t.Fatalf("protobuf refuses what we accept: %v", err)
		}
		ours := dynamicpb.NewMessage(desc)
		toProto(t, m.Elem(), ours)
		if topic := desc.Fields().ByName("topic"); topic != nil && !theirs.Has(topic) {
			theirs.Mutable(topic) // absent and empty are one to us
		}
		if !proto.Equal(ours, theirs) {
			t.Fatalf("we read\n%v\nprotobuf reads\n%v", ours, theirs)
		}
	})
}
