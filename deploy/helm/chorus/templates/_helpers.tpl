{{- define "chorus.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "chorus.secret" -}}
{{- .Values.secrets.existingSecret | default (include "chorus.name" .) -}}
{{- end -}}

{{- define "chorus.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "chorus.labels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* The pod of one process: root, name, and process are given. */}}
{{- define "chorus.pod" -}}
metadata:
  labels:
    {{- include "chorus.labels" . | nindent 4 }}
  annotations:
    checksum/settings: {{ toJson .root.Values.settings | sha256sum }}
    checksum/secrets: {{ toJson .root.Values.secrets.values | sha256sum }}
    {{- with .root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  # Longer than SHUTDOWN_GRACE_MS, so that running work can end or be handed back.
  terminationGracePeriodSeconds: 40
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: {{ .name }}
      image: {{ include "chorus.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [node, {{ .process.main | quote }}]
      envFrom:
        - configMapRef: { name: {{ include "chorus.name" .root }} }
      env:
        {{- if ne .name "api" }}
        - { name: HEALTH_PORT, value: '9090' }
        {{- end }}
        {{- range concat (list "REDIS_URL" "MONGODB_URI" "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" "SECRET_KEY") .process.secrets }}
        - name: {{ . }}
          valueFrom:
            secretKeyRef: { name: {{ include "chorus.secret" $.root }}, key: {{ . }}, optional: {{ not (has . (list "REDIS_URL" "MONGODB_URI" "SECRET_KEY")) }} }
        {{- end }}
      ports:
        - { name: http, containerPort: {{ if eq .name "api" }}8080{{ else }}9090{{ end }} }
      startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
      readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 5 }
      livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources:
        {{- toYaml .process.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: data, mountPath: /data }
  volumes:
    - { name: tmp, emptyDir: {} }
    - { name: data, emptyDir: {} }
  {{- with .root.Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
