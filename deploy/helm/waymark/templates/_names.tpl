{{- define "waymark.name" -}}
{{- if contains "waymark" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ .Release.Name | trunc 32 | trimSuffix "-" }}-waymark
{{- end }}
{{- end }}

{{- define "waymark.selector" -}}
app.kubernetes.io/name: waymark
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "waymark.labels" -}}
{{ include "waymark.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "waymark.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "waymark.labels" .root | nindent 2 }}
  {{- with .component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "waymark.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "waymark.name" .) }}
{{- end }}

{{- define "waymark.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "waymark.host" -}}
{{- (urlParse .Values.publicUrl).hostname }}
{{- end }}

{{- define "waymark.database" -}}
{{ include "waymark.name" . }}-db
{{- end }}

{{/* The components that answer HTTP. */}}
{{- define "waymark.serving" -}}
{{- if eq .Values.mode "all" }}all{{ else }}api{{ end }}
{{- end }}
