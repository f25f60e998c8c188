// Prepares a release: moves the changesets to CHANGELOG.md and bumps all versions.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './checks/run-program.ts';

interface Plan {
  changesets: { summary: string; releases: { type: Level }[] }[];
  releases: { newVersion: string }[];
}

const HEADINGS = { major: 'Breaking changes', minor: 'Added and changed', patch: 'Fixed' } as const;

type Level = keyof typeof HEADINGS;

const LEVELS = Object.keys(HEADINGS) as Level[];

const changeset = (...args: string[]) =>
  execFileSync(join(root, 'node_modules/.bin/changeset'), args, { cwd: root, stdio: 'inherit' });

const plan = readPlan();
const version = plan.releases[0]?.newVersion;
if (version === undefined) throw new Error('There is no changeset to release. Add one: npx changeset');
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const firstRelease = changelog.indexOf('\n## ') + 1;
writeFileSync(
  join(root, 'CHANGELOG.md'),
  `${changelog.slice(0, firstRelease)}${describeRelease(version, plan)}\n${changelog.slice(firstRelease)}`,
);
changeset('version');
execFileSync('npm', ['version', version, '--no-git-tag-version', '--allow-same-version'], { cwd: root });

function readPlan(): Plan {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-release-'));
  try {
    const path = join(folder, 'plan.json');
    changeset('status', '--output', path);
    return JSON.parse(readFileSync(path, 'utf8')) as Plan;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function describeRelease(newVersion: string, { changesets }: Plan): string {
  const sections = LEVELS.flatMap((level) => {
    const summaries = changesets.filter(({ releases }) => highest(releases) === level).map(({ summary }) => summary);
    const items = summaries.map((summary) => `- ${summary.replaceAll('\n', '\n  ')}\n`);
    return items.length > 0 ? [`### ${HEADINGS[level]}\n\n${items.join('')}`] : [];
  });
  return `## ${newVersion}\n\n${sections.join('\n')}`;
}

function highest(releases: { type: Level }[]): Level | undefined {
  return LEVELS.find((level) => releases.some(({ type }) => type === level));
}
