{{- define "waymark.settings" -}}
{{- $v := .Values }}
{{- $s := dict "WAYMARK_PUBLIC_URL" $v.publicUrl "WAYMARK_REGION" $v.region "WAYMARK_LISTEN_HOST" "0.0.0.0" "WAYMARK_PORT" "8080" }}
{{- $_ := set $s "WAYMARK_DATABASE_POOL" (toString $v.database.pool) }}
{{- with $v.trustedProxies }}{{ $_ := set $s "WAYMARK_TRUSTED_PROXIES" (join "," .) }}{{ end }}
{{- if $v.nats.existingSecret }}
{{- $_ := set $s "WAYMARK_NATS_STREAM" $v.nats.stream }}
{{- $_ := set $s "WAYMARK_NATS_REPLICAS" (toString $v.nats.replicas) }}
{{- end }}
{{- with $v.mail.from }}{{ $_ := set $s "WAYMARK_MAIL_FROM" . }}{{ end }}
{{- if $v.metrics.enabled }}
{{- $_ := set $s "WAYMARK_METRICS_HOST" "0.0.0.0" }}
{{- $_ := set $s "WAYMARK_METRICS_PORT" (toString $v.metrics.port) }}
{{- end }}
{{- if eq $v.evidence.type "directory" }}
{{- $_ := set $s "WAYMARK_BLOB_DIR" "/var/lib/waymark" }}
{{- else }}
{{- $_ := set $s "WAYMARK_S3_BUCKET" $v.evidence.s3.bucket }}
{{- $_ := set $s "WAYMARK_S3_REGION" $v.evidence.s3.region }}
{{- with $v.evidence.s3.endpoint }}{{ $_ := set $s "WAYMARK_S3_ENDPOINT" . }}{{ end }}
{{- end }}
{{- range $name, $value := $v.settings }}
{{- $_ := set $s $name (toString $value) }}
{{- end }}
{{- toYaml $s }}
{{- end }}
