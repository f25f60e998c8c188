import type { Package } from './open-package.ts';
import { readXml } from './read-xml.ts';

/** Returns the title from an Office or OpenDocument file's properties; null if missing or written by a program. */
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
