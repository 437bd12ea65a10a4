{{- define "okra.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 48 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 48 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "okra.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "okra.labels" -}}
{{ include "okra.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "okra.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "okra.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is required with serviceAccount.create=false. Name an existing service account." .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /*
Releases in one namespace that each watch some namespaces have a Lease each: one leader would not look at what another release
watches. Empty where additionalEnv names the Lease, and where the chart does not make the role that lets it be held.
*/ -}}
{{- define "okra.ownLease" -}}
{{- $isGiven := and .Values.watchNamespaces .Values.rbac.create -}}
{{- range .Values.additionalEnv -}}
{{- if or (eq .name "OKRA_LEASE_NAME") (and (eq .name "OKRA_LEASE_NAMESPACE") (ne (toString .value) $.Release.Namespace)) -}}
{{- $isGiven = false -}}
{{- end -}}
{{- end -}}
{{- $name := include "okra.fullname" . -}}
{{- if and $isGiven (ne $name "okra") -}}{{- $name -}}{{- end -}}
{{- end -}}

{{- /* The Lease to hold beside okra, as far as the values say which. */ -}}
{{- define "okra.lease" -}}
{{- $lease := include "okra.ownLease" . -}}
{{- range .Values.additionalEnv -}}
{{- if eq .name "OKRA_LEASE_NAME" }}{{ $lease = .value }}{{ end -}}
{{- end -}}
{{- if and $lease (ne $lease "okra") -}}{{- $lease -}}{{- end -}}
{{- end -}}

{{- define "okra.image" -}}
{{- with .Values.image -}}
{{- $name := ternary (printf "%s/%s" .registry .repository) .repository (ne .registry "") -}}
{{- if .digest -}}
{{- printf "%s@%s" $name .digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $.Chart.AppVersion .tag) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "okra.env" -}}
- name: OKRA_IDENTITY
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: OKRA_HEALTH_HOST
  value: '::'
- name: OKRA_HEALTH_PORT
  value: '8080'
- name: OKRA_LOG_LEVEL
  value: {{ .Values.logLevel }}
- name: OKRA_TASK_QUEUE
  value: {{ .Values.taskQueue | quote }}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- with .Values.region }}
- name: AWS_REGION
  value: {{ . | quote }}
# The AWS CLI reads this, where a cluster's secret has it run.
- name: AWS_DEFAULT_REGION
  value: {{ . | quote }}
{{- end }}
{{- with .Values.watchNamespaces }}
- name: OKRA_WATCH_NAMESPACE
  value: {{ join "," . | quote }}
{{- end }}
{{- with include "okra.ownLease" . }}
- name: OKRA_LEASE_NAME
  value: {{ . | quote }}
{{- end }}
{{- with .Values.stagedBindingPolicies.selector }}
- name: OKRA_STAGED_BINDING_POLICY_SELECTOR
  value: {{ . | quote }}
{{- end }}
{{- with .Values.temporal.apiKey }}
{{- if .secretName }}
- name: OKRA_TEMPORAL_API_KEY_FILE
  value: /etc/okra/temporal-api-key/{{ .key }}
{{- end }}
{{- end }}
{{- with .Values.temporal.tls }}
{{- if kindIs "bool" .enabled }}
- name: TEMPORAL_TLS
  value: {{ .enabled | quote }}
{{- end }}
{{- with .serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- if .ca.secretName }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /etc/okra/temporal-ca/{{ .ca.key }}
{{- end }}
{{- if .client.secretName }}
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /etc/okra/temporal-client/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /etc/okra/temporal-client/tls.key
{{- end }}
{{- end }}
{{- with .Values.additionalEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* What is mounted from Secrets: the name of each volume and of its Secret. */ -}}
{{- define "okra.secrets" -}}
temporal-api-key: {{ .Values.temporal.apiKey.secretName | quote }}
temporal-ca: {{ .Values.temporal.tls.ca.secretName | quote }}
temporal-client: {{ .Values.temporal.tls.client.secretName | quote }}
{{- end -}}
