/**
 * What a feature costs, from a CPU profile: each sample counts for the innermost frame that belongs
 * to one of these. The rest is Node's own work between them, such as promises and timers.
 */

/** By file or package; the first that matches. */
const FEATURES: readonly [string, RegExp][] = [
  ['metrics', /prom-client|\/metrics\.ts|account-labels/],
  ['logs', /pino|sonic-boom|process\/log\.ts/],
  [
    'authentication',
    /mailauth|adapters\/dns|signed-head|mail\/authentication|receive\/check-sender/,
  ],
  ['MIME', /adapters\/mime|mailparser|libmime|nodemailer|mail\/raw-mail|iconv-lite|mail\/reply/],
  ['recipients and limits', /gateway\/policy|platform\/|core\/smtp\/(source|admission)|account\//],
  ['payload and event', /mail\/(payload|spam|mail-kind)|mail-event|receive\/receive|core\/ids/],
  ['record and counters', /mongodb|\/bson\/|adapters\/mongo|outcome-recorder|batching/],
  ['pacing and fairness', /dispatcher\/gates|delivery\/(pacing|fair-share|retry)/],
  ['signatures', /delivery\/signature/],
  ['POST', /undici|http\/webhook|signed-post/],
  ['stream (NATS)', /@nats-io|adapters\/stream|dispatcher\/consume/],
  ['SMTP', /smtp-server|gateway\/smtp|core\/smtp|mail\/received-headers/],
];
const COLLECTING = '(garbage collector)';

/** @param stack URLs and names of functions, the innermost first */
export function featureOf(stack: readonly { functionName: string; url: string }[]): string {
  if (stack[0]?.functionName === COLLECTING) return 'garbage collection';
  for (const { url } of stack) {
    const feature = url.startsWith('file:') && FEATURES.find(([, pattern]) => pattern.test(url));
    if (feature) return feature[0];
  }
  return 'Node itself';
}
