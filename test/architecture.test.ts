/**
 * The architecture (docs/architecture.md): layers, import cycles, owners of packages, and rules for
 * every file. Each failure names file and line.
 */
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';

const SERVICES = join(import.meta.dirname, '..', 'services');

/**
 * A service imports platform, platform imports adapters, adapters import core; never the other way,
 * never sideways. What generates files of the chart and the docs reads every service.
 */
const LAYERS = [
  ['core'],
  ['adapters'],
  ['platform'],
  [
    'gateway',
    'dispatcher',
    'api',
    'dashboard',
    'operator',
    'install',
    'standalone',
    'cli',
    'clients',
  ],
  ['generate'],
];

/**
 * The files that may import a package. A package that is missing here has no owner yet: choose one.
 */
const OWNERS: Record<string, readonly string[]> = {
  zod: [''],
  mongodb: ['adapters/mongo/', 'standalone/processes/mongod.ts'],
  '@nats-io/transport-node': ['adapters/stream/', 'adapters/messages/'],
  '@nats-io/jetstream': ['adapters/stream/'],
  '@nats-io/obj': ['adapters/stream/'],
  'lru-cache': [
    'adapters/mailauth/result-cache.ts',
    'adapters/http/parsed-url.ts',
    'adapters/http/agents.ts',
    'adapters/async/',
    'gateway/policy/window-counts.ts',
    'gateway/receive/hooks.ts',
    'gateway/receive/decide-email.ts',
    'gateway/content/',
    'adapters/mime/headers.ts',
    'adapters/mime/parameters.ts',
  ],
  '@marcbachmann/cel-js': ['core/expression/expression.ts'],
  undici: ['adapters/http/'],
  'openid-client': ['adapters/oidc/'],
  mailparser: ['adapters/mime/mailparser.ts'],
  libmime: ['adapters/mime/mailparser.ts'],
  chardet: ['adapters/mime/charset-guess.ts'],
  'iconv-lite': ['adapters/mime/charset.ts', 'adapters/mime/charset-names.ts'],
  mailauth: ['adapters/mailauth/'],
  '@kubernetes/client-node': ['adapters/kube/'],
  preact: ['dashboard/'],
  '@preact/signals': ['dashboard/'],
  esbuild: ['dashboard/bundle/', 'cli/package/build.ts'],
  htmlparser2: [
    'api/content/readable-html.ts',
    'core/html/html-reader.ts',
    'core/extract/report/xml.ts',
  ],
  'ical.js': ['core/extract/invitation/calendar.ts'],
  marked: ['api/sites/markdown.ts'],
  pino: ['adapters/process/log.ts'],
  pdfkit: ['api/billing/invoice-pdf.ts'],
  '@opentelemetry/api': ['adapters/tracing/'],
  '@opentelemetry/otlp-exporter-base': ['adapters/tracing/log-sdk.ts'],
  '@opentelemetry/otlp-transformer': ['adapters/tracing/log-sdk.ts'],
  '@opentelemetry/exporter-trace-otlp-proto': ['adapters/tracing/sdk.ts'],
  '@opentelemetry/resources': ['adapters/tracing/'],
  '@opentelemetry/sdk-trace': ['adapters/tracing/sdk.ts'],
  'prom-client': ['adapters/process/meter.ts', 'adapters/process/observe.ts'],
  yaml: ['generate/'],
  'smtp-server': ['gateway/smtp/'],
  koa: ['api/'],
  '@koa/router': ['api/'],
  nodemailer: ['adapters/smtp/'],
  'eventsource-parser': ['cli/'],
  commander: ['cli/'],
  nanotar: ['cli/kubernetes/report.ts'],
  selfsigned: ['adapters/tls/certificates.ts'],
  'mongodb-memory-server-core': ['standalone/fetch/official-mongod.ts'],
};

/**
 * The one file or folder that may use what a package does not document: its inner files, and
 * members that begin with `_`.
 */
const PRIVATE_TO: Record<string, string> = {
  'smtp-server': 'gateway/smtp/library.ts',
  mailauth: 'adapters/mailauth/',
  '@opentelemetry/otlp-exporter-base': 'adapters/tracing/log-sdk.ts',
  'mongodb-memory-server-core': 'standalone/fetch/official-mongod.ts',
};
/** Of the API, which the published client has, too. */
const PUBLISHED_TYPES = 'core/api/api-types.generated.ts';
/** What users of the published client import, from all its files. */
const PUBLISHED_ENTRY = 'clients/typescript/src/inlet.ts';
/** Entry points that a package documents. */
const DOCUMENTED = ['preact/hooks', 'nodemailer/lib/smtp-connection'];
const OWN_UNDERSCORES = ['_id']; // MongoDB's name for a document's id

