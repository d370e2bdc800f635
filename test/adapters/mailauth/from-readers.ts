/**
 * Readers of address fields that are independent of Inlet's: nodemailer's, and Python's `email` where
 * Python is there.
 */
import { spawnSync } from 'node:child_process';
import addressparser from 'nodemailer/lib/addressparser';

/** The addresses that a reader finds in each field. */
export type Reader = (fields: readonly string[]) => string[][];

type Parsed = { address?: string; group?: Parsed[] };

const flat = (parsed: readonly Parsed[]): string[] =>
  parsed.flatMap(({ address, group }) => (group ? flat(group) : address ? [address] : []));

const nodemailer: Reader = (fields) => fields.map((field) => flat(addressparser(field)));

/** Each field by the old functions and by the classes of today, in one process. */
const PYTHON = `
import email.policy, email.utils, json, sys
def of_today(field):
    try:
        header = email.policy.default.header_factory('from', field)
        return [one.addr_spec for one in header.addresses]
    except Exception:
        return []
json.dump([
    [[address for _, address in email.utils.getaddresses([field])], of_today(field)]
    for field in json.load(sys.stdin)
], sys.stdout)
`;

const python = (fields: readonly string[]): string[][][] | undefined => {
  const { status, stdout } = spawnSync('python3', ['-c', PYTHON], {
    input: JSON.stringify(fields),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return status === 0 ? (JSON.parse(stdout) as string[][][]) : undefined;
};

/** The readers of this machine, each with its addresses of each field. */
export function readByOthers(fields: readonly string[]): Record<string, string[][]> {
  const byPython = python(fields);
  return {
    nodemailer: nodemailer(fields),
    ...(byPython && {
      'Python email.utils': byPython.map(([first = []]) => first),
      'Python email.policy': byPython.map(([, second = []]) => second),
    }),
  };
}
