/** Webhooks as Inlet signs them, and what resembles them: both clients must judge them alike. */
import { questionId } from '../../services/core/id/ids.ts';
import { newPrivateKey, publicKeyOf } from '../../services/core/webhook/key-pair.ts';
import {
  newSecret,
  questionKeys,
  signatureHeaders,
  signingKeys,
} from '../../services/core/webhook/signature.ts';

export type SignedCase = {
  title: string;
  headers: Record<string, string>;
  secrets: string | string[];
};

const secretOf = (n: number): string => newSecret(Buffer.alloc(32, n));
export const SECRET = secretOf(1);
const OTHER = secretOf(2);
const [PRIVATE, OTHER_PRIVATE] = [
  newPrivateKey(Buffer.alloc(32, 3)),
  newPrivateKey(Buffer.alloc(32, 4)),
];
const PUBLIC = publicKeyOf(PRIVATE);
export const BODY = '{"event_id":"evt_1","headers":{"subject":"ünï"}}';

export const signed = (secrets: readonly string[], now = new Date(), body = BODY) =>
  ({
    ...signatureHeaders({
      eventId: 'evt_1',
      body: Buffer.from(body),
      keys: secrets.map(signingKeys),
      now,
    }),
  }) as Record<string, string>;

const changed = (name: string, value: string): Record<string, string> => ({
  ...signed([SECRET]),
  [name]: value,
});
const without = (...names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(signed([SECRET])).filter(([other]) => !names.includes(other)));
const SVC = 'svc-signature';
/** Of these headers only Svc-Signature. */
const svc = ({ [SVC]: value = '' }: Record<string, string>): Record<string, string> => ({
  'Svc-Signature': value,
});
const svcOf = (change: (value: string) => string): Record<string, string> => ({
  [SVC]: change(signed([SECRET])[SVC] ?? ''),
});
const fromNow = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
const unixTime = (seconds: number): string => String(Math.floor(fromNow(seconds).getTime() / 1000));

export const validWebhooks = (): SignedCase[] => [
  { title: 'a secret', headers: signed([SECRET]), secrets: SECRET },
  { title: 'two while one is rotated', headers: signed([OTHER, SECRET]), secrets: SECRET },
  { title: 'one of two secrets', headers: signed([SECRET]), secrets: [OTHER, SECRET] },
  { title: 'a public key', headers: signed([PRIVATE]), secrets: PUBLIC },
  {
    title: 'upper case',
    headers: { ...without('webhook-id'), 'Webhook-Id': 'evt_1' },
    secrets: SECRET,
  },
  { title: 'Svc-Signature alone', headers: svc(signed([SECRET])), secrets: SECRET },
  { title: 'Svc-Signature of two', headers: svc(signed([OTHER, SECRET])), secrets: SECRET },
  { title: 'Svc-Signature, two secrets', headers: svc(signed([SECRET])), secrets: [OTHER, SECRET] },
];

/** What deciding hooks are asked, with a key made of the secret. */
export const questions = (): (SignedCase & { body: string })[] => {
  const eventId = questionId('evt_1');
  const body = BODY.replace('evt_1', eventId);
  const signedBy = (secret: string): Record<string, string> => ({
    ...signatureHeaders({
      eventId,
      body: Buffer.from(body),
      keys: [questionKeys(secret)],
      now: new Date(),
    }),
  });
  return [
    { title: 'a question', headers: signedBy(SECRET), secrets: [OTHER, SECRET], body },
    { title: 'a question, Svc-Signature', headers: svc(signedBy(SECRET)), secrets: SECRET, body },
    { title: 'a question, public key', headers: signedBy(PRIVATE), secrets: PUBLIC, body },
  ];
};

/** With the kind of the error. */
export const refusedWebhooks = (): (SignedCase & { kind: string })[] =>
  (
    [
      ['another secret', signed([OTHER]), 'signature'],
      ['another key', signed([OTHER_PRIVATE]), 'signature'],
      ['another body', signed([SECRET], new Date(), `${BODY} `), 'signature'],
      ['an old timestamp', signed([SECRET], fromNow(-400)), 'timestamp'],
      ['a future timestamp', signed([SECRET], fromNow(1_000)), 'timestamp'],
      ['a timestamp of words', changed('webhook-timestamp', 'now'), 'timestamp'],
      ['an exponent', changed('webhook-timestamp', '1e9'), 'timestamp'],
      ['another timestamp', changed('webhook-timestamp', unixTime(-5)), 'signature'],
      ['another id', changed('webhook-id', 'evt_2'), 'signature'],
      ['no id', without('webhook-id'), 'header'],
      ['no timestamp', without('webhook-timestamp'), 'header'],
      ['no signature', without('webhook-signature', SVC), 'header'],
      ['Svc: another secret', svc(signed([OTHER])), 'signature'],
      ['Svc: another body', svc(signed([SECRET], new Date(), `${BODY} `)), 'signature'],
      ['Svc: an old timestamp', svc(signed([SECRET], fromNow(-400))), 'timestamp'],
      ['Svc: a future timestamp', svc(signed([SECRET], fromNow(1_000))), 'timestamp'],
      [
        'Svc: another timestamp',
        svcOf((value) => value.replace(/t=\d+/, `t=${unixTime(-5)}`)),
        'signature',
      ],
      ['Svc: a timestamp of words', svcOf((value) => value.replace(/t=\d+/, 't=now')), 'timestamp'],
      ['Svc: no timestamp', svcOf((value) => value.replace(/t=\d+,/, '')), 'timestamp'],
      ['Svc: another version', svcOf((value) => value.replace('v1', 'v2')), 'header'],
      ['Svc: a signature that is cut', svcOf((value) => value.slice(0, -1)), 'signature'],
      ['Svc: no signature', svcOf((value) => value.replace(/s=\w+/, 's=')), 'signature'],
      [
        'Svc: not ASCII',
        svcOf((value) => value.replace(/s=\w+/, `s=${'é'.repeat(64)}`)),
        'signature',
      ],
      ['Svc beside a false one', changed('webhook-signature', 'v1,AAAA'), 'signature'],
      ['no comma', changed('webhook-signature', 'v1'), 'signature'],
      ['an empty one', changed('webhook-signature', 'v1, v1a,'), 'signature'],
      ['no Base64', changed('webhook-signature', 'v1,!é v1a,é'), 'signature'],
      ['many', changed('webhook-signature', 'v1a,AAAA '.repeat(9_999)), 'signature'],
    ] as const
  ).map(([title, headers, kind]) => ({ title, headers, kind, secrets: [SECRET, PUBLIC] }));
