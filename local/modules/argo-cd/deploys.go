//go:build deploys

package main

import (
	"time"

	"github.com/alicebob/miniredis/v2"
	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	auth "github.com/argoproj/argo-cd/v3/cmd/argocd-k8s-auth/commands"
	repo "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
)

func init() {
	parts = append(parts, controller.NewCommand(), auth.NewCommand(), repo.NewCommand(), redis())
}

// Plays the Redis of Argo CD in memory, as Argo CD's own tests do.
func redis() *cobra.Command {
	return &cobra.Command{
		Use:  "redis ADDRESS",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			server := miniredis.NewMiniRedis()
			if err := server.StartAddr(args[0]); err != nil {
				return err
			}
			// By itself it lets no key expire.
			for range time.Tick(time.Second) {
				server.FastForward(time.Second)
			}
			return nil
		},
	}
}
