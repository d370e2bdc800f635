/** The PROXY protocol header: both versions, split anywhere, and nothing else (checklist 27). */
import { describe, expect, test } from 'vitest';

import { readProxyHeader } from '../../../services/core/smtp/proxy-header.ts';
import { type Ends, proxyV1, proxyV2, proxyV2Local, v2 } from '../../support/proxy-protocol.ts';
import { fc } from '../../support/random.ts';

const text = (line: string) => Buffer.from(line, 'latin1');
const four: Ends = {
  source: '203.0.113.7',
  sourcePort: 54_321,
  destination: '192.0.2.25',
  destinationPort: 25,
};
const six: Ends = { ...four, source: '2001:db8::7', destination: '2001:db8::25' };
const proxied = ({ source, sourcePort, destination, destinationPort }: Ends, length: number) => ({
  kind: 'proxied',
  length,
  source: { address: source, port: sourcePort },
  destination: { address: destination, port: destinationPort },
});

describe('checklist 27: PROXY v1 and v2', () => {
  test.each<[string, Buffer, unknown]>([
    ['v1, IPv4', proxyV1(four), proxied(four, 44)],
    ['v1, IPv6', proxyV1(six), proxied(six, 46)],
    [
      'v1, an IPv4 address mapped into IPv6',
      proxyV1({ ...six, source: '::ffff:203.0.113.7' }),
      proxied({ ...six, source: '203.0.113.7' }, 53),
    ],
    ['v1, UNKNOWN', text('PROXY UNKNOWN\r\n'), { kind: 'local', length: 15 }],
    [
      'v1, UNKNOWN with addresses',
      text('PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n'),
      { kind: 'local', length: 35 },
    ],
    ['v2, IPv4', proxyV2(four), proxied(four, 28)],
    ['v2, IPv6', proxyV2(six), proxied(six, 52)],
    [
      'v2, an IPv4 address mapped into IPv6',
      proxyV2({ ...six, source: '::ffff:cb00:7107' }),
      proxied({ ...six, source: '203.0.113.7' }, 52),
    ],
    [
      'v2 with extensions, which are skipped',
      proxyV2(four, Buffer.alloc(100, 4)),
      proxied(four, 128),
    ],
    ['v2, LOCAL', proxyV2Local(), { kind: 'local', length: 16 }],
    [
      'v2, LOCAL with something behind it',
      proxyV2Local(Buffer.alloc(7)),
      { kind: 'local', length: 23 },
    ],
    [
      'v2, a family that the proxy does not know',
      v2(0x21, 0x00, Buffer.alloc(3)),
      { kind: 'local', length: 19 },
    ],
  ])('%s', (_, bytes, reading) => {
    expect(readProxyHeader(bytes)).toEqual(reading);
  });

  test.each<[string, Buffer]>([
    ['SMTP', text('EHLO mx.sender.example\r\n')],
    ['HTTP', text('GET / HTTP/1.1\r\n')],
    ['TLS', Buffer.from('1603010200', 'hex')],
    ['v1 in lower case', text('proxy TCP4 203.0.113.7 192.0.2.25 1 2\r\n')],
    ['v1 without addresses', text('PROXY TCP4\r\n')],
    ['v1 with a field too many', text('PROXY TCP4 203.0.113.7 192.0.2.25 1 2 3\r\n')],
    ['v1 with two spaces', text('PROXY TCP4  203.0.113.7 192.0.2.25 1 2\r\n')],
    ['v1 with an address of the other family', text('PROXY TCP4 2001:db8::7 192.0.2.25 1 2\r\n')],
    ['v1 with a name for an address', text('PROXY TCP4 localhost 192.0.2.25 1 2\r\n')],
    ['v1 with a line feed in an address', text('PROXY TCP4 203.0.113.7\n192.0.2.25 x 1 2\r\n')],
    ['v1 with a port too large', text('PROXY TCP4 203.0.113.7 192.0.2.25 65536 2\r\n')],
    ['v1 with a negative port', text('PROXY TCP4 203.0.113.7 192.0.2.25 -1 2\r\n')],
    ['v1 over UDP', text('PROXY UDP4 203.0.113.7 192.0.2.25 1 2\r\n')],
    ['v1 that never ends', Buffer.concat([text('PROXY UNKNOWN '), Buffer.alloc(93, 'x')])],
    ['v2 of another version', v2(0x31, 0x11, Buffer.alloc(12))],
    ['v2 with an unknown command', v2(0x22, 0x11, Buffer.alloc(12))],
    ['v2 over UDP', v2(0x21, 0x12, Buffer.alloc(12))],
    ['v2 with too short an address', v2(0x21, 0x11, Buffer.alloc(11))],
    ['v2 with too short an IPv6 address', v2(0x21, 0x21, Buffer.alloc(12))],
    ['v2 of a length that no proxy needs', v2(0x21, 0x11, Buffer.alloc(4097))],
  ])('%s is not a header', (_, bytes) => {
    expect(readProxyHeader(bytes)).toMatchObject({ kind: 'invalid' });
  });

  const port = fc.nat(65_535);
  const anyEnds = fc
    .tuple(fc.oneof(fc.tuple(fc.ipV4(), fc.ipV4()), fc.tuple(hexIpv6(), hexIpv6())), port, port)
    .map(([[source, destination], sourcePort, destinationPort]): Ends => ({
      source,
      sourcePort,
      destination,
      destinationPort,
    }));
  const anyHeader = fc.oneof(
    anyEnds.map(proxyV1),
    fc
      .tuple(anyEnds, fc.uint8Array({ maxLength: 300 }))
      .map(([ends, rest]) => proxyV2(ends, Buffer.from(rest))),
    fc.constant(proxyV2Local()),
  );

  test('a header is read, and the bytes after it are left', () => {
    fc.assert(
      fc.property(anyEnds, fc.uint8Array({ maxLength: 50 }), fc.boolean(), (ends, rest, isV1) => {
        const header = isV1 ? proxyV1(ends) : proxyV2(ends);
        expect(readProxyHeader(Buffer.concat([header, rest]))).toEqual(
          proxied(
            { ...ends, source: shown(ends.source), destination: shown(ends.destination) },
            header.byteLength,
          ),
        );
      }),
    );
  });

  test('split anywhere, it is incomplete until its last byte', () => {
    fc.assert(
      fc.property(anyHeader, (header) => {
        for (let end = 0; end < header.byteLength; end++)
          expect(readProxyHeader(header.subarray(0, end))).toEqual({ kind: 'incomplete' });
        expect(readProxyHeader(header)).toMatchObject({ length: header.byteLength });
      }),
    );
  });

  test('any bytes are read or refused within a bounded length', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc
            .tuple(anyHeader, fc.nat(), fc.nat(255))
            .map(([header, at, byte]) => header.with(at % header.byteLength, byte)),
        ),
        (bytes) => {
          const reading = readProxyHeader(Buffer.from(bytes));
          expect('length' in reading ? reading.length : 0).toBeLessThanOrEqual(bytes.length);
          expect(
            readProxyHeader(Buffer.concat([Buffer.from(bytes), Buffer.alloc(5_000, 'x')])).kind,
          ).not.toBe('incomplete');
        },
      ),
    );
  });
});

function shown(address: string): string {
  return address.includes(':')
    ? (URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? '')
    : address;
}

/** Global IPv6 addresses that contain no IPv4 address. */
function hexIpv6() {
  return fc
    .array(fc.nat(0xffff), { minLength: 7, maxLength: 7 })
    .map((groups) => [0x2001, ...groups].map((group) => group.toString(16)).join(':'));
}
