/** A function that verifies a webhook, for the reference. A test runs it on the example. */
import type { CodeSample } from './document.ts';

export const VERIFY_SAMPLE: CodeSample = {
  lang: 'JavaScript',
  label: 'Verify',
  source: `import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

// body: the raw bytes of the request; header: its Svc-Signature; secret: the address's webhook_secret
export function isFromInlet(body, header, secret, now = Date.now() / 1000) {
  const [version, ...elements] = header.split(',');
  const t = elements.find((element) => element.startsWith('t='))?.slice(2) ?? '';
  if (version !== 'v1' || !(Math.abs(now - Number(t)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac('sha256', secret).update(t + '.').update(body).digest();
  return elements
    .filter((element) => /^s=[0-9a-f]{64}$/.test(element))
    .some((element) => timingSafeEqual(Buffer.from(element.slice(2), 'hex'), expected));
}
`,
};
