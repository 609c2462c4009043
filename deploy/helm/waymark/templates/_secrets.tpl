{{/*
Which secret holds which setting, as JSON: a list of setting, file, secret and key. What owns the tables is mounted for
migrations only.
*/}}
{{- define "waymark.secrets" -}}
{{- $v := .root.Values }}
{{- $all := list }}
{{- if $v.cloudnativepg.enabled }}
{{- $owner := printf "%s-app" (include "waymark.database" .root) }}
{{- with $v.cloudnativepg.serverRole.existingSecret }}
{{- $all = append $all (dict "setting" "DATABASE_URL" "file" "database-url" "secret" . "key" "uri") }}
{{- if $.isOwner }}
{{- $all = append $all (dict "setting" "DATABASE_OWNER_URL" "file" "database-owner-url" "secret" $owner "key" "uri") }}
{{- end }}
{{- else }}
{{- $all = append $all (dict "setting" "DATABASE_URL" "file" "database-url" "secret" $owner "key" "uri") }}
{{- end }}
{{- else }}
{{- $all = append $all (dict "setting" "DATABASE_URL" "file" "database-url" "secret" $v.database.existingSecret "key" $v.database.urlKey) }}
{{- if and .isOwner $v.database.ownerUrlKey }}
{{- $all = append $all (dict "setting" "DATABASE_OWNER_URL" "file" "database-owner-url" "secret" $v.database.existingSecret "key" $v.database.ownerUrlKey) }}
{{- end }}
{{- end }}
{{- if not .isOwner }}
{{- with $v.nats }}{{ if .existingSecret }}
{{- $all = append $all (dict "setting" "NATS_URL" "file" "nats-url" "secret" .existingSecret "key" .urlKey) }}
{{- end }}{{ end }}
{{- with $v.secretKey }}{{ if .existingSecret }}
{{- $all = append $all (dict "setting" "SECRET_KEY" "file" "secret-key" "secret" .existingSecret "key" .key) }}
{{- end }}{{ end }}
{{- with $v.ledgerKey }}{{ if .existingSecret }}
{{- $all = append $all (dict "setting" "LEDGER_KEY" "file" "ledger-key" "secret" .existingSecret "key" .key) }}
{{- end }}{{ end }}
{{- with $v.statementKey }}{{ if .existingSecret }}
{{- $all = append $all (dict "setting" "STATEMENT_KEY" "file" "statement-key" "secret" .existingSecret "key" .key) }}
{{- end }}{{ end }}
{{- with $v.mail }}{{ if .existingSecret }}
{{- $all = append $all (dict "setting" "SMTP_URL" "file" "smtp-url" "secret" .existingSecret "key" .urlKey) }}
{{- end }}{{ end }}
{{- if eq $v.evidence.type "s3" }}{{ with $v.evidence.s3 }}{{ if .existingSecret }}
{{- $all = append $all (dict "setting" "S3_ACCESS_KEY" "file" "s3-access-key" "secret" .existingSecret "key" .accessKeyKey) }}
{{- $all = append $all (dict "setting" "S3_SECRET_KEY" "file" "s3-secret-key" "secret" .existingSecret "key" .secretKeyKey) }}
{{- end }}{{ end }}{{ end }}
{{- end }}
{{- toJson $all }}
{{- end }}
