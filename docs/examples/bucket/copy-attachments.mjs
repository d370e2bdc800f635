// Copies the attachments of a payload to a bucket. urlFor(key, contentType) gives a presigned URL for
// a PUT of that object. Repeat it when it throws: the same email writes the same objects.
const LIMIT_MS = 60_000;

/** @returns {Promise<{ key: string, filename: string, content_type: string, size_bytes: number }[]>} */
export async function copyAttachments(email, urlFor) {
  const copied = [];
  for (const [i, file] of email.attachments.entries()) {
    const key = `${email.event_id}/${i}`; // never the file name, which the sender chose
    const body =
      file.content === null ? await read(file.content_url) : Buffer.from(file.content, 'base64');
    const response = await fetch(await urlFor(key, file.content_type), {
      method: 'PUT',
      headers: { 'content-type': file.content_type },
      body,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (!response.ok) throw new Error(`${key}: the bucket responded with ${response.status}`);
    const { filename, content_type, size_bytes } = file;
    copied.push({ key, filename, content_type, size_bytes });
  }
  return copied;
}

async function read(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (!response.ok) throw new Error(`an attachment: Inlet responded with ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
