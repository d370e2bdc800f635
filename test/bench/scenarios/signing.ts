/** What signing a webhook costs, by its size: both HMACs next to one Ed25519, in this process. */
import { newPrivateKey } from '../../../services/core/webhook/key-pair.ts';
import {
  newSecret,
  signatureHeaders,
  signingKeys,
} from '../../../services/core/webhook/signature.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const SIZES: readonly [name: string, bytes: number][] = [
  ['2k', 2048],
  ['512k', 512 * 1024],
  ['1m', 1024 * 1024],
  ['25m', 25 * 1024 * 1024],
];
const ROUND_BYTES = 200_000_000;
const SIGNATURES_A_ROUND_MAX = 5_000;

export const signing: Scenario = {
  name: 'signing',
  purpose: 'processor time to sign one webhook with a secret and with a private key',
  run: async (_, { repeat }, report) => {
    const random = Buffer.alloc(32, 7);
    const [hmac, ed25519] = [newSecret(random), newPrivateKey(random)].map(signingKeys);
    const figures: Record<string, { hmacUs: number; ed25519Us: number }> = {};
    for (const [name, bytes] of SIZES) {
      report(`signing: ${name}`);
      const body = Buffer.alloc(bytes, 'inlet');
      const rounds = Array.from({ length: repeat + 1 }, () => ({
        hmacUs: hmac ? cpuUs(body, hmac) : NaN,
        ed25519Us: ed25519 ? cpuUs(body, ed25519) : NaN,
      })).slice(1); // the first one warms up
      figures[name] = {
        hmacUs: median(rounds.map(({ hmacUs }) => hmacUs)),
        ed25519Us: median(rounds.map(({ ed25519Us }) => ed25519Us)),
      };
    }
    const rows = Object.entries(figures).map(([name, { hmacUs, ed25519Us }]) => [
      name,
      figure(hmacUs),
      figure(ed25519Us),
    ]);
    return { text: table(['payload', 'HMAC µs', 'Ed25519 µs'], rows), figures };
  },
};

/** Of one webhook, over as many as a round has. */
function cpuUs(body: Buffer, keys: ReturnType<typeof signingKeys>): number {
  const count = Math.min(SIGNATURES_A_ROUND_MAX, Math.ceil(ROUND_BYTES / body.byteLength));
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++)
    signatureHeaders({ eventId: `evt_${i}`, body, keys: [keys], now: new Date() });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
