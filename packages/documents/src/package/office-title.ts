import type { Package } from './open-package.ts';
import { readXml } from './read-xml.ts';

/** Returns the title from the properties of an Office or OpenDocument file. Null if missing or a program's default. */
export async function officeTitle(packed: Package, part: string | undefined): Promise<string | null> {
  if (part === undefined) return null;
  let title = '';
  let isOpen = false;
  await readXml(packed, part, {
    open(name) {
      isOpen = name === 'title';
    },
    close() {
      isOpen = false;
    },
    text(text) {
      if (isOpen && title.length < 1_000) title += text;
    },
  });
  const plain = title.trim();
  return plain === '' || /^(?:PowerPoint|Word|Excel|Untitled|Document\d*$|Presentation\d*$)/i.test(plain)
    ? null
    : plain;
}
