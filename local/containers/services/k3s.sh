#!/bin/sh
# Starts an API server as k3s does, without nodes: `k3s server` with a kubeconfig, and with the manifests in its folder.
set -eu
[ "$1" = server ]
names=DNS:localhost,IP:127.0.0.1
for argument; do
  case "$argument" in --tls-san=*) names="$names,DNS:${argument#*=}" ;; esac
done
server=/var/lib/rancher/k3s/server
cd "$server"
trap 'exit 0' TERM
if [ ! -e token ]; then
  openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=k3s -addext "subjectAltName=$names" -keyout key -out certificate
  openssl rand -hex 16 > token
fi
echo "$(cat token),admin,admin,system:masters" > tokens.csv
etcd --data-dir=etcd --log-level=warn --unsafe-no-fsync &
kube-apiserver --etcd-servers=http://127.0.0.1:2379 --secure-port=6443 --token-auth-file=tokens.csv \
  --tls-cert-file=certificate --tls-private-key-file=key --authorization-mode=RBAC --service-cluster-ip-range=10.43.0.0/16 \
  --service-account-key-file=key --service-account-signing-key-file=key --service-account-issuer=https://kubernetes.default.svc \
  --disable-admission-plugins=ServiceAccount --shutdown-delay-duration=0s &
cat > "$K3S_KUBECONFIG_OUTPUT" <<END
apiVersion: v1
kind: Config
clusters:
  - name: default
    cluster: { server: 'https://127.0.0.1:6443', certificate-authority-data: $(base64 -w 0 certificate) }
users:
  - name: default
    user: { token: $(cat token) }
contexts:
  - name: default
    context: { cluster: default, user: default }
current-context: default
END
chmod "$K3S_KUBECONFIG_MODE" "$K3S_KUBECONFIG_OUTPUT"
export KUBECONFIG="$K3S_KUBECONFIG_OUTPUT"
until kubectl get --raw /readyz; do sleep 1; done
kubectl apply --server-side --recursive --filename=manifests
wait
