{{/* A Deployment of one component: api, worker or all. Takes root, component and its values. */}}
{{- define "waymark.deployment" -}}
{{- $root := .root }}
{{- $v := .root.Values }}
{{- $serves := ne .component "worker" }}
{{- $pod := dict "root" .root "isOwner" false }}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "waymark.metadata" (dict "root" .root "name" (printf "%s-%s" (include "waymark.name" .root) .component) "component" .component) | nindent 2 }}
spec:
  {{- if eq .component "all" }}
  replicas: 1
  {{- else if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  strategy:
    {{- if and (eq .component "all") (eq $v.evidence.type "directory") (not (has "ReadWriteMany" $v.evidence.directory.accessModes)) }}
    # The volume can be mounted on one node at a time.
    type: Recreate
    {{- else }}
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
    {{- end }}
  selector:
    matchLabels:
      {{- include "waymark.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- include "waymark.labels" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
        {{- with $v.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        # Settings are read at the start only.
        checksum/settings: {{ include "waymark.settings" .root | sha256sum }}
        {{- with $v.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "waymark.podBasics" .root | nindent 6 }}
      # The server takes up to 30 seconds to finish what it began.
      terminationGracePeriodSeconds: {{ add $v.preStopSeconds 35 }}
      {{- with $v.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        {{- with $v.topologySpreadConstraints }}
        {{- toYaml . | nindent 8 }}
        {{- else }}
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "waymark.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ $.component }}
          matchLabelKeys: [pod-template-hash]
        {{- end }}
        {{- end }}
      initContainers:
        - {{- include "waymark.container" (merge (dict "name" "wait-for-migrations" "args" (list "migrate" "--wait")) $pod) | nindent 10 }}
          resources:
            {{- toYaml $v.migrations.resources | nindent 12 }}
      containers:
        - {{- include "waymark.container" (merge (dict "name" "waymark" "args" (list .component)) $pod) | nindent 10 }}
          ports:
            {{- if $serves }}
            - name: http
              containerPort: 8080
            {{- end }}
            {{- if $v.metrics.enabled }}
            - name: metrics
              containerPort: {{ $v.metrics.port }}
            {{- end }}
          {{- if $serves }}
          startupProbe:
            httpGet:
              path: /live
              port: http
            periodSeconds: 1
            failureThreshold: 120
          livenessProbe:
            httpGet:
              path: /live
              port: http
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet:
              path: /ready
              port: http
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          lifecycle:
            preStop:
              sleep:
                seconds: {{ $v.preStopSeconds }}
          {{- else if $v.metrics.enabled }}
          # A worker that fails ends, and is restarted. Its metrics ask the database, which may be the one that is down.
          readinessProbe:
            tcpSocket:
              port: metrics
            periodSeconds: 5
          {{- end }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
      volumes:
        {{- include "waymark.volumes" $pod | nindent 8 }}
{{- end }}
