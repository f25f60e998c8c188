import { ChorusError } from '@chorus/contract/errors';
import { openPackage, type Package } from '../package/open-package.ts';
import { readXml } from '../package/read-xml.ts';
import { relationOf, relationsOf } from '../package/relations.ts';
import type { FormatReader, PackageReader } from '../parse-task.ts';

const READERS_BY_ROOT = new Map<string, () => Promise<PackageReader>>([
  ['document', async () => (await import('./docx.ts')).readDocx],
  ['presentation', async () => (await import('./pptx.ts')).readPptx],
  ['workbook', async () => (await import('./xlsx.ts')).readXlsx],
]);

/** Reads Office, OpenDocument, and EPUB files, which it distinguishes by the content of the archive. */
export const readPackage: FormatReader = async ({ path, limits }, writer) => {
  const packed = await openPackage(path, limits);
  try {
    const { part, reader } = await findReader(packed);
    return await reader({ packed, part, limits, writer });
  } finally {
    packed.close();
  }
};

async function findReader(packed: Package): Promise<{ part: string; reader: PackageReader }> {
  if (packed.has('META-INF/container.xml'))
    return { part: 'META-INF/container.xml', reader: (await import('./epub.ts')).readEpub };
  if (packed.has('content.xml')) return { part: 'content.xml', reader: (await import('./odf.ts')).readOdf };
  const part = relationOf(await relationsOf(packed, ''), 'officeDocument');
  const load = part === undefined ? undefined : READERS_BY_ROOT.get(await rootOf(packed, part));
  if (part === undefined || load === undefined)
    throw new ChorusError(
      'unsupported_media_type',
      'The archive is not a DOCX, PPTX, XLSX, ODT, ODS, ODP, or EPUB file.',
    );
  return { part, reader: await load() };
}

class RootFound extends Error {}

async function rootOf(packed: Package, part: string): Promise<string> {
  let root = '';
  try {
    await readXml(packed, part, {
      open(name) {
        root = name;
        throw new RootFound();
      },
    });
  } catch (error) {
    if (!(error instanceof RootFound)) throw error;
  }
  return root;
}
