{{- define "reporter.name" -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" }}-waymark-reporter
{{- end }}

{{- define "reporter.selector" -}}
app.kubernetes.io/name: waymark-reporter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "reporter.labels" -}}
{{ include "reporter.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "reporter.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "reporter.name" .) }}
{{- end }}

{{- define "reporter.rules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
{{- end }}

{{- define "reporter.checked" -}}
{{- if and .Values.oidc.enabled .Values.token.existingSecret }}
{{- fail "Give token.existingSecret or oidc.enabled, not both" }}
{{- end }}
{{- if not (or .Values.oidc.enabled .Values.token.existingSecret) }}
{{- fail "Give token.existingSecret, the name of a secret with a key in it, or set oidc.enabled" }}
{{- end }}
{{- if and .Values.oidc.enabled (not .Values.oidc.audience) }}
{{- fail "oidc.audience is missing: the address of Waymark and the org, such as https://waymark.example.org/acme" }}
{{- end }}
{{- if and .Values.namespaces .Values.excludeNamespaces }}
{{- fail "excludeNamespaces is for reports of the whole cluster: give namespaces or excludeNamespaces, not both" }}
{{- end }}
{{- end }}
