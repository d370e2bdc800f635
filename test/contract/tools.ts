/** Programs and packages from npm and PyPI that the tests run, each in its own folder. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { noteSkip } from '../support/skip-notes.ts';
import { atMost } from '../support/slowdown.ts';

const run = promisify(execFile);

const CHECKOUT = join(import.meta.dirname, '..', '..');
const CACHE = process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache');
const INSTALL_TIMEOUT_MS = 300_000;

/** Packages of npm with their versions. They stay out of package.json: some need an older tsc. */
export const REDOCLY = { '@redocly/openapi-core': '2.64.0' };
export const SPECTRAL = {
  '@stoplight/spectral-core': '1.24.1',
  '@stoplight/spectral-parsers': '1.0.5',
  '@stoplight/spectral-rulesets': '1.23.1',
};
export const TYPESCRIPT_CLIENT = {
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  typescript: '5.9.3',
};
export const PUBLIC_KEYS = { '@noble/curves': '2.4.0', jose: '6.2.18' };
export const CLOUD_EVENTS = { cloudevents: '10.0.0' };
/** Versions before 0.2 know no revision of MCP after 2025-11-25. */
export const MCP_CONFORMANCE = { '@modelcontextprotocol/conformance': '0.2.0-alpha.12' };
export const MCP_INSPECTOR = { '@modelcontextprotocol/inspector': '2.12.0' };
export const PLAYWRIGHT = { '@playwright/test': '1.65.1' };
/** Packages that read the webhooks of other services. */
export const INBOUND_PACKAGES = {
  '@sendgrid/inbound-mail-parser': '8.0.0',
  cloudmailin: '0.1.0',
  multer: '2.5.0',
  postmark: '5.1.0',
};
const PYTHON_CLIENT = 'openapi-python-client==0.29.1';
const PYTHON_TYPE_CHECKS = ['mypy==2.4.1', 'pydantic==2.14.3'];

/** The folder with these in its node_modules; undefined, with a note, if npm cannot fetch them. */
export const installFromNpm = (
  name: string,
  packages: Readonly<Record<string, string>>,
): Promise<string | undefined> =>
  installed(`${name}-${Object.values(packages).join('-')}`, async (folder) => {
    const manifest = { private: true, type: 'module', dependencies: packages };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...options], { cwd: folder, timeout: atMost(INSTALL_TIMEOUT_MS) });
  });

/** The folder of a virtual environment with openapi-python-client; undefined, with a note. */
export const installPythonClient = () => virtualEnvironment([PYTHON_CLIENT]);

/** The same with mypy and pydantic. */
export const installPythonTypeChecks = () => virtualEnvironment(PYTHON_TYPE_CHECKS);

/** The same with the SDK of CloudEvents. */
export const installCloudEventsForPython = () => virtualEnvironment(['cloudevents==2.2.0']);

/** Webhooks of other services, as Django reads them. */
export const installAnymail = () =>
  virtualEnvironment(['django-anymail==15.2', 'django==5.2.19', 'requests==2.34.2']);

/** Times of calendars, with the time zones of its own package of data. */
export const installIcalendarForPython = () =>
  virtualEnvironment(['icalendar==7.3.2', 'tzdata==2026.6']);

export const installCryptographyForPython = () => virtualEnvironment(['cryptography==48.0.0']);

export const installMcpForPython = () => virtualEnvironment(['mcp==2.3.0']);
/** moto, a server with the S3 API that checks signatures and permissions. */
export const installS3Server = () =>
  virtualEnvironment(['moto[s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5']);

export const installPytest = () =>
  virtualEnvironment(['pytest==9.2.0', 'requests==2.34.2', 'pytest-playwright==0.10.0']);

/** What builds, checks and tests services/clients/python, and what the package depends on. */
export const installPythonPackageTools = () =>
  virtualEnvironment([
    'build==1.6.1',
    'cryptography==48.0.0',
    'hatchling==1.33.0',
    'httpx2==2.16.2',
    'mypy==2.4.1',
    'pytest==9.2.0',
  ]);

const virtualEnvironment = (packages: readonly string[]): Promise<string | undefined> =>
  installed(packages.join('-').replaceAll(/==|[[\]]/g, '-'), async (folder) => {
    await run('python3', ['-m', 'venv', folder], { timeout: atMost(INSTALL_TIMEOUT_MS) });
    const options = ['--quiet', '--disable-pip-version-check'];
    await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', ...options, ...packages], {
      timeout: atMost(INSTALL_TIMEOUT_MS),
    });
  });

/**
 * The folder of the sources of a package on PyPI; undefined, with a note.
 * @param sha256 of its archive
 */
export const downloadPythonSources = (
  name: string,
  version: string,
  sha256: string,
): Promise<string | undefined> =>
  installed(`${name}-${version}-sources`, async (folder) => {
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-binary=:all:'];
    await run(
      'python3',
      ['-m', 'pip', 'download', ...options, '-d', folder, `${name}==${version}`],
      {
        timeout: atMost(INSTALL_TIMEOUT_MS),
      },
    );
    const archive = join(folder, `${name}-${version}.tar.gz`);
    const found = createHash('sha256')
      .update(await readFile(archive))
      .digest('hex');
    if (found !== sha256) throw new Error(`${name} ${version} has another content: ${found}`);
    await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
  });

/** An installation that ends early leaves no folder. Programs in it must not need its path. */
async function installed(
  name: string,
  install: (folder: string) => Promise<void>,
): Promise<string | undefined> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(`${folder}.`);
  try {
    await install(unfinished);
    await rename(unfinished, folder);
  } catch (error) {
    if (existsSync(folder)) return folder; // another process was faster
    const { stderr = '', message } = error as Error & { stderr?: string };
    noteSkip(`${name} cannot be installed: ${(stderr || message).trim().split('\n').at(-1)}`);
    return undefined;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
