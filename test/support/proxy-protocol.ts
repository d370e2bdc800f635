/** PROXY protocol headers, as a load balancer sends them. */
import { isIPv6 } from 'node:net';

export type Ends = {
  source: string;
  sourcePort: number;
  destination: string;
  destinationPort: number;
};

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

export const proxyV1 = ({ source, sourcePort, destination, destinationPort }: Ends): Buffer =>
  Buffer.from(
    `PROXY ${isIPv6(source) ? 'TCP6' : 'TCP4'} ${source} ${destination} ${sourcePort} ${destinationPort}\r\n`,
  );

export function proxyV2(
  { source, sourcePort, destination, destinationPort }: Ends,
  extensions: Buffer = Buffer.alloc(0),
): Buffer {
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(sourcePort, 0);
  ports.writeUInt16BE(destinationPort, 2);
  return v2(
    0x21,
    isIPv6(source) ? 0x21 : 0x11,
    Buffer.concat([addressBytes(source), addressBytes(destination), ports, extensions]),
  );
}

/** A health check by the load balancer itself. */
export const proxyV2Local = (rest: Buffer = Buffer.alloc(0)): Buffer => v2(0x20, 0x00, rest);

export function v2(command: number, family: number, rest: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(rest.byteLength);
  return Buffer.concat([SIGNATURE, Buffer.from([command, family]), length, rest]);
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const missing = address.includes('::') ? 8 - groups(head).length - groups(tail).length : 0;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
