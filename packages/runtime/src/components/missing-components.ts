import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { MissingComponent, Pool } from '@chorus/contract';
import { ChorusError } from '@chorus/contract/errors';
import { COMPONENTS, type Component, type ComponentName, target } from './components.ts';

const require = createRequire(import.meta.url);

/** Looked up once, since an installation does not change while a process runs. */
const missing = new Map<ComponentName, MissingComponent | null>();

const NAMES = Object.keys(COMPONENTS) as ComponentName[];

/** Returns the components that a pool's jobs need and this machine lacks. Without a pool: for all pools. */
export function missingComponents(pool?: Pool): MissingComponent[] {
  return NAMES.filter((name) => pool === undefined || partsOf(name).pools.includes(pool)).flatMap(
    (name) => find(name) ?? [],
  );
}

/** @throws ChorusError `feature_unavailable` if this machine lacks the component */
export function requireComponent(name: ComponentName): void {
  const found = find(name);
  if (found !== null) throw new ChorusError('feature_unavailable', found.message, { notStarted: true });
}

/** @throws ChorusError `feature_unavailable` if this machine lacks what the model needs */
export function requireModelFiles(model: string): void {
  for (const name of NAMES) if (partsOf(name).models?.includes(model)) requireComponent(name);
}

/** Returns the models that cannot run here, each with the reason. */
export function unavailableModels(): Map<string, string> {
  return new Map(
    NAMES.flatMap((name) => {
      const found = find(name);
      return found === null ? [] : (partsOf(name).models ?? []).map((model) => [model, found.message] as const);
    }),
  );
}

const partsOf = (name: ComponentName): Component => COMPONENTS[name];

function find(name: ComponentName): MissingComponent | null {
  const known = missing.get(name);
  if (known !== undefined) return known;
  const { feature, files, platforms, optional = false } = partsOf(name);
  const isForHere = platforms?.includes(target) ?? true;
  const lacking = files
    .map((file) => [file].flat())
    .filter((alternatives) => !isForHere || !alternatives.some(isInstalled));
  const found = lacking[0] === undefined ? null : { name, feature, optional, message: messageOf(feature, lacking[0]) };
  missing.set(name, found);
  return found;
}

function messageOf(feature: string, [file = '']: string[]): string {
  if (file.startsWith('/')) {
    const program = file.slice(file.lastIndexOf('/') + 1);
    return `Not available on this machine: ${feature}. Install the program \`${program}\`, such as by \`apt-get install ${program}\`.`;
  }
  const packageName = file.split('/', file.startsWith('@') ? 2 : 1).join('/');
  return (
    `Not available on this machine: ${feature}. \`${packageName}\` is not installed for ${target}. ` +
    'Run `npm install` in the folder of Chorus on a supported platform (see README.md).'
  );
}

/** Finds a file of a package, even if the package does not export it. */
function isInstalled(file: string): boolean {
  if (file.startsWith('/')) return existsSync(file);
  const name = file.split('/', file.startsWith('@') ? 2 : 1).join('/');
  return (require.resolve.paths(name) ?? []).some((folder) => {
    try {
      require.resolve(`${folder}/${file}`);
      return true;
    } catch {
      return false;
    }
  });
}
