{{/* Shared by all pods: security, placement, settings. */}}

{{/*
The pod security standard "restricted": (list $ 65532). OpenShift assigns user ids to each namespace and refuses others.
*/}}
{{- define "inlet.podSecurity" -}}
{{- $root := index . 0 -}}
{{- $user := index . 1 -}}
runAsNonRoot: true
{{- if not ($root.Capabilities.APIVersions.Has "security.openshift.io/v1") }}
runAsUser: {{ $user }}
runAsGroup: {{ $user }}
fsGroup: {{ $user }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}
{{- define "inlet.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "inlet.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Placement of pods: (list $ "gateway" values) */}}
{{- define "inlet.placement" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "inlet.selector" (list $root (index $ 1)) | nindent 8 }}
  {{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- define "inlet.natsUrl" -}}
{{- if .Values.nats.enabled -}}
{{- $urls := list -}}
{{- range until (int .Values.nats.replicas) -}}
{{- $urls = append $urls (printf "nats://%s-nats-%d.%s-nats-members:4222" (include "inlet.fullname" $) . (include "inlet.fullname" $)) -}}
{{- end -}}
{{- join "," $urls -}}
{{- else -}}
{{- .Values.nats.url -}}
{{- end -}}
{{- end -}}

{{/* A key of a Secret as an environment variable: (list "NAME" secret [key]) */}}
{{- define "inlet.secretEnv" -}}
- name: {{ index . 0 }}
  valueFrom: {secretKeyRef: {name: {{ index . 1 }}, key: {{ eq (len .) 2 | ternary (first .) (last .) }}}}
{{- end -}}

{{/* Addresses and credentials of NATS and MongoDB, for every service: $ */}}
{{- define "inlet.backendEnv" -}}
- {name: NATS_URL, value: {{ include "inlet.natsUrl" . | quote }}}
{{- $nats := include "inlet.secret.nats" . }}
{{- if $nats }}
{{- if .Values.nats.credentialsFile }}
- {name: NATS_CREDS_FILE, value: /etc/inlet/nats/nats.creds}
{{- else }}
{{ include "inlet.secretEnv" (list "NATS_USER" $nats) }}
{{ include "inlet.secretEnv" (list "NATS_PASSWORD" $nats) }}
{{- end }}
{{- if .Values.nats.certificateAuthority }}
- {name: NATS_CA_FILE, value: /etc/inlet/nats/ca.crt}
{{- end }}
{{- end }}
{{- include "inlet.mongoEnv" . | nindent 0 }}
{{- end -}}

{{- define "inlet.mongoHost" -}}
{{ include "inlet.fullname" . }}-mongodb-0.{{ include "inlet.fullname" . }}-mongodb.{{ .Release.Namespace }}.svc:27017
{{- end -}}
{{- define "inlet.mongoEnv" -}}
{{- if .Values.mongodb.enabled -}}
{{ include "inlet.secretEnv" (list "MONGODB_PASSWORD" (include "inlet.secret.mongodb" .)) }}
- {name: MONGODB_URI, value: "mongodb://inlet:$(MONGODB_PASSWORD)@{{ include "inlet.mongoHost" . }}/inlet?replicaSet=rs0&authSource=inlet"}
{{- else -}}
{{ include "inlet.secretEnv" (list "MONGODB_URI" .Values.mongodb.existingSecret) }}
{{- end -}}
{{- end -}}

