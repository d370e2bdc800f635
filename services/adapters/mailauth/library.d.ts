/** What of mailauth 7.1 its own types leave out. */
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

declare module 'mailauth/lib/tools.js' {
  export function toALabel(domain: string): string;
  export function formatDomain(domain: string): string;
}

declare module 'mailauth/lib/parse-dkim-headers.js' {
  function parseDkimHeaders(line: Buffer): {
    parsed: Record<string, { value?: unknown } | undefined>;
  };
  export = parseDkimHeaders;
}
