{{/* Names, labels, images. */}}
{{- define "inlet.name" -}}
{{ .Values.nameOverride | default "inlet" }}
{{- end -}}

{{/* A valid name of a Service, with stricter rules than a release: no dots, a letter first. */}}
{{- define "inlet.fullname" -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- $name := .Values.fullnameOverride | default (contains (include "inlet.name" .) $release | ternary $release (printf "%s-%s" $release (include "inlet.name" .))) | trunc 40 | trimSuffix "-" -}}
{{- if not (regexMatch "^[a-z]" $name) -}}
{{- fail (printf "%s is not a valid name of a Service: set fullnameOverride to a name that begins with a letter" $name) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{/* Labels that select the pods of a component: (list $ "gateway") */}}
{{- define "inlet.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "inlet.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Labels of an object: (list $ "gateway" labels). Those given replace the common ones, and these replace ours. */}}
{{- define "inlet.labels" -}}
{{- $root := index . 0 -}}
{{- $chart := printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" -}}
{{- $ours := dict "app.kubernetes.io/version" $root.Chart.AppVersion "app.kubernetes.io/managed-by" $root.Release.Service "helm.sh/chart" $chart -}}
{{ include "inlet.podLabels" (list $root (index . 1) (merge (dict) (index . 2 | default dict) ($root.Values.commonLabels | default dict) $ours)) }}
{{- end -}}

{{/*
Labels of pods: (list $ "gateway" labels). No label changes with the chart version, or NATS and MongoDB would restart at
every upgrade. checks.yaml refuses labels that select pods.
*/}}
{{- define "inlet.podLabels" -}}
{{ include "inlet.selector" . }}
{{ merge (dict) (index . 2 | default dict) ((index . 0).Values.commonLabels | default dict) (dict "app.kubernetes.io/part-of" "inlet") | toYaml }}
{{- end -}}

{{/* metadata of an object: (list $ "gateway" "suffix of the name"). A fourth element are annotations, a fifth labels. */}}
{{- define "inlet.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "inlet.fullname" $root }}{{ with index . 2 }}-{{ . }}{{ end }}
namespace: {{ $root.Release.Namespace }}
{{ include "inlet.labelsAndAnnotations" (list $root (index . 1) (slice . 3 | first) (slice . 3 | rest | first)) }}
{{- end -}}

{{/* (list $ "gateway" annotations labels) */}}
{{- define "inlet.labelsAndAnnotations" -}}
{{- $root := index . 0 -}}
{{- with merge (dict) (index . 2 | default dict) $root.Values.commonAnnotations -}}
annotations: {{ toYaml . | nindent 2 }}
{{ end -}}
labels:
  {{- include "inlet.labels" (list $root (index . 1) (index . 3)) | nindent 2 }}
{{- end -}}

{{/* Name of the ServiceAccount of a component: (list $ "gateway" values) */}}
{{- define "inlet.serviceAccountName" -}}
{{- $account := (index . 2).serviceAccount -}}
{{- $account.name | default (ternary (printf "%s-%s" (include "inlet.fullname" (index . 0)) (index . 1)) "default" $account.create) -}}
{{- end -}}

{{/*
The ServiceAccount, if the chart creates it: (list $ "gateway" values). With a fourth element, the annotations of a
hook: (list $ "secrets" values (dict "helm.sh/hook" "test"))
*/}}
{{- define "inlet.serviceAccount" -}}
{{- $account := (index . 2).serviceAccount -}}
{{- if $account.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "inlet.serviceAccountName" . }}
  namespace: {{ (index . 0).Release.Namespace }}
  {{- $annotations := merge (dict) (slice . 3 | first | default dict) ($account.annotations | default dict) }}
  {{- include "inlet.labelsAndAnnotations" (list (index . 0) (index . 1) $annotations dict) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{/* Name of an image: (list $ values). global.imageRegistry replaces its registry, which has a dot or a port. */}}
{{- define "inlet.imageOf" -}}
{{- $root := index . 0 -}}
{{- with index . 1 -}}
{{- $name := .repository -}}
{{- with $root.Values.global.imageRegistry -}}
{{- $name = printf "%s/%s" (trimSuffix "/" .) (regexReplaceAll "^[^/]*[.:][^/]*/" $name "") -}}
{{- end -}}
{{ $name }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $root.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{/* A setting as text. Whole numbers keep their form, and a map is JSON. */}}
{{- define "inlet.text" -}}
{{- if kindIs "map" . -}}{{ toRawJson . }}{{- else if and (kindIs "float64" .) (eq . (float64 (int64 .))) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* Names of Secrets: the given one, otherwise the one that the chart creates. */}}
{{- define "inlet.secret.keys" -}}
{{ .Values.keys.existingSecret | default (printf "%s-keys" (include "inlet.fullname" .)) }}
{{- end -}}
{{- define "inlet.secret.nats" -}}
{{- if .Values.nats.existingSecret -}}{{ .Values.nats.existingSecret }}{{- else if .Values.nats.enabled -}}{{ include "inlet.fullname" . }}-nats{{- end -}}
{{- end -}}
{{- define "inlet.secret.mongodb" -}}
{{ .Values.mongodb.existingSecret | default (printf "%s-mongodb" (include "inlet.fullname" .)) }}
{{- end -}}
{{- define "inlet.secret.internalTls" -}}
{{- if .Values.internalTls.enabled -}}
{{ .Values.internalTls.existingSecret | default (printf "%s-internal-tls" (include "inlet.fullname" .)) }}
{{- end -}}
{{- end -}}
{{- define "inlet.secret.trial" -}}
{{ include "inlet.fullname" . }}-trial-tls
{{- end -}}
{{- define "inlet.secret.tls" -}}
{{- if .Values.gateway.tls.existingSecret -}}{{ .Values.gateway.tls.existingSecret }}{{- else if .Values.gateway.tls.certManager.enabled -}}{{ include "inlet.fullname" . }}-gateway-tls{{- else if .Values.webhooks.trialCertificate -}}{{ include "inlet.secret.trial" . }}{{- end -}}
{{- end -}}
{{/* Whether webhooks go through a proxy. */}}
{{- define "inlet.hasWebhookProxy" -}}
{{- with .Values.webhooks.proxy }}{{ if or .url .existingSecret }}true{{ end }}{{ end -}}
{{- end -}}
{{/* Secrets with authorities that receivers may use, by the name of their volume, as YAML. */}}
{{- define "inlet.secrets.webhookCa" -}}
{{- with .Values.webhooks.ca.existingSecret }}
webhook-ca: {{ . }}
{{- end }}
{{- if .Values.webhooks.trialCertificate }}
trial-ca: {{ include "inlet.secret.trial" . }}
{{- end }}
{{- end -}}

{{/*
Where a browser finds the runbooks: the value, or /docs of the API by its public URL, its Ingress or its HTTPRoute.
Without any of these, the API through the port-forward that the notes show.
*/}}
{{- define "inlet.runbookBaseUrl" -}}
{{- $scheme := ternary "https" "http" .Values.api.requireHttps -}}
{{- $api := "http://127.0.0.1:8080" -}}
{{- if .Values.publicApiUrl -}}
{{- $api = regexReplaceAll "(/v1)?/*$" .Values.publicApiUrl "" -}}
{{- else if .Values.api.ingress.enabled -}}
{{- $api = printf "%s://%s" (ternary $scheme "https" (empty .Values.api.ingress.tls)) (first .Values.api.ingress.hosts).host -}}
{{- else if and .Values.api.httpRoute.enabled .Values.api.httpRoute.hostnames -}}
{{- $api = printf "%s://%s" $scheme (first .Values.api.httpRoute.hostnames) -}}
{{- end -}}
{{- .Values.monitoring.rules.runbookBaseUrl | trimSuffix "/" | default (printf "%s/docs/runbooks" $api) -}}
{{- end -}}
