/**
 * OpenTelemetry's exporter of logs (OTLP over HTTP, protobuf), without the SDK in front of it: its
 * queue would lose what a collector does not take. Loaded only when the export is on.
 */
import { SeverityNumber } from '@opentelemetry/api';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';

import { VERSION } from '../../core/version.ts';
import { processResource } from './resource.ts';
import type { LogExporter, LogRecord } from './log-record.ts';
import type { SdkOptions } from './sdk.ts';

type ReadableRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];
type HrTime = ReadableRecord['hrTime'];

const HEADERS = { 'Content-Type': 'application/x-protobuf' };

export function openLogExporter({
  url,
  headers,
  resource,
}: Pick<SdkOptions, 'url' | 'headers' | 'resource'>): LogExporter {
  const delegate = createOtlpHttpExportDelegate(
    convertLegacyHttpOptions({ url, headers }, 'LOGS', 'v1/logs', HEADERS),
    ProtobufLogsSerializer,
    'otlp_http_log_exporter',
    LogsExporterMetricsHelper,
    undefined,
  );
  // one object for all records: they are grouped by its identity
  const common = {
    resource: processResource(resource),
    instrumentationScope: { name: 'inlet', version: VERSION },
    severityNumber: SeverityNumber.INFO,
    severityText: 'INFO',
    droppedAttributesCount: 0,
  };
  const readable = ({ name, at, body, attributes }: LogRecord): ReadableRecord => ({
    ...common,
    hrTime: hrTime(at),
    hrTimeObserved: hrTime(at),
    eventName: name,
    body,
    attributes: { ...attributes },
  });
  return {
    export: (records) =>
      new Promise((resolve, reject) =>
        delegate.export(records.map(readable), ({ error }) =>
          error === undefined ? resolve() : reject(error),
        ),
      ),
    [Symbol.asyncDispose]: () => delegate.shutdown(),
  };
}

const hrTime = (at: Date): HrTime => {
  const ms = at.getTime();
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1e6];
};
