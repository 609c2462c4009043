// Runs any part of Kubernetes, or kubectl, by its first argument. One program is built in about the time that the API
// server alone takes.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var parts = map[string]func() *cobra.Command{
	"apiserver":          apiserver.NewAPIServerCommand,
	"controller-manager": controllers.NewControllerManagerCommand,
	"scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"proxy":              proxy.NewProxyCommand,
	"kubelet":            func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":            kubectl.NewDefaultKubectlCommand,
}

func main() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	part, found := parts[name]
	if !found {
		fmt.Fprintf(os.Stderr, "no part is called %q\n", name)
		os.Exit(64)
	}
	os.Args = append([]string{"kube-" + name}, os.Args[2:]...)
	os.Exit(cli.Run(part()))
}
