/**
 * What the entries of a backup are, and whether the file is one that Inlet wrote: its last entry has an
 * HMAC of all others, with a key derived from SECRET_KEYS (D173).
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

import { ACCOUNT_KEYS } from '../../adapters/mongo/account/account-keys.ts';
import { BACKED_UP } from '../../adapters/mongo/database/collections.ts';
import { createSecretBox, SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { isOwnStream, type SnapshotHead } from '../../adapters/stream/snapshots.ts';
import { BackupFault, type Entry } from './entry-file.ts';

/** The file begins with `HEAD` and ends with `END`. A `STREAM` is followed by its chunks. */
const HEAD = 'inlet-backup';
export const DOCUMENT = 'document/';
/** An entry with the key of an account. */
export const KEY_DOCUMENT = `${DOCUMENT}${ACCOUNT_KEYS}`;
export const STREAM = 'stream';
export const CHUNK = 'chunk';
const END = 'end';
/** A version refuses a file of a kind that it does not know. */
const FORMATS = {
  /** With or without the streams. */
  database: 1,
  /** Without the database. */
  streams: 2,
  /** As `database`, but the keys of accounts are next to it in the bucket (D287). */
  'database-without-keys': 3,
  /** These keys only. */
  'account-keys': 4,
} as const;
export type BackupKind = keyof typeof FORMATS;
const kinds = Object.keys(FORMATS) as BackupKind[];
const KEY_CHECK = 'inlet backup';
const KEY_BYTES = 32;

/** How much a backup has, by collection and by stream. */
export type Contents = { documents: Record<string, number>; messages: Record<string, number> };
type Head = { format: number; created_at: string; key_check: string };
type End = Contents & { hmac?: string };

export const backupKeys = (env: NodeJS.ProcessEnv): readonly Buffer[] =>
  readConfig(z.object(SecretsConfig), env).SECRET_KEYS;

const macOf = (key: Buffer) =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', KEY_CHECK, KEY_BYTES)));

function addTo(macs: readonly ReturnType<typeof macOf>[], { name, bytes }: Entry): void {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(name.length);
  lengths.writeUInt32BE(bytes.byteLength, 4);
  for (const mac of macs) mac.update(lengths).update(name, 'latin1').update(bytes);
}

/**
 * Puts the head before the entries and the end after them.
 * @param contents is filled by `entries`
 * @param kind what the entries are
 */
export async function* signedEntries(
  entries: AsyncIterable<Entry>,
  contents: Contents,
  keys: readonly Buffer[],
  kind: BackupKind,
): AsyncGenerator<Entry> {
  const mac = macOf(keys[0] ?? Buffer.alloc(0));
  const created_at = new Date().toISOString();
  const key_check = createSecretBox(keys).seal(KEY_CHECK, HEAD);
  const head = json(HEAD, { format: FORMATS[kind], created_at, key_check } satisfies Head);
  addTo([mac], head);
  yield head;
  for await (const entry of entries) {
    addTo([mac], entry);
    yield entry;
  }
  yield json(END, { ...contents, hmac: mac.digest('hex') } satisfies End);
}

/** What the first entry of the file says, and what was found in the file. */
export type Backup = {
  created_at: string;
  kind: BackupKind;
  contents: Contents;
  entries: AsyncGenerator<Entry>;
};

/**
 * Reads a backup. Its entries may be used for good only when all have been read: the last step proves
 * that Inlet wrote them.
 * @param isTrusted also a file without an HMAC, of 0.1.0
 * @throws BackupFault when it is not a complete backup of this installation
 */
export async function openBackup(
  file: AsyncGenerator<Entry>,
  keys: readonly Buffer[],
  isTrusted: boolean,
): Promise<Backup> {
  const macs = keys.map(macOf);
  const contents: Contents = { documents: {}, messages: {} };
  const first = (await file.next()).value as Entry | undefined;
  const { created_at, kind } = headOf(first, keys);
  if (first) addTo(macs, first);

  async function* entries(): AsyncGenerator<Entry> {
    let end: End | undefined;
    for await (const entry of file) {
      if (end !== undefined) throw new BackupFault('the backup has entries after its end');
      if (entry.name === END) {
        end = parsed(entry.bytes) as End;
        continue;
      }
      if (isForeign(entry, kind))
        throw new BackupFault(`the backup is not what its head says: it has ${entry.name}`);
      count(entry, contents);
      addTo(macs, entry);
      yield entry;
    }
    if (end === undefined) throw new BackupFault('the backup is cut off');
    requireAuthentic(end, contents, macs, isTrusted);
  }
  return { created_at, kind, contents, entries: entries() };
}

/** Whether a file of this kind cannot have the entry. */
function isForeign({ name }: Entry, kind: BackupKind): boolean {
  const isKey = name === KEY_DOCUMENT;
  if (kind === 'database') return false;
  if (kind === 'streams') return name.startsWith(DOCUMENT);
  return kind === 'account-keys' ? !isKey : isKey;
}

export function countDocument(documents: Contents['documents'], collection: string): void {
  documents[collection] = (documents[collection] ?? 0) + 1;
}

function count({ name, bytes }: Entry, { documents, messages }: Contents): void {
  if (name.startsWith(DOCUMENT)) {
    const collection = name.slice(DOCUMENT.length);
    if (!BACKED_UP.includes(collection))
      throw new BackupFault(`the backup has a collection that is not of Inlet: ${collection}`);
    countDocument(documents, collection);
  } else if (name === STREAM) {
    const { config, state } = parsed(bytes) as SnapshotHead;
    if (!isOwnStream(config))
      throw new BackupFault(`the backup has a stream that is not of Inlet: ${config.name}`);
    messages[config.name] = state.messages;
  } else if (name !== CHUNK) throw new BackupFault(`the backup has an unknown entry: ${name}`);
}

function requireAuthentic(
  { hmac, ...said }: End,
  contents: Contents,
  macs: readonly ReturnType<typeof macOf>[],
  isTrusted: boolean,
): void {
  if (hmac === undefined && !isTrusted)
    throw new BackupFault(
      'the backup is not signed: it is of version 0.1.0, or somebody changed it. If you know that ' +
        'nobody did, use --unsigned',
    );
  const given = Buffer.from(hmac ?? '', 'hex');
  const isSigned = macs.some((mac) => {
    const expected = mac.digest();
    return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
  });
  if (hmac !== undefined && !isSigned)
    throw new BackupFault('the backup was changed: its HMAC differs');
  for (const kind of ['documents', 'messages'] as const)
    for (const [name, number] of Object.entries(said[kind]))
      if ((contents[kind][name] ?? 0) !== number)
        throw new BackupFault(`the backup is not whole: ${name} has not ${number} ${kind}`);
}

function headOf(
  entry: Entry | undefined,
  keys: readonly Buffer[],
): { created_at: string; kind: BackupKind } {
  if (entry?.name !== HEAD) throw new BackupFault('the input is not an Inlet backup');
  const head = parsed(entry.bytes) as Head;
  const kind = kinds.find((one) => FORMATS[one] === head.format);
  if (kind === undefined)
    throw new BackupFault(`this version of Inlet cannot read format ${head.format} of a backup`);
  try {
    createSecretBox(keys).open(head.key_check, HEAD);
  } catch (cause) {
    throw new BackupFault(
      'SECRET_KEYS lacks the key of this backup, without which no webhook secret can be read. ' +
        'Restore the Secret with the keys first',
      { cause },
    );
  }
  return { created_at: head.created_at, kind };
}

export const json = (name: string, value: object): Entry => ({
  name,
  bytes: Buffer.from(JSON.stringify(value)),
});
export const parsed = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());