{{/* Settings derived from values, as a YAML map: (list $ component). The map `config` takes precedence. */}}
{{- define "inlet.impliedSettings" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- with $root.Values }}
LOG_LEVEL: {{ .logLevel | quote }}
{{- if has $component (list "gateway" "dispatcher") }}
PARTITIONS: {{ .partitions | quote }}
STREAM_REPLICAS: {{ .nats.enabled | ternary (min 3 (int .nats.replicas)) .nats.streamReplicas | quote }}
{{- end }}
{{- if and .publicApiUrl (ne $component "dispatcher") }}
PUBLIC_API_URL: {{ .publicApiUrl | quote }}
{{- end }}
{{- if ne $component "gateway" }}
{{- with .webhooks.allowedNetworks }}
WEBHOOK_ALLOWED_NETWORKS: {{ join "," . | quote }}
{{- end }}
{{- if include "inlet.secret.webhookCa" $root }}
WEBHOOK_CA_FILE: /etc/inlet/webhook-ca/ca.crt
{{- end }}
{{- end }}
{{- if eq $component "api" }}
REQUIRE_HTTPS: {{ .api.requireHttps | quote }}
DASHBOARD: {{ .api.dashboard | quote }}
TRUSTED_PROXIES: {{ join "," .api.trustedProxies | quote }}
{{- else if eq $component "gateway" }}
SMTP_PORT: "2525"
SMTP_STOP_GRACE: {{ printf "%ds" (int .gateway.stopGraceSeconds) }}
{{- with .gateway.hostname }}
SMTP_HOSTNAME: {{ . | quote }}
{{- end }}
{{- if include "inlet.secret.tls" $root }}
TLS_CERT_FILE: /etc/inlet/tls/tls.crt
TLS_KEY_FILE: /etc/inlet/tls/tls.key
{{- end }}
{{- if .gateway.proxyProtocol.enabled }}
PROXY_PROTOCOL_NETWORKS: {{ join "," .gateway.proxyProtocol.trustedRanges | quote }}
{{- end }}
{{- else if eq $component "operator" }}
LEASE_NAME: {{ include "inlet.fullname" $root }}-operator
WATCH_NAMESPACES: {{ join "," .operator.namespaces | quote }}
{{- end }}
{{- if has $component (list "api" "operator") }}
INBOUND_DOMAIN: {{ .inboundDomain | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Environment of a service: (list $ component) */}}
{{- define "inlet.env" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
{{ include "inlet.backendEnv" $root }}
{{- if ne $component "gateway" }}
{{ include "inlet.secretEnv" (list "SECRET_KEYS" (include "inlet.secret.keys" $root)) }}
{{- end }}
{{- if and $root.Values.publicApiUrl (has $component (list "gateway" "api")) }}
{{ include "inlet.secretEnv" (list "LINK_KEYS" (include "inlet.secret.keys" $root)) }}
{{- end }}
{{- $settings := include "inlet.impliedSettings" . | fromYaml }}
{{- range list $root.Values.config $values.config }}{{/* not merge: it treats false, 0 and "" as absent */}}
{{- range $name, $value := . }}
{{- $_ := set $settings $name $value }}
{{- end }}
{{- end }}
{{- range $name, $value := $settings }}
- {name: {{ $name }}, value: {{ include "inlet.text" $value | quote }}}
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Secrets as files: (list $ component). Whole folders, because a file mounted by subPath is never updated. */}}
{{- define "inlet.files" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- if and (eq $component "gateway") (include "inlet.secret.tls" $root) }}
tls: {{ include "inlet.secret.tls" $root }}
{{- end }}
{{- if and (ne $component "gateway") (include "inlet.secret.webhookCa" $root) }}
webhook-ca: {{ include "inlet.secret.webhookCa" $root }}
{{- end }}
{{- if and $root.Values.nats.existingSecret (or $root.Values.nats.credentialsFile $root.Values.nats.certificateAuthority) }}
nats: {{ $root.Values.nats.existingSecret }}
{{- end }}
{{- end -}}
{{- define "inlet.mounts" -}}
{{- range $name, $secret := include "inlet.files" . | fromYaml }}
- {name: {{ $name }}, mountPath: /etc/inlet/{{ $name }}, readOnly: true}
{{- end }}
{{- end -}}
{{- define "inlet.volumes" -}}
{{- $root := index . 0 -}}
{{- range $name, $secret := include "inlet.files" . | fromYaml }}
- name: {{ $name }}
  secret:
    secretName: {{ $secret }}
    defaultMode: 0440
    {{- if eq $name "webhook-ca" }}
    items: [{key: {{ $root.Values.webhooks.ca.key | quote }}, path: ca.crt}]
    {{- end }}
{{- end }}
{{- end -}}
