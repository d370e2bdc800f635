/**
 * Finds what is signed and encrypted in an email. The content of an opaque S/MIME signature
 * (RFC 8551 §3.5.2) is read like any part: it follows the file that holds it.
 */
import { extname } from 'node:path';

import { type MailSignature, type Protection } from '../../core/mail/protection.ts';
import { type Field, headerFields } from './head.ts';
import { LIMITS, type Outline, outlineOf, parameterOf, type Part } from './outline.ts';
import { readHead } from './read-head.ts';
import { bodyOf } from './walk.ts';
import { type Cms, readCms } from '../smime/cms.ts';
import { canonical, type Verified, verifySigned } from '../smime/verify.ts';

/** `payload` is the part that a valid signature covers, if that is all of the email. */
export type Protected = { outline: Outline; protection: Protection; payload: Part | undefined };

const ENVELOPE = /^application\/(x-)?pkcs7-mime$/;
const DETACHED = /^application\/(x-)?pkcs7-signature$/;
/** Signatures in signatures, and files that are opened in an email. */
const MAX_LAYERS = 3;
const MAX_OPENED = 8;
/** The most bytes of a detached signature, which does not contain what it signs. */
const SIGNATURE_MAX_BYTES = 1024 * 1024;

export function openProtected(outline: Outline): Protected {
  if (!outline.parts.some(mayBeProtected)) return { outline, protection: {}, payload: undefined };
  const parts: Part[] = [];
  const state: State = {
    opened: 0,
    outline: { ...outline },
    encrypted: undefined,
    found: undefined,
  };
  const isWhole = !(outline.isCut || outline.hasTextOutside || outline.hasPartsBehind);
  const waiting = outline.parts.toReversed(); // the next part is the last
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    parts.push(part);
    if (part.contentType === 'application/pgp-encrypted') state.encrypted ??= 'pgp';
    if (!mayBeProtected(part)) continue;
    const inner = isEnvelope(part)
      ? openEnvelope(part, parts.length + waiting.length, state, isWhole)
      : [];
    waiting.push(...inner.toReversed());
    if (part.contentType === 'multipart/signed') state.found ??= detached(part, isWhole);
  }
  const [whole, ...others] = parts;
  if (whole === undefined) return { outline, protection: {}, payload: undefined };
  const { found, encrypted } = state;
  return {
    outline: { ...state.outline, parts: [whole, ...others] },
    protection: {
      ...(found && { signature: found.signature }),
      ...(encrypted && { encrypted }),
    },
    payload: found?.signature.is_valid === true ? found.payload : undefined,
  };
}

type Found = { signature: MailSignature; payload: Part | undefined };
type State = {
  opened: number;
  /** With what is known of files that were opened. */
  outline: Outline;
  encrypted: Protection['encrypted'];
  /** The outermost signature. */
  found: Found | undefined;
};

const mayBeProtected = (part: Part): boolean =>
  part.contentType === 'multipart/signed' ||
  part.contentType === 'application/pgp-encrypted' ||
  isEnvelope(part);

/** Some servers change the type, and leave the name. */
const isEnvelope = ({ contentType, head }: Part): boolean =>
  (contentType === '' || contentType.startsWith('application/')) &&
  (ENVELOPE.test(contentType) || /\.p7m\b/i.test(head));

/** The parts of the content, if the file is a signed email and not another signed file. */
function openEnvelope(part: Part, known: number, state: State, isWhole: boolean): Part[] {
  const isPast = state.opened >= MAX_OPENED || layersOf(part) >= MAX_LAYERS;
  if (isPast || known >= LIMITS.parts) return [];
  state.opened++;
  const isRoot = part.parent === undefined;
  part.decoded = bodyOf(part);
  const cms = readCms(part.decoded.content);
  if (cms?.kind === 'encrypted' || (cms === undefined && isRoot && saysEncrypted(part))) {
    if (isRoot || isContent(part)) state.encrypted ??= 'smime';
    return [];
  }
  if (cms?.content === undefined || !hasHead(cms.content, isRoot)) return [];
  const inner = outlineOf(cms.content, { parent: part, parts: LIMITS.parts - known });
  for (const trait of ['isCut', 'hasTextOutside', 'hasPartsBehind'] as const)
    state.outline[trait] ||= inner[trait];
  state.found ??= {
    signature: signatureOf(
      verifySigned(cms.signed, isRoot && isWhole && isAllSigned(part) ? cms.content : undefined),
    ),
    payload: inner.parts[0],
  };
  return inner.parts;
}

