/** Declarations missing from mailauth 7.1's own types. See library.ts. */
declare module 'mailauth/lib/dmarc/index.js' {
  export function evaluateDmarc(options: {
    headerFrom: string[];
    fromFields: number;
    spfDomains: string[];
    dkimDomains: { domain: string; underSized: number | undefined }[];
    arcResult: import('mailauth').ARCResult;
    resolver: import('mailauth').DNSResolver;
  }): Promise<{
    response: import('mailauth').DMARCResult | false;
    /** Why there is no response. */
    reason?: string;
    /** Signers that are aligned, as formatDomain writes them. */
    dkimAligned?: Set<string>;
  }>;
}

declare module 'mailauth/lib/dmarc/author-domain.js' {
  export function getAuthorDomain(
    headerFrom: string[],
    fromFields: number,
  ): { authorDomain?: string; reason?: string };
}

declare module 'mailauth/lib/arc/index.js' {
  export const arc: typeof import('mailauth').arc;
}

declare module 'mailauth/lib/spf/index.js' {
  export const spf: typeof import('mailauth').spf;
}

declare module 'mailauth/lib/tools.js' {
  export function writeToStream(
    stream: NodeJS.WritableStream,
    input: NodeJS.ReadableStream,
  ): Promise<void>;
  export function formatDomain(domain: string): string;
  /** Rejects with `code`, and `rr` when there is a record, when the key cannot be used. */
  export function getPublicKey(
    type: string,
    name: string,
    minBits: number,
    resolver: import('mailauth').DNSResolver,
    options: { hashAlgo: string },
  ): Promise<object>;
  export const KEY_ERROR_COMMENTS: ReadonlyMap<string, string>;
  export function parseHeaders(head: Buffer): { parsed: { key?: string; line: Buffer }[] };
}

declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  /** A signature of DKIM, or the newest ARC-Message-Signature, before it is verified. */
  type Signature = {
    type: string;
    original: Buffer;
    parsed: Record<string, { value?: unknown } | undefined>;
    /** Why it is left out of the results. */
    skip?: string;
    /** Why it is neutral, without a lookup of its key. */
    invalid?: string;
    canonicalization?: string;
  };
  export type Verifier = NodeJS.WritableStream & {
    /** Mailboxes of all From fields, after `messageHeaders`. */
    headerFrom: string[];
    fromFields: number;
    messageHeaders(headers: { parsed: { key?: string; line: Buffer }[] }): Promise<void>;
    /** Called for each signature before its key is looked up. */
    prepareSignature(signature: Signature): void;
    /** In the order of the email. */
    signatureHeaders: Signature[];
    /** One for each signature of DKIM that is not left out, in their order. */
    results: import('mailauth').DKIMResult[];
    arc: import('mailauth').ARCData;
  };
  export const DkimVerifier: new (options: object) => Verifier;
}
