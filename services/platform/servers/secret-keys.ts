/**
 * Whether SECRET_KEYS of this process can decrypt what is stored (D290). A process that cannot read most
 * of it has other keys than the installation. One that lacks a key of a few secrets works: the emails
 * that need them wait.
 */
import type { SecretBox } from '../../adapters/mongo/database/secrets.ts';
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Meter } from '../../adapters/process/meter.ts';

export type SecretKeys = AsyncDisposable & {
  /** False when most of the newest secrets are encrypted with keys that are not in SECRET_KEYS. */
  areUsable: () => boolean;
};

const EVERY_MS = 30_000;
/** Longer than an email waits for its key at a time. */
const MISSING_FOR_MS = 900_000;

/** @param newest a sample of what is stored */
export async function startSecretKeys(
  secrets: Pick<SecretBox, 'hasKeyOf' | 'missing'>,
  newest: () => Promise<readonly string[]>,
  meter: Meter,
  log: Log,
  everyMs = EVERY_MS,
): Promise<SecretKeys> {
  const interruptions = createInterruptionLog(log);
  let areUsable = true;
  let reported = '';

  const missing = (): string[] => {
    const after = performance.now() - MISSING_FOR_MS;
    return [...secrets.missing].filter(([, at]) => at > after).map(([id]) => id);
  };

  const check = async (): Promise<void> => {
    const sealed = await newest();
    const unreadable = sealed.filter((one) => !secrets.hasKeyOf(one)).length;
    areUsable = unreadable <= sealed.length / 2;
    const ids = missing().toSorted();
    const report = `${areUsable} ${ids.join()}`;
    if (report === reported || (reported === '' && ids.length === 0)) return;
    reported = report;
    const facts = { setting: 'SECRET_KEYS', missing_keys: ids, unreadable, of: sealed.length };
    if (ids.length === 0) log.info('secret_keys.complete');
    else log.error('secret_keys.incomplete', { ...facts, is_usable: areUsable });
  };

  let checking: Promise<void> | undefined;
  const checkOnce = (): Promise<void> =>
    (checking ??= check()
      .catch((error: unknown) => interruptions.report('warn', 'secret_keys.not_checked', { error }))
      .then(() => (checking = undefined)));
  await checkOnce();
  const timer = setInterval(() => void checkOnce(), everyMs);
  registerSecretKeysGauge(meter, () => missing().length);

  return {
    areUsable: () => areUsable,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await checking;
      interruptions[Symbol.dispose]();
    },
  };
}

export function registerSecretKeysGauge({ gauge }: Meter, missing: () => number): void {
  gauge(
    'inlet_missing_secret_keys',
    'keys that stored secrets were encrypted with, and that SECRET_KEYS of this process lacks',
    {},
    (set) => set({}, missing()),
  );
}
