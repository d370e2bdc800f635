/** What the fields of a bucket are, in the words of the API, its resource, the command line and the dashboard. */
export const BUCKET_TEXTS = {
  endpoint: 'HTTPS URL of the S3 API, without a path',
  bucket: 'name of the bucket at its provider',
  region: 'region that is signed, such as eu-central-1; auto for R2 and GCS',
  prefix: 'begins each key: up to five folders, each with a slash at its end; default: none',
  addressing: 'where a URL names the bucket: in its path, or before the host of the endpoint',
  access_key_id: 'of an identity that may write to the bucket, and no more',
  secret_access_key: 'stored encrypted, and never shown',
} as const;
