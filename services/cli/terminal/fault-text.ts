/** The text of an error: its message, then the messages of its causes. */
import {
  isCertificateCode,
  isTlsCode,
  tlsFaultText,
  type TlsPlace,
} from '../../adapters/http/tls-fault.ts';

const SERVER: TlsPlace = {
  program: 'inlet',
  server: 'server',
  setting: '--ca-file or INLET_CA_FILE',
  advice: 'check the URL',
};

export const causesOf = (error: unknown): string =>
  [...new Set(chainOf(error).map(textOf))].filter((text) => text !== '').join(': ') ||
  String(error);

/** Whether the certificate of the server was refused. */
export const isCertificateFault = (error: unknown): boolean =>
  chainOf(error).some((one) => isCertificateCode(codeOf(one)));

/** Whether the error, or one of its causes, has this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  chainOf(error).some((one) => codeOf(one) === code);

function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let next: unknown = error; next instanceof Error; next = next.cause) {
    // fetch and connect wrap the errors of several addresses
    const inner = next instanceof AggregateError ? (next.errors[0] as unknown) : undefined;
    chain.push(inner instanceof Error ? inner : next);
  }
  return chain;
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

function textOf(error: Error): string {
  const code = codeOf(error);
  return isTlsCode(code) ? tlsFaultText(code, error.message, SERVER) : error.message;
}
