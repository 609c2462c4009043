{{- define "waymark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* What every pod of the chart has in common. */}}
{{- define "waymark.podBasics" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
serviceAccountName: {{ include "waymark.serviceAccount" . }}
automountServiceAccountToken: false
# Kubernetes would set WAYMARK_PORT to the address of the Service, and that is a setting.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A container of the server with its settings. Takes root, name, args and isOwner. */}}
{{- define "waymark.container" -}}
name: {{ .name }}
image: {{ include "waymark.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: {{ toJson .args }}
envFrom:
  - configMapRef:
      name: {{ include "waymark.name" .root }}
env:
  {{- range include "waymark.secrets" (pick . "root" "isOwner") | fromJsonArray }}
  - name: WAYMARK_{{ .setting }}_FILE
    value: /run/secrets/waymark/{{ .file }}
  {{- end }}
  {{- if .root.Values.ca.configMap }}
  - name: NODE_EXTRA_CA_CERTS
    value: /etc/waymark/ca.crt
  {{- end }}
  {{- with .root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
securityContext:
  {{- include "waymark.containerSecurity" . | nindent 2 }}
volumeMounts:
  - name: secrets
    mountPath: /run/secrets/waymark
    readOnly: true
  - name: tmp
    mountPath: /tmp
  {{- if eq .root.Values.evidence.type "directory" }}
  - name: evidence
    mountPath: /var/lib/waymark
  {{- end }}
  {{- if .root.Values.ca.configMap }}
  - name: ca
    mountPath: /etc/waymark
    readOnly: true
  {{- end }}
  {{- with .root.Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "waymark.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range include "waymark.secrets" (pick . "root" "isOwner") | fromJsonArray }}
      - secret:
          name: {{ .secret | quote }}
          items:
            - key: {{ .key | quote }}
              path: {{ .file }}
      {{- end }}
- name: tmp
  emptyDir: {}
{{- if eq .root.Values.evidence.type "directory" }}
- name: evidence
  {{- if .isOwner }}
  emptyDir: {}
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ .root.Values.evidence.directory.existingClaim | default (printf "%s-evidence" (include "waymark.name" .root)) | quote }}
  {{- end }}
{{- end }}
{{- if .root.Values.ca.configMap }}
- name: ca
  configMap:
    name: {{ .root.Values.ca.configMap | quote }}
    items:
      - key: {{ .root.Values.ca.key | quote }}
        path: ca.crt
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
