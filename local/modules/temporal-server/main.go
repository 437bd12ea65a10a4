// A Temporal server in one process that keeps all in memory: for what the server in Temporal's CLI of the stack is too
// old for. Of a later release of the CLI no module can be fetched.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	ip        = "127.0.0.1"
	name      = "active"
	store     = "memory"
	namespace = "default"
)

// In the order of the flags: the first is the one that clients talk to.
var services = []primitives.ServiceName{
	primitives.FrontendService,
	primitives.HistoryService,
	primitives.MatchingService,
	primitives.WorkerService,
}

func main() {
	version := flag.Bool("version", false, "say which version of Temporal this is")
	ports := make(map[primitives.ServiceName]*int, len(services))
	for _, service := range services {
		ports[service] = flag.Int(string(service)+"-port", 0, "free port of "+ip+" for gRPC")
	}
	dynamic := dynamicconfig.StaticClient{}
	flag.Func("dynamic-config-value", "KEY=JSON; as in Temporal's CLI", func(entry string) error {
		key, text, _ := strings.Cut(entry, "=")
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			return err
		}
		if number, ok := value.(float64); ok && number == float64(int(number)) {
			value = int(number)
		}
		dynamic[dynamicconfig.MakeKey(key)] = value
		return nil
	})
	flag.Parse()
	if *version {
		fmt.Println(headers.ServerVersion)
		return
	}
	if err := serve(ports, dynamic); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ports map[primitives.ServiceName]*int, dynamic dynamicconfig.Client) error {
	hosts := make(map[primitives.ServiceName]static.Hosts, len(ports))
	settings := configuration()
	for service, port := range ports {
		hosts[service] = static.SingleLocalHost(fmt.Sprintf("%s:%d", ip, *port))
		settings.Services[string(service)] = config.Service{RPC: config.RPC{GRPCPort: *port, BindOnIP: ip}}
	}
	frontend := fmt.Sprintf("%s:%d", ip, *ports[primitives.FrontendService])
	settings.PublicClient.HostPort = frontend
	settings.ClusterMetadata.ClusterInformation[name] = cluster.ClusterInformation{
		Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend,
	}
	known, err := sqlite.NewNamespaceConfig(name, namespace, false, nil)
	if err != nil {
		return err
	}
	if err := sqlite.CreateNamespaces(settings.Persistence.DataStores[store].SQL, known); err != nil {
		return err
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(settings),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Stdout: true, Level: "warn"}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithDynamicConfigClient(dynamic),
	)
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	// A signal ends the process as it stands: nothing outlives it.
	select {}
}

func configuration() *config.Config {
	settings := &config.Config{Services: map[string]config.Service{}}
	settings.Global.Membership.BroadcastAddress = ip
	settings.Persistence = config.Persistence{
		DefaultStore:     store,
		VisibilityStore:  store,
		NumHistoryShards: 1,
		DataStores: map[string]config.DataStore{store: {SQL: &config.SQL{
			PluginName:        sqliteplugin.PluginName,
			DatabaseName:      "okra",
			ConnectAttributes: map[string]string{"mode": "memory", "cache": "shared"},
		}}},
	}
	settings.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10,
		MasterClusterName:        name,
		CurrentClusterName:       name,
		ClusterInformation:       map[string]cluster.ClusterInformation{},
	}
	settings.DCRedirectionPolicy.Policy = "noop"
	settings.Archival.History.State = config.ArchivalDisabled
	settings.Archival.Visibility.State = config.ArchivalDisabled
	settings.NamespaceDefaults.Archival.History.State = config.ArchivalDisabled
	settings.NamespaceDefaults.Archival.Visibility.State = config.ArchivalDisabled
	return settings
}
