package module_test

import (
	"context"
	"testing"

	"github.com/awarc/awarc/plugins/module"
	. "github.com/awarc/awarc/plugins/module/moduletest"
	"github.com/tetratelabs/wazero"
)

func TestSmallestPluginIsAcceptedAndCompiles(t *testing.T) {
	file := Plugin(Module{}, Call(InputLen)).Bytes()
	m, err := module.Verify(file, module.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	metered, err := m.Meter()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	if _, err := r.CompileModule(ctx, metered); err != nil {
		t.Fatal(err)
	}
}
