// The command that Argo CD runs its ApplicationSet controller by is the same binary as all its others, which need
// a built user interface to compile; this one has the controller alone.
package main

import (
	"os"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
)

func main() {
	if controller.NewCommand().Execute() != nil {
		os.Exit(1)
	}
}
