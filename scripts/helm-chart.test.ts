import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '@chorus/runtime/config';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VARIABLES } from '../packages/runtime/src/config/load-config.ts';
import { PROCESS_NAMES, variablesOf } from '../packages/runtime/src/config/process-variables.ts';
import { root } from './setup/project.mjs';
import { backgroundProcesses } from './supervisor/platform-processes.ts';

interface Manifest {
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests of other kinds have other shapes
  spec: any;
  stringData?: Record<string, string>;
}

interface SecretKey {
  name: string;
  key: string;
}

interface Process {
  main: string;
  pool?: string;
  secrets: string[];
}

const chart = join(root, 'deploy/helm/chorus');
const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
  api: Process;
  processes: Record<string, Process>;
  settings: Record<string, string>;
};
const processes = Object.entries({ api: values.api, ...values.processes });
const SHARED = ['REDIS_URL', 'MONGODB_URI', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'SECRET_KEY'];

test('the chart runs every process of the platform', () => {
  const mains = Object.values(values.processes).map(({ main }) => main);
  const background = backgroundProcesses(root, { sharesProcess: false }).map(({ main }) => main);
  expect(mains.sort()).toEqual(background.sort());
  expect(existsSync(join(root, values.api.main))).toBe(true);
});

test.each(processes)('%s gets the secrets that it uses', (name, { secrets }) => {
  const isSecret = (variable: string) => /_API_KEY$|^(ADMIN_PASSWORD|METRICS_TOKEN)$|^OPERATOR_WEBHOOK_/.test(variable);
  expect([...secrets].sort()).toEqual(variablesOf(name).filter(isSecret).sort());
});

test('the settings are ones that the configuration knows and accepts', () => {
  const known = new Set(PROCESS_NAMES.flatMap(variablesOf));
  expect(Object.keys(values.settings).filter((name) => !known.has(name))).toEqual([]);
  const config = loadConfig({
    ...values.settings,
    REDIS_URL: 'redis://:password@redis:6379',
    MONGODB_URI: 'mongodb://mongo/chorus',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
    SECRET_KEY: 'a'.repeat(44),
  });
  expect(config.blobs).toMatchObject({ kind: 's3', bucket: 'chorus' });
});

test('templates set only variables that the configuration knows', () => {
  const text = readFileSync(join(chart, 'templates/_helpers.tpl'), 'utf8');
  const set = [...text.matchAll(/\{ name: ([A-Z_]+), value:/g)].map(([, name = '']) => name);
  expect(set).toEqual(['HEALTH_PORT']);
  expect(VARIABLES).toEqual(expect.arrayContaining(set));
});

test('templates use only values that exist', () => {
  const folder = join(chart, 'templates');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const used = texts.flatMap((text) =>
    [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1)),
  );
  expect(used.length).toBeGreaterThan(20);
  const isThere = (path: string) => {
    let value: unknown = values;
    for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
    return value !== undefined;
  };
  const ofSecret = /^secrets\.values\.(REDIS_URL|MONGODB_URI|SECRET_KEY)$/;
  expect(used.filter((path) => !isThere(path) && !ofSecret.test(path))).toEqual([]);
  for (const text of texts) expect(text.match(/\{\{/g)?.length).toBe(text.match(/\}\}/g)?.length);
});

const helm = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'helm')));

/** Renders the chart with these values. */
async function render(more: object): Promise<Manifest[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-chart-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(more));
  const { stdout } = await promisify(execFile)('helm', ['template', 'prod', chart, '--values', file]);
  return parseAllDocuments(stdout).flatMap((document) => {
    expect(document.errors).toEqual([]);
    return (document.toJS() as Manifest | null) ?? [];
  });
}

describe.skipIf(!helm)('rendered by helm', () => {
  const existing = { secrets: { existingSecret: 'mine' } };

  test('deployments have no privileges, probes, and the secrets of their process', async () => {
    const made = await render(existing);
    const deployments = made.filter(({ kind }) => kind === 'Deployment');
    expect(deployments).toHaveLength(processes.length);
    for (const [name, { main, secrets }] of processes) {
      const { spec } = deployments.find(({ metadata }) => metadata.name === `prod-chorus-${name}`) as Manifest;
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
      const [container] = spec.template.spec.containers;
      expect(container.command).toEqual(['node', main]);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
      expect(container.ports[0].containerPort).toBe(name === 'api' ? 8_080 : 9_090);
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
      const keys: SecretKey[] = container.env.flatMap(
        ({ valueFrom }: { valueFrom?: { secretKeyRef: SecretKey } }) => valueFrom?.secretKeyRef ?? [],
      );
      expect(keys.map(({ key }) => key)).toEqual([...SHARED, ...secrets]);
      expect(new Set(keys.map((key) => key.name))).toEqual(new Set(['mine']));
    }
    expect(made.some(({ kind }) => kind === 'Secret')).toBe(false);
    const budgets = made.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
    expect(budgets.sort()).toEqual(['prod-chorus-api', 'prod-chorus-worker-text']);
  });

  test.each([
    ['keda', 'ScaledObject'],
    ['hpa', 'HorizontalPodAutoscaler'],
  ])('%s scales each pool by its queue', async (by, wanted) => {
    const made = await render({ ...existing, autoscaling: { by } });
    const scaled = made.filter(({ kind }) => kind === wanted);
    const pools = Object.values(values.processes).flatMap(({ pool }) => pool ?? []);
    expect(scaled).toHaveLength(pools.length);
    for (const pool of pools) expect(JSON.stringify(scaled)).toContain(pool);
    const fixed = made.filter(({ kind, spec }) => kind === 'Deployment' && spec.replicas !== undefined);
    expect(fixed.map(({ metadata }) => metadata.name).sort()).toEqual(['prod-chorus-api', 'prod-chorus-maintenance']);
  });

  test('creates a Secret from given values, and requires one otherwise', async () => {
    const given = { REDIS_URL: 'redis://r', MONGODB_URI: 'mongodb://m', SECRET_KEY: 'k', OPENAI_API_KEY: 'o' };
    const made = await render({ secrets: { values: given }, ingress: { enabled: true } });
    expect(made.find(({ kind }) => kind === 'Secret')?.stringData).toEqual(given);
    expect(made.find(({ kind }) => kind === 'Ingress')?.spec.rules[0].host).toBe('chorus.example.org');
    await expect(render({})).rejects.toThrow('Set secrets.existingSecret');
  });
});
