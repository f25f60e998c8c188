import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CheckOutcome, root } from './run-program.ts';

interface Manifest {
  description?: string;
  dependencies?: Record<string, string>;
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Documents whose identifiers must exist in the code. */
const DESCRIBES_CODE = /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/design\//;

/** Documents whose paths in code spans must exist, not only their links. */
const NAMES_PATHS = /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/design\/|^(apps|packages|workers)\//;

/**
 * Checks that each package has a description and a README that agrees with its code, that ARCHITECTURE.md lists
 * it, and that the files to which documents point exist.
 */
export async function checkDocuments(): Promise<CheckOutcome> {
  const manifests = globSync('{apps,packages,workers}/*/package.json', { cwd: root }).sort();
  const architecture = read('ARCHITECTURE.md');
  const unlisted = manifests.map(dirname).filter((folder) => !architecture.includes(`\n${folder} `));
  const documents = globSync(['*.md', 'docs/**/*.md', '{apps,packages,workers}/*/README.md'], { cwd: root }).sort();
  const words = wordsOfCode();
  const lines = [
    ...unlisted.map((folder) => `ARCHITECTURE.md: the tree does not list ${folder}`),
    ...manifests.flatMap((path) => checkPackage(dirname(path), JSON.parse(read(path)) as Manifest)),
    ...documents.flatMap((path) => findMissingTargets(path, read(path))),
    ...documents
      .filter((path) => DESCRIBES_CODE.test(path))
      .flatMap((path) => findUnknownNames(path, read(path), words)),
  ];
  return { ok: manifests.length > 0 && lines.length === 0, output: lines.join('\n') };
}

export function findMissingTargets(path: string, text: string): string[] {
  const lines: string[] = [];
  for (const [, target] of text.matchAll(/(?:\]\(|href="|src(?:set)?=")([^)"\s]+)/g)) {
    if (/^[a-z]+:/.test(target!)) continue;
    const [file = '', anchor] = target!.split('#', 2);
    const linked = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, linked))) lines.push(`${path}: ${target} does not exist`);
    else if (anchor !== undefined && !anchorsOf(linked).has(anchor))
      lines.push(`${path}: ${target} has no such heading`);
  }
  const folder = /^(apps|packages|workers)\/[^/]+/.exec(path)?.[0];
  for (const [, named] of NAMES_PATHS.test(path) ? text.matchAll(/`([\w.-]+\/[\w./-]*)`/g) : []) {
    const isOurs = /^(apps|docs|packages|scripts|test|workers)\//.test(named!);
    const isWithin = folder !== undefined && /^(bin|src)\//.test(named!);
    if (isOurs && !existsSync(join(root, named!))) lines.push(`${path}: ${named} does not exist`);
    if (isWithin && !existsSync(join(root, folder, named!))) lines.push(`${path}: ${named} does not exist`);
  }
  return lines;
}

export function findUnknownNames(path: string, text: string, words: ReadonlySet<string>): string[] {
  const names = text.matchAll(/`([a-z]\w*[A-Z_]\w*|[A-Z]\w+)(?:\([^`]*)?`/g);
  return Array.from(names, ([, name]) => name!)
    .filter((name) => !words.has(name))
    .map((name) => `${path}: ${name} is not in the code`);
}

function wordsOfCode(): Set<string> {
  const patterns = ['{apps,packages,workers}/*/src/**/*.{ts,tsx}', '{scripts,test}/**/*.{ts,mjs}', '*.{ts,yml}'];
  const files = globSync(patterns, { cwd: root });
  return new Set(files.flatMap((path) => read(path).match(/\b[A-Za-z_]\w*[A-Z_]\w*|\b[A-Z]\w+/g) ?? []));
}

function anchorsOf(path: string): Set<string> {
  const headings = read(path).matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\d _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function checkPackage(folder: string, { description, dependencies = {} }: Manifest): string[] {
  const lines = description ? [] : [`${folder}/package.json: no description`];
  if (!existsSync(join(root, folder, 'README.md'))) return [...lines, `${folder}/README.md: missing`];
  const readme = read(`${folder}/README.md`);
  const [, exports = ''] = /^\| Main exports \|.*\n((?:\|.*\n)*)/m.exec(readme) ?? [];
  const faces = globSync('src/{,*/}index.ts', { cwd: join(root, folder) }).map((path) => read(`${folder}/${path}`));
  const isReexported = faces.some((face) => face.includes('export *'));
  const sources = isReexported ? globSync('src/**/*.ts', { cwd: join(root, folder) }) : [];
  const code = [...faces, ...sources.map((path) => read(`${folder}/${path}`))].join('\n');
  for (const [, name] of exports.matchAll(/^\| `(\w+)`/gm)) {
    if (!new RegExp(`\\b${name}\\b`).test(code)) lines.push(`${folder}/README.md: ${name} is not exported`);
  }
  const [forbidden = ''] = /^Must not import:[^.]*/m.exec(readme) ?? [];
  for (const [, name] of forbidden.matchAll(/`([\w-]+)`/g)) {
    if (dependencies[`@chorus/${name}`]) lines.push(`${folder}/README.md: package.json depends on ${name}`);
  }
  return lines;
}
