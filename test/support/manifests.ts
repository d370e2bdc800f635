/** Custom resources as a user writes them. */
export type Manifest = Record<string, unknown>;

export const manifest = (kind: string, name: string, spec: object): Manifest => ({
  apiVersion: 'inlet.email/v1',
  kind,
  metadata: { name },
  spec,
});
export const account = (name = 'shop', spec: object = {}) =>
  manifest('Account', name, { email: `${name}@example.com`, name: 'Shop', ...spec });
export const address = (name: string, webhookUrl: string, spec: object = {}) =>
  manifest('InboundAddress', name, { accountRef: { name: 'shop' }, webhookUrl, ...spec });
export const receiver = (name: string, url: string, spec: object = {}) =>
  manifest('InboundReceiver', name, { addressRef: { name: 'orders' }, url, ...spec });
export const token = (name: string, spec: object = {}) =>
  manifest('ApiToken', name, { accountRef: { name: 'shop' }, ...spec });
export const senderList = (name: string, entries: readonly string[], spec: object = {}) =>
  manifest('SenderList', name, { accountRef: { name: 'shop' }, name, entries, ...spec });
export const bucket = (name: string, spec: object = {}) =>
  manifest('AccountBucket', name, {
    accountRef: { name: 'shop' },
    name,
    endpoint: 'https://s3.example.com',
    bucket: 'example-mail',
    secretRef: { name: 'bucket-keys' },
    ...spec,
  });
/** What the Secret of a bucket has. */
export const bucketKeys = (data: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'bucket-keys', labels: { 'inlet.email/bucket-credentials': 'true' } },
  data: { access_key_id: 'aWQ=', secret_access_key: 'c2VjcmV0LTE=', ...data },
});
export const notification = (name: string, url: string, spec: object = {}) =>
  manifest('AccountNotification', name, { accountRef: { name: 'shop' }, url, ...spec });
