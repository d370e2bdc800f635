/** What describes this process in its spans and logs. */
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';

/** The SDK reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, which take precedence. */
export const processResource = (attributes: Record<string, string>): Resource =>
  resourceFromAttributes(attributes).merge(detectResources({ detectors: [envDetector] }));
