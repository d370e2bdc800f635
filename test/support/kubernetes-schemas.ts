/**
 * Regenerates test/fixtures/kubernetes-schemas, the JSON schemas that validate the chart's objects,
 * its examples and skaffold.yaml: `node test/support/kubernetes-schemas.ts`. The schemas of
 * Kubernetes are read from the API server of the current context, others from the definitions in
 * their projects' Go modules. With the argument `skaffold`, `kubernetes` or `custom-resources` it
 * regenerates only those. Descriptions, defaults and status are left out, because they cannot
 * reject an object.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse } from 'yaml';

type Schema = { [key: string]: unknown };
type Module = { module: string; file: string };

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'kubernetes-schemas');
const CUSTOM_RESOURCES = join(FOLDER, 'custom-resources');
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

const KINDS: Record<string, string[]> = {
  'api/v1': ['ConfigMap', 'Pod', 'Service', 'ServiceAccount'],
  'apis/admissionregistration.k8s.io/v1': [
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apis/apps/v1': ['Deployment', 'StatefulSet'],
  'apis/autoscaling/v2': ['HorizontalPodAutoscaler'],
  'apis/batch/v1': ['CronJob', 'Job'],
  'apis/networking.k8s.io/v1': ['Ingress', 'NetworkPolicy'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
};

const DEFINITIONS: Module[] = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    file: 'config/crd/bases/keda.sh_scaledobjects.yaml',
  },
  {
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    file: 'deploy/crds/cert-manager.io_certificates.yaml',
  },
  {
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    file: 'deploy/crds/cert-manager.io_clusterissuers.yaml',
  },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.1',
    file: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  },
  {
    module: 'sigs.k8s.io/external-dns@v0.20.0',
    file: 'config/crd/standard/dnsendpoints.externaldns.k8s.io.yaml',
  },
  {
    module: 'github.com/GoogleCloudPlatform/gke-managed-certs@v1.2.12',
    file: 'deploy/managedcertificates-crd.yaml',
  },
  {
    module: 'github.com/argoproj/argo-cd/v3@v3.2.0',
    file: 'manifests/crds/application-crd.yaml',
  },
  {
    module: 'github.com/fluxcd/source-controller@v1.7.3',
    file: 'config/crd/bases/source.toolkit.fluxcd.io_gitrepositories.yaml',
  },
  {
    module: 'github.com/fluxcd/helm-controller@v1.4.3',
    file: 'config/crd/bases/helm.toolkit.fluxcd.io_helmreleases.yaml',
  },
];

const SKAFFOLD: Module = {
  module: 'github.com/GoogleContainerTools/skaffold/v2@v2.16.1',
  file: 'docs-v2/content/en/schemas/v4beta13.json',
};

const KEPT = [
  'type',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'const',
];

/**
 * JSON schema of an OpenAPI schema. Objects allow only named properties. Adds the schemas that it
 * references to `reached`.
 */
function strict(schema: Schema, reached: Set<string>): Schema {
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string')
    return { type: ['string', 'integer'] };
  const [only] = (schema.allOf ?? []) as Schema[];
  const reference = (schema.$ref ?? only?.$ref) as string | undefined;
  if (reference !== undefined) {
    const name = reference.replace('#/components/schemas/', '');
    reached.add(name);
    return { $ref: `#/definitions/${name}` };
  }
  const result: Schema = Object.fromEntries(
    KEPT.filter((key) => key in schema).map((key) => [key, schema[key]]),
  );
  if (schema.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties as Record<string, Schema>).map(([name, one]) => [
        name,
        strict(one, reached),
      ]),
    );
    if (schema['x-kubernetes-preserve-unknown-fields'] !== true)
      result.additionalProperties = false;
  }
  if (typeof schema.additionalProperties === 'object')
    result.additionalProperties = strict(schema.additionalProperties as Schema, reached);
  if (schema.items !== undefined) result.items = strict(schema.items as Schema, reached);
  for (const key of ['oneOf', 'anyOf'])
    if (schema[key] !== undefined)
      result[key] = (schema[key] as Schema[]).map((one) => loose(strict(one, reached)));
  return result;
}

/**
 * An alternative next to the properties of its object restricts their values. It does not list the
 * allowed properties.
 */