const CORE_MAY_IMPORT = [
  'zod',
  '@marcbachmann/cel-js',
  'htmlparser2',
  'ical.js',
  'node:crypto',
  'node:net',
  'node:url',
];
/** What opens sockets, by the module that it comes from. */
const OPENS_SOCKETS: Record<string, RegExp> = {
  'node:net': /^(connect|createConnection|Socket)$/,
  'node:tls': /^connect$/,
  'node:http': /^(request|get|Agent)$/,
  'node:https': /^(request|get|Agent)$/,
  'node:http2': /^connect$/,
  undici:
    /^(fetch|request|stream|pipeline|connect|upgrade|buildConnector|WebSocket|EventSource|.*(Agent|Client|Pool))$/,
  mongodb: /^MongoClient$/,
  '@nats-io/transport-node': /^(ws)?connect$/,
  nodemailer: /^createTransport$/,
  'nodemailer/lib/smtp-connection': /^default$/,
  '@opentelemetry/exporter-trace-otlp-proto': /Exporter$/,
  '@opentelemetry/otlp-exporter-base/node-http': /^create/,
  '@kubernetes/client-node': /Api$/,
  'mongodb-memory-server-core': /./,
};
/** How a call shows that it connects as all do: by the policy, or over something that does. */
const CONNECTS_BY_POLICY =
  /\bconnectOptions\(|\bdispatcher\b|\bsocket[,:] |\bconnection: |\bagent: (?!false)|\bconnect: \w+\(/;
/** Libraries that take no options for their sockets: why the default of the process is enough. */
const CONNECTS_BY_DEFAULT: Record<string, string> = {
  'adapters/stream/connection/connection.ts': 'NATS looks up all addresses, and limits each one',
  'adapters/tracing/sdk.ts': 'has the variables of OpenTelemetry (docs/monitoring.md)',
  'adapters/tracing/log-sdk.ts': 'has the variables of OpenTelemetry (docs/monitoring.md)',
  'adapters/kube/secrets.ts': 'has the HTTP client of its package, in one short program',
  'standalone/fetch/official-mongod.ts': 'downloads with the HTTP client of its package',
};
/** Starts a process, or a thread, with the policy as its default. */
const CHOOSES_DEFAULTS = /\b(runService|runInProcess|chooseSocketDefaults)\(/;
const MORE_PROGRAMS = ['adapters/threads/serve-jobs.ts', 'standalone/fetch/official-mongod.ts'];
const WITHOUT_SOCKETS = ['generate/release/main.ts', 'dashboard/bundle/main.ts'];
/** Programs: files that are started by name; only these read the environment. */
const isProgram = (file: string) =>
  basename(file) === 'main.ts' || file === 'standalone/launch.mjs';
const DRAWERS = /^(index|utils?|helpers?|common|types?|misc|shared|lib)$/;
const BUILT_IN = new Set([
  ...Object.getOwnPropertyNames(globalThis).filter(
    (name) => /^[A-Z]/.test(name) && name !== 'Response', // fetch is not used, so its Response may be hidden
  ),
  'Record',
  'Partial',
  'Pick',
  'Omit',
  'Readonly',
  'Required',
  'Exclude',
  'Extract',
  'Awaited',
]);
const IMPURE = new RegExp(
  String.raw`\b(Date\.now|new Date\(\)|performance\.now|Math\.random|random(Bytes|UUID)|` +
    String.raw`set(Timeout|Interval|Immediate)|fetch\()`,
  'g',
);
/** Folders that may have a single file: a program, or the adapter of one external system. */
const MAY_BE_ALONE = /^(install|api\/jobs)\/|^adapters\/(clamd|oidc|smtp)$|^dashboard$/;
/** A noun has a folder of the same name in every layer, even for a single file. */
const OF_A_NOUN = /\/(account|bucket|domain|list|member|notification|token)s?$/;
/** Files that may read the clock of their process, and why. */
const READS_OWN_CLOCK: Record<string, string> = {
  'platform/servers/clock.ts': 'compares it with that of MongoDB',
  'gateway/content/content-threads.ts': 'tells a thread the difference',
  'gateway/content/content-jobs.ts': 'adds it',
  'dispatcher/attempt/large-posts.ts': 'tells a thread the difference',
  'dispatcher/attempt/large-post-worker.ts': 'adds it',
  'gateway/process/metrics.ts': 'labels of metrics',
  'dispatcher/process/metrics.ts': 'labels of metrics',
  'adapters/stream/gauges.ts': 'the age of messages in a metric',
  'api/http/errors.ts': 'Retry-After',
  'api/http/limits/request-limits.ts': 'the end of a window in a header',
  'api/documentation/verify-sample.ts': 'an example for receivers',
};
const IN_A_SERVICE = /^(gateway|dispatcher|api|operator|platform|adapters|core)\//;
/** JSON for Inlet's own processes and stores, of Inlet's own texts, or as long as what is sent. */
const OWN_JSON = new RegExp(
  String.raw`^(adapters/(dns|http|kube|mailauth|messages|mongo)/|api/(documentation|jobs|sites)/|` +
    String.raw`operator/|platform/|core/kube/|adapters/bucket/backup-files|` +
    String.raw`adapters/stream/(objects/make-room|snapshots)|api/billing/usage-endpoints|` +
    String.raw`api/http/idempotency|core/event/(audit-log|live-event)|core/expression/reads|` +
    String.raw`core/extract/e-invoice/read-e-invoice|core/mail/text-words|core/decision/rules|` +
    String.raw`core/text/text|core/webhook/(example|jwks))`,
);
/** Fragments of comments, and words, that read as translated: write a sentence with a subject. */
const TRANSLATED = new RegExp(
  String.raw`(?<=^\s*(/\*\*?|\*|//) )Of \w+|(?<=^\s*(/\*\*|//) )(That|Those)\b.*|` +
    String.raw`\b([Bb]esides|[Ww]hoever|[Aa]new|in the place of)\b|, for one[,.;]`,
);
/** Generated, or written before: the specification and the notes of releases. */
const UNREAD = /\/dist\/|\.generated\.|docs\/(CHANGELOG|specification)\.md$/;
/** The entries of the top level that always exist, and the others that may. Dotfiles may, too. */
const TOP_LEVEL = {
  always: 'README.md charts crds package.json services skaffold.yaml test tsconfig.json'.split(' '),
  allowed: ['Dockerfile', 'LICENSE', 'docs', 'package-lock.json'],
};
const MAX_LINES = 300;
const MAX_COLUMNS = 120;
const MAX_FILES = 20;

type Node = { type: string; start: number; [field: string]: unknown };
type Import = { to: string; start: number; isReexport: boolean; isType: boolean };
type Source = { file: string; text: string; nodes: Node[]; imports: Import[] };
type Check = (source: Source) => { start: number; why: string }[];

let sources: Source[];
beforeAll(async () => {
  const paths = (await readdir(SERVICES, { recursive: true })).filter((path) =>
    /^(?!.*\/dist\/).*\.(ts|tsx|mjs)$/.test(path),
  );
  sources = await Promise.all(
    paths.toSorted().map((path) => readSource(path.replaceAll('\\', '/'))),
  );
});

/** What each file of the services keeps to. */
function rule(sentence: string, check: Check): void {
  test(`each file: ${sentence}`, () => expect(offenders(check)).toEqual([]));
}

/** The folder in `folder` that holds `inner`. */
const childOf = (folder: string, inner: string) =>
  join(folder, relative(folder, inner).split('/')[0] ?? '');

test('the top level has what it must have, and nothing new', () => {
  const listed = spawnSync('git', ['ls-files'], { cwd: join(SERVICES, '..'), encoding: 'utf8' });
  const entries = new Set(listed.stdout.trim().split('\n').map(folderOf));
  const others = [...entries].filter((name) => !name.startsWith('.'));
  expect(others.filter((name) => !TOP_LEVEL.allowed.includes(name)).toSorted()).toEqual(
    TOP_LEVEL.always,
  );
});

describe('layers', () => {
  rule('each folder of services is one of a layer', ({ file }) =>
    rankOf(file) === undefined ? [{ start: 0, why: 'its folder belongs to no layer' }] : [],
  );

  rule(
    'a file imports its own folder or a layer below: services never import each other',
    ({ file, imports }) =>
      relatives(file, imports).flatMap(({ target, start }) => {
        const [from, to] = [rankOf(file), rankOf(target)];
        const isAllowed =
          folderOf(target) === folderOf(file) ||
          (from !== undefined && to !== undefined && to < from);
        return isAllowed ? [] : [{ start, why: `imports ${target}` }];
      }),
  );

  rule('a client imports nothing of the services but the types of the API', ({ file, imports }) =>
    folderOf(file) === 'clients'
      ? relatives(file, imports)
          .filter(({ target }) => folderOf(target) !== 'clients' && target !== PUBLISHED_TYPES)
          .map(({ target, start }) => ({ start, why: `imports ${target}` }))
      : [],
  );

  test('imports have no cycles', () => {
    const graph = new Map(
      sources.map(({ file, imports }) => [
        file,
        relatives(file, imports).map(({ target }) => target),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (path.includes(file) || done.has(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('expressions of tenants run only in threads that can be stopped (D302)', () => {
    const allowed = /^(core|gateway\/receive)\/|^(gateway|api)\/content\/content-jobs\.ts$/;
    const evaluates =
      /\b(evaluateRules|evaluateWithin|createFilter|refusalBeforeData)\(|\.evaluate\(/;
    expect(
      offenders(({ file, text }) =>
        allowed.test(file) || !evaluates.test(text)
          ? []
          : [{ start: text.search(evaluates), why: 'evaluates an expression' }],
      ),
    ).toEqual([]);
    const loaded = new Map([['gateway/main.ts', '']]);
    for (const [file] of loaded)
      for (const { target } of relatives(
        file,
        sourceOf(file).imports.filter((one) => !one.isType),
      ))
        if (!loaded.has(target)) loaded.set(target, file);
    expect(loaded.get('core/expression/expression.ts'), 'loaded by').toBeUndefined();
  });

  test('folders that stand side by side do not import each other in a circle', () => {
    const graphs = new Map<string, Map<string, Map<string, string>>>();
    for (const { file, imports } of sources)
      for (const { target } of relatives(file, imports)) {
        const [from, to] = [file.split('/'), target.split('/')];
        const depth = from.findIndex((part, i) => part !== to[i]);
        const areFolders = depth > 0 && depth < from.length - 1 && depth < to.length - 1;
        const [one, other] = [from[depth], to[depth]];
        if (!areFolders || one === undefined || other === undefined) continue;
        const graph = entryOf(graphs, from.slice(0, depth).join('/'), () => new Map());
        entryOf(graph, one, () => new Map()).set(other, `${file} imports ${target}`);
      }
    const circles = [...graphs.values()].flatMap((graph) =>
      [...graph].flatMap(([folder, edges]) =>
        [...edges].filter(([to]) => leadsTo(graph, to, folder)).map(([, why]) => why),
      ),
    );
    expect(circles).toEqual([]);
  });

  test('a folder and the folders in it do not import each other', () => {
    const ups = new Map<string, string>();
    const downs = new Map<string, string>();
    for (const { file, imports } of sources)
      for (const { target } of relatives(file, imports)) {
        const [from, to] = [dirname(file), dirname(target)];
        const why = `${file} imports ${target}`;
        if (to.startsWith(`${from}/`)) downs.set(childOf(from, to), why);
        if (from.startsWith(`${to}/`)) ups.set(childOf(to, from), why);
      }
    const circles = [...downs].flatMap(([folder, why]) =>
      ups.has(folder) ? [`${folder}: ${why}, and ${ups.get(folder)}`] : [],
    );
    expect(circles).toEqual([]);
  });

  test('relative imports name files that exist, with their ending', () => {
    const files = new Set(sources.map(({ file }) => file));
    expect(
      offenders(({ file, imports }) =>
        relatives(file, imports).flatMap(({ target, start }) =>
          files.has(target) ? [] : [{ start, why: `imports ${target}, which is no file` }],
        ),
      ),
    ).toEqual([]);
  });
});

describe('owners', () => {
  rule('only its owner imports a package', ({ file, imports }) =>
    packages(imports).flatMap(({ name, start }) => {
      const owners = OWNERS[name];
      if (owners === undefined)
        return [{ start, why: `imports ${name}, which has no owner in this test` }];
      return owners.some((owner) => file.startsWith(owner))
        ? []
        : [{ start, why: `imports ${name}, which belongs to ${owners.join(', ')}` }];
    }),
  );

  rule('the inner files of a package are imported by one file', ({ file, imports }) =>
    packages(imports).flatMap(({ name, to, start }) =>
      to === name || DOCUMENTED.includes(to) || file.startsWith(PRIVATE_TO[name] ?? '(none)')
        ? []
        : [{ start, why: `imports ${to}, which only ${PRIVATE_TO[name] ?? 'no file'} may` }],
    ),
  );

  rule(
    'members that begin with _ are used in one file: gateway/smtp/library.ts',
    ({ file, nodes }) =>
      file === PRIVATE_TO['smtp-server']
        ? []
        : nodes
            .filter(
              ({ type, property }) =>
                type === 'MemberExpression' &&
                nameOf(property).startsWith('_') &&
                !OWN_UNDERSCORES.includes(nameOf(property)),
            )
            .map(({ start, property }) => ({ start, why: `uses .${nameOf(property)}` })),
  );

  rule(
    'core imports only zod, languages that it reads, node:crypto, node:net and node:url',
    ({ file, imports }) =>
      folderOf(file) === 'core'
        ? imports
            .filter(({ to }) => !to.startsWith('.') && !CORE_MAY_IMPORT.includes(to))
            .map(({ to, start }) => ({ start, why: `imports ${to}` }))
        : [],
  );

  rule('core has no clock, no randomness and no timers', ({ file, text }) =>
    folderOf(file) === 'core'
      ? [...withoutComments(text).matchAll(IMPURE)].map(({ index, 0: what }) => ({
          start: index,
          why: `uses ${what}`,
        }))
      : [],
  );

  rule(
    'JSON with text of strangers is written by core/text/text.ts, which makes it storable (D300)',
    ({ file, text }) =>
      OWN_JSON.test(file) || !IN_A_SERVICE.test(file)
        ? []
        : Array.from(
            withoutComments(text).matchAll(/\bJSON\.stringify\b/g),
            ({ index: start }) => ({ start, why: 'uses JSON.stringify' }),
          ),
  );

  test("services ask MongoDB's clock, or count: their own clock may be wrong (D166)", () => {
    expect(
      offenders(({ file, text }) =>
        file in READS_OWN_CLOCK || !IN_A_SERVICE.test(file)
          ? []
          : Array.from(withoutComments(text).matchAll(/\bDate\.now\b/g), ({ index: start }) => ({
              start,
              why: 'reads the clock of its process',
            })),
      ),
    ).toEqual([]);
  });

  rule('names are looked up by adapters/dns only, which checks them (D110)', ({ file, imports }) =>
    file.startsWith('adapters/dns/')
      ? []
      : imports
          .filter(({ to }) => /^(node:)?dns(\/|$)/.test(to))
          .map(({ to, start }) => ({ start, why: `imports ${to}` })),
  );

  rule(
    'no built-in module is loaded around imports, and no service uses the global fetch',
    ({ file, text, imports }) => {
      const code = withoutComments(text);
      const hasOwnLookup =
        ['cli', 'clients', 'standalone'].includes(folderOf(file)) || // for hosts that their user names
        isBrowserCode(file) ||
        file.startsWith('api/sites/browser/') ||
        imports.some(({ to }) => to === 'undici');
      return [
        ...code.matchAll(/\b(?:getBuiltinModule|process\.binding)\b|(?<!["'].*)\bcreateRequire\b/g),
        ...(hasOwnLookup ? [] : code.matchAll(/(?<![.\w])(?:globalThis\.)?fetch\(/g)),
      ].map(({ 0: what, index: start }) => ({ start, why: `uses ${what}` }));
    },
  );

  rule(
    'each socket is opened by the one policy: lookup, addresses, deadlines (D292)',
    ({ file, text, nodes }) => {
      if (file in CONNECTS_BY_DEFAULT) return [];
      const openers = openersIn(nodes);
      const isDoor = file === 'adapters/dns/sockets.ts';
      return [
        ...nodes
          .filter(({ type, source }) => {
            const { value = '' } = (source ?? {}) as { value?: string };
            return type === 'ImportExpression' && value in OPENS_SOCKETS;
          })
          .map(({ start }) => ({ start, why: 'imports what opens sockets when it runs' })),
        ...openers
          .filter(({ to, name }) => name === '*' || (to === 'node:net' && !isDoor))
          .map(({ start, name, to }) => ({ start, why: `imports ${name} of ${to}` })),
        ...nodes
          .filter(({ type, callee, start, end }) => {
            const isCall = type === 'CallExpression' || type === 'NewExpression';
            return (
              isCall &&
              openers.some(({ local }) => local === nameOf(callee)) &&
              !CONNECTS_BY_POLICY.test(text.slice(start, end as number))
            );
          })
          .map(({ start, callee }) => ({ start, why: `${nameOf(callee)} without the policy` })),
      ];
    },
  );

  rule('each program and each thread makes the policy its default', ({ file, text, imports }) => {
    const isThread = imports.some(({ to }) => /^(node:)?worker_threads$/.test(to));
    if (isThread && !file.startsWith('adapters/threads/'))
      return [{ start: 0, why: 'knows threads' }];
    const mustChoose = basename(file) === 'main.ts' || MORE_PROGRAMS.includes(file);
    return !mustChoose || WITHOUT_SOCKETS.includes(file) || CHOOSES_DEFAULTS.test(text)
      ? []
      : [{ start: 0, why: 'does not choose the defaults of sockets' }];
  });

  rule('datagrams have one door, whose failures are rejections (D293)', ({ file, imports }) =>
    file === 'adapters/dns/datagrams.ts'
      ? []
      : imports
          .filter(({ to }) => /^(node:)?dgram$/.test(to))
          .map(({ to, start }) => ({ start, why: `imports ${to}` })),
  );

  rule('process.env is read only by programs', ({ file, nodes }) =>
    isProgram(file)
      ? []
      : nodes
          .filter(readsEnvironment)
          .map(({ start }) => ({ start, why: 'reads the environment' })),
  );

  rule(
    'only standalone, the command and what builds a client start processes',
    ({ file, imports }) =>
      ['standalone', 'cli'].includes(folderOf(file)) || file === 'clients/typescript/build.mjs'
        ? []
        : imports
            .filter(({ to }) => to === 'node:child_process')
            .map(({ start }) => ({ start, why: 'starts processes' })),
  );
});

describe('the dashboard', () => {
  rule(
    'its browser code imports only itself and core/api, which is browser code as well',
    ({ file, imports }) =>
      isBrowserCode(file)
        ? imports
            .filter(
              ({ to }) =>
                to.startsWith('node:') ||
                (to.startsWith('.') && !isBrowserCode(targetOf(file, to))),
            )
            .map(({ to, start }) => ({ start, why: `imports ${to}` }))
        : [],
  );
});

describe('files', () => {
  rule('every file opens with a comment on its purpose', ({ text }) =>
    /^(#!.*\n)?\/\*\*? \S|^(#!.*\n)?\/\*\*\n \* \S|^(#!.*\n)?\/\/ \S/.test(text)
      ? []
      : [{ start: 0, why: 'does not open with a comment' }],
  );

  rule(`no file is longer than ${MAX_LINES} lines`, ({ file, text }) =>
    text.split('\n').length - 1 > MAX_LINES && !isGenerated(file)
      ? [{ start: 0, why: `has ${text.split('\n').length - 1} lines` }]
      : [],
  );

  rule('no file or folder is a drawer: index, utils, helpers, common, types', ({ file }) =>
    file.split('/').some((part) => DRAWERS.test(part.replace(/\.\w+$/, '')))
      ? [{ start: 0, why: 'is named for no noun' }]
      : [],
  );

  test(`no folder of services has more than ${MAX_FILES} files`, () => {
    const folders = Map.groupBy(sources, ({ file }) => dirname(file));
    const crowded = [...folders].filter(([, files]) => files.length > MAX_FILES);
    expect(crowded.map(([folder, files]) => `${folder} has ${files.length} files`)).toEqual([]);
  });

  test('no folder has a single file, except programs and adapters of one system', () => {
    const folders = Map.groupBy(sources, ({ file }) => dirname(file));
    const parents = new Set([...folders.keys()].map((folder) => dirname(folder)));
    const lonely = [...folders].filter(
      ([folder, files]) =>
        files.length === 1 &&
        !parents.has(folder) &&
        ![MAY_BE_ALONE, OF_A_NOUN].some((names) => names.test(folder)),
    );
    expect(lonely.map(([folder]) => folder)).toEqual([]);
  });

  test('what generates files of the product is in services/generate, not in test', async () => {
    const root = join(import.meta.dirname, '..');
    const paths = (await listFiles(root, 'test')).filter((path) => path.endsWith('.ts'));
    const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
    const importers = new Map<string, boolean[]>();
    for (const [i, text] of texts.entries())
      for (const [, to = ''] of text.matchAll(/from '(\.[^']+)'/g))
        entryOf(importers, join(dirname(paths[i] ?? ''), to), () => []).push(
          text.includes('.toMatchFileSnapshot('),
        );
    const generators = paths.filter(
      (path) => !path.endsWith('.test.ts') && importers.get(path)?.every((writes) => writes),
    );
    expect(generators).toEqual([]);
  });

  test('no file has the marks of a merge conflict', () => {
    const marks = ['grep', '-nE', '^(<{7}|>{7}) '];
    const found = spawnSync('git', marks, { cwd: join(SERVICES, '..'), encoding: 'utf8' });
    expect(found.stdout).toBe('');
  });

  test(`no line is longer than ${MAX_COLUMNS} columns`, async () => {
    const root = join(import.meta.dirname, '..');
    const paths = (
      await Promise.all(['services', 'test'].map((folder) => listFiles(root, folder)))
    ).flat();
    const wide = paths
      .filter((path) => /^(?!services\/.*\/dist\/).*(?<!\.generated)\.(ts|tsx|mjs|css)$/.test(path))
      .map(async (path) => {
        const lines = (await readFile(join(root, path), 'utf8')).split('\n');
        return lines.flatMap((line, i) =>
          line.length > MAX_COLUMNS ? [`${path}:${i + 1} has ${line.length} columns`] : [],
        );
      });
    expect((await Promise.all(wide)).flat()).toEqual([]);
  });

  test('comments and docs are whole sentences in the words of the field', async () => {
    const root = join(import.meta.dirname, '..');
    const paths = (
      await Promise.all(['services', 'docs'].map((folder) => listFiles(root, folder)))
    ).flat();
    const read = paths
      .filter((path) => /\.(tsx?|mjs|css|md|py)$/.test(path) && !UNREAD.test(path))
      .map(async (path) => {
        const lines = (await readFile(join(root, path), 'utf8')).split('\n');
        return lines.flatMap((line, i) => {
          const why = TRANSLATED.exec(line)?.[0];
          return why === undefined ? [] : [`${path}:${i + 1} says "${why}"`];
        });
      });
    expect((await Promise.all(read)).flat()).toEqual([]);
  });

  rule('each @param names a parameter of what follows', ({ text, nodes }) =>
    Array.from(text.matchAll(/\/\*\*(?:(?!\*\/)[^])*@param(?:(?!\*\/)[^])*\*\/\s*/g)).flatMap(
      ({ 0: comment, index }) => {
        const end = index + comment.length;
        const follower = nodes.find(({ start }) => start >= end);
        const taking = [...walk(follower)].find((one) => Array.isArray(one['params']));
        const names = namesIn(taking?.['params']);
        return Array.from(comment.matchAll(/@param (\w+)/g))
          .filter(([, name = '']) => !names.has(name))
          .map(({ 1: name, index: at }) => ({
            start: index + at,
            why: `explains ${name}, which is no parameter`,
          }));
      },
    ),
  );

  rule('no type or function hides one of the language', ({ file, nodes }) =>
    nodes
      .filter(
        ({ type, id }) =>
          /^(TSTypeAlias|Function|Class)Declaration$/.test(type) &&
          BUILT_IN.has(nameOf(id)) &&
          !isGenerated(file),
      )
      .map(({ start, id }) => ({ start, why: `declares its own ${nameOf(id)}` })),
  );

  rule('what a factory needs has its name: HubDependencies, not Parts', ({ nodes }) =>
    nodes
      .filter(
        ({ type, id }) =>
          type === 'TSTypeAliasDeclaration' && /^(Parts|Needs|Deps|Dependencies)$/.test(nameOf(id)),
      )
      .map(({ start, id }) => ({ start, why: `declares a type ${nameOf(id)}` })),
  );

  rule('fields of log lines are snake_case', ({ nodes }) =>
    nodes
      .filter(({ type, callee }) => type === 'CallExpression' && isLogCall(callee as Node))
      .flatMap(({ arguments: args }) => args as Node[])
      .filter(({ type }) => type === 'ObjectExpression')
      .flatMap(({ properties }) => properties as Node[])
      .filter(({ key }) => /[A-Z]/.test(nameOf(key)))
      .map(({ start, key }) => ({ start, why: `logs ${nameOf(key)}` })),
  );

  rule('no default exports', ({ nodes }) =>
    nodes
      .filter(({ type }) => type === 'ExportDefaultDeclaration')
      .map(({ start }) => ({ start, why: 'exports a default' })),
  );

  rule('no re-exports: a thing is imported from the file that defines it', (source) =>
    source.file === PUBLISHED_ENTRY
      ? []
      : reexports(source).map((start) => ({ start, why: 'exports what another file defines' })),
  );

  rule('a class is an Error, everything else a function', ({ nodes }) =>
    nodes
      .filter(
        ({ type, superClass }) =>
          /^Class(Declaration|Expression)$/.test(type) && !nameOf(superClass).endsWith('Error'),
      )
      .map(({ start }) => ({ start, why: 'defines a class' })),
  );
});

const listFiles = async (root: string, folder: string): Promise<string[]> =>
  (await readdir(join(root, folder), { recursive: true })).map((path) =>
    join(folder, path).replaceAll('\\', '/'),
  );

async function readSource(file: string): Promise<Source> {
  const text = await readFile(join(SERVICES, file), 'utf8');
  const nodes = [
    ...walk(
      parseAst(text, { lang: /\.tsx?$/.test(file) ? (file.endsWith('x') ? 'tsx' : 'ts') : 'js' }),
    ),
  ];
  const imports = nodes.flatMap(({ type, source, start, importKind, specifiers }): Import[] => {
    const to = (source as { value?: unknown } | null | undefined)?.value;
    if (typeof to !== 'string' || !/^(Import|Export)/.test(type)) return [];
    const names = (specifiers ?? []) as Node[];
    const areTypes = names.length > 0 && names.every((name) => name['importKind'] === 'type');
    const isType = importKind === 'type' || areTypes;
    return [{ to, start, isReexport: type.startsWith('Export'), isType }];
  });
  return { file, text, nodes, imports };
}

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const one of value) yield* walk(one);
  else if (value !== null && typeof value === 'object') {
    if ('type' in value && 'start' in value) yield value as Node;
    for (const field of Object.values(value)) yield* walk(field);
  }
}

/** The names that parameters give, also those of a pattern or an object type. */
const namesIn = (params: unknown) =>
  new Set([...walk(params)].flatMap((one) => [nameOf(one), nameOf(one['key'])]));

/** `gateway/smtp/server.ts:12 imports …`, one line an offence. */
const offenders = (check: Check): string[] =>
  sources.flatMap((source) =>
    check(source).map(
      ({ start, why }) =>
        `services/${source.file}:${source.text.slice(0, start).split('\n').length} ${why}`,
    ),
  );

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/** Whether imports lead from one folder to another. */
function leadsTo(
  graph: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
  from: string,
  to: string,
  seen = new Set<string>(),
): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return [...(graph.get(from)?.keys() ?? [])].some((next) => leadsTo(graph, next, to, seen));
}

const folderOf = (file: string) => file.split('/')[0] ?? '';

function rankOf(file: string): number | undefined {
  const rank = LAYERS.findIndex((layer) => layer.includes(folderOf(file)));
  return rank === -1 ? undefined : rank;
}

const isGenerated = (file: string) => file.endsWith('.generated.ts');

const isBrowserCode = (file: string) =>
  /^(dashboard\/(app|browser|client|parts|screens|session|strings)|core\/api)\//.test(file);

const targetOf = (file: string, to: string) =>
  relative(SERVICES, join(SERVICES, dirname(file), to)).replaceAll('\\', '/');

const sourceOf = (path: string): Source => {
  const found = sources.find(({ file }) => file === path);
  if (found === undefined) throw new Error(`no file ${path}`);
  return found;
};

const relatives = (file: string, imports: readonly Import[]) =>
  imports
    .filter(({ to }) => to.startsWith('.'))
    .map(({ to, start }) => ({ start, target: targetOf(file, to) }));

const packages = (imports: readonly Import[]) =>
  imports
    .filter(({ to }) => !to.startsWith('.') && !to.startsWith('node:'))
    .map(({ to, start }) => ({
      start,
      to,
      name: to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/'),
    }));

const nameOf = (node: unknown): string => (node as { name?: string } | null)?.name ?? '';

/** The imports that open sockets: `local` is the name in the file, `*` all of a module. */
const openersIn = (nodes: readonly Node[]) =>
  nodes
    .filter(({ type, importKind }) => type === 'ImportDeclaration' && importKind !== 'type')
    .flatMap(({ source, specifiers }) => {
      const to = (source as { value: string }).value;
      const module = /^(net|tls|http|https|http2)$/.test(to) ? `node:${to}` : to;
      const names = OPENS_SOCKETS[module];
      if (names === undefined) return [];
      return (specifiers as Node[])
        .filter(({ importKind }) => importKind !== 'type')
        .map(({ type, imported, local, start }) => ({
          to: module,
          start,
          local: nameOf(local),
          name:
            type === 'ImportSpecifier'
              ? nameOf(imported)
              : module.startsWith('node:') || type === 'ImportNamespaceSpecifier'
                ? '*'
                : 'default',
        }))
        .filter(({ name }) => name === '*' || names.test(name));
    });

/** `log.info(…)`, `log[level](…)`. */
const isLogCall = ({ type, object, property, computed }: Node): boolean =>
  type === 'MemberExpression' &&
  nameOf(object) === 'log' &&
  (computed === true || /^(debug|info|warn|error)$/.test(nameOf(property)));

/** `process.env`, `const { env } = process`, `import { env } from 'node:process'`. */
function readsEnvironment({ type, object, property, init, id, source }: Node): boolean {
  if (type === 'MemberExpression')
    return (
      nameOf(object) === 'process' &&
      (nameOf(property) === 'env' || (property as { value?: unknown }).value === 'env')
    );
  if (type === 'VariableDeclarator')
    return nameOf(init) === 'process' && (id as Node).type === 'ObjectPattern';
  return (
    type === 'ImportDeclaration' &&
    /^(node:)?process$/.test(String((source as { value: unknown }).value))
  );
}

/** `export … from`, and `export { x }` of a name that an import brought in. */
function reexports({ nodes, imports }: Source): number[] {
  const imported = new Set(
    nodes.filter(({ type }) => /^Import\w*Specifier$/.test(type)).map(({ local }) => nameOf(local)),
  );
  const local = nodes.filter(
    ({ type, local: exported }) => type === 'ExportSpecifier' && imported.has(nameOf(exported)),
  );
  return [...imports.filter(({ isReexport }) => isReexport), ...local].map(({ start }) => start);
}

/** Comments as blanks, so that positions stay. */
const withoutComments = (text: string) =>
  text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));