const layersOf = (part: Part): number =>
  part.parent === undefined ? 0 : layersOf(part.parent) + (part.parent.decoded ? 1 : 0);

const saysEncrypted = (part: Part): boolean =>
  /^(auth-?)?enveloped-data$/i.test(parameterOf(part, 'smime-type') ?? '');

/** `contract.pdf.p7m` is a file that somebody encrypted; `smime.p7m` is the email. */
function isContent(part: Part): boolean {
  const name = parameterOf(part, 'name') ?? '';
  return ENVELOPE.test(part.contentType) && extname(name.replace(/\.p7m$/i, '')) === '';
}

/** A signed PDF or XML has no fields. An email without fields begins with the empty line. */
function hasHead(content: Buffer, isRoot: boolean): boolean {
  const beginning = content.toString('latin1', 0, BEGINNING_BYTES);
  if (/^\r?\n/.test(beginning)) return isRoot;
  const [head = ''] = beginning.split(/\r?\n\r?\n/, 1);
  return /^[\w-]{1,70}[ \t]*:/.test(head) && /^content-[\w-]{1,60}[ \t]*:/im.test(head);
}

const BEGINNING_BYTES = 16 * 1024;

/** @returns undefined for a signature of another kind */
function detached(part: Part, isWhole: boolean): Found | undefined {
  const [content, signature, another] = part.children;
  const isPgp =
    signature?.contentType === 'application/pgp-signature' ||
    parameterOf(part, 'protocol')?.toLowerCase() === 'application/pgp-signature';
  if (isPgp)
    return { signature: { kind: 'pgp', subject: null, is_valid: null }, payload: undefined };
  if (content === undefined || signature === undefined || !DETACHED.test(signature.contentType))
    return undefined;
  const { start, end } = signature.body;
  if (end - start <= SIGNATURE_MAX_BYTES) signature.decoded = bodyOf(signature);
  const cms: Cms | undefined = signature.decoded && readCms(signature.decoded.content);
  if (cms?.kind !== 'signed') return { signature: UNREADABLE, payload: undefined };
  const isAll =
    isWhole &&
    part.parent === undefined &&
    another === undefined &&
    isAllSigned(part) &&
    isAllSigned(signature);
  return {
    signature: signatureOf(
      verifySigned(
        cms.signed,
        isAll ? canonical(part.raw.subarray(content.start, content.body.end)) : undefined,
      ),
    ),
    payload: content,
  };
}

const UNREADABLE: MailSignature = { kind: 'smime', subject: null, is_valid: null };

/** Nothing of the part is shown as text that is not signed. */
const isAllSigned = (part: Part): boolean =>
  part.strays.length === 0 && !part.isHeadMalformed && part.decoded?.extra === undefined;

const signatureOf = ({ subject, isValid }: Verified): MailSignature => ({
  kind: 'smime',
  subject,
  is_valid: isValid,
});

/**
 * The head of the signed content, if its sender protects headers (RFC 9788 §2.1, and
 * `protected-headers` of programs before it); undefined if not.
 */
export function protectedHead(payload: Part): { head: string; fields: Field[] } | undefined {
  const isProtected =
    ['clear', 'cipher'].includes(parameterOf(payload, 'hp')?.toLowerCase() ?? '') ||
    parameterOf(payload, 'protected-headers') !== undefined;
  if (!isProtected) return undefined;
  const { text } = readHead(payload.raw, payload.start, LIMITS.head, () => false);
  return { head: text, fields: headerFields(text) };
}
