// The command of Argo CD has all its parts in one binary, and some of them need a built user interface to compile. This
// one has the ApplicationSet controller and, with the tag `deploys`, what deploys; its first argument names the part.
package main

import (
	"os"
	"path/filepath"

	sets "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	"github.com/argoproj/argo-cd/v3/common"
	"github.com/spf13/cobra"
)

var parts = []*cobra.Command{sets.NewCommand()}

func main() {
	argocd := &cobra.Command{Use: "argocd", Version: common.GetVersion().Version, SilenceUsage: true}
	argocd.AddCommand(parts...)
	// The application controller runs this by name, by a link to this program.
	if filepath.Base(os.Args[0]) == "argocd-k8s-auth" {
		argocd.SetArgs(append([]string{"argocd-k8s-auth"}, os.Args[1:]...))
	}
	if argocd.Execute() != nil {
		os.Exit(1)
	}
}
