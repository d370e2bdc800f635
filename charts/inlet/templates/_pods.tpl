{{/* Shared by all pods: values, security, placement, settings. */}}

{{/*
Values of a component, over those of `pods`, as YAML: (list $ "gateway"). The probes of `pods` are for services only. Pods
of Jobs are not spread. Backups and `helm test` are Jobs with a few values of their own.
*/}}
{{- define "inlet.values" -}}
{{- $all := (index . 0).Values -}}
{{- $component := index . 1 -}}
{{- $values := deepCopy $all.pods -}}
{{- if not (has $component (list "gateway" "dispatcher" "api" "operator")) -}}
{{- $values = omit $values "startupProbe" "readinessProbe" "livenessProbe" -}}
{{- end -}}
{{- if has $component (list "jobs" "backup" "test") -}}
{{- $jobs := eq $component "backup" | ternary (omit $all.jobs "serviceAccount") $all.jobs -}}
{{- $values = mergeOverwrite (omit $values "topologySpreadConstraints") (deepCopy $jobs) -}}
{{- end -}}
{{ mergeOverwrite $values (deepCopy (index $all $component)) | toYaml }}
{{- end -}}

{{/* metadata of a pod: (list $ "gateway" values) */}}
{{- define "inlet.podMetadata" -}}
{{- $values := index . 2 -}}
labels:
  {{- include "inlet.podLabels" (list (index . 0) (index . 1) $values.podLabels) | nindent 2 }}
{{- with $values.podAnnotations }}
annotations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
Fields of a pod: (list $ "gateway" values). Security is the pod security standard "restricted", with the fields of
podSecurityContext. OpenShift assigns user ids to each namespace and refuses others.
*/}}
{{- define "inlet.podFields" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
{{- $security := dict "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if not ($root.Capabilities.APIVersions.Has "security.openshift.io/v1") -}}
{{- range list "runAsUser" "runAsGroup" "fsGroup" -}}
{{- $_ := set $security . (get (dict "nats" 1000 "mongodb" 999) $component | default 65532) -}}
{{- end -}}
{{- end -}}
automountServiceAccountToken: {{ has $component (list "operator" "secrets") }}
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- if hasKey $values "terminationGracePeriodSeconds" }}
terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
{{- end }}
securityContext:
  {{- include "inlet.fields" (list $security $values.podSecurityContext) | nindent 2 }}
{{- if hasKey $values "topologySpreadConstraints" }}
topologySpreadConstraints: {{ include "inlet.spread" . | nindent 2 }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with get $values $name }}
{{ dict $name . | toYaml }}
{{- end }}
{{- end }}
{{- with $values.podFields }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The security context of a container by the same standard, with the fields of securityContext: values */}}
{{- define "inlet.containerSecurity" -}}
{{- $ours := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{ include "inlet.fields" (list $ours .securityContext) }}
{{- end -}}

{{/* Our fields, each replaced by the given one of the same name: (list ours given). Not merge: false replaces true. */}}
{{- define "inlet.fields" -}}
{{- $fields := index . 0 -}}
{{- range $name, $value := index . 1 -}}
{{- $_ := set $fields $name $value -}}
{{- end -}}
{{ toYaml $fields }}
{{- end -}}

{{/* topologySpreadConstraints: (list $ "gateway" values) */}}
{{- define "inlet.spread" -}}
{{- $selector := dict "matchLabels" (include "inlet.selector" (list (index . 0) (index . 1)) | fromYaml) -}}
{{- $ours := list -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" -}}
{{- $ours = append $ours (dict "topologyKey" . "maxSkew" 1 "whenUnsatisfiable" "ScheduleAnyway") -}}
{{- end -}}
{{- range (index . 2).topologySpreadConstraints | default $ours }}
- {{ merge (dict) . (hasKey . "labelSelector" | ternary dict (dict "labelSelector" $selector)) | toYaml | nindent 2 | trim }}
{{- end -}}
{{- end -}}

{{/*
Fields of the pod of a Job: a dict with root, component, values, container (its name) and args, and for some also account
and env (as YAML).
*/}}
{{- define "inlet.jobPod" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- with .account -}}
serviceAccountName: {{ . }}
{{ end -}}
{{ include "inlet.podFields" (list $root .component $values) }}
containers:
  - name: {{ .container }}
    image: {{ include "inlet.imageOf" (list $root $root.Values.image) }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: {{ toJson .args }}
    {{- with .env }}
    env: {{ . | nindent 6 }}
    {{- end }}
    resources: {{ toYaml $values.resources | nindent 6 }}
    securityContext:
      {{- include "inlet.containerSecurity" $values | nindent 6 }}
    {{- with concat (include "inlet.mounts" (list $root .component) | fromYamlArray) $values.extraVolumeMounts }}
    volumeMounts: {{ toYaml . | nindent 6 }}
    {{- end }}
{{- with concat (include "inlet.volumes" (list $root .component) | fromYamlArray) $values.extraVolumes }}
volumes: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The disruption budget of more than one replica: (list $ "gateway" values replicas) */}}
{{- define "inlet.disruptionBudget" -}}
{{- $values := index . 2 -}}
{{- if and $values.pdb.enabled (gt (int (index . 3)) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "inlet.metadata" (list (index . 0) (index . 1) (index . 1)) | nindent 2 }}
spec:
  maxUnavailable: {{ $values.pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow # a pod that is not ready cannot block a drain; a healthy one waits for it
  selector:
    matchLabels:
      {{- include "inlet.selector" (list (index . 0) (index . 1)) | nindent 6 }}
{{- end }}
{{- end -}}

{{/*
Size and class of the volume of each pod, as YAML: (list $ "nats"). A StatefulSet that is there keeps both, because
Kubernetes changes neither.
*/}}
{{- define "inlet.volume" -}}
{{- $root := index . 0 -}}
{{- $name := printf "%s-%s" (include "inlet.fullname" $root) (index . 1) -}}
{{- $values := (index $root.Values (index . 1)).persistence -}}
{{- $claims := dig "spec" "volumeClaimTemplates" list (lookup "apps/v1" "StatefulSet" $root.Release.Namespace $name) -}}
{{- range ($claims | default (list (dict "spec" dict))) | first | list -}}
size: {{ dig "resources" "requests" "storage" $values.size .spec | quote }}
storageClass: {{ $claims | empty | ternary $values.storageClass (get .spec "storageClassName") | default "" | quote }}
{{- end -}}
{{- end -}}

{{/* What the live volumes keep although the values say something else. */}}
{{- define "inlet.keptVolumes" -}}
{{- range $component := list "nats" "mongodb" -}}
{{- $values := index $.Values $component -}}
{{- if $values.enabled -}}
{{- $volume := include "inlet.volume" (list $ $component) | fromYaml -}}
{{- if ne $volume.size (toString $values.persistence.size) }}
{{ $component }}.persistence.size is {{ $values.persistence.size }}, but the volumes keep their {{ $volume.size }}: docs/upgrade.md#enlarge-volumes
{{- end -}}
{{- if ne $volume.storageClass ($values.persistence.storageClass | default "") }}
{{ $component }}.persistence.storageClass is {{ $values.persistence.storageClass | default "empty" }}, but the volumes keep {{ $volume.storageClass | default "the default class" }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "inlet.natsUrl" -}}
{{- if .Values.nats.enabled -}}
{{- $urls := list -}}
{{- range until (int .Values.nats.replicaCount) -}}
{{- $urls = append $urls (printf "nats://%s:4222" (include "inlet.natsMember" (list $ .))) -}}
{{- end -}}
{{- join "," $urls -}}
{{- else -}}
{{- .Values.nats.url -}}
{{- end -}}
{{- end -}}

{{/* Name of a NATS node: (list $ 0). A wildcard certificate needs a name with several dots. */}}
{{- define "inlet.natsMember" -}}
{{- $name := include "inlet.fullname" (index . 0) -}}
{{ printf "%s-nats-%d.%s-nats-members.%s.svc" $name (index . 1) $name (index . 0).Release.Namespace }}
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
{{- if and .Values.internalTls.enabled .Values.nats.enabled }}
- {name: NATS_CA_FILE, value: /etc/inlet/internal-ca/ca.crt}
{{- end }}
{{- include "inlet.mongoEnv" . | nindent 0 }}
{{- end -}}

{{/* Members of the replica set of the chart, separated by commas. */}}
{{- define "inlet.mongoHosts" -}}
{{- $name := printf "%s-mongodb" (include "inlet.fullname" .) -}}
{{- $hosts := list -}}
{{- range until (int .Values.mongodb.replicaCount) -}}
{{- $hosts = append $hosts (printf "%s-%d.%s.%s.svc:27017" $name . $name $.Release.Namespace) -}}
{{- end -}}
{{- join "," $hosts -}}
{{- end -}}
{{- define "inlet.mongoEnv" -}}
{{- if and .Values.mongodb.certificateAuthority (not .Values.mongodb.enabled) }}
- {name: MONGODB_CA_FILE, value: /etc/inlet/mongodb/ca.crt}
{{ end -}}
{{- if .Values.mongodb.enabled -}}
{{ include "inlet.secretEnv" (list "MONGODB_PASSWORD" (include "inlet.secret.mongodb" .)) }}
- {name: MONGODB_URI, value: "mongodb://inlet:$(MONGODB_PASSWORD)@{{ include "inlet.mongoHosts" . }}/inlet?replicaSet=rs0&authSource=inlet{{ if .Values.internalTls.enabled }}&tls=true&tlsCAFile=/etc/inlet/internal-ca/ca.crt{{ end }}"}
{{- else -}}
{{ include "inlet.secretEnv" (list "MONGODB_URI" .Values.mongodb.existingSecret) }}
{{- end -}}
{{- end -}}

{{/* A duration of the settings such as 72h in milliseconds. Empty if it is none: the service then says so. */}}
{{- define "inlet.milliseconds" -}}
{{- if regexMatch "^[0-9]+(ms|s|m|h|d)$" . -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 -}}
{{- mul (regexFind "^[0-9]+" . | int64) (regexFind "[a-z]+$" . | get $units) -}}
{{- end -}}
{{- end -}}

{{/* Settings derived from values, as a YAML map: (list $ component). The map `config` takes precedence. */}}
{{- define "inlet.impliedSettings" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- with $root.Values }}
{{- /* Where every Service must have both families, so has every pod. Elsewhere, a pod without IPv6 could not listen on ::. */}}
{{- if eq .ipFamilyPolicy "RequireDualStack" }}
METRICS_HOST: "::"
{{- if eq $component "api" }}
API_HOST: "::"
{{- end }}
{{- end }}
{{- if and (eq $component "gateway") (eq (.gateway.service.ipFamilyPolicy | default .ipFamilyPolicy) "RequireDualStack") }}
SMTP_HOST: "::"
{{- end }}
{{- if has $component (list "gateway" "dispatcher") }}
STREAM_REPLICAS: {{ .nats.enabled | ternary (min 3 (int .nats.replicaCount)) 3 | quote }}
{{- end }}
{{- if and .publicApiUrl (ne $component "dispatcher") }}
PUBLIC_API_URL: {{ .publicApiUrl | quote }}
{{- end }}
{{- if ne $component "gateway" }}
{{- with .webhooks.allowedNetworks }}
WEBHOOK_ALLOWED_NETWORKS: {{ join "," . | quote }}
{{- end }}
{{- with include "inlet.secrets.webhookCa" $root | fromYaml | keys | sortAlpha }}
WEBHOOK_CA_FILE: /etc/inlet/{{ join "/ca.crt,/etc/inlet/" . }}/ca.crt
{{- end }}
{{- end }}
{{- if and .webhooks.proxy.url (has $component (list "dispatcher" "api")) }}
WEBHOOK_PROXY_URL: {{ .webhooks.proxy.url | quote }}
{{- end }}
{{- if eq $component "api" }}
REQUIRE_HTTPS: {{ .api.requireHttps | quote }}
TRUSTED_PROXIES: {{ join "," .api.trustedProxies | quote }}
{{- with .api.trustedProxyHops }}
TRUSTED_PROXY_HOPS: {{ . | quote }}
{{- end }}
{{- if .gateway.lmtp.enabled }}
INTAKE_LMTP: lmtp://{{ include "inlet.fullname" $root }}-gateway-lmtp:{{ .gateway.lmtp.service.port }}
{{- end }}
{{- with .backup }}
{{- if .endpoint }}
BACKUP_BUCKET: {{ pick . "endpoint" "bucket" "region" "prefix" "addressing" | toRawJson | quote }}
{{- end }}
{{- end }}
{{- if .backup.schedule }}
BACKUP_MAX_AGE: 26h # the usual pause of a schedule, and what a backup takes
{{- end }}
{{- with .api.singleSignOn.issuer }}
OIDC_ISSUER: {{ . | quote }}
OIDC_CLIENT_ID: {{ $root.Values.api.singleSignOn.clientId | quote }}
{{- end }}
{{- else if eq $component "gateway" }}
SMTP_PORT: "2525"
SMTP_STOP_GRACE: {{ printf "%ds" (sub (int .gateway.terminationGracePeriodSeconds) (add .gateway.preStopSeconds 15)) }}
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
{{- if .gateway.lmtp.enabled }}
LMTP_PORT: "2424"
LMTP_NETWORKS: {{ join "," .gateway.lmtp.trustedRanges | quote }}
{{- end }}
{{- else if eq $component "operator" }}
LEASE_NAME: {{ include "inlet.fullname" $root }}-operator
WATCH_NAMESPACES: {{ join "," .operator.namespaces | quote }}
{{- with .operator.secretNames }}
SECRET_NAMES: {{ join "," . | quote }}
{{- end }}
{{- if ne .mtaSts.route "none" }}
{{- $routes := dict "route" .mtaSts.route "issuer" (printf "%s/%s" .mtaSts.issuerRef.kind .mtaSts.issuerRef.name) }}
{{- $_ := set $routes "service" (printf "%s-api:%v" (include "inlet.fullname" $root) .api.service.port) }}
{{- if eq .mtaSts.route "gateway" }}
{{- $_ := set $routes "gateway" (printf "%s/%s" (.mtaSts.gatewayRef.namespace | default $root.Release.Namespace) .mtaSts.gatewayRef.name) }}
{{- else if .mtaSts.ingressClassName }}
{{- $_ := set $routes "ingress_class" .mtaSts.ingressClassName }}
{{- end }}
MTA_STS: {{ $routes | toRawJson | quote }}
{{- end }}
{{- end }}
{{- if and .tracing.endpoint (has $component (list "gateway" "dispatcher" "api")) }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .tracing.endpoint | quote }}
OTEL_RESOURCE_ATTRIBUTES: k8s.namespace.name={{ $root.Release.Namespace }}
{{- end }}
{{- if has $component (list "api" "operator") }}
INBOUND_DOMAIN: {{ .inboundDomain | quote }}
{{- with .gateway.hostname }}
MX_HOSTS: {{ . | quote }}
{{- end }}
{{- if include "inlet.secret.tls" $root }}
MX_TLS_CERT_FILE: /etc/inlet/mx-certificate/tls.crt
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Settings of a service: (list $ component). `config` takes precedence. */}}
{{- define "inlet.settings" -}}
{{- $settings := include "inlet.impliedSettings" . | fromYaml }}
{{- range list (index . 0).Values.config (index (index . 0).Values (index . 1)).config }}{{/* not merge: it treats false, 0 and "" as absent */}}
{{- range $name, $value := . }}
{{- $_ := set $settings $name (include "inlet.text" $value) }}
{{- end }}
{{- end }}
{{- toYaml $settings }}
{{- end -}}

{{/* One of them: (list $ component "NAME"). Empty if it is not set. */}}
{{- define "inlet.setting" -}}
{{- get (include "inlet.settings" . | fromYaml) (index . 2) -}}
{{- end -}}

{{/*
Environment of a service: (list $ component). A variable of extraEnv takes the place of ours, because others may refer to
it, and because the API server refuses to apply a name that is there twice.
*/}}
{{- define "inlet.env" -}}
{{- $names := list -}}
{{- $last := dict -}}
{{- range concat (include "inlet.ourEnv" . | fromYamlArray) ((include "inlet.values" . | fromYaml).extraEnv) -}}
{{- $names = append $names .name -}}
{{- $_ := set $last .name . -}}
{{- end -}}
{{- $variables := list -}}
{{- range uniq $names -}}
{{- $variables = append $variables (get $last .) -}}
{{- end -}}
{{ toYaml $variables }}
{{- end -}}

{{/* The same without extraEnv. */}}
{{- define "inlet.ourEnv" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
{{ include "inlet.backendEnv" $root }}
{{- if or (ne $component "gateway") (eq "true" (include "inlet.setting" (list $root $component "ENCRYPT_CONTENT"))) }}
{{ include "inlet.secretEnv" (list "SECRET_KEYS" (include "inlet.secret.keys" $root)) }}
{{- end }}
{{- if and $root.Values.publicApiUrl (has $component (list "gateway" "api")) }}
{{ include "inlet.secretEnv" (list "LINK_KEYS" (include "inlet.secret.keys" $root)) }}
{{- end }}
{{- if ne $component "dispatcher" }}{{/* a Secret of an earlier release may lack it */}}
- name: REPLY_KEYS
  valueFrom: {secretKeyRef: {name: {{ include "inlet.secret.keys" $root }}, key: REPLY_KEYS, optional: true}}
{{- end }}
{{- if and (eq $component "api") $values.singleSignOn.issuer $values.singleSignOn.existingSecret }}
{{ include "inlet.secretEnv" (list "OIDC_CLIENT_SECRET" $values.singleSignOn.existingSecret) }}
{{- end }}
{{- if and (eq $component "api") $root.Values.backup.endpoint }}
{{ include "inlet.secretEnv" (list "BACKUP_ACCESS_KEY_ID" $root.Values.backup.existingSecret) }}
{{ include "inlet.secretEnv" (list "BACKUP_SECRET_ACCESS_KEY" $root.Values.backup.existingSecret) }}
{{- end }}
{{- if and $root.Values.webhooks.proxy.existingSecret (has $component (list "dispatcher" "api")) }}
{{ include "inlet.secretEnv" (list "WEBHOOK_PROXY_URL" $root.Values.webhooks.proxy.existingSecret) }}
{{- end }}
{{- if and $root.Values.tracing.endpoint $root.Values.tracing.existingSecret (has $component (list "gateway" "dispatcher" "api")) }}
{{ include "inlet.secretEnv" (list "OTEL_EXPORTER_OTLP_HEADERS" $root.Values.tracing.existingSecret) }}
{{- end }}
{{- range $name, $value := include "inlet.settings" . | fromYaml }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- end -}}

{{/* Whether services connect with TLS to a NATS or MongoDB of the chart. */}}
{{- define "inlet.usesInternalTls" -}}
{{- with .Values }}{{ if and .internalTls.enabled (or .nats.enabled .mongodb.enabled) }}true{{ end }}{{ end -}}
{{- end -}}

{{/* Secrets as files: (list $ component). Whole folders, because a file mounted by subPath is never updated. */}}
{{- define "inlet.files" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $isService := has $component (list "gateway" "dispatcher" "api" "operator" "backup" "backup-drill") -}}
{{- if and (eq $component "gateway") (include "inlet.secret.tls" $root) }}
tls: {{ include "inlet.secret.tls" $root }}
{{- else if and (eq $component "test") (include "inlet.testHasReceiver" $root) }}
tls: {{ include "inlet.secret.trial" $root }}
{{- end }}
{{- if and (has $component (list "api" "operator")) (include "inlet.secret.tls" $root) }}
mx-certificate: {{ include "inlet.secret.tls" $root }}
{{- end }}
{{- if has $component (list "dispatcher" "api" "operator") }}
{{- include "inlet.secrets.webhookCa" $root }}
{{- end }}
{{- if and $isService $root.Values.nats.existingSecret (or $root.Values.nats.credentialsFile $root.Values.nats.certificateAuthority) }}
nats: {{ $root.Values.nats.existingSecret }}
{{- end }}
{{- if and $root.Values.mongodb.certificateAuthority (not $root.Values.mongodb.enabled) (or $isService (eq $component "test")) }}
mongodb: {{ $root.Values.mongodb.existingSecret }}
{{- end }}
{{- $usesMongo := and $root.Values.internalTls.enabled $root.Values.mongodb.enabled (has $component (list "test" "mongodb-setup")) }}
{{- if $isService | ternary (include "inlet.usesInternalTls" $root) $usesMongo }}
internal-ca: {{ include "inlet.secret.internalTls" $root }}
{{- end }}
{{- end -}}
{{/* Whether `helm test` runs a receiver in its pod. */}}
{{- define "inlet.testHasReceiver" -}}
{{- if and .Values.webhooks.trialCertificate (not .Values.test.webhookUrl) }}true{{ end -}}
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
    {{- if eq $name "mx-certificate" }}
    items: [{key: tls.crt, path: tls.crt}] # without its key
    optional: true # the pod starts also before the certificate is issued
    {{- else if eq $name "webhook-ca" }}
    items: [{key: {{ $root.Values.webhooks.ca.key | quote }}, path: ca.crt}]
    {{- else if eq $name "mongodb" }}
    items: [{key: ca.crt, path: ca.crt}] # the password is in the environment
    {{- else if has $name (list "internal-ca" "trial-ca") }}
    items: [{key: ca.crt, path: ca.crt}] # without the key of the servers
    {{- end }}
{{- end }}
{{- end -}}
