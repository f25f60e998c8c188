import { posix } from 'node:path';
import type { Package } from './open-package.ts';
import { readXml } from './read-xml.ts';

/** What a part of an Office file refers to. */
export interface Relation {
  id: string;
  /** The last word of its type, such as `slide` or `officeDocument`. */
  type: string;
  /** The part's name in the archive. */
  target: string;
}

/** @param part '' for the archive as a whole */
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

/** The first of a type; undefined: there is none. */
export const relationOf = (relations: readonly Relation[], type: string): string | undefined =>
  relations.find((relation) => relation.type === type)?.target;
