/** The JSON Schema of the payload, as a document of its own: /v1/payload.schema.json. */
import { WebhookPayload } from '../../core/webhook/payload.ts';
import { createSchemas, type Schema } from './schemas.ts';

const NAME = 'WebhookPayload';

/** @see https://json-schema.org/draft/2020-12 */
export function payloadSchema(): Schema {
  const schemas = createSchemas();
  schemas.reference(WebhookPayload, 'output', NAME);
  const { [NAME]: payload, ...others } = schemas.components;
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Webhook payload of Inlet',
    ...payload,
    $defs: Object.fromEntries(
      Object.entries(others).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
  return JSON.parse(
    JSON.stringify(document).replaceAll('"#/components/schemas/', '"#/$defs/'),
  ) as Schema;
}
