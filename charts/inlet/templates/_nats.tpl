{{/* Configuration of nats-server. Names and passwords are read from the environment. */}}
{{- define "inlet.natsConfig" -}}
{{- $name := printf "%s-nats" (include "inlet.fullname" .) -}}
server_name: $SERVER_NAME
port: 4222
http_port: 8222
max_payload: 8MB
jetstream {
  store_dir: /data
  sync_interval: {{ .Values.nats.syncInterval }}
}
accounts {
  INLET {
    jetstream: enabled
    users: [{user: $NATS_USER, password: $NATS_PASSWORD}]
  }
  SYSTEM {
    users: [{user: system, password: $NATS_SYSTEM_PASSWORD}]
  }
}
system_account: SYSTEM
{{- if gt (int .Values.nats.replicas) 1 }}
cluster {
  name: {{ $name }}
  port: 6222
  authorization {user: route, password: $NATS_ROUTE_PASSWORD}
}
{{- end }}
{{- end -}}

{{/*
Addresses of the cluster members. On the command line, because there an address can contain a password from the
environment.
*/}}
{{- define "inlet.natsRoutes" -}}
{{- $name := printf "%s-nats" (include "inlet.fullname" .) -}}
{{- $routes := list -}}
{{- range until (int .Values.nats.replicas) -}}
{{- $routes = append $routes (printf "nats://route:$(NATS_ROUTE_PASSWORD)@%s-%d.%s-members:6222" $name . $name) -}}
{{- end -}}
{{- join "," $routes -}}
{{- end -}}