const loose = ({ additionalProperties, ...rest }: Schema): Schema =>
  additionalProperties === false
    ? rest
    : { ...rest, ...(additionalProperties === undefined ? {} : { additionalProperties }) };

function write(
  folder: string,
  group: string,
  version: string,
  kind: string,
  schema: Schema,
  schemas: Record<string, Schema>,
): void {
  const { status: _, ...properties } = schema.properties as Record<string, Schema>;
  const reached = new Set<string>();
  const root = strict({ ...schema, properties }, reached);
  const definitions: Record<string, Schema> = {};
  for (const name of reached)
    definitions[name] =
      // grows as it is walked
      name === META ? objectMeta(schemas[name] ?? {}) : strict(schemas[name] ?? {}, reached);
  const suffix = [...(group === '' ? [] : [group.split('.')[0]]), version].join('-');
  writeFileSync(
    join(folder, `${kind.toLowerCase()}-${suffix}.json`),
    `${JSON.stringify({ ...root, ...(reached.size > 0 ? { definitions } : {}) })}\n`,
  );
}

/** The metadata that a chart may set. The API server sets the rest. */
const objectMeta = (schema: Schema): Schema => {
  const mayBeSaid = Object.entries(schema.properties as Record<string, Schema>).filter(([name]) =>
    ['name', 'namespace', 'labels', 'annotations', 'finalizers'].includes(name),
  );
  return strict({ type: 'object', properties: Object.fromEntries(mayBeSaid) }, new Set());
};

const openapi = (path: string) =>
  (
    JSON.parse(
      execFileSync('kubectl', ['get', '--raw', `/openapi/v3/${path}`], {
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      }),
    ) as { components: { schemas: Record<string, Schema> } }
  ).components.schemas;

const elsewhere = mkdtempSync(join(tmpdir(), 'inlet-schemas-')); // outside any Go module
process.on('exit', () => rmSync(elsewhere, { recursive: true }));
const fileOf = ({ module, file }: Module): string => {
  const { Dir } = JSON.parse(
    execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: elsewhere }),
  ) as { Dir: string };
  return readFileSync(join(Dir, file), 'utf8');
};

/** A schema without descriptions and the like. A property may have such a name, too. */
const wordless = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) =>
    ((key === 'description' || key.startsWith('x-intellij')) && typeof value === 'string') ||
    key === 'preferredOrder' ||
    key === 'examples'
      ? undefined
      : value,
  );

function writeSkaffold(): void {
  writeFileSync(
    join(FOLDER, 'config-skaffold-v4beta13.json'),
    `${JSON.stringify(wordless(fileOf(SKAFFOLD)))}\n`,
  );
}

function writeKubernetes(): void {
  for (const [path, kinds] of Object.entries(KINDS)) {
    const schemas = openapi(path);
    for (const schema of Object.values(schemas)) {
      const [names, ...others] = (schema['x-kubernetes-group-version-kind'] ?? []) as {
        group: string;
        version: string;
        kind: string;
      }[];
      if (names !== undefined && others.length === 0 && kinds.includes(names.kind))
        write(FOLDER, names.group, names.version, names.kind, schema, schemas);
    }
  }
}

type Definition = {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[];
  };
};

/** The definitions have no schema of their metadata. It is that of a Pod. */
function writeCustomResources(): void {
  const pod = JSON.parse(readFileSync(join(FOLDER, 'pod-v1.json'), 'utf8')) as {
    definitions: Record<string, Schema>;
  };
  for (const definition of DEFINITIONS) {
    const {
      spec: { group, names, versions },
    } = parse(fileOf(definition)) as Definition;
    const version = versions.find(({ storage }) => storage);
    if (version === undefined) throw new Error(`${definition.file} has no stored version`);
    const schema = version.schema.openAPIV3Schema;
    const properties = {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      ...(schema.properties as object),
      metadata: { $ref: `#/components/schemas/${META}` },
    };
    const { name } = version;
    write(CUSTOM_RESOURCES, group, name, names.kind, { ...schema, properties }, pod.definitions);
  }
}

const PARTS = {
  skaffold: writeSkaffold,
  kubernetes: writeKubernetes,
  'custom-resources': writeCustomResources,
};
for (const [name, writePart] of Object.entries(PARTS))
  if ([undefined, name].includes(process.argv[2])) writePart();
