{{/* Configuration of nats-server. Names and passwords are read from the environment. */}}
{{- define "inlet.natsConfig" -}}
{{- $name := printf "%s-nats" (include "inlet.fullname" .) -}}
server_name: $SERVER_NAME
port: 4222
http_port: 8222
max_payload: 8MB
{{- if .Values.internalTls.enabled }}
{{ include "inlet.natsTls" . }}
{{- end }}
{{- $room := include "inlet.bytes" (include "inlet.volume" (list . "nats") | fromYaml).size }}
jetstream {
  store_dir: /data
  sync_interval: {{ .Values.nats.syncInterval }}
  {{- with $room }}
  max_file_store: {{ mulf . 0.9 | int64 }}
  {{- end }}
}
accounts {
  INLET {
    {{- with $room }}
    # Below the sum of the nodes: a node that reaches its own limit stops JetStream, an account only refuses to store.
    jetstream: {max_file: {{ mulf . 0.85 $.Values.nats.replicaCount | int64 }}}
    {{- else }}
    jetstream: enabled
    {{- end }}
    users: [{user: $NATS_USER, password: $NATS_PASSWORD}]
  }
  SYSTEM {
    users: [{user: system, password: $NATS_SYSTEM_PASSWORD}]
  }
}
system_account: SYSTEM
{{- if gt (int .Values.nats.replicaCount) 1 }}
cluster {
  name: {{ $name }}
  port: 6222
  authorization {user: route, password: $NATS_ROUTE_PASSWORD}
  {{- if .Values.internalTls.enabled }}
  {{ include "inlet.natsTls" . }}
  {{- end }}
}
{{- end }}
{{- with .Values.nats.config }}
{{ . }}
{{- end }}
{{- end -}}

{{/*
Exits with 1 when JetStream is off, or when a stream has a write error although its disk has room again: nats-server
then stores nothing in this stream until it is restarted. With 0 when the image cannot tell.
*/}}
{{- define "inlet.natsLiveness" -}}
command -v nc >/dev/null && command -v df >/dev/null || exit 0
ask() { printf 'GET %s HTTP/1.0\r\n\r\n' "$1" | nc -w 3 127.0.0.1 8222; }
case "$(ask '/healthz?js-enabled-only=true')" in *' 200 '*) ;; *) exit 1 ;; esac
case "$(ask /healthz)" in *'write error'*) [ "$(df -P /data | awk 'END {print $4}')" -lt 65536 ] ;; esac
{{- end -}}

{{/* Nodes also identify themselves to each other with this certificate. */}}
{{- define "inlet.natsTls" -}}
tls {cert_file: /etc/nats-tls/tls.crt, key_file: /etc/nats-tls/tls.key, ca_file: /etc/nats-tls/ca.crt}
{{- end -}}

{{/*
Addresses of the cluster members. On the command line, because there an address can contain a password from the
environment.
*/}}
{{- define "inlet.natsRoutes" -}}
{{- $routes := list -}}
{{- range until (int .Values.nats.replicaCount) -}}
{{- $routes = append $routes (printf "nats://route:$(NATS_ROUTE_PASSWORD)@%s:6222" (include "inlet.natsMember" (list $ .))) -}}
{{- end -}}
{{- join "," $routes -}}
{{- end -}}

{{/* A quantity of Kubernetes such as 20Gi in bytes. Empty if it is none, or its unit is unknown. */}}
{{- define "inlet.bytes" -}}
{{- $quantity := kindIs "string" . | ternary (toString .) (int64 . | toString) -}}
{{- $units := dict "" 1 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $unit := regexReplaceAll "^[0-9.]+" $quantity "" -}}
{{- if and (regexMatch "^[0-9.]+" $quantity) (hasKey $units $unit) -}}
{{- mulf (regexFind "^[0-9.]+" $quantity) (index $units $unit) | int64 -}}
{{- end -}}
{{- end -}}

{{/* 90 % of the memory limit in bytes, for the Go runtime. Empty without a limit. */}}
{{- define "inlet.goMemoryLimit" -}}
{{- with (.limits | default dict).memory -}}
{{- with include "inlet.bytes" . -}}
{{- mulf . 0.9 | int64 -}}
{{- end -}}
{{- end -}}
{{- end -}}
