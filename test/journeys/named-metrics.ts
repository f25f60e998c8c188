import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Panel {
  targets?: { expr: string }[];
}

/** Returns the metrics that the dashboard, the alert rules, and the page on monitoring name. */
export function namedMetrics(): Set<string> {
  const { panels } = JSON.parse(read('deploy/monitoring/grafana-dashboard.json')) as { panels: Panel[] };
  const { groups } = parse(read('deploy/monitoring/alerts.yml')) as { groups: { rules: { expr: string }[] }[] };
  const queries = [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
  const page = [...read('docs/monitoring.md').matchAll(/`(chorus_\w+)`/g)].map(([, name]) => name as string);
  return new Set([...queries.flatMap(metricsOf), ...page].map(withoutSuffix));
}

const METRIC = /\b(chorus_\w+|(?:nodejs|process)_\w+)\b/g;

function metricsOf(query: string): string[] {
  const found = query.replaceAll(/"[^"]*"/g, '').match(METRIC) ?? [];
  if (found.length === 0 && !/^up\b/.test(query)) throw new Error(`This query names no metric: ${query}`);
  return found;
}

/** The series of a histogram have suffixes. */
const withoutSuffix = (name: string) => name.replace(/_(bucket|count|sum)$/, '');
