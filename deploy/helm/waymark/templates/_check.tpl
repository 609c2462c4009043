{{/* Faults that a schema cannot find, each with what to do. */}}
{{- define "waymark.check" -}}
{{- $v := .Values }}
{{- if and $v.cloudnativepg.enabled $v.database.existingSecret }}
{{- fail "Set database.existingSecret or cloudnativepg.enabled, not both" }}
{{- end }}
{{- if not (or $v.cloudnativepg.enabled $v.database.existingSecret) }}
{{- fail "Set database.existingSecret, the name of a secret with the URL of the database, or cloudnativepg.enabled" }}
{{- end }}
{{- if and (eq $v.mode "split") (not $v.nats.existingSecret) }}
{{- fail "Set nats.existingSecret, the name of a secret with the URL of NATS, or mode=all" }}
{{- end }}
{{- if eq $v.evidence.type "s3" }}
{{- if not $v.evidence.s3.bucket }}
{{- fail "Set evidence.s3.bucket, or evidence.type=directory" }}
{{- end }}
{{- else if and (eq $v.mode "split") (not $v.evidence.directory.existingClaim) (not (has "ReadWriteMany" $v.evidence.directory.accessModes)) }}
{{- fail "API servers and workers share evidence files: set evidence.directory.accessModes={ReadWriteMany}, evidence.type=s3, or mode=all" }}
{{- end }}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) }}
{{- fail "Set gateway.parentRefs, the gateway that routes to Waymark" }}
{{- end }}
{{- if and $v.metrics.serviceMonitor.enabled (not $v.metrics.enabled) }}
{{- fail "metrics.serviceMonitor.enabled needs metrics.enabled" }}
{{- end }}
{{- end }}
