/**
 * A DNS server on a loopback port, over UDP and TCP. A test sets its records at run time; every
 * other name does not exist.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { createTCPServer, createUDPServer, Packet, type Resource } from 'dns2';

import type { DnsRecords, RecordType } from '../../services/adapters/dns/resolver.ts';

/** The records of a name. A long TXT is split into character-strings of 255 bytes. */
export type Zone = Partial<Omit<DnsRecords, 'TXT' | 'CNAME'>> & {
  TXT?: readonly string[];
  CNAME?: string;
  ttlSeconds?: number;
};

/** Instead of records: a server error, or no response. */
export type Misbehaviour = 'SERVFAIL' | 'REFUSED' | 'NXDOMAIN' | 'silent';

export type TestDns = AsyncDisposable & {
  /** For the setting DNS_SERVERS. */
  address: string;
  /** Replaces all records of the name. Responses are delayed by `delayMs`. */
  set(name: string, zone: Zone | Misbehaviour, options?: { delayMs?: number }): void;
  remove(name: string): void;
  /** Stops or resumes responses to all questions. */
  setSilent(isSilent: boolean): void;
  /** All questions so far, over UDP and TCP, in order, as `TXT name`. */
  requested: string[];
};

type Entry = { zone: Zone | Misbehaviour; delayMs: number };
type Question = { name: string; type: number };

const CHARACTER_STRING_BYTES = 255; // RFC 1035 §3.3

export async function startTestDns(): Promise<TestDns> {
  const entries = new Map<string, Entry>();
  const requested: string[] = [];
  let isSilent = false;

  const answer = async (request: Packet, send: (response: Packet) => unknown): Promise<void> => {
    const [question] = request.questions;
    if (question === undefined) return;
    requested.push(`${Packet.typeName(question.type)} ${canonical(question.name)}`);
    const entry = entries.get(canonical(question.name));
    if (entry && entry.delayMs > 0) await delay(entry.delayMs, undefined, { ref: false });
    if (isSilent || entry?.zone === 'silent') return;
    const response = Packet.createResponseFromRequest(request);
    response.header.ra = 1;
    const { answers, rcode } = lookUp(question);
    response.answers = answers;
    response.header.rcode = rcode;
    send(response);
  };

  const lookUp = ({ name, type }: Question): { answers: Resource[]; rcode: number } => {
    const key = canonical(name);
    const zone = entries.get(key)?.zone;
    const { NOERROR, NXDOMAIN } = Packet.RCODE;
    if (zone === undefined)
      return {
        answers: [],
        rcode: [...entries.keys()].some((other) => other.endsWith(`.${key}`)) ? NOERROR : NXDOMAIN,
      }; // RFC 8020
    if (typeof zone === 'string')
      return { answers: [], rcode: zone === 'silent' ? NOERROR : Packet.RCODE[zone] };
    const resource = (type_: number, fields: object) =>
      Object.assign(
        new Packet.Resource(name, type_, Packet.CLASS.IN, zone.ttlSeconds ?? 60),
        fields,
      );
    if (zone.CNAME !== undefined) {
      const alias = resource(Packet.TYPE.CNAME, { domain: zone.CNAME });
      if (type === Packet.TYPE.CNAME) return { answers: [alias], rcode: NOERROR };
      const target = lookUp({ name: zone.CNAME, type });
      return { answers: [alias, ...target.answers], rcode: target.rcode };
    }
    const fieldsOf = FIELDS[type === TLSA ? 'TLSA' : (Packet.typeName(type) as RecordType)];
    return {
      answers: (fieldsOf?.(zone) ?? []).map((fields) => resource(type, fields)),
      rcode: NOERROR,
    };
  };

  const { udp, tcp } = await listen((request, send) => void answer(request, send));
  return {
    address: `127.0.0.1:${udp.address().port}`,
    requested,
    set: (name, zone, { delayMs = 0 } = {}) => void entries.set(canonical(name), { zone, delayMs }),
    remove: (name) => void entries.delete(canonical(name)),
    setSilent: (silent) => {
      isSilent = silent;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')]);
      udp.close();
      tcp.close();
      await closed;
    },
  };
}

const FIELDS: { [T in RecordType]?: (zone: Zone) => object[] } = {
  A: ({ A = [] }) => A.map((address) => ({ address })),
  AAAA: ({ AAAA = [] }) => AAAA.map((address) => ({ address })),
  MX: ({ MX = [] }) => MX,
  PTR: ({ PTR = [] }) => PTR.map((domain) => ({ domain })),
  TLSA: ({ TLSA: records = [] }) =>
    records.map(({ usage, selector, matching, data }) => ({
      data: Buffer.from([usage, selector, matching, ...data]),
    })),
  TXT: ({ TXT = [] }) => TXT.map((text) => ({ data: characterStrings(text) })),
};

const TLSA = 52; // RFC 6698 §7.1; dns2 has no name for it

const canonical = (name: string) => name.toLowerCase().replace(/\.$/, '');

function characterStrings(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from(
    { length: Math.max(1, Math.ceil(bytes.length / CHARACTER_STRING_BYTES)) },
    (_, i) => bytes.subarray(i * CHARACTER_STRING_BYTES, (i + 1) * CHARACTER_STRING_BYTES),
  );
}

/** UDP and TCP on the same port. */
async function listen(onRequest: (request: Packet, send: (response: Packet) => unknown) => void) {
  for (let tries = 0; ; tries++) {
    const udp = createUDPServer();
    const tcp = createTCPServer();
    for (const server of [udp, tcp])
      server.on('request', onRequest).on('requestError', () => undefined);
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    udp.bind((tcp.address() as AddressInfo).port, '127.0.0.1');
    try {
      await once(udp, 'listening');
      return { udp, tcp };
    } catch (error) {
      tcp.close();
      if (tries === 20) throw error;
    }
  }
}
