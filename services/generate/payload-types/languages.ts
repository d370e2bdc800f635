/** The payload's records as TypeScript, Python and Go. */
import { type Field, type FieldType, pascal, type RecordType, wrapped } from './records.ts';

const ABOUT = 'The body of a webhook of Inlet, generated from its OpenAPI document.';
const ADVICE = 'Ignore fields that are not here: new ones may be added.';

export function typescriptOf(records: readonly RecordType[]): string {
  const typeOf = (type: FieldType): string => {
    if (type.kind === 'nullable') return `${typeOf(type.of)} | null`;
    if (type.kind === 'list') return `${typeOf(type.of)}[]`;
    if (type.kind === 'record') return type.name;
    if (type.kind === 'values') return type.values.map((value) => `'${value}'`).join(' | ');
    if (type.kind === 'time') return 'string';
    return type.kind === 'integer' ? 'number' : type.kind;
  };
  const field = ({ name, about, type, isRequired }: Field): string[] => [
    ...blockComment(about),
    `  ${name}${isRequired ? '' : '?'}: ${typeOf(type)};`,
  ];
  const blocks = payloadFirst(records).map(({ name, fields }) => [
    `export type ${name} = {`,
    ...fields.flatMap(field),
    '};',
  ]);
  return file([['/**', ` * ${ABOUT}`, ` * ${ADVICE}`, ' */'], ...blocks]);
}

const blockComment = (text: string): string[] => {
  const lines = wrapped(text);
  if (lines.length < 2) return lines.map((line) => `  /** ${line} */`);
  return ['  /**', ...lines.map((line) => `   * ${line}`), '   */'];
};

/** TypedDicts: mypy checks them, and pydantic validates with a TypeAdapter. */
export function pythonOf(records: readonly RecordType[]): string {
  const typeOf = (type: FieldType): string => {
    if (type.kind === 'nullable') return `${typeOf(type.of)} | None`;
    if (type.kind === 'list') return `list[${typeOf(type.of)}]`;
    if (type.kind === 'record') return type.name;
    if (type.kind === 'values')
      return `Literal[${type.values.map((value) => `"${value}"`).join(', ')}]`;
    return { string: 'str', time: 'str', integer: 'int', number: 'float', boolean: 'bool' }[
      type.kind
    ];
  };
  const fieldType = ({ type, isRequired }: Field): string =>
    isRequired ? typeOf(type) : `NotRequired[${typeOf(type)}]`;
  const block = ({ name, fields }: RecordType): string[] => {
    if (fields.some((field) => field.name === 'from'))
      return [
        `${name} = TypedDict(  # "from" is a keyword, so this is not a class`,
        `    "${name}",`,
        '    {',
        ...fields.flatMap((field) => [
          ...hashComment(field.about).map((line) => `    ${line}`),
          `        "${field.name}": ${fieldType(field)},`,
        ]),
        '    },',
        ')',
      ];
    return [
      `class ${name}(TypedDict):`,
      ...fields.flatMap((field) => [
        ...hashComment(field.about),
        `    ${field.name}: ${fieldType(field)}`,
      ]),
    ];
  };
  const head = [
    `"""${ABOUT}`,
    '',
    ADVICE,
    'For Python 3.10 and later; before 3.12, pip install typing_extensions.',
    '"""',
    '',
    'import sys',
    '',
    'if sys.version_info >= (3, 12):',
    '    from typing import Literal, NotRequired, TypedDict',
    'else:',
    '    from typing_extensions import Literal, NotRequired, TypedDict',
  ];
  return file([head, ...records.map(block)], '\n\n\n');
}

const hashComment = (about: string): string[] => wrapped(about).map((line) => `    # ${line}`);

const INITIALISMS = /^(?:Id|Url|Ip|Html|Ms|Spf|Dkim|Dmarc|Arc)$/;

const goName = (name: string): string =>
  pascal(name).replaceAll(/[A-Z][a-z]+/g, (word) =>
    INITIALISMS.test(word) ? word.toUpperCase() : word,
  );

export function goOf(records: readonly RecordType[]): string {
  const typeOf = (type: FieldType): string => {
    if (type.kind === 'nullable') return `*${typeOf(type.of)}`;
    if (type.kind === 'list') return `[]${typeOf(type.of)}`;
    if (type.kind === 'record') return goName(type.name);
    return {
      string: 'string',
      values: 'string',
      time: 'time.Time',
      integer: 'int64',
      number: 'float64',
      boolean: 'bool',
    }[type.kind];
  };
  const line = ({ name, about, type, isRequired }: Field) => ({
    about: wrapped([about, valuesOf(type)].filter(Boolean).join('. ')),
    cells: isRequired
      ? [goName(name), typeOf(type), `\`json:"${name}"\``]
      : [goName(name), `*${typeOf(type)}`, `\`json:"${name},omitempty"\``],
  });
  const blocks = payloadFirst(records).map(({ name, fields }) => [
    `type ${goName(name)} struct {`,
    ...aligned(fields.map(line)),
    '}',
  ]);
  const head = [
    '// Code generated from the OpenAPI document of Inlet. DO NOT EDIT.',
    '',
    `// Package inlet has the body of a webhook. ${ADVICE}`,
    'package inlet',
    '',
    'import "time"',
  ];
  return file([head, ...blocks]);
}

const valuesOf = (type: FieldType): string =>
  type.kind === 'nullable'
    ? valuesOf(type.of)
    : type.kind === 'values'
      ? type.values.map((value) => `"${value}"`).join(', ')
      : '';

/** As gofmt does: the columns of adjacent fields are aligned, and a comment ends a group. */
function aligned(lines: readonly { about: string[]; cells: string[] }[]): string[] {
  const starts = lines.flatMap(({ about }, i) => (i === 0 || about.length > 0 ? [i] : []));
  return starts.flatMap((start, i) => {
    const group = lines.slice(start, starts[i + 1]);
    const width = (cell: number) => Math.max(...group.map(({ cells }) => cells[cell]?.length ?? 0));
    const rows = group.map(
      ({ cells: [name = '', type = '', tag = ''] }) =>
        `\t${name.padEnd(width(0))} ${type.padEnd(width(1))} ${tag}`,
    );
    return [...(group[0]?.about ?? []).map((text) => `\t// ${text}`), ...rows];
  });
}

const payloadFirst = (records: readonly RecordType[]): RecordType[] => [
  ...records.slice(-1),
  ...records.slice(0, -1),
];

const file = (blocks: readonly string[][], gap = '\n\n'): string =>
  `${blocks.map((lines) => lines.join('\n')).join(gap)}\n`;
