import { ChorusError } from '@chorus/contract';
import type { FormatReader } from '../format-reader.ts';
import { openPackage, type Package } from '../package/open-package.ts';
import type { PackageReader } from '../package/package-reader.ts';
import { readXml } from '../package/read-xml.ts';
import { relationOf, relationsOf } from '../package/relations.ts';

/** What the outermost element of the main part is called. */
const OF_ROOTS = new Map<string, () => Promise<PackageReader>>([
  ['document', async () => (await import('./docx.ts')).readDocx],
  ['presentation', async () => (await import('./pptx.ts')).readPptx],
  ['workbook', async () => (await import('./xlsx.ts')).readXlsx],
]);

/** Office files, OpenDocument and EPUB: which of them it is, the archive itself tells. */
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
  const load = part === undefined ? undefined : OF_ROOTS.get(await rootOf(packed, part));
  if (part === undefined || load === undefined)
    throw new ChorusError(
      'unsupported_media_type',
      'The file is an archive, but none of DOCX, PPTX, XLSX, ODT, ODS, ODP and EPUB.',
    );
  return { part, reader: await load() };
}

/** Ends the reading: more is not wanted. */
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
