import { posix } from 'node:path';
import type { Package } from './open-package.ts';
import { readXml } from './read-xml.ts';

export interface Relation {
  id: string;
  /** Last path segment of its type, such as `slide` or `officeDocument`. */
  type: string;
  target: string;
}

/** @param part '' for the archive itself */
export async function relationsOf(packed: Package, part: string): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const relations: Relation[] = [];
  await readXml(packed, posix.join(dir, '_rels', `${base}.rels`), {
    open(name, attribute) {
      if (name !== 'Relationship' || attribute('TargetMode') === 'External') return;
      const target = attribute('Target') ?? '';
      const type = (attribute('Type') ?? '').split('/').at(-1) ?? '';
      relations.push({ id: attribute('Id') ?? '', type, target: resolved(dir, target) });
    },
  });
  return relations;
}

const resolved = (folder: string, target: string) =>
  target.startsWith('/') ? posix.normalize(target).slice(1) : posix.join(folder, target);

export const relationOf = (relations: readonly Relation[], type: string): string | undefined =>
  relations.find((relation) => relation.type === type)?.target;
