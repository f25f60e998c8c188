import { relative } from 'node:path';
import type { ReadyReport, Reports } from './ready-report.ts';
import type { Settings } from './settings.ts';

export function announcement(reports: Reports, settings: Settings, folder: string, startedInMs: number): string {
  const all = [...reports.values()];
  const url = addressOf(reports, settings);
  const login = all.find((report) => report.login)?.login;
  const models = [...new Set(all.flatMap((report) => report.models ?? []))];
  const data = relative(folder, settings.dataDir);
  const lines = [
    '',
    `Chorus is ready (${(startedInMs / 1000).toFixed(1)} s).`,
    '',
    `  Address   ${url}   (API under /api/v1, documentation at ${url}/docs)`,
    `  Login     ${loginLine(login, settings.hasAdminPassword)}`,
    ...(models.length > 0 ? [`  Models    ${modelsLine(models)}`] : []),
    `  Data      ${data && !data.startsWith('..') ? data : settings.dataDir}   (logs in its subfolder logs)`,
    '',
    'Ctrl-C stops it.',
  ];
  return lines.join('\n');
}

export function addressOf(reports: Reports, { host, port }: Settings): string {
  return reports.get('api')?.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function loginLine(login: ReadyReport['login'], isPasswordKnown: boolean): string {
  if (!login) return 'created at the first start';
  if (!login.password) return `${login.email}   (its password was shown at the first start)`;
  if (isPasswordKnown) return `${login.email}   password: the value of ADMIN_PASSWORD`;
  return `${login.email}   password: ${login.password}   (shown only this once)`;
}

/** A provider may list hundreds. */
function modelsLine(models: string[]): string {
  const shown = models.slice(0, 6).join(', ');
  return models.length > 6 ? `${shown} and ${models.length - 6} more (GET /api/v1/models)` : shown;
}
